//! What was learned along the way: profiles, habits and rules, each from sessions that were really published.

use std::collections::{BTreeMap, BTreeSet};

use kernel::{AgentVersion, OrgId, Source, UserId};
use learning::{
    AgentPlaybookId, Citation, EventTime, FreeText, InteractionId, LearningId, LearningKind,
    NewAgentPlaybook, NewProfile, NewUserPlaybook, PlaybookName, PlaybookStatus, PlaybookText, ProfileId,
    Remark, RetrievedLearning, SourceWindow, Status, Tag, UserPlaybookId,
};

use super::conversation::Given;
use super::dice::Dice;
use super::rules::{HABITS, PROFILES, RULES, Rule, rule_for};
use super::scene::{Retrieval, Scene};
use super::timeline::version_on;
use crate::wiring::House;

/// Windows of at most so many habits make up a rule.
const WINDOWS: usize = 4;

/// The learnings that there are by now.
#[derive(Debug, Default)]
pub(super) struct Library {
    rules: BTreeMap<usize, AgentPlaybookId>,
    profiles: BTreeSet<UserId>,
    habits: BTreeMap<UserId, (UserPlaybookId, Vec<InteractionId>)>,
    recent: Vec<(UserPlaybookId, Vec<InteractionId>)>,
}

/// How many learnings there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct LearningCounts {
    /// Profiles of users.
    pub profiles: usize,
    /// Playbooks of users.
    pub user_playbooks: usize,
    /// Playbooks of the organization.
    pub agent_playbooks: usize,
}

impl Library {
    /// How many learnings there are.
    pub(super) fn counts(&self) -> LearningCounts {
        LearningCounts {
            profiles: self.profiles.len(),
            user_playbooks: self.habits.len(),
            agent_playbooks: self.rules.len(),
        }
    }

    /// Takes the learnings of a user away, as an erasure did.
    pub(super) fn forget(&mut self, user: &UserId) {
        self.profiles.remove(user);
        self.habits.remove(user);
    }

    /// What is put before the agent in a scene.
    pub(super) fn given(&self, scene: &Scene) -> anyhow::Result<Given> {
        let mut given = Given::default();
        if scene.retrieval == Retrieval::Nothing {
            return Ok(given);
        }
        let place = rule_for(scene.topic, scene.day);
        if let Some((rule, id)) = place.and_then(|place| Some((RULES.get(place)?, self.rules.get(&place)?))) {
            given.retrieved.push(retrieved(LearningKind::AgentPlaybook, &id.number().to_string())?);
            if scene.retrieval == Retrieval::Cited {
                given.cited.push(cited(rule, *id)?);
            }
        }
        if self.profiles.contains(&scene.user) {
            given.retrieved.push(retrieved(LearningKind::Profile, &profile_id(&scene.user))?);
        }
        if let Some((habit, _)) = self.habits.get(&scene.user) {
            given.retrieved.push(retrieved(LearningKind::UserPlaybook, &habit.number().to_string())?);
        }
        Ok(given)
    }

    /// Learns from the sessions of a day, and makes the rules that begin on the next.
    pub(super) fn learn(
        &mut self,
        house: &House,
        org: &OrgId,
        published: &[(&Scene, Vec<InteractionId>)],
        day: u32,
    ) -> anyhow::Result<()> {
        let (mut profiles, mut habits) = (Vec::new(), Vec::new());
        for (scene, turns) in published {
            let mut dice = Dice::named(7, scene.user.as_str());
            if !self.profiles.contains(&scene.user) && dice.happens(0.6) {
                profiles.push(profile(scene, &mut dice)?);
                self.profiles.insert(scene.user.clone());
            }
            let is_new = !self.habits.contains_key(&scene.user)
                && !habits.iter().any(|(known, _, _)| known == &scene.user);
            if is_new && scene.teaches {
                habits.push((scene.user.clone(), turns.clone(), habit(scene, turns)?));
            }
        }
        if !profiles.is_empty() {
            house.add_profiles().add(org, profiles)?;
        }
        if !habits.is_empty() {
            let given = habits.iter().map(|(_, _, habit)| habit.clone()).collect();
            let ids = house.add_user_playbooks().add(org, given)?;
            for ((user, turns, _), id) in habits.into_iter().zip(ids) {
                self.recent.push((id, turns.clone()));
                self.habits.insert(user, (id, turns));
            }
        }
        self.make_rules(house, org, day + 1)
    }

    /// Makes the rules that begin on a day out of the newest habits.
    fn make_rules(&mut self, house: &House, org: &OrgId, day: u32) -> anyhow::Result<()> {
        let due = RULES.iter().enumerate().filter(|(_, rule)| rule.since == day);
        for (place, rule) in due {
            let newest = self.recent.iter().rev().take(WINDOWS);
            let windows = newest
                .map(|(id, turns)| SourceWindow {
                    user_playbook_id: *id,
                    source_interaction_ids: turns.clone(),
                })
                .collect();
            let ids = house.add_agent_playbooks().add(org, vec![playbook(rule, day, windows)?])?;
            self.rules.extend(ids.into_iter().map(|id| (place, id)));
        }
        Ok(())
    }
}

fn profile_id(user: &UserId) -> String {
    format!("profile-of-{user}")
}

fn profile(scene: &Scene, dice: &mut Dice) -> anyhow::Result<NewProfile> {
    Ok(NewProfile {
        profile_id: Some(ProfileId::new(&profile_id(&scene.user))?),
        user: scene.user.clone(),
        content: FreeText::new(dice.one_of(&PROFILES).unwrap_or_default())?,
        source: Source::new(scene.source)?,
        generated_from_request_id: Remark::new(&format!("demo-{}", scene.session))?,
        time_to_live: Remark::new("infinity")?,
        tags: vec![Tag::new("demo")?],
        last_modified: Some(EventTime::new(scene.at.seconds())?),
        expires_at: None,
        status: Status::Current,
    })
}

fn habit(scene: &Scene, turns: &[InteractionId]) -> anyhow::Result<NewUserPlaybook<Option<EventTime>>> {
    let (name, content) = Dice::of(&[scene.seed, 8]).one_of(&HABITS).unwrap_or_default();
    Ok(NewUserPlaybook {
        user: scene.user.clone(),
        request_id: Remark::new(&format!("demo-{}", scene.session))?,
        text: text(name, content, "This customer writes again.", "Learned from one session.", scene.day)?,
        source: Source::new(scene.source)?,
        source_interaction_ids: turns.to_vec(),
        created_at: Some(EventTime::new(scene.at.seconds() + 1_200)?),
        status: Status::Current,
    })
}

fn playbook(
    rule: &Rule,
    day: u32,
    source_windows: Vec<SourceWindow>,
) -> anyhow::Result<NewAgentPlaybook<Option<EventTime>>> {
    Ok(NewAgentPlaybook {
        text: text(rule.name, rule.content, rule.trigger, rule.rationale, day)?,
        playbook_status: PlaybookStatus::Approved,
        metadata: FreeText::default(),
        created_at: None,
        status: Status::Current,
        source_windows,
    })
}

fn text(name: &str, content: &str, trigger: &str, rationale: &str, day: u32) -> anyhow::Result<PlaybookText> {
    Ok(PlaybookText {
        playbook_name: PlaybookName::new(name)?,
        agent_version: AgentVersion::new(version_on(day))?,
        content: FreeText::new(content)?,
        trigger: FreeText::new(trigger)?,
        rationale: FreeText::new(rationale)?,
        structured_data: None,
        tags: vec![Tag::new("demo")?],
    })
}

fn retrieved(kind: LearningKind, id: &str) -> anyhow::Result<RetrievedLearning> {
    Ok(RetrievedLearning { kind, learning_id: LearningId::new(id)? })
}

fn cited(rule: &Rule, id: AgentPlaybookId) -> anyhow::Result<Citation> {
    Ok(Citation {
        kind: LearningKind::AgentPlaybook,
        real_id: LearningId::new(&id.number().to_string())?,
        tag: Remark::new("rule")?,
        title: FreeText::new(rule.name)?,
    })
}

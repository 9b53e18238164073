//! The overview's counts the slow and obvious way: one pass over all rows for each question.

use std::collections::{BTreeMap, BTreeSet};

use evaluation::overview::{
    CitedRule, CitingSession, Cut, PartnerSum, RuleKey, RuleTitle, SourceSession, TallyRow, VerdictCount,
};
use evaluation::{
    AgentSuccessResult, Bucket, CitedRuleReceiver, KeptResult, NewShadowVerdict, OverviewSnapshot,
    PartnerScore, PromptVersion, ScoreSubject, SessionKey, Slice, Tally, spokesman,
};
use kernel::{AgentVersion, OrgId, Source, StoreError, Timestamp, UnitOfWork, Window, Work};

/// A citation as a turn made it.
#[derive(Debug, Clone)]
pub(super) struct Citation {
    pub(super) session: SessionKey,
    pub(super) rule: RuleKey,
    pub(super) title: String,
    pub(super) cited: (i64, i64),
}

/// Everything that an organization has.
#[derive(Debug, Clone, Default)]
pub(super) struct Everything {
    pub(super) results: Vec<(AgentSuccessResult, Source)>,
    pub(super) citations: Vec<Citation>,
    pub(super) verdicts: Vec<(NewShadowVerdict, Source)>,
    pub(super) scores: Vec<PartnerScore>,
}

fn holds(slice: &Slice, result: &AgentSuccessResult) -> bool {
    let named = slice.agent_version.as_ref();
    slice.window.contains(result.created_at)
        && named.is_none_or(|named| *named == result.identity.agent_version)
}

impl Everything {
    /// One observation for each session.
    fn observations(&self) -> Vec<&(AgentSuccessResult, Source)> {
        let sessions: BTreeSet<_> = self.results.iter().map(|(result, _)| &result.identity.session).collect();
        sessions
            .into_iter()
            .map(|session| {
                let own = || self.results.iter().filter(|(result, _)| result.identity.session == *session);
                let speaks = spokesman(own().map(|(result, _)| result)).unwrap();
                own().find(|(result, _)| result == speaks).unwrap()
            })
            .collect()
    }

    fn observed(&self, slice: &Slice) -> Vec<&(AgentSuccessResult, Source)> {
        self.observations().into_iter().filter(|(result, _)| holds(slice, result)).collect()
    }

    /// The citations of sessions in the slice, each with its observation.
    fn cited(&self, slice: &Slice) -> Vec<(&Citation, &AgentSuccessResult, &Source)> {
        let mut cited = Vec::new();
        for (result, source) in self.observed(slice) {
            let own = self.citations.iter().filter(|citation| citation.session == result.identity.session);
            cited.extend(own.map(|citation| (citation, result, source)));
        }
        cited
    }
}

impl OverviewSnapshot for Everything {
    fn tallies(&mut self, slice: &Slice, cut: Cut) -> Result<Vec<TallyRow>, StoreError> {
        let mut rows: BTreeMap<(Timestamp, Source), Tally> = BTreeMap::new();
        for (result, source) in self.observed(slice) {
            let start = match cut {
                Cut::Whole => slice.window.start(),
                Cut::Into(bucket) => bucket.start_of(result.created_at),
            };
            *rows.entry((start, source.clone())).or_default() += Tally::of(&result.judgement);
        }
        Ok(rows.into_iter().map(|((start, source), tally)| TallyRow { start, source, tally }).collect())
    }

    fn cited_rules(&mut self, slice: &Slice, receiver: &mut dyn CitedRuleReceiver) -> Result<(), StoreError> {
        let mut rules: BTreeMap<(RuleKey, Source), BTreeMap<SessionKey, bool>> = BTreeMap::new();
        for (citation, result, source) in self.cited(slice) {
            let sessions = rules.entry((citation.rule.clone(), source.clone())).or_default();
            sessions.insert(citation.session.clone(), result.judgement.is_success);
        }
        for ((rule, source), sessions) in rules {
            let count =
                |success| u64::try_from(sessions.values().filter(|is| **is == success).count()).unwrap();
            receiver.receive(CitedRule { rule, source, successes: count(true), failures: count(false) });
        }
        Ok(())
    }

    fn rule_titles(&mut self, window: Window, rules: &[RuleKey]) -> Result<Vec<RuleTitle>, StoreError> {
        let cited = self.cited(&Slice::all(window));
        let newest = |rule: &RuleKey| {
            let titled = cited
                .iter()
                .map(|(citation, _, _)| citation)
                .filter(|c| c.rule == *rule && !c.title.is_empty());
            let newest = titled.max_by_key(|citation| citation.cited)?;
            Some(RuleTitle { rule: rule.clone(), title: newest.title.clone() })
        };
        Ok(rules.iter().filter_map(newest).collect())
    }

    fn citing_sessions(
        &mut self,
        slice: &Slice,
        rules: &[RuleKey],
    ) -> Result<Vec<CitingSession>, StoreError> {
        let cited = self.cited(slice).into_iter().filter(|(citation, _, _)| rules.contains(&citation.rule));
        let sessions: BTreeSet<_> = cited
            .map(|(citation, _, source)| (citation.rule.clone(), source.clone(), citation.session.clone()))
            .collect();
        let row = |(rule, source, session): (_, _, SessionKey)| CitingSession {
            rule,
            source,
            session_id: session.session_id,
        };
        Ok(sessions.into_iter().map(row).collect())
    }

    fn sessions(&mut self, slice: &Slice) -> Result<Vec<SourceSession>, StoreError> {
        let row = |(result, source): &(AgentSuccessResult, Source)| SourceSession {
            source: source.clone(),
            session: result.identity.session.clone(),
        };
        Ok(self.observed(slice).into_iter().map(row).collect())
    }

    fn verdicts(
        &mut self,
        window: Window,
        version: &PromptVersion,
        bucket: Bucket,
    ) -> Result<Vec<VerdictCount>, StoreError> {
        let mut rows: Vec<VerdictCount> = Vec::new();
        for (verdict, source) in &self.verdicts {
            if verdict.judge_prompt_version == *version && window.contains(verdict.created_at) {
                rows.push(VerdictCount {
                    start: bucket.start_of(verdict.created_at),
                    source: source.clone(),
                    better_request: verdict.better_request,
                    service: verdict.service,
                    n: 1,
                });
            }
        }
        Ok(rows)
    }

    fn verdict_count(&mut self, version: &PromptVersion, enough: u64) -> Result<u64, StoreError> {
        let own = self.verdicts.iter().filter(|(verdict, _)| verdict.judge_prompt_version == *version);
        Ok(u64::try_from(own.count()).unwrap().min(enough))
    }

    fn partner_sums(&mut self, slice: &Slice) -> Result<Vec<PartnerSum>, StoreError> {
        let observations = self.observations();
        let observation_of = |score: &PartnerScore| {
            let ScoreSubject::Session(session) = &score.subject else { return None };
            observations.iter().find(|(result, _)| result.identity.session == *session).copied()
        };
        let is_wanted = |score: &&PartnerScore| {
            let version = observation_of(score).map(|(result, _)| &result.identity.agent_version);
            slice.agent_version.is_none() || slice.agent_version.as_ref() == version
        };
        let source_of = |score: &PartnerScore| observation_of(score).map(|(_, source)| source.clone());
        let row = |score: &PartnerScore| PartnerSum {
            scorer_name: score.identity.scorer_name.clone(),
            source: source_of(score),
            sum: score.value.get(),
            n: 1,
        };
        Ok(self
            .scores
            .iter()
            .filter(|score| slice.window.contains(score.at))
            .filter(is_wanted)
            .map(row)
            .collect())
    }

    fn recent(&mut self, slice: &Slice, limit: u32) -> Result<Vec<KeptResult>, StoreError> {
        let mut results: Vec<_> = self.results.iter().filter(|(result, _)| holds(slice, result)).collect();
        results.sort_by_key(|(result, _)| std::cmp::Reverse((result.created_at, result.result_id)));
        results.truncate(usize::try_from(limit).unwrap());
        let kept = |(result, source): &(AgentSuccessResult, Source)| KeptResult {
            result: result.clone(),
            source: source.clone(),
            judge: None,
        };
        Ok(results.into_iter().map(kept).collect())
    }

    fn first_result_at(&mut self) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.results.iter().map(|(result, _)| result.created_at).min())
    }

    fn agent_versions(&mut self, window: Window) -> Result<Vec<AgentVersion>, StoreError> {
        let judged = self.results.iter().filter(|(result, _)| window.contains(result.created_at));
        let versions: BTreeSet<_> = judged.map(|(result, _)| result.identity.agent_version.clone()).collect();
        Ok(versions.into_iter().collect())
    }
}

impl UnitOfWork<dyn OverviewSnapshot> for Everything {
    fn run(&self, _org: &OrgId, work: &mut Work<'_, dyn OverviewSnapshot>) -> Result<(), StoreError> {
        work(&mut self.clone());
        Ok(())
    }
}

//! What is said in a scene: turns that fit its ending, so that whoever reads them comes to the same verdict.

use evaluation::{FailureType, ShadowOutcome};
use kernel::{AgentVersion, RequestId, Source};
use learning::{
    Citation, EventTime, FreeText, Interaction, JsonText, NewInteraction, Publication, Purpose, Remark,
    RetrievedLearning, Role, ToolUse,
};

use super::dice::Dice;
use super::scene::{Ending, Handover, Scene};
use super::timeline::version_on;
use super::topics::{GIVES_UP, HANDS_OVER, PRODUCTS, THANKS, Words};

/// What was put before the agent for its first answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Given {
    /// Learnings that were retrieved.
    pub(super) retrieved: Vec<RetrievedLearning>,
    /// Rules that the answer names.
    pub(super) cited: Vec<Citation>,
}

/// The request that publishes a scene.
pub(super) fn publication(scene: &Scene, given: Given) -> anyhow::Result<Publication> {
    Ok(Publication {
        user: scene.user.clone(),
        session: Some(scene.session.clone()),
        request: Some(RequestId::new(&format!("demo-{}", scene.session))?),
        source: Source::new(scene.source)?,
        agent_version: AgentVersion::new(version_on(scene.day))?,
        purpose: Purpose::Learning,
        attribution: scene.attribution.clone(),
        interactions: Script::of(scene).turns(given)?,
    })
}

/// How a customer begins, which is also what an agent searches for.
pub(super) fn opening(scene: &Scene) -> String {
    Script::of(scene).opening
}

/// The service's answer that a shadow answer is compared with, as a judge reads it.
pub(super) fn first_answer(scene: &Scene) -> String {
    Script::of(scene).answer(0)
}

/// Everything that can be said in a scene.
struct Script<'a> {
    scene: &'a Scene,
    words: Words,
    order: String,
    product: &'static str,
    opening: String,
}

impl<'a> Script<'a> {
    fn of(scene: &'a Scene) -> Self {
        let mut dice = Dice::of(&[scene.seed, 2]);
        let words = scene.topic.words();
        let order = format!("{}", 40_000 + dice.below(50_000));
        let product = dice.one_of(&PRODUCTS).unwrap_or("table");
        let mut script = Self { scene, words, order, product, opening: String::new() };
        script.opening = script.said(&script.words.openings, 0);
        script
    }

    /// One of these sentences, about this order.
    fn said(&self, sentences: &[&'static str], turn: u64) -> String {
        let sentence = Dice::of(&[self.scene.seed, 3, turn]).one_of(sentences).unwrap_or_default();
        self.filled(sentence)
    }

    fn filled(&self, sentence: &str) -> String {
        sentence.replace("{order}", &self.order).replace("{product}", self.product)
    }

    /// Answers before the last correction are poor; what comes last decides.
    fn answer(&self, corrected: u32) -> String {
        let Scene { ending, corrections, handover, .. } = *self.scene;
        let turn = u64::from(corrected) + 1;
        let is_last = corrected == corrections;
        match (ending, handover) {
            (Ending::Settled, Handover::None) if is_last => self.said(&self.words.good, turn),
            (Ending::Settled, Handover::ToPerson) if is_last => {
                format!("{} I will also connect you with the warehouse.", self.said(&self.words.good, turn))
            }
            (Ending::Unsettled(_), Handover::ToPerson) if is_last => self.said(&HANDS_OVER, turn),
            (Ending::Unsettled(_), Handover::None) if is_last => self.said(&GIVES_UP, turn),
            _ => self.said(&self.words.poor, turn),
        }
    }

    /// A session that was not settled by the agent alone ends with the last correction, if there was one.
    fn ends_with_correction(&self) -> bool {
        let Scene { ending, corrections, handover, .. } = *self.scene;
        ending != Ending::Settled && handover == Handover::None && corrections > 0
    }

    fn turns(&self, given: Given) -> anyhow::Result<Vec<NewInteraction>> {
        let mut turns = vec![spoken("User", &self.opening)?];
        let mut first = Interaction { ..self.answered(0)? };
        first.retrieved_learnings = given.retrieved;
        first.citations = given.cited;
        first.shadow_content = FreeText::new(self.shadow())?;
        turns.push(first);
        for corrected in 1..=self.scene.corrections {
            turns.push(spoken("User", &self.filled(self.words.correction))?);
            if corrected < self.scene.corrections || !self.ends_with_correction() {
                turns.push(self.answered(corrected)?);
            }
        }
        if self.scene.is_settled() {
            turns.push(spoken("User", &self.said(&THANKS, 90))?);
        }
        let mut pace = Dice::of(&[self.scene.seed, 4]);
        let mut at = self.scene.at.seconds();
        turns
            .into_iter()
            .map(|body| {
                let created_at = Some(EventTime::new(at)?);
                at += 15 + i64::from(pace.below(75));
                Ok(NewInteraction { created_at, body })
            })
            .collect()
    }

    fn answered(&self, corrected: u32) -> anyhow::Result<Interaction> {
        let mut turn = spoken("Agent", &self.answer(corrected))?;
        turn.tools_used.extend(self.tool(corrected)?);
        Ok(turn)
    }

    /// The tool that an answer used: the wrong one, a broken one, or none, where the session fails for that.
    fn tool(&self, corrected: u32) -> anyhow::Result<Option<ToolUse>> {
        let (name, status) = match self.scene.ending {
            Ending::Settled if corrected < self.scene.corrections => return Ok(None),
            Ending::Settled => (self.words.tool, "success"),
            Ending::Unsettled(FailureType::WrongTool) => ("store_hours", "success"),
            Ending::Unsettled(FailureType::SystemError) => (self.words.tool, "error"),
            Ending::Unsettled(FailureType::InsufficientInfoFromTool) => (self.words.tool, "empty"),
            Ending::Unsettled(FailureType::MissingTool | FailureType::WrongAnswer) => return Ok(None),
        };
        let data = format!(r#"{{"order_id":"{}"}}"#, self.order);
        Ok(Some(ToolUse {
            tool_name: Remark::new(name)?,
            tool_data: Some(JsonText::new(data)),
            status: Some(Remark::new(status)?),
        }))
    }

    /// What the other version would have said; empty where none was asked.
    fn shadow(&self) -> String {
        let Some(comparison) = self.scene.shadow else { return String::new() };
        match comparison.outcome {
            ShadowOutcome::Loss => format!("{} Is there anything else?", self.said(&self.words.good, 50)),
            ShadowOutcome::Tie => format!("{} I hope that helps.", self.answer(0)),
            ShadowOutcome::Win => format!("Hello! {}", self.said(&self.words.poor, 51)),
        }
    }
}

fn spoken(role: &str, words: &str) -> anyhow::Result<Interaction> {
    Ok(Interaction { content: FreeText::new(words)?, ..Interaction::empty(Role::new(role)?) })
}

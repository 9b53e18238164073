//! The judge of an organization that asked for a model without saying which, or where.

use evaluation::judging::{
    Answer, ImpactVerdict, Instructions, Judge, JudgeEpoch, JudgeFailure, JudgeKind, LearningChunk,
    RelevanceVerdict, SessionGrade, ShadowGrade, ShadowPair, Transcript, Trouble,
};

use crate::prompts::{Prompts, Question};

/// Always says that it is not configured, so that nobody takes silence for grading.
#[derive(Debug)]
pub(super) struct Unconfigured;

const NOT_CONFIGURED: JudgeFailure = JudgeFailure::Unavailable(Trouble::Configuration);

impl Judge for Unconfigured {
    fn kind(&self) -> JudgeKind {
        JudgeKind::Model
    }

    fn epoch(&self) -> JudgeEpoch {
        let prompt = Prompts.current(Question::Session);
        JudgeEpoch {
            kind: JudgeKind::Model,
            prompt_version: Prompts::version_of(&prompt),
            prompt_hash: prompt.hash(),
            requested_model: String::new(),
            returned_model: String::new(),
        }
    }

    fn probe(&self) -> Result<(), JudgeFailure> {
        Err(NOT_CONFIGURED)
    }

    fn grade_session(&self, _: &Transcript, _: &Instructions) -> Answer<SessionGrade> {
        Err(NOT_CONFIGURED)
    }

    fn relevance(&self, _: &LearningChunk) -> Answer<Vec<RelevanceVerdict>> {
        Err(NOT_CONFIGURED)
    }

    fn impact(&self, _: &LearningChunk) -> Answer<Vec<ImpactVerdict>> {
        Err(NOT_CONFIGURED)
    }

    fn compare_shadow(&self, _: &ShadowPair) -> Answer<ShadowGrade> {
        Err(NOT_CONFIGURED)
    }
}

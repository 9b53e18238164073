//! The result of judging one session, and which of several results speaks for a session.

use kernel::{AgentVersion, EvaluationName, Label, SessionId, Source, Timestamp, UserId};

use crate::Reason;
use crate::judging::JudgeEpoch;
use crate::vocabulary::vocabulary;

vocabulary! {
    /// What made a session fail.
    FailureType {
        /// The surroundings failed, not the agent: a tool was down, a request timed out.
        SystemError => "system_error",
        /// The agent lacked a tool that the task needed.
        MissingTool => "missing_tool",
        /// The agent chose the wrong tool.
        WrongTool => "wrong_tool",
        /// A tool told too little.
        InsufficientInfoFromTool => "insufficient_info_from_tool",
        /// The answer was wrong.
        WrongAnswer => "wrong_answer",
    }
}

vocabulary! {
    /// How a whole session compared with its shadow; read for rows that carry it, never produced.
    RegularVsShadow {
        /// The regular track was better.
        RegularIsBetter => "regular_is_better",
        /// The regular track was slightly better.
        RegularIsSlightlyBetter => "regular_is_slightly_better",
        /// The shadow track was better.
        ShadowIsBetter => "shadow_is_better",
        /// The shadow track was slightly better.
        ShadowIsSlightlyBetter => "shadow_is_slightly_better",
        /// Neither was better.
        Tied => "tied",
    }
}

/// A session of the organization: a session id is unique only together with its user.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionKey {
    /// Whose session it is.
    pub user_id: UserId,
    /// The session among those of its user.
    pub session_id: SessionId,
}

/// What makes a result the same result: judging again updates it in place.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResultIdentity {
    /// The session that was judged.
    pub session: SessionKey,
    /// The version of the agent that was judged.
    pub agent_version: AgentVersion,
    /// The evaluation that judged.
    pub evaluation_name: EvaluationName,
}

/// What was said of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Whether the agent did what the user wanted.
    pub is_success: bool,
    /// What made it fail, where that is known.
    pub failure_type: Option<FailureType>,
    /// Why it failed, in the judge's words.
    pub failure_reason: Reason,
    /// How the session compared with its shadow, for rows that carry it.
    pub regular_vs_shadow: Option<RegularVsShadow>,
    /// How often the user corrected the agent.
    pub corrections: u32,
    /// How many user turns it took, where the task was resolved.
    pub turns_to_resolution: Option<u32>,
    /// Whether the session was handed to a person.
    pub is_escalated: bool,
    /// Tags of whoever judged.
    pub tags: Option<Vec<Label>>,
}

/// The result of one evaluation of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSuccessResult {
    /// Its number, kept when the session is judged again.
    pub result_id: i64,
    /// What it is the result of.
    pub identity: ResultIdentity,
    /// The first request time of the session.
    pub created_at: Timestamp,
    /// When the judgement was made.
    pub judged_at: Timestamp,
    /// What was said.
    pub judgement: Judgement,
}

/// A result as it is read: with where its session came from and who judged it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptResult {
    /// The result.
    pub result: AgentSuccessResult,
    /// The source of the first request of the session.
    pub source: Source,
    /// Under which rubric and by which model it was judged; `None` when it was judged elsewhere.
    pub judge: Option<JudgeEpoch>,
}

/// The result that speaks for a session: the newest judged of `agent_success`, else the newest judged.
///
/// A session is one observation however often it was judged; of equal times the higher number is newer.
pub fn spokesman<'a>(
    results: impl IntoIterator<Item = &'a AgentSuccessResult>,
) -> Option<&'a AgentSuccessResult> {
    results.into_iter().max_by_key(|result| {
        (result.identity.evaluation_name.is_agent_success(), result.judged_at, result.result_id)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn judged(result_id: i64, name: &str, judged_at: i64) -> AgentSuccessResult {
        let mut result = samples::result("ada", "s1");
        result.result_id = result_id;
        result.identity.evaluation_name = EvaluationName::new(name).unwrap();
        result.judged_at = Timestamp::from_seconds(judged_at);
        result
    }

    #[test]
    fn the_newest_judged_agent_success_result_speaks_for_a_session() {
        let results = [judged(1, "agent_success", 10), judged(2, "agent_success", 30), judged(3, "tone", 99)];

        assert_eq!(spokesman(&results).map(|result| result.result_id), Some(2));
    }

    #[test]
    fn without_an_agent_success_result_the_newest_judged_speaks() {
        let results = [judged(1, "tone", 50), judged(2, "overall", 20)];

        assert_eq!(spokesman(&results).map(|result| result.result_id), Some(1));
    }

    #[test]
    fn of_two_versions_judged_in_one_second_the_later_row_speaks() {
        let results = [judged(7, "agent_success", 10), judged(6, "agent_success", 10)];

        assert_eq!(spokesman(&results).map(|result| result.result_id), Some(7));
        assert_eq!(spokesman([]), None);
    }
}

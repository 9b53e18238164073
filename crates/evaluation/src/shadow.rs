//! Per-turn comparisons with a shadow response: verdicts, and the most recent of them.

use std::sync::Arc;

use kernel::{AgentVersion, Clock, InvalidName, Label, OrgId, SessionId, StoreError, Timestamp, UserId};

use crate::calendar::DAY;
use crate::vocabulary::vocabulary;
use crate::{EvaluationError, InteractionId, Reason, SessionKey, ShadowSettings, ShadowVerdictReader};

/// How far the list of recent verdicts looks back, in seconds.
pub const LOOKBACK: i64 = 30 * DAY;

/// The version of a rubric: verdicts of different versions are never mixed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PromptVersion(Label);

impl PromptVersion {
    /// Parses the version.
    ///
    /// # Errors
    /// When it is blank, too long, or holds control characters.
    pub fn new(text: &str) -> Result<Self, InvalidName> {
        Label::new(text).map(Self)
    }

    /// The version as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

vocabulary! {
    /// Which of the two responses the judge preferred, by the position in which it saw them.
    BetterRequest {
        /// The one shown first.
        First => "1",
        /// The one shown second.
        Second => "2",
        /// Neither.
        Tie => "tie",
    }
}

/// Where the judge saw the service's own response; drawn anew for every call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ServicePosition {
    /// It was request 1.
    First,
    /// It was request 2.
    Second,
}

impl ServicePosition {
    /// Whether the service's response was request 1, as the interface puts it.
    #[must_use]
    pub const fn is_request_1(self) -> bool {
        matches!(self, Self::First)
    }
}

impl From<bool> for ServicePosition {
    fn from(service_is_request_1: bool) -> Self {
        if service_is_request_1 { Self::First } else { Self::Second }
    }
}

/// How the service's response came out of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShadowOutcome {
    /// The service's response was better.
    Win,
    /// The shadow response was better.
    Loss,
    /// Neither was better.
    Tie,
}

impl BetterRequest {
    /// What the preference means for the service, given where its response was shown.
    #[must_use]
    pub const fn outcome(self, service: ServicePosition) -> ShadowOutcome {
        match (self, service) {
            (Self::Tie, _) => ShadowOutcome::Tie,
            (Self::First, ServicePosition::First) | (Self::Second, ServicePosition::Second) => {
                ShadowOutcome::Win
            }
            (Self::First, ServicePosition::Second) | (Self::Second, ServicePosition::First) => {
                ShadowOutcome::Loss
            }
        }
    }
}

/// What a judge said of one pair of responses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewShadowVerdict {
    /// The turn that was compared.
    pub interaction_id: InteractionId,
    /// The session of that turn.
    pub session: SessionKey,
    /// The version of the agent that answered.
    pub agent_version: AgentVersion,
    /// Where the service's response was shown.
    pub service: ServicePosition,
    /// Which response was better.
    pub better_request: BetterRequest,
    /// Whether it was better by far.
    pub is_significantly_better: bool,
    /// Why, in the judge's words.
    pub comparison_reason: Reason,
    /// The rubric that was used.
    pub judge_prompt_version: PromptVersion,
    /// When the verdict was made.
    pub created_at: Timestamp,
}

/// A kept verdict; there is one for each turn and rubric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadowVerdict {
    /// Its number, kept when the turn is judged again.
    pub verdict_id: i64,
    /// What was said.
    pub verdict: NewShadowVerdict,
}

/// Whether an organization has a shadow agent answer along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShadowMode {
    /// It does.
    On,
    /// It does not.
    Off,
}

/// What an organization's configuration says about shadow comparisons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadowSetup {
    /// Whether a shadow agent answers along.
    pub mode: ShadowMode,
    /// The rubric whose verdicts count.
    pub pinned: PromptVersion,
}

/// How many recent verdicts to list: 10 when nobody says, never fewer than 1 or more than 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecentLimit(u32);

impl RecentLimit {
    /// The nearest number that is allowed.
    #[must_use]
    pub fn clamped(limit: i64) -> Self {
        Self(u32::try_from(limit.clamp(1, 100)).unwrap_or(1))
    }

    /// How many rows.
    #[must_use]
    pub const fn rows(self) -> u32 {
        self.0
    }
}

impl Default for RecentLimit {
    fn default() -> Self {
        Self(10)
    }
}

/// Which recent verdicts to list; what is absent does not filter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShadowFilter {
    /// Only those on turns of this user.
    pub user_id: Option<UserId>,
    /// Only those on turns of sessions of this id.
    pub session_id: Option<SessionId>,
}

/// Lists the most recent shadow verdicts.
#[derive(Clone)]
pub struct ListRecentShadow {
    reader: Arc<dyn ShadowVerdictReader>,
    settings: Arc<dyn ShadowSettings>,
    clock: Arc<dyn Clock>,
}

impl ListRecentShadow {
    /// Lists verdicts from this reader, by these settings and this clock.
    #[must_use]
    pub fn new(
        reader: Arc<dyn ShadowVerdictReader>,
        settings: Arc<dyn ShadowSettings>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { reader, settings, clock }
    }

    /// The newest verdicts of the pinned rubric in the last 30 days; none from a store that keeps no verdicts.
    ///
    /// # Errors
    /// When the store failed.
    pub fn list(
        &self,
        org: &OrgId,
        filter: &ShadowFilter,
        limit: RecentLimit,
    ) -> Result<Vec<ShadowVerdict>, EvaluationError> {
        let since = self.clock.now().plus_seconds(-LOOKBACK);
        let pinned = self.settings.shadow(org)?.pinned;
        match self.reader.recent(org, &pinned, since, filter, limit.rows()) {
            Err(StoreError::Unsupported(_)) => Ok(Vec::new()),
            verdicts => Ok(verdicts?),
        }
    }
}

#[cfg(test)]
mod tests {
    use mockall::predicate::{always, eq};

    use super::*;
    use crate::ports::{MockShadowSettings, MockShadowVerdictReader};
    use crate::samples::{at, clock_at, org};

    fn pinned(version: &str) -> Arc<MockShadowSettings> {
        let mut settings = MockShadowSettings::new();
        let setup = ShadowSetup { mode: ShadowMode::Off, pinned: PromptVersion::new(version).unwrap() };
        settings.expect_shadow().return_const(Ok(setup));
        Arc::new(settings)
    }

    fn listed(answer: Result<Vec<ShadowVerdict>, StoreError>) -> Result<Vec<ShadowVerdict>, EvaluationError> {
        let mut reader = MockShadowVerdictReader::new();
        reader.expect_recent().return_once(move |_, _, _, _, _| answer);
        ListRecentShadow::new(Arc::new(reader), pinned("v1"), clock_at(0)).list(
            &org(),
            &ShadowFilter::default(),
            RecentLimit::default(),
        )
    }

    #[test]
    fn the_preferred_position_counts_for_whoever_stood_there() {
        use BetterRequest as Better;
        use ServicePosition as Service;

        assert_eq!(Better::First.outcome(Service::First), ShadowOutcome::Win);
        assert_eq!(Better::First.outcome(Service::Second), ShadowOutcome::Loss);
        assert_eq!(Better::Second.outcome(Service::First), ShadowOutcome::Loss);
        assert_eq!(Better::Second.outcome(Service::Second), ShadowOutcome::Win);
        assert_eq!(Better::Tie.outcome(Service::First), ShadowOutcome::Tie);
        assert_eq!(Better::Tie.outcome(Service::Second), ShadowOutcome::Tie);
    }

    #[test]
    fn better_request_is_1_or_2_or_tie() {
        let words: Vec<_> = BetterRequest::ALL.iter().map(|word| word.as_str()).collect();

        assert_eq!(words, ["1", "2", "tie"]);
        assert_eq!(BetterRequest::parse("3"), None);
    }

    #[test]
    fn a_limit_is_10_when_nobody_says_and_is_clamped_to_1_and_100() {
        assert_eq!(RecentLimit::default().rows(), 10);
        let clamped =
            [i64::MIN, 0, 1, 55, 100, 101, i64::MAX].map(|limit| RecentLimit::clamped(limit).rows());

        assert_eq!(clamped, [1, 1, 1, 55, 100, 100, 100]);
    }

    #[test]
    fn only_the_pinned_rubric_and_the_last_30_days_are_read() {
        let mut reader = MockShadowVerdictReader::new();
        let version = PromptVersion::new("v2").unwrap();
        let of_ada = ShadowFilter { user_id: Some(UserId::new("ada").unwrap()), session_id: None };
        reader
            .expect_recent()
            .with(always(), eq(version), eq(at(10_000_000 - 2_592_000)), eq(of_ada.clone()), eq(7))
            .times(1)
            .return_once(|_, _, _, _, _| Ok(vec![]));

        let verdicts = ListRecentShadow::new(Arc::new(reader), pinned("v2"), clock_at(10_000_000)).list(
            &org(),
            &of_ada,
            RecentLimit::clamped(7),
        );

        assert_eq!(verdicts, Ok(vec![]));
    }

    #[test]
    fn a_store_that_keeps_no_verdicts_has_none() {
        assert_eq!(listed(Err(StoreError::Unsupported("shadow comparison verdicts"))), Ok(vec![]));
    }

    #[test]
    fn a_store_that_is_away_is_an_error() {
        let down = StoreError::Unavailable("no storage".to_owned());

        assert_eq!(listed(Err(down.clone())), Err(EvaluationError::Store(down)));
    }
}

//! What the rules of evaluation need from a store and from an organization's configuration.

use kernel::{AgentVersion, OrgId, Source, StoreError, Timestamp, UserId, Window};

use crate::overview::{
    CitedRule, CitingSession, Cut, PartnerSum, RuleKey, RuleTitle, Slice, SourceSession, TallyRow,
    VerdictCount,
};
use crate::page::Cursor;
use crate::{
    AgentSuccessResult, Bucket, JudgedResult, KeptResult, LearningVerdict, LearningVerdictFilter,
    NewLearningVerdict, NewShadowVerdict, PartnerScore, PromptVersion, ResultFilter, ResultIdentity,
    ScoreIdentity, SessionKey, ShadowFilter, ShadowSetup, ShadowVerdict,
};

/// Reads results and verdicts on learnings outside a unit of work.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait ResultReader: Send + Sync {
    /// At most `limit` results that pass the filter and come after the cursor.
    ///
    /// MUST order by (`created_at`, `result_id`), newest first, and seek by that key rather than count rows off.
    fn results(
        &self,
        org: &OrgId,
        filter: &ResultFilter,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Vec<KeptResult>, StoreError>;

    /// At most `limit` verdicts that pass the filter and come after the cursor.
    ///
    /// MUST order newest first by (`created_at`, `result_id`), or by (`interaction_created_at`, `result_id`) when the
    /// filter states a period; a verdict without a turn time is in no stated period.
    fn learning_verdicts(
        &self,
        org: &OrgId,
        filter: &LearningVerdictFilter,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Vec<LearningVerdict>, StoreError>;
}

/// Reads shadow verdicts outside a unit of work.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait ShadowVerdictReader: Send + Sync {
    /// At most `limit` verdicts of this rubric made at `since` or later that pass the filter, newest first by
    /// (`created_at`, `verdict_id`).
    ///
    /// MUST answer [`StoreError::Unsupported`] when this kind of store keeps no verdicts.
    fn recent(
        &self,
        org: &OrgId,
        version: &PromptVersion,
        since: Timestamp,
        filter: &ShadowFilter,
        limit: u32,
    ) -> Result<Vec<ShadowVerdict>, StoreError>;
}

/// What an organization's configuration says about shadow comparisons.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait ShadowSettings: Send + Sync {
    /// The settings of the organization, defaults where it states nothing.
    fn shadow(&self, org: &OrgId) -> Result<ShadowSetup, StoreError>;
}

/// When and where a session began: the facts of its first request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionStart {
    /// The time of its first request.
    pub at: Timestamp,
    /// The source of its first request.
    pub source: Source,
}

/// An organization's results inside one transaction.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait ResultTx {
    /// Passes the write gate for these users.
    ///
    /// MUST answer [`StoreError::Barred`] when the erasure of any of them has begun.
    fn admit(&mut self, users: &[UserId]) -> Result<(), StoreError>;

    /// The starts of those of the sessions that were published here, in any order.
    fn session_starts(
        &mut self,
        sessions: &[SessionKey],
    ) -> Result<Vec<(SessionKey, SessionStart)>, StoreError>;

    /// The kept results among these identities, in any order.
    fn existing(&mut self, identities: &[ResultIdentity]) -> Result<Vec<AgentSuccessResult>, StoreError>;

    /// Keeps results: a new identity gets the next number, an existing one is changed in place.
    ///
    /// MUST keep the `result_id` of an existing identity. MUST let the session's outcome row (the result that speaks
    /// for it, by the rule of [`crate::spokesman`]) and the hourly tallies follow in the same transaction. MUST answer
    /// [`StoreError::Barred`], and change nothing, for a user whose erasure has begun.
    fn keep(&mut self, results: &[JudgedResult]) -> Result<(), StoreError>;
}

/// What a run of the judge saw, so that an older run never overwrites a newer one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictFence {
    /// The run's generation; a later run has a higher one.
    pub generation: i64,
    /// The fingerprint of the session as it was judged.
    pub fingerprint: String,
}

/// What became of a set of verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fenced {
    /// The verdicts are kept.
    Kept,
    /// A newer run was there first, or the session has changed since: nothing was kept.
    Stale,
}

/// An organization's verdicts inside one transaction.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait VerdictTx {
    /// Opens the fence for a run of the judge that begins now.
    ///
    /// MUST give a generation that is higher than every one given for the session before, and the fingerprint of the
    /// session as it is now: another one as soon as the session has another turn. MUST answer [`StoreError::Barred`]
    /// for a user whose erasure has begun.
    fn begin_run(&mut self, session: &SessionKey) -> Result<VerdictFence, StoreError>;

    /// Replaces the verdicts on the learnings of a session.
    ///
    /// MUST answer [`Fenced::Stale`], and change nothing, when verdicts of a higher generation are kept or the session's
    /// fingerprint is another now. MUST keep the `result_id` of a verdict on the same interaction, kind and learning, and
    /// remove those that are not among the new ones. MUST answer [`StoreError::Barred`] for a user whose erasure has begun.
    fn replace_learning_verdicts(
        &mut self,
        session: &SessionKey,
        fence: &VerdictFence,
        verdicts: &[NewLearningVerdict],
    ) -> Result<Fenced, StoreError>;

    /// Keeps a shadow verdict and answers its number.
    ///
    /// MUST change the verdict of the same interaction and rubric in place, keeping its `verdict_id`. MUST answer
    /// [`StoreError::Barred`] for a user whose erasure has begun.
    fn keep_shadow_verdict(&mut self, verdict: &NewShadowVerdict) -> Result<i64, StoreError>;
}

/// An organization's partner scores inside one transaction.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait PartnerScoreTx {
    /// Passes the write gate for these users.
    ///
    /// MUST answer [`StoreError::Barred`] when the erasure of any of them has begun.
    fn admit(&mut self, users: &[UserId]) -> Result<(), StoreError>;

    /// The kept scores among these identities, in any order.
    fn existing(&mut self, identities: &[ScoreIdentity]) -> Result<Vec<PartnerScore>, StoreError>;

    /// Keeps scores: a new identity is added, an existing one is changed in place.
    fn keep(&mut self, scores: &[PartnerScore]) -> Result<(), StoreError>;
}

/// Takes the counts of cited rules as they pass by, so that nobody has to hold them all.
pub trait CitedRuleReceiver {
    /// Takes the counts of one rule and one source.
    fn receive(&mut self, cited: CitedRule);
}

/// What the overview reads, all of it from one snapshot of one organization.
///
/// Opened through [`kernel::UnitOfWork`]; the store MUST give every call of one run the same state of the data and MAY
/// refuse to write in it. A session is one observation, told by the result that speaks for it ([`crate::spokesman`]); it
/// belongs to the time and the source of its first request. Windows are closed on both ends.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait OverviewSnapshot {
    /// The tallies of the sessions in the slice, for each piece of the cut and each source that has any.
    ///
    /// MUST leave out the seconds of the first and last hour that lie outside the window. A piece is named by its start
    /// ([`Bucket::start_of`], which may lie before the window); the whole window by its own start.
    fn tallies(&mut self, slice: &Slice, cut: Cut) -> Result<Vec<TallyRow>, StoreError>;

    /// Hands over, for each rule cited by sessions in the slice and each source, how those sessions came out.
    ///
    /// MUST count a rule once per session, and MUST hand over the sources of one rule directly one after another.
    fn cited_rules(&mut self, slice: &Slice, receiver: &mut dyn CitedRuleReceiver) -> Result<(), StoreError>;

    /// The newest non-empty title under which sessions in the window cited each of the rules.
    fn rule_titles(&mut self, window: Window, rules: &[RuleKey]) -> Result<Vec<RuleTitle>, StoreError>;

    /// The sessions in the slice that cited these rules, in any order.
    fn citing_sessions(&mut self, slice: &Slice, rules: &[RuleKey])
    -> Result<Vec<CitingSession>, StoreError>;

    /// Every evaluated session in the slice, in any order.
    fn sessions(&mut self, slice: &Slice) -> Result<Vec<SourceSession>, StoreError>;

    /// How often each kind of verdict of this rubric was made in the window, for each bucket and each source.
    ///
    /// MUST answer [`StoreError::Unsupported`] when this kind of store keeps no verdicts.
    fn verdicts(
        &mut self,
        window: Window,
        version: &PromptVersion,
        bucket: Bucket,
    ) -> Result<Vec<VerdictCount>, StoreError>;

    /// How many verdicts of this rubric there are at any time; MAY stop counting at `enough` and answer that.
    ///
    /// MUST answer [`StoreError::Unsupported`] when this kind of store keeps no verdicts.
    fn verdict_count(&mut self, version: &PromptVersion, enough: u64) -> Result<u64, StoreError>;

    /// Sums and counts of the partner scores made in the window, for each scorer and each source.
    ///
    /// A score belongs to the source of the evaluated session that it names, if it names one. Where the slice names a
    /// version, only scores of sessions of that version count.
    fn partner_sums(&mut self, slice: &Slice) -> Result<Vec<PartnerSum>, StoreError>;

    /// The newest results of the slice, by (`created_at`, `result_id`); every result, not one per session.
    fn recent(&mut self, slice: &Slice, limit: u32) -> Result<Vec<KeptResult>, StoreError>;

    /// The earliest `created_at` of all results of the organization.
    fn first_result_at(&mut self) -> Result<Option<Timestamp>, StoreError>;

    /// The versions of the agent that have a result in the window, ascending.
    ///
    /// MUST cost what the versions cost, not their results; MAY answer with the first 100.
    fn agent_versions(&mut self, window: Window) -> Result<Vec<AgentVersion>, StoreError>;
}

#[cfg(any(test, feature = "mock"))]
kernel::runs_once!(dyn ResultTx, MockResultTx);
#[cfg(any(test, feature = "mock"))]
kernel::runs_once!(dyn VerdictTx, MockVerdictTx);
#[cfg(any(test, feature = "mock"))]
kernel::runs_once!(dyn PartnerScoreTx, MockPartnerScoreTx);
#[cfg(any(test, feature = "mock"))]
kernel::runs_once!(dyn OverviewSnapshot, MockOverviewSnapshot);

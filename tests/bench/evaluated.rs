//! A store of evaluated sessions, filled by bulk statements; triggers keep the totals as they would for any writer.

use std::ops::RangeInclusive;

use crate::raw::Raw;

/// The first second of the sessions, where it need not be near.
pub(crate) const BEGIN: i64 = 1_700_000_000;
/// How long they go on.
pub(crate) const SECONDS: i64 = 90 * 86_400;
/// Sessions in a transaction while the tables are filled.
const CHUNK: u32 = 50_000;

/// Lets a connection fill tables fast: nothing of it needs to survive a power cut.
pub(crate) fn hurry(raw: &mut Raw) -> anyhow::Result<()> {
    raw.batch(match raw {
        Raw::Sqlite(_) => "PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 20000",
        Raw::Postgres(_) => "SET synchronous_commit = off",
    })?;
    Ok(())
}

/// As the database's own housekeeping would, sooner or later.
pub(crate) fn settle(raw: &mut Raw) -> anyhow::Result<()> {
    match raw {
        Raw::Sqlite(_) => raw.batch("PRAGMA wal_checkpoint(TRUNCATE)")?,
        Raw::Postgres(_) => {
            raw.batch("VACUUM ANALYZE")?;
            raw.batch("CHECKPOINT")?;
        }
    }
    Ok(())
}

/// Fills an organization with evaluated sessions over ninety days from `begin` on, of ten sources, every twentieth with citations.
pub(crate) fn fill(raw: &mut Raw, org: &str, sessions: u32, begin: i64) -> anyhow::Result<()> {
    let known = raw.numbers("SELECT coalesce(max(result_id), 0) AS n FROM evaluation_results", &[])?;
    let before = known.first().copied().unwrap_or_default() + 1;
    let mut first = 0;
    while first < sessions {
        let last = (first + CHUNK).min(sessions) - 1;
        raw.begin()?;
        raw.batch(&statements(org, begin, before, first..=last))?;
        raw.batch("COMMIT")?;
        first = last + 1;
    }
    Ok(())
}

/// Citations, results and outcomes of some sessions. Numbers times primes, cut to size, scatter them over users,
/// time, sources and rules.
fn statements(org: &str, begin: i64, before: i64, which: RangeInclusive<u32>) -> String {
    let (first, last) = (which.start(), which.end());
    let numbers = format!(
        "WITH RECURSIVE numbers (i) AS (SELECT CAST({first} AS BIGINT) UNION ALL \
         SELECT i + 1 FROM numbers WHERE i < {last}), \
         drawn AS (SELECT i, 'user-' || ((i * 7919) % 100000) AS u, 'session-' || i AS s, \
         {begin} + (i * 1046527) % {SECONDS} AS t, 'source-' || (i % 10) AS src, (i * 31) % 100 AS chance FROM numbers)"
    );
    let cited = |second: &str, rule: &str| {
        format!(
            "INSERT INTO session_citations (org_id, user_id, session_id, kind, rule_id, title, interaction_id, cited_at) \
             {numbers} SELECT '{org}', u, s, 'user_playbook', 'rule-' || ({rule}), 'Rule', i, t FROM drawn WHERE i % 20 = 3 {second};"
        )
    };
    format!(
        "{} {} \
         INSERT INTO evaluation_results (result_id, org_id, user_id, session_id, agent_version, evaluation_name, is_success, failure_type, \
         failure_reason, number_of_correction_per_session, user_turns_to_resolution, is_escalated, source, created_at, judged_at) \
         {numbers} SELECT {before} + i, '{org}', u, s, 'v1', 'agent_success', chance < 70, CASE WHEN chance < 70 THEN NULL ELSE 'missing_tool' END, \
         CASE WHEN chance < 70 THEN '' ELSE 'The agent did not find the order and asked for its number again.' END, chance % 4, \
         CASE WHEN chance < 70 THEN 1 + chance % 7 END, chance % 10 = 0, src, t, t FROM drawn; \
         INSERT INTO session_outcomes (org_id, user_id, session_id, result_id, created_at, source, is_success, corrections, turns, \
         is_escalated, is_system_error, is_agent_success, judged_at) \
         {numbers} SELECT '{org}', u, s, {before} + i, t, src, chance < 70, chance % 4, CASE WHEN chance < 70 THEN 1 + chance % 7 END, \
         chance % 10 = 0, false, true, t FROM drawn",
        cited("", "(i / 20) % 500"),
        // Half of those that cite anything cite a second rule.
        cited("AND i % 40 = 3", "500 + (i / 40) % 100"),
    )
}

//! What must hold at the end, whatever happened.

use std::collections::BTreeSet;

use storage::testing::TestDatabase;

use crate::callers::Crowd;

/// The sentences that do not hold.
pub(crate) fn violations(db: &TestDatabase, crowds: &[Crowd]) -> Vec<String> {
    let mut violations = Vec::new();
    for crowd in crowds {
        lost(db, crowd, &mut violations);
        erased(db, crowd, &mut violations);
    }
    crossed(db, &mut violations);
    counts(db, &mut violations);
    violations
}

/// Every acknowledged write of a user who was not erased is there.
fn lost(db: &TestDatabase, crowd: &Crowd, violations: &mut Vec<String>) {
    let (org, erased) = (crowd.org, crowd.erased.lock().unwrap());
    let there: BTreeSet<String> = db
        .texts(&format!("SELECT request_id AS t FROM requests WHERE org_id = '{org}'"))
        .into_iter()
        .collect();
    for (user, kept) in crowd.kept.lock().unwrap().iter().filter(|(user, _)| !erased.contains(*user)) {
        let lost = kept.requests.iter().filter(|id| !there.contains(*id)).count();
        if lost > 0 {
            violations.push(format!("{lost} acknowledged requests of {user} in {org} are not there"));
        }
        for (table, kept) in [("profiles", kept.profiles), ("user_playbooks", kept.playbooks)] {
            let rows = db.number(&format!(
                "SELECT count(*) AS n FROM {table} WHERE org_id = '{org}' AND user_id = '{user}'"
            ));
            if rows != i64::try_from(kept).unwrap() {
                violations.push(format!(
                    "{kept} {table} of {user} in {org} were acknowledged and {rows} are there"
                ));
            }
        }
    }
}

/// Tables that name users, found in the database itself.
fn tables(db: &TestDatabase) -> Vec<String> {
    db.texts(if db.url.starts_with("sqlite") {
        "SELECT m.name AS t FROM sqlite_master AS m, pragma_table_info(m.name) AS c
         WHERE m.type = 'table' AND c.name = 'user_id'"
    } else {
        "SELECT CAST(table_name AS TEXT) AS t FROM information_schema.columns
         WHERE table_schema = current_schema() AND column_name = 'user_id'"
    })
}

/// No row of an erased user is left.
fn erased(db: &TestDatabase, crowd: &Crowd, violations: &mut Vec<String>) {
    let erased = crowd.erased.lock().unwrap();
    let names: Vec<_> = erased.iter().map(|user| format!("'{user}'")).collect();
    if names.is_empty() {
        violations.push(format!("nobody was erased in {}", crowd.org));
        return;
    }
    for table in tables(db) {
        let left = format!(
            "SELECT count(*) AS n FROM {table} WHERE org_id = '{}' AND user_id IN ({})",
            crowd.org,
            names.join(", ")
        );
        let rows = db.number(&left);
        if rows > 0 {
            violations.push(format!("{rows} rows of erased users of {} are left in {table}", crowd.org));
        }
    }
}

/// Request ids carry their organization's name: none is found in another's rows.
fn crossed(db: &TestDatabase, violations: &mut Vec<String>) {
    for table in ["requests", "interactions", "feed_entries"] {
        let rows =
            db.number(&format!("SELECT count(*) AS n FROM {table} WHERE request_id NOT LIKE org_id || '-%'"));
        if rows > 0 {
            violations.push(format!("{rows} rows of {table} are another organization's"));
        }
    }
}

/// Requests are whole, sessions are judged once, and totals follow their rows.
fn counts(db: &TestDatabase, violations: &mut Vec<String>) {
    let none = [
        (
            "requests without their four turns",
            "SELECT count(*) AS n FROM requests AS r WHERE (SELECT count(*) FROM interactions AS i
                 WHERE i.org_id = r.org_id AND i.request_id = r.request_id) <> 4",
        ),
        (
            "requests without a session or a feed entry",
            "SELECT count(*) AS n FROM requests AS r
             WHERE NOT EXISTS (SELECT 1 FROM sessions AS s WHERE s.org_id = r.org_id AND s.user_id = r.user_id
                   AND s.session_id = r.session_id)
                OR NOT EXISTS (SELECT 1 FROM feed_entries AS f WHERE f.org_id = r.org_id AND f.request_id = r.request_id)",
        ),
        (
            "sessions that nobody judged",
            "SELECT count(*) AS n FROM sessions AS s WHERE NOT EXISTS (SELECT 1 FROM evaluation_results AS e
                 WHERE e.org_id = s.org_id AND e.user_id = s.user_id AND e.session_id = s.session_id)",
        ),
        (
            "sessions judged more than once",
            "SELECT count(*) AS n FROM (SELECT 1 AS one FROM evaluation_results
                 GROUP BY org_id, user_id, session_id HAVING count(*) > 1) AS twice",
        ),
        (
            "outcomes that the daily totals do not count, or count twice",
            "SELECT abs((SELECT count(*) FROM session_outcomes)
                 - (SELECT coalesce(CAST(sum(n) AS BIGINT), 0) FROM outcome_rollup WHERE grain = 86400)) AS n",
        ),
    ];
    for (what, query) in none {
        let rows = db.number(query);
        if rows != 0 {
            violations.push(format!("{rows} {what}"));
        }
    }
}

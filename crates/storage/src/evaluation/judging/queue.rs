//! Handing out work, and counting what waits.

use ::evaluation::InteractionId;
use ::evaluation::judging::{
    Claimed, Hold, Holder, JobId, Lease, QueueCounts, QueueReader, WorkId, WorkItem, WorkKind, WorkQueue,
    WorkSubject,
};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use kernel::{OrgId, StoreError, Timestamp};

use super::super::rows::{corrupt, count, session_of};
use super::work::{held, hold, let_go};
use crate::backend::queue::{self, Claim, ClaimedRow};
use crate::backend::{AnyConnection, clock, seconds_from_now};
use crate::database::Database;
use crate::kept::Keep as _;
use crate::schema::work_items;

impl WorkQueue for Database {
    fn claim(
        &self,
        kinds: &[WorkKind],
        busy: &[OrgId],
        holder: &Holder,
        limit: u32,
        seconds: i64,
    ) -> Result<Vec<Claimed>, StoreError> {
        let kinds: Vec<_> = kinds.iter().map(|kind| kind.as_str()).collect();
        let busy: Vec<_> = busy.iter().map(OrgId::as_str).collect();
        // Looking costs no writer's turn, and mostly there is nothing.
        let (is_due, only) = if busy.is_empty() {
            (self.read(anything_due)?, None)
        } else {
            let waiting = self.read(|conn| queue::longest_waiting(conn, &kinds, &busy))?;
            (waiting.is_some(), waiting)
        };
        if limit == 0 || !is_due {
            return Ok(Vec::new());
        }
        let claim = Claim {
            kinds: &kinds,
            only: only.as_deref(),
            holder: &holder.0,
            limit: i64::from(limit),
            seconds,
        };
        let mut rows = self.at_once(|conn| queue::claim(conn, &claim))?;
        rows.sort_by_key(|row| (row.due_at, row.work_id));
        rows.iter().map(claimed).collect()
    }

    fn heartbeat(&self, org: &OrgId, lease: &Lease, seconds: i64) -> Result<Hold, StoreError> {
        self.written(org, |tx| {
            let prolonged = tx.query(|conn, org| {
                let end = seconds_from_now(conn, seconds);
                diesel::update(held!(org, lease)).set(work_items::lease_expires_at.eq(end)).execute(conn)
            })?;
            Ok(hold(prolonged))
        })
    }

    fn release(&self, org: &OrgId, lease: &Lease) -> Result<Hold, StoreError> {
        self.written(org, |tx| {
            // New turns may have set the attempts back already.
            let attempts = diesel::dsl::case_when(work_items::attempts.gt(0), work_items::attempts - 1)
                .otherwise(work_items::attempts);
            let released = tx.query(|conn, org| {
                diesel::update(held!(org, lease))
                    .set((work_items::attempts.eq(attempts), let_go!()))
                    .execute(conn)
            })?;
            Ok(hold(released))
        })
    }
}

/// Asks for the longest due item instead of any that is due: told to find any, a database reads the table until it meets one.
/// The state is written out, since an index of what waits is of no use for a state that is not known yet.
fn longest_due(conn: &AnyConnection) -> String {
    format!(
        "SELECT due_at <= {} AS is_due FROM work_items WHERE state = 'waiting' ORDER BY due_at, work_id LIMIT 1",
        clock(conn)
    )
}

fn anything_due(conn: &mut AnyConnection) -> QueryResult<bool> {
    #[derive(QueryableByName)]
    struct Longest {
        #[diesel(sql_type = Bool)]
        is_due: bool,
    }
    let longest = diesel::sql_query(longest_due(conn)).kept().get_result(conn).optional()?;
    Ok(longest.is_some_and(|longest: Longest| longest.is_due))
}

fn claimed(row: &ClaimedRow) -> Result<Claimed, StoreError> {
    let wrong = |column: &str| corrupt(&format!("work_items.{column}"));
    let subject = match WorkKind::parse(&row.kind).ok_or_else(|| wrong("kind"))? {
        WorkKind::SessionEvaluation => WorkSubject::Session,
        WorkKind::ShadowTurn => WorkSubject::Turn(InteractionId(row.subject)),
        WorkKind::RegenerationSession => {
            let job = row.job_id.as_deref().and_then(|id| JobId::new(id).ok());
            WorkSubject::Replay(job.ok_or_else(|| wrong("subject"))?)
        }
    };
    Ok(Claimed {
        item: WorkItem {
            org: OrgId::new(&row.org_id).map_err(|_| wrong("org_id"))?,
            session: session_of(&row.user_id, &row.session_id, "work_items")?,
            subject,
            due_at: Timestamp::from_seconds(row.due_at),
            attempts: u32::try_from(row.attempts).map_err(|_| wrong("attempts"))?,
        },
        lease: Lease { work: WorkId(row.work_id), fence: row.lease_fence, revision: row.revision },
    })
}

impl QueueReader for Database {
    fn counts(&self, org: &OrgId, failed_since: Timestamp) -> Result<QueueCounts, StoreError> {
        let rows: Vec<KindRow> = self.read(|conn| {
            diesel::sql_query(counting(conn))
                .bind::<BigInt, _>(failed_since.seconds())
                .bind::<Text, _>(org.as_str())
                .load(conn)
        })?;
        let mut counts = QueueCounts::default();
        for row in rows {
            let kind = WorkKind::parse(&row.kind).ok_or_else(|| corrupt("work_items.kind"))?;
            if let Some(due) = row.oldest_due.map(Timestamp::from_seconds) {
                counts.depth.push((kind, count(row.depth, "work_items")?));
                counts.oldest_due = Some(counts.oldest_due.map_or(due, |oldest| oldest.min(due)));
            }
            counts.running += count(row.running, "work_items")?;
            counts.retrying += count(row.retrying, "work_items")?;
            counts.failed += count(row.failed, "work_items")?;
        }
        Ok(counts)
    }
}

/// Counts the items of an organization by kind, all in one pass: a queue may be long, and people look at it often.
fn counting(conn: &AnyConnection) -> String {
    let how_many = |condition: &str| format!("CAST(sum(CASE WHEN {condition} THEN 1 ELSE 0 END) AS BIGINT)");
    format!(
        "SELECT kind, min(CASE WHEN state = 'waiting' THEN due_at END) AS oldest_due, {} AS depth, {} AS running, \
         {} AS retrying, {} AS failed FROM work_items WHERE org_id = $2 GROUP BY kind ORDER BY kind",
        how_many("state = 'waiting'"),
        how_many(&format!("state = 'waiting' AND lease_expires_at > {}", clock(conn))),
        how_many("state = 'waiting' AND last_error IS NOT NULL AND lease_holder IS NULL"),
        how_many("state = 'failed' AND failed_at >= $1"),
    )
}

/// What is in the queue of one kind of work.
#[derive(QueryableByName)]
struct KindRow {
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Nullable<BigInt>)]
    oldest_due: Option<i64>,
    #[diesel(sql_type = BigInt)]
    depth: i64,
    #[diesel(sql_type = BigInt)]
    running: i64,
    #[diesel(sql_type = BigInt)]
    retrying: i64,
    #[diesel(sql_type = BigInt)]
    failed: i64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::testing::steps;

    /// Ten thousand sessions that fall due some day, none of them soon.
    const FILL: &str = "INSERT INTO work_items (org_id, user_id, session_id, kind, due_at) WITH RECURSIVE numbers (i) AS \
         (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM numbers WHERE i < 10000) \
         SELECT 'acme', 'ada', 's-' || i, 'session_evaluation', 90000000000 + i FROM numbers";

    crate::on_both! {
        fn a_long_queue_is_not_read_to_see_whether_anything_is_due(db) {
            db.execute(FILL);
            db.execute("ANALYZE");

            let plan = db.database.read(|conn| steps(conn, &longest_due(conn))).unwrap().join("\n");

            assert!(plan.contains("work_items_due") && !plan.contains("Seq Scan"), "{plan}");
            assert!(!db.database.read(anything_due).unwrap(), "work was due before its time");
            db.execute("UPDATE work_items SET due_at = 1 WHERE session_id = 's-7'");
            assert!(db.database.read(anything_due).unwrap(), "work that is due was not found");
        }

        fn what_a_busy_organization_has_due_is_not_read(db) {
            db.execute(&FILL.replace("90000000000", "0"));
            db.execute("ANALYZE");

            let look = |conn: &mut AnyConnection| steps(conn, &queue::longest_waiting_sql(conn));
            let claim = |conn: &mut AnyConnection| steps(conn, &queue::claim_sql(conn, Some("globex")));

            for plan in [db.database.read(look), db.database.read(claim)].map(|plan| plan.unwrap().join("\n")) {
                let others = ["Seq Scan on work_items", "SCAN w ", "work_items_due"];
                assert!(plan.contains("work_items_by_organization"), "{plan}");
                assert!(!others.iter().any(|way| plan.contains(way)), "{plan}");
            }
        }
    }
}

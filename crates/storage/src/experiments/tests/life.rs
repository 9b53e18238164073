//! What happens in an organization, by chance and all in disorder.

use std::fmt::Write as _;

use ::experiments::Arm;
use diesel::RunQueryDsl as _;
use kernel::{ExperimentId, RequestId, SessionId, StoreError, UserId, Verdict};

use super::{at, org};
use crate::experiments::entry::TaggedRequest;
use crate::testing::TestDatabase;
use crate::transaction::OrgTx;

/// A published turn.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    pub(super) is_user: bool,
    pub(super) tokens: Option<i64>,
    pub(super) cites: bool,
    pub(super) retrieved: bool,
}

impl Turn {
    /// A plain turn of an agent.
    pub(super) const AGENT: Self = Self { is_user: false, tokens: Some(3), cites: false, retrieved: false };
}

/// A published request.
#[derive(Clone, Copy)]
pub(super) struct Visit<'a> {
    pub(super) org: &'a str,
    pub(super) user: &'a str,
    pub(super) session: &'a str,
    pub(super) request: &'a str,
    pub(super) tag: Option<(&'a str, &'a str)>,
    pub(super) at: i64,
    pub(super) turns: &'a [Turn],
}

/// Keeps a request and its turns as publishing does.
pub(super) fn publish(db: &TestDatabase, visit: &Visit<'_>) {
    let Visit { org: of_org, user, session, request, tag, at, turns } = *visit;
    let (experiment, arm) = tag
        .map_or_else(|| ("NULL".into(), "NULL".into()), |(id, arm)| (format!("'{id}'"), format!("'{arm}'")));
    let mut sql = format!(
        "INSERT INTO requests (org_id, request_id, user_id, session_id, created_at, source, agent_version, \
         evaluation_only, experiment_id, experiment_arm, body_digest) VALUES \
         ('{of_org}', '{request}', '{user}', '{session}', {at}, '', '', false, {experiment}, {arm}, '');"
    );
    for (position, turn) in turns.iter().enumerate() {
        let tokens = turn.tokens.map_or_else(|| "NULL".to_owned(), |tokens| tokens.to_string());
        let list = |some: bool| if some { r#"[{"kind":"profile"}]"# } else { "[]" };
        let _ = write!(
            sql,
            "INSERT INTO interactions (org_id, user_id, session_id, request_id, position, created_at, role, is_user, \
             is_agent, content, shadow_content, expert_content, user_action, user_action_description, \
             interacted_image_url, tools_used, citations, retrieved_learnings, output_tokens) VALUES \
             ('{of_org}', '{user}', '{session}', '{request}', {position}, {at}, '', {}, {}, '', '', '', '', '', '', \
             '[]', '{}', '{}', {tokens});",
            turn.is_user,
            !turn.is_user,
            list(turn.cites),
            list(turn.retrieved)
        );
    }
    db.execute(&sql);
    if let Some((id, arm)) = tag {
        enter(db, visit, id, Arm::parse(arm).unwrap());
    }
}

/// Enters a visit as publishing does, in a transaction of its own.
pub(super) fn enter(db: &TestDatabase, visit: &Visit<'_>, experiment: &str, arm: Arm) {
    let user = UserId::new(visit.user).unwrap();
    let answers = || visit.turns.iter().filter(|turn| !turn.is_user);
    let tagged = TaggedRequest {
        experiment: &ExperimentId::new(experiment).unwrap(),
        arm,
        user: &user,
        session: &SessionId::new(visit.session).unwrap(),
        request: &RequestId::new(visit.request).unwrap(),
        at: at(visit.at),
        output_tokens: answers().filter_map(|turn| turn.tokens).sum(),
        uncounted_turns: i64::try_from(answers().filter(|turn| turn.tokens.is_none()).count()).unwrap(),
        declares_learnings: visit.turns.iter().any(|turn| turn.cites || turn.retrieved),
    };
    let mut entered = Ok(());
    let work = |tx: &mut OrgTx| -> Result<(), StoreError> {
        tx.pass_gate(std::slice::from_ref(&user))?;
        tx.enter_experiment(&tagged)
    };
    db.database
        .write(&org(visit.org), &mut |tx| {
            entered = work(tx);
            Verdict::Commit
        })
        .unwrap();
    entered.unwrap();
}

/// Keeps a session's outcome: a success without corrections.
pub(super) fn judge(db: &TestDatabase, of_org: &str, user: &str, session: &str, first_request_at: i64) {
    outcome(db, of_org, user, session, first_request_at, "true, 0, 1, false");
}

fn outcome(db: &TestDatabase, of_org: &str, user: &str, session: &str, first: i64, figures: &str) {
    let sql = format!(
        "INSERT INTO session_outcomes (org_id, user_id, session_id, result_id, created_at, source, is_success, \
         corrections, turns, is_escalated, is_system_error, is_agent_success, judged_at) VALUES \
         ('{of_org}', '{user}', '{session}', 1, {first}, '', {figures}, false, true, 1) \
         ON CONFLICT (org_id, user_id, session_id) DO UPDATE SET created_at = excluded.created_at, \
         is_success = excluded.is_success, corrections = excluded.corrections, turns = excluded.turns, \
         is_escalated = excluded.is_escalated"
    );
    let mut kept = Ok(0);
    db.database
        .write(&org(of_org), &mut |tx| {
            kept = tx.query(|conn, _| diesel::sql_query(&sql).execute(conn));
            Verdict::Commit
        })
        .unwrap();
    assert_eq!(kept, Ok(1));
}

/// A history that goes on by chance, the same for the same seed.
pub(super) struct Life<'a> {
    db: &'a TestDatabase,
    state: u64,
    seed: u64,
    requests: u32,
}

impl<'a> Life<'a> {
    pub(super) fn new(db: &'a TestDatabase, seed: u64) -> Self {
        Self {
            db,
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d,
            seed,
            requests: 0,
        }
    }

    /// A number below `bound`, by xorshift.
    fn draw(&mut self, bound: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) % bound
    }

    fn one_of<T: Copy>(&mut self, things: &[T]) -> T {
        things[usize::try_from(self.draw(things.len().try_into().unwrap())).unwrap()]
    }

    fn time(&mut self) -> i64 {
        // Often on the second where a window begins or ends.
        let chosen = self.one_of(&[999, 1_000, 1_500, 2_000, 2_001, 2_500, 2_501, 0, 0, 0, 0, 0]);
        if chosen > 0 { chosen } else { 800 + i64::try_from(self.draw(1_900)).unwrap() }
    }

    fn session(&mut self) -> (&'static str, String, String) {
        let of_org = self.one_of(&["acme", "acme", "umbrella"]);
        (of_org, format!("user-{}", self.draw(6)), format!("session-{}", self.draw(4)))
    }

    /// One thing happens: mostly requests, then outcomes, exposures, and now and then something is taken back.
    pub(super) fn go_on(&mut self) {
        match self.draw(20) {
            0..=9 => self.publish(),
            10..=15 => self.judge(),
            16..=17 => self.expose(),
            18 => self.take_back_outcome(),
            _ => self.take_back_session(),
        }
    }

    fn publish(&mut self) {
        let (of_org, user, session) = self.session();
        self.requests += 1;
        // Arrival and alphabet disagree.
        let request = format!("r-{:03}-{}-{}", self.draw(1_000), self.seed, self.requests);
        let tag = self.one_of(&[
            None,
            Some(("ended", "treatment")),
            Some(("ended", "holdout")),
            Some(("running", "treatment")),
            Some(("running", "holdout")),
        ]);
        let turns: Vec<Turn> = (0..self.draw(4)).map(|_| self.turn()).collect();
        let at = self.time();
        let visit =
            Visit { org: of_org, user: &user, session: &session, request: &request, tag, at, turns: &turns };
        publish(self.db, &visit);
    }

    fn turn(&mut self) -> Turn {
        let is_user = self.draw(2) == 0;
        let counted = !is_user && self.draw(8) > 0;
        let tokens = counted.then(|| i64::try_from(self.draw(500)).unwrap());
        Turn { is_user, tokens, cites: self.draw(12) == 0, retrieved: self.draw(12) == 0 }
    }

    fn judge(&mut self) {
        let (of_org, user, session) = self.session();
        let turns = self.one_of(&["NULL", "1", "4"]);
        let figures = format!("{}, {}, {turns}, {}", self.draw(3) > 0, self.draw(4), self.draw(5) == 0);
        let first = self.time();
        outcome(self.db, of_org, &user, &session, first, &figures);
    }

    fn expose(&mut self) {
        let (of_org, user, session) = self.session();
        let session = self.one_of(&["", session.as_str()]).to_owned();
        let id = self.one_of(&["ended", "running"]);
        let arm = if user.ends_with(['0', '1']) { "holdout" } else { "treatment" };
        self.db.execute(&format!(
            "INSERT INTO search_exposures VALUES ('{of_org}', '{id}', '{user}', '{session}', '{arm}', 1) \
             ON CONFLICT DO NOTHING"
        ));
    }

    fn take_back_outcome(&mut self) {
        let (of_org, user, session) = self.session();
        self.db.execute(&format!(
            "DELETE FROM session_outcomes \
             WHERE org_id = '{of_org}' AND user_id = '{user}' AND session_id = '{session}'"
        ));
    }

    /// As deleting a session does: its own row last.
    fn take_back_session(&mut self) {
        let (of_org, user, session) = self.session();
        let mut sql = format!(
            "INSERT INTO sessions VALUES ('{of_org}', '{user}', '{session}', 0, '', '', 0, '', '') ON CONFLICT DO NOTHING;"
        );
        for table in ["session_outcomes", "interactions", "requests", "sessions"] {
            let _ = write!(
                sql,
                "DELETE FROM {table} WHERE org_id = '{of_org}' AND user_id = '{user}' AND session_id = '{session}';"
            );
        }
        self.db.execute(&sql);
    }
}

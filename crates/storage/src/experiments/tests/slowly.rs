//! The same sums the slow way: every raw row is loaded, and everything is computed here.

use std::collections::{BTreeMap, BTreeSet};

use ::experiments::{Arm, ArmSums, ClusterSums, Experiment, PerArm, ResultSums};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use kernel::Timestamp;

use crate::testing::TestDatabase;

type Session = (String, String);

#[derive(QueryableByName)]
struct Tagged {
    #[diesel(sql_type = Text)]
    user_id: String,
    #[diesel(sql_type = Text)]
    session_id: String,
    #[diesel(sql_type = Text)]
    request_id: String,
    #[diesel(sql_type = BigInt)]
    created_at: i64,
    #[diesel(sql_type = Text)]
    arm: String,
}

#[derive(QueryableByName)]
struct Interaction {
    #[diesel(sql_type = Text)]
    request_id: String,
    #[diesel(sql_type = Bool)]
    is_user: bool,
    #[diesel(sql_type = Text)]
    citations: String,
    #[diesel(sql_type = Text)]
    retrieved_learnings: String,
    #[diesel(sql_type = Nullable<BigInt>)]
    output_tokens: Option<i64>,
}

#[derive(QueryableByName)]
struct Outcome {
    #[diesel(sql_type = Text)]
    user_id: String,
    #[diesel(sql_type = Text)]
    session_id: String,
    #[diesel(sql_type = BigInt)]
    created_at: i64,
    #[diesel(sql_type = Bool)]
    is_success: bool,
    #[diesel(sql_type = BigInt)]
    corrections: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    turns: Option<i64>,
    #[diesel(sql_type = Bool)]
    is_escalated: bool,
}

#[derive(QueryableByName)]
struct Exposed {
    #[diesel(sql_type = Text)]
    user_id: String,
    #[diesel(sql_type = Text)]
    arm: String,
}

struct Rows {
    requests: Vec<Tagged>,
    interactions: Vec<Interaction>,
    outcomes: Vec<Outcome>,
    exposed: Vec<Exposed>,
}

fn load(db: &TestDatabase, org: &str, experiment: &str) -> Rows {
    let mut conn = db.database.connect().unwrap();
    Rows {
        requests: diesel::sql_query(format!(
            "SELECT *, experiment_arm AS arm FROM requests WHERE org_id = '{org}' AND experiment_id = '{experiment}'"
        ))
        .load(&mut conn)
        .unwrap(),
        interactions: diesel::sql_query(format!("SELECT * FROM interactions WHERE org_id = '{org}'"))
            .load(&mut conn)
            .unwrap(),
        outcomes: diesel::sql_query(format!("SELECT * FROM session_outcomes WHERE org_id = '{org}'"))
            .load(&mut conn)
            .unwrap(),
        exposed: diesel::sql_query(format!(
            "SELECT * FROM search_exposures WHERE org_id = '{org}' AND experiment_id = '{experiment}'"
        ))
        .load(&mut conn)
        .unwrap(),
    }
}

/// The sums of an experiment by the sentences of its port.
pub(super) fn sums(db: &TestDatabase, org: &str, experiment: &Experiment, until: Timestamp) -> ResultSums {
    let mut rows = load(db, org, experiment.id.as_str());
    let window = experiment.started_at.seconds()..=until.seconds();
    rows.outcomes.retain(|outcome| window.contains(&outcome.created_at));
    let assigned = assigned(&rows.requests);
    let late = rows
        .requests
        .iter()
        .filter(|one| experiment.ended_at.is_some_and(|end| one.created_at > end.seconds()));
    let arm = |arm| arm_sums(&rows, &assigned, arm);
    let exposed = |arm: Arm| {
        let of_arm = rows.exposed.iter().filter(|one| one.arm == arm.as_str());
        size(&of_arm.map(|one| &one.user_id).collect::<BTreeSet<_>>())
    };
    ResultSums {
        arms: PerArm { treatment: arm(Arm::Treatment), holdout: arm(Arm::Holdout) },
        evaluated_sessions: rows.outcomes.len().try_into().unwrap(),
        exposed_users: PerArm { treatment: exposed(Arm::Treatment), holdout: exposed(Arm::Holdout) },
        contaminated_holdout_sessions: contaminated(&rows),
        late_sessions: size(&late.map(session_of).collect()),
    }
}

fn session_of(request: &Tagged) -> Session {
    (request.user_id.clone(), request.session_id.clone())
}

fn size<T>(set: &BTreeSet<T>) -> u64 {
    set.len().try_into().unwrap()
}

fn assigned(requests: &[Tagged]) -> BTreeMap<Session, String> {
    let mut earliest: BTreeMap<Session, &Tagged> = BTreeMap::new();
    for request in requests {
        let kept = earliest.entry(session_of(request)).or_insert(request);
        if (request.created_at, &request.request_id) < (kept.created_at, &kept.request_id) {
            *kept = request;
        }
    }
    earliest.into_iter().map(|(session, request)| (session, request.arm.clone())).collect()
}

fn contaminated(rows: &Rows) -> u64 {
    let declares = |request: &Tagged| {
        rows.interactions.iter().any(|turn| {
            turn.request_id == request.request_id
                && (turn.citations != "[]" || turn.retrieved_learnings != "[]")
        })
    };
    let held_out = rows.requests.iter().filter(|one| one.arm == "holdout" && declares(one));
    size(&held_out.map(session_of).collect())
}

fn arm_sums(rows: &Rows, assigned: &BTreeMap<Session, String>, arm: Arm) -> ArmSums {
    let sessions: BTreeSet<&Session> =
        assigned.iter().filter(|(_, of)| *of == arm.as_str()).map(|(session, _)| session).collect();
    let users: BTreeSet<&String> = sessions.iter().map(|(user, _)| user).collect();
    let mut sums =
        ArmSums { assigned_users: size(&users), published_sessions: size(&sessions), ..ArmSums::default() };
    let mut per_user: BTreeMap<&String, (u32, u32)> = BTreeMap::new();
    for outcome in &rows.outcomes {
        if !sessions.contains(&(outcome.user_id.clone(), outcome.session_id.clone())) {
            continue;
        }
        let (n, y) = per_user.entry(&outcome.user_id).or_default();
        *n += 1;
        *y += u32::from(outcome.is_success);
        sums.corrections += u64::try_from(outcome.corrections).unwrap();
        sums.turns.total += u64::try_from(outcome.turns.unwrap_or(0)).unwrap();
        sums.turns.sessions += u64::from(outcome.turns.is_some());
        sums.escalated += u64::from(outcome.is_escalated);
    }
    sums.outcomes = per_user.into_values().collect::<ClusterSums>();
    for session in sessions {
        if let Some(tokens) = tokens(rows, session) {
            sums.output_tokens.total += tokens;
            sums.output_tokens.sessions += 1;
        }
    }
    sums
}

/// The tokens of the session's tagged requests; `None` when one turn was not counted.
fn tokens(rows: &Rows, session: &Session) -> Option<u64> {
    let requests: BTreeSet<&String> =
        rows.requests.iter().filter(|one| session_of(one) == *session).map(|one| &one.request_id).collect();
    let answers =
        rows.interactions.iter().filter(|turn| !turn.is_user && requests.contains(&turn.request_id));
    answers.map(|turn| turn.output_tokens.map(|tokens| u64::try_from(tokens).unwrap())).sum()
}

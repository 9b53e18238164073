//! Publishing a request of four turns, beside the database's own inserts of the same rows.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kernel::{AgentVersion, OrgId, RequestId, SessionId, Source, UserId};
use learning::{FreeText, Interaction, NewInteraction, Publication, PublishInteractions, Purpose, Role};
use organization::Profile;
use storage::testing::{TestDatabase, test_ring};
use storage::{Database, DatabaseUrl, Options};
use touchstone_cli::SystemClock;
use touchstone_cli::wiring::House;

use crate::figures::{Stretch, median, tail};
use crate::load::repeat;
use crate::raw::{Raw, Value};
use crate::{Section, scale};

pub(crate) const SECTION: Section = Section {
    name: "publish",
    title: "Publishing a request of four turns, beside the database's own inserts of the same rows",
    measure,
};

const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(2);
const MANY: usize = 32;
/// What is said in turn; who says it alternates between the user and the agent.
const TURNS: [&str; 4] = [
    "I was charged twice for my order of last week, and nobody answers my mails. Can you give me one of the two back?",
    "I am sorry about that. I can see both charges on your account; the second one was made when the page was sent again \
     after a timeout. I have asked for a refund of the second charge, which takes three to five working days.",
    "Thank you, that helps. Will I get a confirmation?",
    "Yes: a confirmation is on its way to the address of your account, and the refund carries the number of your order.",
];

/// Everything measured on one database, a stretch per round.
#[derive(Default)]
struct Found {
    raw: Vec<Stretch>,
    rule: Vec<Stretch>,
}

fn measure() -> anyhow::Result<String> {
    let mut told = format!(
        "{}Each request is one transaction: a request, its four interactions, its session, an evaluation that falls due, an entry of the \
         feed. Through the rule `PublishInteractions` (tokens counted, the write gate passed, serializable on PostgreSQL, a shared commit on \
         SQLite), and as five prepared `INSERT`s of the same rows between `BEGIN` and `COMMIT`, a connection per client. Synchronous to the \
         disk both ways. {ROUNDS} rounds in turns; latencies over all rounds. Goal: at least 0.6 of raw.\n\n\
         | database | clients | raw, requests/s | rule, requests/s | rule beside raw | raw p99 / worst, ms | rule p99 / worst, ms |\n\
         |---|---|---|---|---|---|---|\n",
        scale::remark()
    );
    for (name, database) in crate::databases()? {
        let (one, many) = found(&database)?;
        row(&mut told, name, 1, &one)?;
        row(&mut told, name, MANY, &many)?;
    }
    Ok(told)
}

fn row(told: &mut String, name: &str, clients: usize, Found { raw, rule }: &Found) -> anyhow::Result<()> {
    let rate = |stretches: &[Stretch]| median(stretches.iter().map(Stretch::rate));
    let beside = median(rule.iter().zip(raw).map(|(a, b)| a.rate() / b.rate()));
    let ((raw_p99, raw_worst), (p99, worst)) = (tail(raw), tail(rule));
    writeln!(
        told,
        "| {name} | {clients} | {:.0} | {:.0} | **{beside:.2}** | {raw_p99:.1} / {raw_worst:.0} | {p99:.1} / {worst:.0} |",
        rate(raw),
        rate(rule),
    )?;
    Ok(())
}

fn found(database: &TestDatabase) -> anyhow::Result<(Found, Found)> {
    let url = DatabaseUrl::parse(&database.url)?;
    let house = House::over(Database::open(&Options::usual(url.clone(), test_ring())), Arc::new(SystemClock));
    house.found_organization().found(&acme()?, Profile::Standard)?;
    let rule = house.publish();
    let (mut one, mut many) = (Found::default(), Found::default());
    for number in 0..=ROUNDS {
        for (clients, found) in [(1, &mut one), (MANY, &mut many)] {
            let (raw, rule) = (through_raw(&url, clients)?, through_rule(&rule, clients)?);
            // The first round warms everything up.
            if number > 0 {
                found.raw.push(raw);
                found.rule.push(rule);
            }
        }
    }
    whole(database)?;
    Ok((one, many))
}

/// Checks that neither way left anything out.
fn whole(database: &TestDatabase) -> anyhow::Result<()> {
    let count = |table: &str| database.number(&format!("SELECT count(*) AS n FROM {table}"));
    let requests = count("requests");
    for (table, each) in [("interactions", 4), ("sessions", 1), ("work_items", 1), ("feed_entries", 1)] {
        anyhow::ensure!(count(table) == each * requests, "{table} lacks rows of {requests} requests");
    }
    Ok(())
}

pub(crate) fn acme() -> anyhow::Result<OrgId> {
    Ok(OrgId::new("acme")?)
}

/// A number that no request has had yet.
pub(crate) fn fresh() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A request of four turns that is a session of its own, by one of ten thousand users.
pub(crate) fn publication(number: u64) -> anyhow::Result<Publication> {
    let turn = |(place, text): (usize, &&str)| -> anyhow::Result<NewInteraction> {
        let role = Role::new(if place % 2 == 0 { "user" } else { "agent" })?;
        let body = Interaction { content: FreeText::new(*text)?, ..Interaction::empty(role) };
        Ok(NewInteraction { created_at: None, body })
    };
    Ok(Publication {
        user: UserId::new(&format!("user-{}", number % 10_000))?,
        session: Some(SessionId::new(&format!("session-{number}"))?),
        request: Some(RequestId::new(&format!("request-{number}"))?),
        source: Source::new("web")?,
        agent_version: AgentVersion::new("v1")?,
        purpose: Purpose::Learning,
        attribution: None,
        interactions: TURNS.iter().enumerate().map(turn).collect::<anyhow::Result<_>>()?,
    })
}

/// Publishes through the rule for one round.
pub(crate) fn through_rule(rule: &PublishInteractions, clients: usize) -> anyhow::Result<Stretch> {
    let org = acme()?;
    repeat(clients, scale::time(ROUND), |_| {
        Ok(|| {
            rule.publish(&org, publication(fresh())?)?;
            Ok(())
        })
    })
}

fn through_raw(url: &DatabaseUrl, clients: usize) -> anyhow::Result<Stretch> {
    let interactions = interactions_statement();
    repeat(clients, scale::time(ROUND), |_| {
        let mut raw = Raw::connect(url)?;
        let interactions = interactions.as_str();
        Ok(move || insert(&mut raw, interactions, fresh()))
    })
}

const REQUEST: &str = "INSERT INTO requests (org_id, request_id, user_id, session_id, created_at, source, agent_version, \
     evaluation_only, body_digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
const SESSION: &str = "INSERT INTO sessions (org_id, user_id, session_id, first_request_at, first_request_id, source, \
     last_request_at, last_request_id, agent_version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
const WORK: &str =
    "INSERT INTO work_items (org_id, user_id, session_id, kind, due_at) VALUES (?, ?, ?, ?, ?)";
const FEED: &str = "INSERT INTO feed_entries (org_id, user_id, session_id, request_id) VALUES (?, ?, ?, ?)";

fn interactions_statement() -> String {
    let row = format!("({})", ["?"; 19].join(", "));
    let rows = [row.as_str(); TURNS.len()].join(", ");
    format!(
        "INSERT INTO interactions (org_id, user_id, session_id, request_id, position, created_at, role, is_user, is_agent, content, \
         shadow_content, expert_content, user_action, user_action_description, interacted_image_url, tools_used, citations, \
         retrieved_learnings, output_tokens) VALUES {rows}"
    )
}

/// The rows of a publication, by hand.
fn insert(raw: &mut Raw, interactions: &str, number: u64) -> anyhow::Result<()> {
    let (user, session) = (format!("user-{}", number % 10_000), format!("session-{number}"));
    let (request, digest) = (format!("request-{number}"), "0123456789abcdef".repeat(4));
    let (org, user, session, request) =
        (Value::Text("acme"), Value::Text(&user), Value::Text(&session), Value::Text(&request));
    let (now, web, v1) = (Value::Number(1_700_000_000), Value::Text("web"), Value::Text("v1"));
    let mut turns = Vec::with_capacity(TURNS.len() * 19);
    for (place, text) in (0_i32..).zip(TURNS) {
        let is_user = place % 2 == 0;
        let role = Value::Text(if is_user { "user" } else { "agent" });
        let (none, list) = (Value::Text(""), Value::Text("[]"));
        turns.extend([org, user, session, request, Value::Place(place), now, role]);
        turns.extend([Value::Flag(is_user), Value::Flag(!is_user), Value::Text(text)]);
        turns.extend([none, none, none, none, none, list, list, list]);
        turns.push(if is_user { Value::NoNumber } else { Value::Number(50) });
    }
    raw.begin()?;
    let digest = Value::Text(&digest);
    raw.execute(REQUEST, &[org, request, user, session, now, web, v1, Value::Flag(false), digest])?;
    raw.execute(interactions, &turns)?;
    raw.execute(SESSION, &[org, user, session, now, request, web, now, request, v1])?;
    raw.execute(WORK, &[org, user, session, Value::Text("session_evaluation"), now])?;
    raw.execute(FEED, &[org, user, session, request])?;
    raw.batch("COMMIT")?;
    Ok(())
}

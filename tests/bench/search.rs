//! Searching among a hundred thousand learnings, beside the bare statement, and beside much larger neighbours.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use diesel::sql_types::{BigInt, Text};
use diesel::{QueryableByName, RunQueryDsl as _};
use kernel::{AgentVersion, CredentialKind, OrgId, Period};
use learning::{
    AddAgentPlaybooks, AgentPlaybookQuery, FreeText, NewAgentPlaybook, PlaybookName, PlaybookStatus,
    PlaybookText, SearchAgentPlaybooks, SearchText, Searcher, Status, TopK, words,
};
use organization::Profile;
use storage::testing::{TestDatabase, test_ring};
use storage::{Database, DatabaseUrl, Options};
use touchstone_cli::SystemClock;
use touchstone_cli::wiring::House;

use crate::evaluated::settle;
use crate::figures::{Stretch, median, tail};
use crate::raw::{Prepared, Raw, Value};
use crate::{Section, scale};

pub(crate) const SECTION: Section = Section {
    name: "search",
    title: "Searching a hundred thousand learnings, beside the bare statement and beside larger neighbours",
    measure,
};

const LARGE: u32 = 100_000;
const SMALL: u32 = 1_000;
const NEIGHBOURS: u32 = 9;
const QUERIES: u32 = 200;
const ROUNDS: usize = 5;
const VOCABULARY: u64 = 3_000;

/// As the rule asks, for the words it would ask for.
const SQLITE: &str = "SELECT agent_playbooks.* FROM agent_playbook_index CROSS JOIN agent_playbooks \
     ON agent_playbooks.agent_playbook_id = agent_playbook_index.rowid WHERE agent_playbook_index MATCH ? \
     AND agent_playbooks.org_id = ? AND agent_playbooks.status = 'current' AND agent_playbooks.playbook_status <> 'rejected' \
     ORDER BY bm25(agent_playbook_index), agent_playbooks.created_at DESC, agent_playbooks.agent_playbook_id DESC LIMIT 10";
const POSTGRES: &str = "WITH wanted AS MATERIALIZED (SELECT to_tsquery('touchstone', ?) AS query), \
     hits AS MATERIALIZED (SELECT agent_playbook_id, ts_rank(vector, (SELECT query FROM wanted)) AS rank \
     FROM agent_playbook_words WHERE vector @@ (SELECT query FROM wanted)) \
     SELECT agent_playbooks.* FROM hits CROSS JOIN LATERAL (SELECT * FROM agent_playbooks \
     WHERE agent_playbooks.agent_playbook_id = hits.agent_playbook_id OFFSET 0) AS agent_playbooks \
     WHERE agent_playbooks.org_id = ? AND agent_playbooks.status = 'current' AND agent_playbooks.playbook_status <> 'rejected' \
     ORDER BY hits.rank DESC, agent_playbooks.created_at DESC, agent_playbooks.agent_playbook_id DESC LIMIT 10";

#[derive(QueryableByName)]
struct Hit {
    #[diesel(sql_type = BigInt)]
    agent_playbook_id: i64,
    #[diesel(sql_type = Text)]
    content: String,
}

/// What was measured on one database.
struct Found {
    rule: Vec<Stretch>,
    bare: Vec<Stretch>,
    alone: Stretch,
    beside: Stretch,
}

fn measure() -> anyhow::Result<String> {
    let (large, small) = (scale::rows(LARGE), scale::rows(SMALL));
    let mut told = format!(
        "{}`SearchAgentPlaybooks` over {large} playbooks of one organization among ten, for two words of a playbook, the second as a \
         beginning: the gate of experiments, the statement, the links of what was found. Beside it the same statement, prepared, on a \
         connection that is kept open. {QUERIES} queries in turns, {ROUNDS} rounds. Then the searches of an organization of {small} playbooks \
         while its nine neighbours have as many, and while one of them has {large}. Goals: within 1.5 times the bare statement; a \
         neighbour's size makes no difference.\n\n\
         | database | bare, ms | rule, ms | rule beside bare | bare p99, ms | rule p99, ms | small among equals: mean / p99, ms \
         | small beside large: mean / p99, ms |\n|---|---|---|---|---|---|---|---|\n",
        scale::remark()
    );
    for (name, database) in crate::databases()? {
        let found = found(&database)?;
        let each = |stretch: &Stretch| stretch.elapsed.as_secs_f64() * 1_000.0 / f64::from(stretch.count());
        let beside = median(found.rule.iter().zip(&found.bare).map(|(rule, bare)| each(rule) / each(bare)));
        let p99 = |stretch: &Stretch| tail(std::slice::from_ref(stretch)).0;
        writeln!(
            told,
            "| {name} | {:.2} | {:.2} | **{beside:.2}** | {:.2} | {:.2} | {:.2} / {:.2} | {:.2} / {:.2} |",
            median(found.bare.iter().map(each)),
            median(found.rule.iter().map(each)),
            tail(&found.bare).0,
            tail(&found.rule).0,
            each(&found.alone),
            p99(&found.alone),
            each(&found.beside),
            p99(&found.beside),
        )?;
    }
    Ok(told)
}

fn found(database: &TestDatabase) -> anyhow::Result<Found> {
    let url = DatabaseUrl::parse(&database.url)?;
    let open =
        || House::over(Database::open(&Options::usual(url.clone(), test_ring())), Arc::new(SystemClock));
    let house = open();
    let (add, search) = (house.add_agent_playbooks(), house.search_agent_playbooks());
    let org = |number: u32| OrgId::new(&format!("org-{number}"));
    for number in 0..=NEIGHBOURS {
        house.found_organization().found(&org(number)?, Profile::Standard)?;
        fill(&add, &org(number)?, 0..scale::rows(SMALL))?;
    }
    settle(&mut Raw::connect(&url)?)?;
    let (large, small) = (org(0)?, org(1)?);
    let (of_large, of_small) = (queries(scale::rows(LARGE)), queries(scale::rows(SMALL)));
    // The first of each warms up.
    through_rule(&search, &small, &of_small)?;
    let alone = five_times(|| through_rule(&search, &small, &of_small))?;
    fill(&add, &large, scale::rows(SMALL)..scale::rows(LARGE))?;
    settle(&mut Raw::connect(&url)?)?;
    // New connections: PostgreSQL would go on comparing plans with what they cost before the tables grew.
    let search = open().search_agent_playbooks();
    through_rule(&search, &small, &of_small)?;
    let beside = five_times(|| through_rule(&search, &small, &of_small))?;
    let mut bare = Bare { raw: Raw::connect(&url)?, mark: mark(database, &large), org: large.clone() };
    let mut found = Found { rule: Vec::new(), bare: Vec::new(), alone, beside };
    for number in 0..=ROUNDS {
        let (by_hand, (by_rule, ids)) =
            (through_bare(&mut bare, &of_large)?, asked(&search, &large, &of_large)?);
        anyhow::ensure!(by_hand.1 == ids, "the bare statement finds something else");
        if number > 0 {
            found.bare.push(by_hand.0);
            found.rule.push(by_rule);
        }
    }
    Ok(found)
}

fn five_times(mut work: impl FnMut() -> anyhow::Result<Stretch>) -> anyhow::Result<Stretch> {
    let mut all = Stretch::default();
    for _ in 0..ROUNDS {
        let one = work()?;
        all.latencies.extend(one.latencies);
        all.elapsed += one.elapsed;
    }
    Ok(all)
}

/// Adds playbooks through the rule, a thousand at a time.
fn fill(add: &AddAgentPlaybooks, org: &OrgId, numbers: std::ops::Range<u32>) -> anyhow::Result<()> {
    let numbers: Vec<u32> = numbers.collect();
    for some in numbers.chunks(1_000) {
        let playbooks: anyhow::Result<Vec<_>> = some.iter().map(|number| playbook(*number)).collect();
        add.add(org, playbooks?)?;
    }
    Ok(())
}

fn playbook(number: u32) -> anyhow::Result<NewAgentPlaybook<Option<learning::EventTime>>> {
    let said = said(number);
    let (trigger, content) = said.split_at(6.min(said.len()));
    Ok(NewAgentPlaybook {
        text: PlaybookText {
            playbook_name: PlaybookName::new(&format!("playbook {number}"))?,
            agent_version: AgentVersion::new("v1")?,
            content: FreeText::new(content.join(" "))?,
            trigger: FreeText::new(trigger.join(" "))?,
            rationale: FreeText::default(),
            structured_data: None,
            tags: Vec::new(),
        },
        playbook_status: PlaybookStatus::Approved,
        metadata: FreeText::default(),
        created_at: None,
        status: Status::Current,
        source_windows: Vec::new(),
    })
}

/// The 26 words of a playbook: some are common, most are rare.
fn said(number: u32) -> Vec<String> {
    let mut chance = u64::from(number) + 1;
    let mut word = || {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let drawn = (chance >> 33) % VOCABULARY;
        spelled(drawn * drawn / VOCABULARY)
    };
    (0..26).map(|_| word()).collect()
}

fn spelled(mut number: u64) -> String {
    let syllables = ["ba", "ko", "ri", "tu", "le", "mi", "sa", "do", "ne", "pu", "ga", "fi", "wo"];
    let mut word = String::from("q");
    for _ in 0..4 {
        let place = usize::try_from(number % 13).unwrap_or_default();
        word.push_str(syllables.get(place).copied().unwrap_or_default());
        number /= 13;
    }
    word
}

/// Two words each of playbooks all over the organization.
fn queries(playbooks: u32) -> Vec<(String, String)> {
    (0..QUERIES)
        .filter_map(|number| {
            let mut words = said(number.wrapping_mul(7_919) % playbooks).into_iter().skip(9);
            Some((words.next()?, words.nth(5)?))
        })
        .filter(|(first, second)| first != second)
        .collect()
}

fn through_rule(
    search: &SearchAgentPlaybooks,
    org: &OrgId,
    queries: &[(String, String)],
) -> anyhow::Result<Stretch> {
    asked(search, org, queries).map(|(stretch, _)| stretch)
}

/// Searches through the rule, and says what was found.
fn asked(
    search: &SearchAgentPlaybooks,
    org: &OrgId,
    queries: &[(String, String)],
) -> anyhow::Result<(Stretch, Vec<i64>)> {
    let searcher = Searcher { org: org.clone(), kind: CredentialKind::Production, user: None, session: None };
    timed(queries, |(first, second)| {
        let query = AgentPlaybookQuery {
            text: SearchText::new(&format!("{first} {second}"))?,
            top_k: TopK::IN_ONE,
            agent_version: None,
            playbook_name: None,
            playbook_status: None,
            tags: Vec::new(),
            period: Period::default(),
        };
        let found = search.search(&searcher, &query)?.learnings;
        Ok(found.iter().map(|playbook| playbook.agent_playbook_id.number()).collect())
    })
}

/// Times each query.
fn timed(
    queries: &[(String, String)],
    mut ask: impl FnMut(&(String, String)) -> anyhow::Result<Vec<i64>>,
) -> anyhow::Result<(Stretch, Vec<i64>)> {
    let (mut stretch, mut all) = (Stretch::default(), Vec::new());
    for query in queries {
        let began = Instant::now();
        let found = ask(query)?;
        stretch.latencies.push(began.elapsed());
        anyhow::ensure!(!found.is_empty(), "nothing was found for {query:?}");
        all.extend(found);
    }
    stretch.elapsed = stretch.latencies.iter().sum::<Duration>();
    Ok((stretch, all))
}

/// The statement by itself.
struct Bare {
    raw: Raw,
    mark: String,
    org: OrgId,
}

/// The mark that the organization's words carry, from a word that is kept.
fn mark(database: &TestDatabase, org: &OrgId) -> String {
    let sql = format!("SELECT words AS t FROM agent_playbook_words WHERE org_id = '{org}' LIMIT 1");
    let kept = database.texts(&sql).into_iter().next().unwrap_or_default();
    words(&kept).next().unwrap_or_default().chars().take(8).collect()
}

fn through_bare(bare: &mut Bare, queries: &[(String, String)]) -> anyhow::Result<(Stretch, Vec<i64>)> {
    let Bare { raw, mark, org } = bare;
    timed(queries, |(first, second)| {
        let expression = match raw {
            Raw::Sqlite(_) => format!("\"{mark}{first}\" AND (\"{mark}{second}\"* OR \"{mark}0{second}\"*)"),
            Raw::Postgres(_) => format!("'{mark}{first}' & ('{mark}{second}':* | '{mark}0{second}':*)"),
        };
        let values = [Value::Text(&expression), Value::Text(org.as_str())];
        let hits: Vec<Hit> = match raw {
            Raw::Sqlite(conn) => Prepared { sql: SQLITE, values: &values }.load(conn)?,
            Raw::Postgres(conn) => Prepared { sql: POSTGRES, values: &values }.load(conn)?,
        };
        anyhow::ensure!(hits.iter().all(|hit| !hit.content.is_empty()), "a playbook says nothing");
        Ok(hits.iter().map(|hit| hit.agent_playbook_id).collect())
    })
}

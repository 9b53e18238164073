//! Tests of searching, with and without an experiment.

use kernel::{
    AgentVersion, CredentialKind, ExperimentId, MockClock, OrgId, Period, SessionId, Source, Timestamp,
    UserId,
};

use super::*;
use crate::playbook::samples;
use crate::ports::{MockRetrieval, MockRetrievalGate};
use crate::{AgentPlaybookId, Arm, Attribution, FreeText, PlaybookName, PlaybookStatus, Status, Tag};

const NOW: Timestamp = Timestamp::from_seconds(1_000);

fn searcher(user: Option<&str>) -> Searcher {
    Searcher {
        org: OrgId::new("acme").unwrap(),
        kind: CredentialKind::Production,
        user: user.map(|user| UserId::new(user).unwrap()),
        session: Some(SessionId::new("s").unwrap()),
    }
}

fn arm(arm: Arm) -> Attribution {
    Attribution { experiment: ExperimentId::new("exp").unwrap(), arm }
}

fn gate(admission: Admission) -> Arc<MockRetrievalGate> {
    let mut gate = MockRetrievalGate::new();
    gate.expect_admit_search().times(1..).return_const(Ok(admission));
    Arc::new(gate)
}

fn clock() -> Arc<MockClock> {
    let mut clock = MockClock::new();
    clock.expect_now().return_const(NOW);
    Arc::new(clock)
}

fn agent_playbook() -> AgentPlaybook {
    AgentPlaybook {
        agent_playbook_id: AgentPlaybookId::new(1).unwrap(),
        text: samples::text("be brief"),
        playbook_status: PlaybookStatus::Approved,
        metadata: FreeText::default(),
        created_at: NOW,
        status: Status::Current,
        source_windows: vec![],
    }
}

fn all_lists(query: &str) -> LearningsQuery {
    LearningsQuery {
        text: SearchText::new(query).unwrap(),
        top_k: TopK::IN_ALL,
        agent_version: None,
        playbook_name: None,
        source: None,
        tags: vec![],
    }
}

fn profiles(query: &str) -> ProfileQuery {
    ProfileQuery {
        text: SearchText::new(query).unwrap(),
        top_k: TopK::IN_ONE,
        source: None,
        tags: vec![],
        period: Period::default(),
    }
}

fn user_playbooks(query: &str) -> UserPlaybookQuery {
    UserPlaybookQuery {
        text: SearchText::new(query).unwrap(),
        top_k: TopK::IN_ONE,
        agent_version: None,
        playbook_name: None,
        source: None,
        tags: vec![],
        period: Period::default(),
    }
}

fn agent_playbooks(query: &str) -> AgentPlaybookQuery {
    AgentPlaybookQuery {
        text: SearchText::new(query).unwrap(),
        top_k: TopK::IN_ONE,
        agent_version: None,
        playbook_name: None,
        playbook_status: None,
        tags: vec![],
        period: Period::default(),
    }
}

/// A retrieval that fails the test when it is asked anything.
fn untouched() -> Arc<MockRetrieval> {
    let mut retrieval = MockRetrieval::new();
    retrieval.expect_profiles().never();
    retrieval.expect_user_playbooks().never();
    retrieval.expect_agent_playbooks().never();
    Arc::new(retrieval)
}

/// A retrieval that finds nothing, however often it is asked.
fn fruitless() -> MockRetrieval {
    let mut retrieval = MockRetrieval::new();
    retrieval.expect_profiles().returning(|_, _, _| Ok(vec![]));
    retrieval.expect_user_playbooks().returning(|_, _, _| Ok(vec![]));
    retrieval.expect_agent_playbooks().returning(|_, _, _| Ok(vec![]));
    retrieval
}

/// What each of the four searches answers, as its experiment and whether it found nothing.
fn four_searches(
    gate: &Arc<MockRetrievalGate>,
    retrieval: &Arc<MockRetrieval>,
    user: Option<&str>,
) -> [Result<(Option<Attribution>, bool), LearningError>; 4] {
    let searcher = searcher(user);
    [
        SearchLearnings::new(gate.clone(), retrieval.clone(), clock())
            .search(&searcher, &all_lists("tea"))
            .map(|found| (found.experiment, found.learnings == Learnings::default())),
        SearchProfiles::new(gate.clone(), retrieval.clone(), clock())
            .search(&searcher, &profiles("tea"))
            .map(|found| (found.experiment, found.learnings.is_empty())),
        SearchUserPlaybooks::new(gate.clone(), retrieval.clone())
            .search(&searcher, &user_playbooks("tea"))
            .map(|found| (found.experiment, found.learnings.is_empty())),
        SearchAgentPlaybooks::new(gate.clone(), retrieval.clone())
            .search(&searcher, &agent_playbooks("tea"))
            .map(|found| (found.experiment, found.learnings.is_empty())),
    ]
}

#[test]
fn no_search_retrieves_for_a_user_who_is_held_out() {
    let withheld = arm(Arm::Holdout);

    let answers = four_searches(&gate(Admission::Withhold(withheld.clone())), &untouched(), Some("ada"));

    for answer in answers {
        assert_eq!(answer, Ok((Some(withheld.clone()), true)));
    }
}

#[test]
fn a_treated_search_names_its_experiment_also_when_nothing_matched() {
    let treated = arm(Arm::Treatment);

    let answers =
        four_searches(&gate(Admission::Retrieve(treated.clone())), &Arc::new(fruitless()), Some("ada"));

    for answer in answers {
        assert_eq!(answer, Ok((Some(treated.clone()), true)));
    }
}

#[test]
fn every_search_needs_a_user_while_an_experiment_is_active() {
    for answer in four_searches(&gate(Admission::UserRequired), &untouched(), None) {
        assert_eq!(answer, Err(LearningError::UserIdRequired));
    }
}

#[test]
fn a_search_that_no_experiment_concerns_names_none() {
    for answer in four_searches(&gate(Admission::Pass), &Arc::new(fruitless()), Some("ada")) {
        assert_eq!(answer, Ok((None, true)));
    }
}

#[test]
fn the_gate_learns_who_searches_for_whom_and_in_which_session() {
    let mut gate = MockRetrievalGate::new();
    let person = Searcher { kind: CredentialKind::Dashboard, ..searcher(Some("ada")) };
    let visit = SearchVisit {
        kind: CredentialKind::Dashboard,
        user: person.user.clone(),
        session: person.session.clone(),
    };
    gate.expect_admit_search()
        .withf(move |org, asked| org.as_str() == "acme" && *asked == visit)
        .times(1)
        .return_const(Ok(Admission::Pass));

    let found = SearchAgentPlaybooks::new(Arc::new(gate), Arc::new(fruitless()))
        .search(&person, &agent_playbooks("tea"));

    assert!(found.is_ok());
}

#[test]
fn without_a_user_only_agent_playbooks_are_searched() {
    let mut retrieval = MockRetrieval::new();
    retrieval.expect_profiles().never();
    retrieval.expect_user_playbooks().never();
    retrieval.expect_agent_playbooks().times(2).returning(|_, _, _| Ok(vec![agent_playbook()]));

    let answers = four_searches(&gate(Admission::Pass), &Arc::new(retrieval), None);

    let empty: Vec<bool> = answers.into_iter().map(|answer| answer.unwrap().1).collect();
    assert_eq!(empty, [false, true, true, false]);
}

#[test]
fn a_list_without_a_learning_of_all_words_is_searched_for_any_of_them_and_the_others_are_not() {
    let mut retrieval = MockRetrieval::new();
    let all = |wanted: &Match| wanted.mode == MatchMode::AllWords;
    retrieval
        .expect_profiles()
        .withf(move |_, wanted, _| all(wanted))
        .times(1)
        .returning(|_, _, _| Ok(vec![]));
    retrieval
        .expect_profiles()
        .withf(move |_, wanted, _| !all(wanted))
        .times(1)
        .returning(|_, _, _| Ok(vec![]));
    retrieval.expect_user_playbooks().times(2).returning(|_, _, _| Ok(vec![]));
    retrieval
        .expect_agent_playbooks()
        .withf(move |_, wanted, _| all(wanted))
        .times(1)
        .returning(|_, _, _| Ok(vec![agent_playbook()]));

    let found = SearchLearnings::new(gate(Admission::Pass), Arc::new(retrieval), clock())
        .search(&searcher(Some("ada")), &all_lists("short answers"))
        .unwrap();

    assert_eq!(found.learnings.agent_playbooks, [agent_playbook()]);
}

#[test]
fn one_word_is_looked_for_once() {
    let mut retrieval = MockRetrieval::new();
    retrieval.expect_agent_playbooks().times(1).returning(|_, _, _| Ok(vec![]));

    let found = SearchAgentPlaybooks::new(gate(Admission::Pass), Arc::new(retrieval))
        .search(&searcher(None), &agent_playbooks("tea"));

    assert_eq!(found.unwrap().learnings, []);
}

#[test]
fn a_query_without_a_word_asks_the_gate_and_finds_nothing() {
    let treated = arm(Arm::Treatment);

    let found = SearchLearnings::new(gate(Admission::Retrieve(treated.clone())), untouched(), clock())
        .search(&searcher(Some("ada")), &all_lists("?!"))
        .unwrap();

    assert_eq!(found, Found { learnings: Learnings::default(), experiment: Some(treated) });
}

#[test]
fn every_filter_of_a_search_in_all_lists_reaches_the_lists_it_concerns() {
    let query = LearningsQuery {
        agent_version: Some(AgentVersion::new("v1").unwrap()),
        playbook_name: Some(PlaybookName::new("brevity").unwrap()),
        source: Some(Source::new("web").unwrap()),
        tags: vec![Tag::new("style").unwrap()],
        ..all_lists("tea")
    };
    let mut retrieval = MockRetrieval::new();
    let (q1, q2, q3) = (query.clone(), query.clone(), query.clone());
    retrieval
        .expect_profiles()
        .withf(move |_, wanted, scope| {
            wanted.top_k == TopK::IN_ALL
                && scope.live_at == NOW
                && scope.user.as_str() == "ada"
                && scope.source == q1.source
                && scope.tags == q1.tags
        })
        .times(1)
        .returning(|_, _, _| Ok(vec![]));
    retrieval
        .expect_user_playbooks()
        .withf(move |_, _, scope| {
            scope.user.as_str() == "ada"
                && scope.agent_version == q2.agent_version
                && scope.playbook_name == q2.playbook_name
                && scope.source == q2.source
                && scope.tags == q2.tags
        })
        .times(1)
        .returning(|_, _, _| Ok(vec![]));
    retrieval
        .expect_agent_playbooks()
        .withf(move |_, _, scope| {
            scope.agent_version == q3.agent_version
                && scope.playbook_name == q3.playbook_name
                && scope.tags == q3.tags
        })
        .times(1)
        .returning(|_, _, _| Ok(vec![]));

    let found = SearchLearnings::new(gate(Admission::Pass), Arc::new(retrieval), clock())
        .search(&searcher(Some("ada")), &query);

    assert!(found.is_ok());
}

#[test]
fn a_store_that_is_away_fails_the_search() {
    let mut retrieval = MockRetrieval::new();
    let away = StoreError::Unavailable("down".to_owned());
    retrieval.expect_agent_playbooks().return_const(Err(away.clone()));

    let failed = SearchAgentPlaybooks::new(gate(Admission::Pass), Arc::new(retrieval))
        .search(&searcher(None), &agent_playbooks("tea"));

    assert_eq!(failed, Err(LearningError::Store(away)));
}

//! Whom the gate lets through, whom it holds out, and what it vouches for.

use experiments::ports::{MockActiveExperiment, MockExperimentReader, MockExposureLedger};
use experiments::{Experiment, HoldoutPercentage};
use kernel::{MockClock, Timestamp};

use super::*;

// At 50 percent, user-0 (0.307…) of org-1 is held out of exp-1 and user-1 (0.926…) is treated.
fn running() -> Experiment {
    let holdout = HoldoutPercentage::new(50.0).unwrap();
    Experiment::started(id(), holdout, Timestamp::from_seconds(100))
}

fn id() -> ExperimentId {
    ExperimentId::new("exp-1").unwrap()
}

fn org() -> OrgId {
    OrgId::new("org-1").unwrap()
}

fn user(name: &str) -> UserId {
    UserId::new(name).unwrap()
}

/// A gate whose store answers this, and that must record so many exposures.
fn gate(
    active: Result<Option<Experiment>, StoreError>,
    known: Option<Experiment>,
    exposures: usize,
) -> ExperimentGate {
    let mut store = MockActiveExperiment::new();
    store.expect_active().return_const(active);
    let mut ledger = MockExposureLedger::new();
    ledger.expect_record().times(exposures).return_const(());
    let mut reader = MockExperimentReader::new();
    reader.expect_find().return_const(Ok(known));
    let mut clock = MockClock::new();
    clock.expect_now().return_const(Timestamp::from_seconds(7));
    let search = SearchGate::new(Arc::new(store), Arc::new(ledger));
    ExperimentGate::new(search, AttributionCheck::new(Arc::new(reader)), Arc::new(clock))
}

fn visit(kind: CredentialKind, name: Option<&str>) -> SearchVisit {
    SearchVisit { kind, user: name.map(user), session: None }
}

fn stated(arm: learning::Arm) -> Attribution {
    Attribution { experiment: id(), arm }
}

#[test]
fn people_pass_and_are_not_recorded() {
    for kind in [CredentialKind::Dashboard, CredentialKind::Session] {
        let gate = gate(Ok(Some(running())), None, 0);

        assert_eq!(gate.admit_search(&org(), &visit(kind, Some("user-0"))), Ok(Admission::Pass));
    }
}

#[test]
fn an_agent_passes_while_no_experiment_runs_even_without_a_user() {
    let gate = gate(Ok(None), None, 0);

    assert_eq!(gate.admit_search(&org(), &visit(CredentialKind::Production, None)), Ok(Admission::Pass));
}

#[test]
fn an_agents_search_for_a_treated_user_retrieves_and_is_recorded() {
    let admitted = gate(Ok(Some(running())), None, 1)
        .admit_search(&org(), &visit(CredentialKind::Production, Some("user-1")));

    assert_eq!(admitted, Ok(Admission::Retrieve(stated(learning::Arm::Treatment))));
}

#[test]
fn an_agents_search_for_a_held_out_user_is_withheld_and_recorded() {
    let admitted = gate(Ok(Some(running())), None, 1)
        .admit_search(&org(), &visit(CredentialKind::Production, Some("user-0")));

    assert_eq!(admitted, Ok(Admission::Withhold(stated(learning::Arm::Holdout))));
}

#[test]
fn an_agent_must_say_for_whom_it_searches_while_an_experiment_runs() {
    let admitted =
        gate(Ok(Some(running())), None, 0).admit_search(&org(), &visit(CredentialKind::Production, None));

    assert_eq!(admitted, Ok(Admission::UserRequired));
}

#[test]
fn a_failing_store_is_told_as_it_is() {
    let admitted = gate(Err(StoreError::Contended), None, 0)
        .admit_search(&org(), &visit(CredentialKind::Production, Some("user-0")));

    assert_eq!(admitted, Err(StoreError::Contended));
}

#[test]
fn only_the_arm_that_the_assignment_gives_is_vouched_for() {
    let check = |known: Option<Experiment>, arm| {
        gate(Ok(None), known, 0).check_attribution(&org(), &stated(arm), &user("user-0"))
    };
    let ended = Experiment { ended_at: Some(Timestamp::from_seconds(200)), ..running() };

    assert_eq!(check(Some(running()), learning::Arm::Holdout), Ok(learning::AttributionCheck::Holds));
    assert_eq!(check(Some(ended), learning::Arm::Holdout), Ok(learning::AttributionCheck::Holds));
    assert_eq!(check(Some(running()), learning::Arm::Treatment), Ok(learning::AttributionCheck::WrongArm));
    assert_eq!(check(None, learning::Arm::Holdout), Ok(learning::AttributionCheck::UnknownExperiment));
}

//! The write gate: no path writes for a subject whose erasure has begun, and none goes around the gate.

use governance::KeyRing;
use kernel::{Barrier, StoreError, UnitOfWork};
use learning::{
    AgentPlaybookTx, LearningError, NewAgentPlaybook, NewUserPlaybook, PlaybookStatus, ProfileTx, PublishTx,
    Remark, SessionTx, SourceWindow, Status, UserPlaybookTx,
};
use storage::testing::{SECRET, TestDatabase};
use storage::{Database, on_both};

use super::profiles::profile;
use super::{playbook_text, publish, request_id, said, session, user};
use crate::{at, found, org};

/// Raises a barrier as an erasure would.
fn bar(db: &TestDatabase, in_org: &str, user_id: &str, state: &str) {
    let ring = KeyRing::new(&[SECRET]).unwrap();
    let subject = ring.all_subject_refs(&org(in_org), &user(user_id)).into_iter().next().unwrap();
    found(db, &[in_org]);
    db.execute(&format!(
        "INSERT INTO subject_barriers (org_id, subject_ref, purge_id, state, raised_at) \
         VALUES ('{in_org}', '{}', 'purge', '{state}', 1)",
        subject.as_str()
    ));
}

fn user_playbook(of: &str) -> NewUserPlaybook {
    NewUserPlaybook {
        user: user(of),
        request_id: Remark::default(),
        text: playbook_text("be brief"),
        source: kernel::Source::unstated(),
        source_interaction_ids: vec![],
        created_at: at(1),
        status: Status::Current,
    }
}

fn bypassed<T: std::fmt::Debug>(written: Result<T, StoreError>) -> bool {
    matches!(written, Err(StoreError::Failed(why)) if why.contains("around the gate"))
}

fn publishing(database: &Database) -> &dyn UnitOfWork<dyn PublishTx> {
    database
}

on_both! {
    fn nothing_is_published_for_a_subject_that_is_being_erased_or_was(db) {
        bar(db, "acme", "ada", "erasing");
        bar(db, "acme", "bob", "erased");

        let erasing = publish(&db.database, "acme", said("ada", "s", "r1", 1));
        let erased = publish(&db.database, "acme", said("bob", "s", "r2", 1));

        assert_eq!(erasing, Err(LearningError::Store(StoreError::Barred(Barrier::Erasing))));
        assert_eq!(erased, Err(LearningError::Store(StoreError::Barred(Barrier::Erased))));
        assert_eq!(db.number("SELECT count(*) AS n FROM requests"), 0);
    }

    fn a_barrier_bars_its_own_user_in_its_own_organization(db) {
        bar(db, "acme", "ada", "erased");

        assert!(publish(&db.database, "acme", said("bob", "s", "r", 1)).is_ok());
        assert!(publish(&db.database, "umbrella", said("ada", "s", "r", 1)).is_ok());
    }

    fn a_batch_that_names_one_barred_user_stores_nothing(db) {
        bar(db, "acme", "ada", "erased");
        let store: &dyn UnitOfWork<dyn ProfileTx> = &db.database;

        let refused = store.transact(&org("acme"), |tx| {
            tx.admit(&[user("bob"), user("ada")])?;
            tx.put(&profile("p", "bob", "tea"))
        });

        assert_eq!(refused, Err(StoreError::Barred(Barrier::Erased)));
        assert_eq!(db.number("SELECT count(*) AS n FROM profiles"), 0);
    }

    fn publishing_around_the_gate_is_refused_as_a_defect(db) {
        let request = learning::Request {
            request_id: request_id("r"),
            session: session("ada", "s"),
            source: kernel::Source::unstated(),
            agent_version: kernel::AgentVersion::unstated(),
            purpose: learning::Purpose::Learning,
            attribution: None,
            created_at: at(1),
        };
        let turn = learning::InteractionId::new(1).unwrap();
        let run = |write: &dyn Fn(&mut dyn PublishTx) -> Result<(), StoreError>| {
            publishing(&db.database).transact(&org("acme"), |tx| {
                tx.admit(&[user("bob")])?;
                write(tx)
            })
        };

        assert!(bypassed(run(&|tx| tx.insert_request(&request, &learning::BodyDigest::from_bytes([0; 32])).map(|_| ()))));
        assert!(bypassed(run(&|tx| tx.insert_interactions(&request, &[]).map(|_| ()))));
        assert!(bypassed(run(&|tx| tx.record_session(&request))));
        assert!(bypassed(run(&|tx| tx.schedule_evaluation(&request.session, at(1)))));
        assert!(bypassed(run(&|tx| tx.queue_shadow_turns(&request, &[turn]))));
        assert!(bypassed(run(&|tx| tx.append_to_feed(&request))));
    }

    fn learnings_and_links_do_not_go_around_the_gate_either(db) {
        found(db, &["acme"]);
        let acme = org("acme");
        let profiles: &dyn UnitOfWork<dyn ProfileTx> = &db.database;
        let playbooks: &dyn UnitOfWork<dyn UserPlaybookTx> = &db.database;
        let agents: &dyn UnitOfWork<dyn AgentPlaybookTx> = &db.database;
        let sessions: &dyn UnitOfWork<dyn SessionTx> = &db.database;
        let kept = playbooks
            .transact(&acme, |tx| {
                tx.admit(&[user("ada")])?;
                let id = tx.insert(&[user_playbook("ada")])?.remove(0);
                Ok::<_, StoreError>(tx.find(id)?.unwrap())
            })
            .unwrap();
        profiles
            .transact(&acme, |tx| {
                tx.admit(&[user("ada")])?;
                tx.put(&profile("p", "ada", "tea"))
            })
            .unwrap();
        let linked = NewAgentPlaybook {
            text: playbook_text("be brief"),
            playbook_status: PlaybookStatus::Pending,
            metadata: learning::FreeText::default(),
            created_at: at(1),
            status: Status::Current,
            source_windows: vec![SourceWindow {
                user_playbook_id: kept.user_playbook_id,
                source_interaction_ids: vec![],
            }],
        };

        assert!(bypassed(profiles.transact(&acme, |tx| tx.put(&profile("q", "ada", "tea")))));
        assert!(bypassed(profiles.transact(&acme, |tx| tx.delete(&learning::ProfileId::new("p").unwrap()))));
        assert!(bypassed(playbooks.transact(&acme, |tx| tx.insert(&[user_playbook("ada")]))));
        assert!(bypassed(playbooks.transact(&acme, |tx| tx.replace(&kept))));
        assert!(bypassed(playbooks.transact(&acme, |tx| tx.delete(kept.user_playbook_id))));
        assert!(bypassed(agents.transact(&acme, |tx| tx.insert(&linked))));
        assert!(bypassed(sessions.transact(&acme, |tx| tx.delete(&session("ada", "s")))));
        assert_eq!(db.number("SELECT count(*) AS n FROM agent_playbooks"), 0);
    }
}

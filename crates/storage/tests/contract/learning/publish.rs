//! Publishing: all or nothing, once per request id.

use kernel::{ExperimentId, StoreError, UnitOfWork};
use learning::{
    Arm, Attribution, Interaction, JsonText, LearningError, LearningKind, Publication, PublishTx, Purpose,
    Remark, RetrievedLearning, ToolUse,
};
use storage::on_both;

use super::{NOON, cite, happened, learning_id, publish, request_id, said, session, text, turn};
use crate::org;

pub(super) fn a_turn_with_everything() -> Interaction {
    let learned = RetrievedLearning { kind: LearningKind::UserPlaybook, learning_id: learning_id("7") };
    Interaction {
        shadow_content: text("Ok, I will try."),
        expert_content: text("Certainly."),
        user_action: Remark::new("click").unwrap(),
        user_action_description: text("on\tthe \u{1} button"),
        interacted_image_url: text("https://example.com/a?b=c"),
        tools_used: vec![
            ToolUse {
                tool_name: Remark::new("search").unwrap(),
                tool_data: Some(JsonText::new(r#"{"q": "x", "a": 1e2}"#)),
                status: Some(Remark::new("ok").unwrap()),
            },
            ToolUse { tool_name: Remark::default(), tool_data: None, status: None },
        ],
        citations: vec![cite(LearningKind::Profile, "p-1", "Likes \"tea\"")],
        retrieved_learnings: vec![learned.clone(), learned],
        ..turn("Assistant", "Understood. 東京 🙂")
    }
}

on_both! {
    fn ids_ascend_in_the_order_given(db) {
        let turns: Vec<_> = (0..300).map(|n| happened(1, turn("User", &format!("turn {n}")))).collect();

        let ids =
            publish(&db.database, "acme", Publication { interactions: turns, ..said("ada", "s", "r", 1) }).unwrap().interactions;

        assert_eq!(ids.len(), 300);
        assert!(ids.is_sorted_by(|one, next| one < next));
        let in_place = "SELECT count(*) AS n FROM interactions WHERE content = 'turn ' || position";
        assert_eq!(db.number(in_place), 300);
    }

    fn a_thousand_turns_fit_into_one_request(db) {
        let turns: Vec<_> = (0..1000)
            .map(|n| {
                let mut body = a_turn_with_everything();
                body.retrieved_learnings.truncate(1);
                happened(n, body)
            })
            .collect();

        let ids =
            publish(&db.database, "acme", Publication { interactions: turns, ..said("ada", "s", "r", 1) }).unwrap().interactions;

        assert_eq!(ids.len(), 1000);
        assert_eq!(db.number("SELECT count(*) AS n FROM work_items WHERE kind = 'shadow_turn'"), 1000);
        assert_eq!(db.number("SELECT count(*) AS n FROM retrieved_learnings"), 1000);
    }

    fn a_repeat_answers_the_first_answer_and_stores_nothing(db) {
        let first = publish(&db.database, "acme", said("ada", "s", "r", 1)).unwrap();

        let again = publish(&db.database, "acme", said("ada", "s", "r", 1)).unwrap();

        assert_eq!(again, first);
        for table in ["requests", "interactions", "sessions", "feed_entries", "work_items"] {
            assert_eq!(db.number(&format!("SELECT count(*) AS n FROM {table}")), 1, "{table}");
        }
        assert_eq!(db.number("SELECT revision AS n FROM work_items"), 1);
    }

    fn a_request_id_that_named_another_body_is_refused_and_changes_nothing(db) {
        publish(&db.database, "acme", said("ada", "s", "r", 1)).unwrap();

        for other in [said("ada", "s", "r", 2), said("bob", "s", "r", 1), said("ada", "t", "r", 1)] {
            assert_eq!(publish(&db.database, "acme", other), Err(LearningError::RequestIdReused));
        }

        assert_eq!(db.number("SELECT count(*) AS n FROM interactions"), 1);
        assert_eq!(db.number("SELECT count(*) AS n FROM sessions"), 1);
    }

    fn two_organizations_share_every_name_and_nothing_else(db) {
        let ours = publish(&db.database, "acme", said("ada", "s", "r", 1)).unwrap();
        let theirs = publish(&db.database, "umbrella", said("ada", "s", "r", 2)).unwrap();

        assert_ne!(ours.interactions, theirs.interactions);
        assert_eq!(db.number("SELECT count(DISTINCT org_id) AS n FROM sessions"), 2);
        assert_eq!(db.number("SELECT first_request_at AS n FROM sessions WHERE org_id = 'acme'"), 1);
    }

    fn everything_of_a_request_goes_with_what_comes_later_in_one_transaction(db) {
        let exp = Attribution { experiment: ExperimentId::new("exp").unwrap(), arm: Arm::Holdout };
        let turns = vec![happened(1, turn("User", "hi")), happened(2, a_turn_with_everything())];
        let given = Publication { attribution: Some(exp), interactions: turns, ..said("ada", "s", "r", 1) };

        let ids = publish(&db.database, "acme", given).unwrap().interactions;

        let count = |sql: &str| db.number(&format!("SELECT count(*) AS n FROM {sql}"));
        assert_eq!(count("requests WHERE experiment_id = 'exp' AND experiment_arm = 'holdout'"), 1);
        assert_eq!(count("interactions WHERE is_user AND output_tokens IS NULL"), 1);
        assert_eq!(count("interactions WHERE is_agent AND NOT is_user AND output_tokens = 3"), 1);
        assert_eq!(count(&format!("work_items WHERE kind = 'session_evaluation' AND subject = 0 AND due_at = {}", NOON + 600)), 1);
        let shadow = format!("work_items WHERE kind = 'shadow_turn' AND subject = {} AND due_at > 1700000000", ids[1]);
        assert_eq!(count(&shadow), 1);
        assert_eq!(count("retrieved_learnings WHERE kind = 'user_playbook' AND learning_id = '7'"), 1);
        assert_eq!(count("session_citations WHERE kind = 'profile' AND rule_id = 'p-1' AND cited_at = 2"), 1);
        assert_eq!(count("feed_entries"), 1);
    }

    fn what_is_published_to_be_evaluated_only_does_not_enter_the_feed(db) {
        let given = Publication { purpose: Purpose::EvaluationOnly, ..said("ada", "s", "r", 1) };

        publish(&db.database, "acme", given).unwrap();

        assert_eq!(db.number("SELECT count(*) AS n FROM feed_entries"), 0);
        assert_eq!(db.number("SELECT count(*) AS n FROM requests WHERE evaluation_only"), 1);
    }

    fn a_request_that_fails_half_way_leaves_nothing(db) {
        let store: &dyn UnitOfWork<dyn PublishTx> = &db.database;
        let request = learning::Request {
            request_id: request_id("r"),
            session: session("ada", "s"),
            source: kernel::Source::unstated(),
            agent_version: kernel::AgentVersion::unstated(),
            purpose: Purpose::Learning,
            attribution: None,
            created_at: crate::at(1),
        };

        let failed: Result<(), StoreError> = store.transact(&org("acme"), |tx| {
            tx.admit(std::slice::from_ref(&request.session.user))?;
            tx.insert_request(&request, &learning::BodyDigest::from_bytes([7; 32]))?;
            tx.record_session(&request)?;
            tx.append_to_feed(&request)?;
            Err(StoreError::Unsupported("on purpose"))
        });

        assert!(failed.is_err());
        for table in ["requests", "sessions", "feed_entries"] {
            assert_eq!(db.number(&format!("SELECT count(*) AS n FROM {table}")), 0, "{table}");
        }
    }

    fn a_later_due_time_replaces_an_earlier_one_and_wakes_what_was_done(db) {
        let store: &dyn UnitOfWork<dyn PublishTx> = &db.database;
        let ours = session("ada", "s");
        let due = |seconds| {
            store
                .transact(&org("acme"), |tx| {
                    tx.admit(std::slice::from_ref(&ours.user))?;
                    tx.schedule_evaluation(&ours, crate::at(seconds))
                })
                .unwrap();
            db.number("SELECT due_at AS n FROM work_items")
        };

        assert_eq!((due(50), due(90), due(70)), (50, 90, 90));
        db.execute("UPDATE work_items SET state = 'done', attempts = 3, lease_fence = 4");
        due(100);
        let again = "SELECT count(*) AS n FROM work_items \
             WHERE state = 'waiting' AND attempts = 0 AND revision = 4 AND lease_fence = 4 AND due_at = 100";
        assert_eq!(db.number(again), 1);
    }
}

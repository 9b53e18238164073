//! Runs of the judge: an older one never counts, and one caller grades a session at a time.

use evaluation::judging::{
    Conclusion, Effort, Freshness, Holder, JudgeEpoch, JudgeKind, LearningStatus, SessionClaims,
    SessionReader,
};
use evaluation::{
    Fenced, JudgedResult, Judgement, PromptVersion, Reason, ResultFilter, ResultIdentity, ResultReader as _,
    VerdictFence,
};
use kernel::{AgentVersion, EvaluationName, Source, StoreError};
use storage::on_both;
use storage::testing::TestDatabase;

use super::{published, said, session, transact};
use crate::{at, org};

fn begin(db: &TestDatabase) -> VerdictFence {
    transact(&db.database, |tx| tx.verdicts().begin_run(&session("ada", "s"))).unwrap()
}

fn concluding(fence: &VerdictFence) -> Conclusion {
    Conclusion {
        fence: fence.clone(),
        graded: true,
        learnings: LearningStatus::NotApplicable,
        epoch: Some(JudgeEpoch {
            kind: JudgeKind::Heuristic,
            prompt_version: PromptVersion::new("v1").unwrap(),
            prompt_hash: "hash".to_owned(),
            requested_model: String::new(),
            returned_model: String::new(),
        }),
        effort: Effort { input_tokens: 3, output_tokens: 2, latency_ms: 1 },
        at: at(500),
    }
}

fn conclude(db: &TestDatabase, fence: &VerdictFence) -> Result<Fenced, StoreError> {
    transact(&db.database, |tx| tx.runs().conclude(&session("ada", "s"), &concluding(fence)))
}

fn keep_result(db: &TestDatabase, fence: &VerdictFence) {
    let result = JudgedResult {
        identity: ResultIdentity {
            session: session("ada", "s"),
            agent_version: AgentVersion::new("v1").unwrap(),
            evaluation_name: EvaluationName::new("agent_success").unwrap(),
        },
        created_at: at(10),
        source: Source::new("web").unwrap(),
        judged_at: at(500),
        judgement: Judgement {
            is_success: true,
            failure_type: None,
            failure_reason: Reason::default(),
            regular_vs_shadow: None,
            corrections: 0,
            turns_to_resolution: None,
            is_escalated: false,
            tags: None,
        },
        judge: concluding(fence).epoch,
    };
    transact(&db.database, |tx| tx.results().keep(std::slice::from_ref(&result))).unwrap();
}

on_both! {
    fn a_result_is_read_with_the_epoch_of_its_run_until_another_is_brought_in(db) {
        published(db, "ada", "s", 10);
        let fence = begin(db);
        conclude(db, &fence).unwrap();
        keep_result(db, &fence);
        let read = || db.database.results(&org("acme"), &ResultFilter::default(), None, 9).unwrap().remove(0);

        let judged = read();

        assert_eq!((judged.judge, judged.source.as_str()), (concluding(&fence).epoch, "web"));
        let brought = JudgedResult {
            identity: judged.result.identity,
            created_at: at(10),
            source: judged.source,
            judged_at: at(600),
            judgement: judged.result.judgement,
            judge: None,
        };
        transact(&db.database, |tx| tx.results().keep(std::slice::from_ref(&brought))).unwrap();
        assert_eq!(read().judge, None);
    }

    fn a_concluded_run_is_the_latest_graded_one_until_the_session_changes(db) {
        published(db, "ada", "s", 10);
        let fence = begin(db);

        assert_eq!(conclude(db, &fence), Ok(Fenced::Kept));
        keep_result(db, &fence);

        let key = session("ada", "s");
        let last = db.database.last_graded(&org("acme"), &key).unwrap().unwrap();
        assert_eq!((last.freshness, last.learnings), (Freshness::Current, LearningStatus::NotApplicable));
        assert_eq!(last.judged_at, at(500));
        let agent = |version: &str| AgentVersion::new(version).unwrap();
        assert_eq!((last.agent_version, last.asked_version), (agent("v1"), None));
        transact(&db.database, |tx| {
            tx.results().admit(std::slice::from_ref(&key.user_id))?;
            tx.runs().note_asked_version(&key, &agent("v2"))
        })
        .unwrap();
        let last = db.database.last_graded(&org("acme"), &key).unwrap().unwrap();
        assert_eq!(last.asked_version, Some(agent("v2")));
        said(db, "ada", "s", 11, "user");
        let last = db.database.last_graded(&org("acme"), &key).unwrap().unwrap();
        assert_eq!(last.freshness, Freshness::Outdated);
        assert_eq!(db.number("SELECT epoch_id AS n FROM session_judgings"), 1);
    }

    fn an_older_run_is_stale_once_a_newer_one_was_concluded(db) {
        published(db, "ada", "s", 10);
        let (older, newer) = (begin(db), begin(db));

        assert_eq!(conclude(db, &newer), Ok(Fenced::Kept));
        assert_eq!(conclude(db, &older), Ok(Fenced::Stale));
    }

    fn a_run_is_stale_when_the_session_has_changed(db) {
        published(db, "ada", "s", 10);
        let fence = begin(db);
        said(db, "ada", "s", 11, "user");

        assert_eq!(conclude(db, &fence), Ok(Fenced::Stale));
        assert_eq!(db.database.last_graded(&org("acme"), &session("ada", "s")), Ok(None));
    }

    fn one_of_many_callers_may_grade_a_session(db) {
        let key = session("ada", "s");
        let claimed: usize = std::thread::scope(|scope| {
            let claims = (0..8).map(|_| {
                scope.spawn(|| {
                    let holder = Holder("one".to_owned());
                    db.another_server().claim(&org("acme"), &key, &holder, 60).unwrap().is_some()
                })
            });
            let claims: Vec<_> = claims.collect();
            claims.into_iter().map(|claim| usize::from(claim.join().unwrap())).sum()
        });

        assert_eq!(claimed, 1);
    }

    fn a_claim_that_ran_out_is_somebody_elses_and_stays_theirs(db) {
        let (key, holder) = (session("ada", "s"), Holder("one".to_owned()));
        let claims: &dyn SessionClaims = &db.database;
        let first = claims.claim(&org("acme"), &key, &holder, 60).unwrap().unwrap();
        db.execute("UPDATE session_claims SET expires_at = 1");
        let second = claims.claim(&org("acme"), &key, &holder, 60).unwrap().unwrap();

        claims.release(&org("acme"), &first).unwrap();

        assert_eq!(claims.claim(&org("acme"), &key, &holder, 60), Ok(None));
        claims.release(&org("acme"), &second).unwrap();
        assert!(claims.claim(&org("acme"), &key, &holder, 60).unwrap().is_some());
    }
}

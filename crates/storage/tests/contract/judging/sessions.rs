//! Sessions and learnings as a judge reads them.

use evaluation::judging::{
    LearningReader, LearningText, SessionFacts, SessionPurpose, SessionReader, Speaker, StoredLearning,
};
use evaluation::{InteractionId, LearningKind};
use kernel::SessionId;
use storage::on_both;

use super::{published, said, session, user};
use crate::{found, org};

on_both! {
    fn a_session_is_read_with_its_turns_in_order(db) {
        published(db, "ada", "s", 10);
        said(db, "ada", "s", 5, "user");
        said(db, "bob", "s", 7, "user");

        let record = db.database.session(&org("acme"), &session("ada", "s")).unwrap().unwrap();

        let spoken: Vec<_> = record.turns.iter().map(|turn| (turn.at.seconds(), turn.speaker)).collect();
        assert_eq!(spoken, [(5, Speaker::User), (10, Speaker::User), (10, Speaker::Agent)]);
        assert_eq!(record.agent_version.as_str(), "v1");
        assert_eq!(db.database.session(&org("globex"), &session("ada", "s")), Ok(None));
    }

    fn the_owner_of_the_latest_request_comes_first(db) {
        published(db, "ada", "s", 10);
        published(db, "bob", "s", 20);

        let owners = db.database.owners(&org("acme"), &SessionId::new("s").unwrap());

        assert_eq!(owners, Ok(vec![user("bob"), user("ada")]));
    }

    fn a_session_is_for_evaluation_only_when_all_its_requests_are(db) {
        published(db, "ada", "s", 10);
        let facts = |purpose| Ok(Some(SessionFacts { purpose }));
        let key = session("ada", "s");

        assert_eq!(db.database.facts(&org("acme"), &key), facts(SessionPurpose::Learning));
        db.execute("UPDATE requests SET evaluation_only = TRUE");
        assert_eq!(db.database.facts(&org("acme"), &key), facts(SessionPurpose::EvaluationOnly));
        assert_eq!(db.database.facts(&org("acme"), &session("ada", "none")), Ok(None));
    }

    fn a_shadow_turn_comes_with_what_was_said_before(db) {
        published(db, "ada", "s", 10);
        let turn = InteractionId(db.number("SELECT interaction_id AS n FROM interactions WHERE role = 'agent'"));

        let shadow = db.database.shadow_turn(&org("acme"), turn).unwrap().unwrap();

        assert_eq!(shadow.before.len(), 1);
        assert_eq!((shadow.service.as_str(), shadow.shadow.as_str()), ("words of agent", "shadow"));
        assert_eq!(db.database.shadow_turn(&org("globex"), turn), Ok(None));
    }

    fn learnings_are_read_whoever_they_belong_to_and_odd_ids_name_none(db) {
        found(db, &["acme"]);
        db.execute(
            "INSERT INTO agent_playbooks (agent_playbook_id, org_id, playbook_name, agent_version, content, trigger, \
             rationale, tags, playbook_status, metadata, created_at, status) \
             VALUES (7, 'acme', 'p', 'v', 'do', 'when', '', '[]', 'pending', '', 1, 'archived')",
        );
        let asked = ["7", "07", "x"].map(|id| (LearningKind::AgentPlaybook, id.to_owned()));

        let found = db.database.learnings(&org("acme"), &asked).unwrap();

        let text = LearningText::Playbook { content: "do".to_owned(), trigger: "when".to_owned() };
        let kind = LearningKind::AgentPlaybook;
        assert_eq!(found, [StoredLearning { kind, learning_id: "7".to_owned(), owner: None, text }]);
    }
}

//! An erasure that the database refuses: the barrier stays up, and a retry can always finish.

use serde_json::{Value, json};
use support::{Answer, Client, TestApp, on_both};

/// The database refuses every delete of a profile.
fn refuse_deletes(app: &TestApp) {
    app.database.execute(if app.database.url.starts_with("sqlite") {
        "CREATE TRIGGER refuses BEFORE DELETE ON profiles BEGIN SELECT RAISE(ABORT, 'secret of the trigger'); END"
    } else {
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN RAISE EXCEPTION 'secret of the trigger'; END $$;
         CREATE TRIGGER refuses BEFORE DELETE ON profiles FOR EACH ROW EXECUTE FUNCTION refuse()"
    });
}

fn allow_deletes(app: &TestApp) {
    let sqlite = app.database.url.starts_with("sqlite");
    app.database.execute(if sqlite { "DROP TRIGGER refuses" } else { "DROP TRIGGER refuses ON profiles" });
}

fn add_profile(caller: &Client) -> Answer {
    caller
        .post("/api/add_user_profile", &json!({ "user_profiles": [{ "user_id": "anna", "content": "tea" }] }))
}

fn erase(caller: &Client) -> Answer {
    caller.post("/api/governance/erase-user", &json!({ "user_id": "anna", "request_id": "t" }))
}

fn audit(app: &TestApp, outcome: &str) -> i64 {
    app.database.number(&format!(
        "SELECT count(*) AS n FROM audit_events WHERE operation = 'ERASE' AND outcome = '{outcome}'"
    ))
}

on_both! {
    fn a_failed_erase_keeps_the_barrier_up_and_a_retry_finishes_it(app) {
        let (officer, agent) = (app.governance("acme"), app.production("acme"));
        assert_eq!(add_profile(&agent).told(), "200");
        refuse_deletes(app);

        let failed = erase(&officer);

        assert_eq!(failed.told(), "500 erase_failed");
        assert!(!failed.text().contains("secret"), "{}", failed.text());
        let purge = app.database.texts("SELECT purge_id AS t FROM purge_operations").remove(0);
        let place = format!("/api/governance/purge-operations/{purge}");
        let view = officer.get(&place).json();
        assert_eq!((&view["status"], &view["error_code"], &view["completed_at"]), (&json!("failed"), &json!("internal"), &Value::Null));
        assert!(!view.to_string().contains("secret"), "{view}");
        assert_eq!(add_profile(&agent).told(), "409 subject_being_erased");
        assert_eq!((audit(app, "error"), audit(app, "ok")), (1, 0));

        allow_deletes(app);
        let erased = erase(&officer);

        assert_eq!(erased.told(), "200", "{}", erased.text());
        assert_eq!(erased.json()["deleted_counts"]["profiles"], 1);
        let view = officer.get(&place).json();
        assert_eq!((&view["status"], &view["error_code"], &view["error_detail"]), (&json!("complete"), &Value::Null, &Value::Null));
        assert_eq!(add_profile(&agent).told(), "410 subject_erased");
        assert_eq!((audit(app, "error"), audit(app, "ok")), (1, 1));
    }
}

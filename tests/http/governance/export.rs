//! `POST /api/governance/export-user`.

use serde_json::json;
use support::on_both;

use super::{FILLED, TARGETS, assert_reference, audit_rows, erase, export, fill, sizes};
use crate::activity::count;

on_both! {
    fn an_export_shows_every_row_of_the_user_and_nobody_elses(app) {
        let officer = app.governance("acme");
        let _ = fill(app, "acme", "anna");
        let _ = fill(app, "acme", "ben");
        let _ = fill(app, "other", "anna");

        let answer = export(&officer, "anna", "t-1");

        let exported = answer.json();
        assert_eq!(answer.told(), "200", "{exported}");
        assert_eq!(exported.as_object().unwrap().len(), 3);
        assert_reference(&exported["subject_ref"], "subref_v1_");
        assert_reference(&exported["export_id"], "export_");
        assert_eq!(sizes(&exported), FILLED);
        let bundle = &exported["bundle"];
        assert_eq!(bundle["profiles"][0]["content"], "prefers tea");
        assert_eq!(bundle["interactions"][0]["content"], "a question");
        assert_eq!(bundle["partner_scores"][0]["scorer_name"], "tone");
        assert!(!exported.to_string().contains("ben"), "{exported}");
    }

    fn a_repeated_export_answers_afresh_and_is_audited_once(app) {
        let officer = app.governance("acme");
        let first = export(&officer, "anna", "t-1").json();
        let _ = fill(app, "acme", "anna");

        let repeat = export(&officer, "anna", "t-1").json();

        assert_eq!(repeat["export_id"], first["export_id"]);
        assert_eq!(sizes(&first), [0; 10]);
        assert_eq!(sizes(&repeat), FILLED);
        assert_eq!(audit_rows(app, "EXPORT"), 1);
        let other = export(&officer, "anna", "t-2").json();
        assert_ne!(other["export_id"], first["export_id"]);
        assert_eq!(other["subject_ref"], first["subject_ref"]);
        assert_eq!(audit_rows(app, "EXPORT"), 2);
    }

    fn an_erased_user_exports_empty_lists(app) {
        let officer = app.governance("acme");
        let _ = fill(app, "acme", "anna");
        assert_eq!(erase(&officer, "anna", "t-1").told(), "200");

        assert_eq!(sizes(&export(&officer, "anna", "t-2").json()), [0; 10]);
    }

    fn a_user_of_many_rows_is_exported_whole(app) {
        let (officer, caller) = (app.governance("acme"), app.production("acme"));
        for n in 0..5 {
            let turns: Vec<_> = (0..1_000).map(|_| json!({ "content": "x".repeat(40) })).collect();
            let body = json!({ "user_id": "anna", "request_id": n.to_string(), "interaction_data_list": turns });
            assert_eq!(crate::activity::publish(&caller, &body).told(), "200");
        }

        let exported = export(&officer, "anna", "t").json();

        assert_eq!(count(&exported["bundle"], "interactions"), 5_000);
        assert_eq!(exported["bundle"].as_object().unwrap().len(), TARGETS.len());
    }
}

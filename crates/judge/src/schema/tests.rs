//! What is accepted as an answer, and what is not.

use std::collections::BTreeSet;

use evaluation::judging::{Budget, LearningSubject, Transcript};

use super::*;

fn chunk(references: &[&str]) -> LearningChunk {
    let subject = |text: &&str| LearningSubject {
        reference: VerdictRef::parse(text).unwrap(),
        content: String::new(),
        trigger: String::new(),
    };
    LearningChunk {
        transcript: Transcript::within(Budget::default(), &[], &BTreeSet::new()),
        subjects: references.iter().map(subject).collect(),
    }
}

fn impact_with(diagnosis: &str) -> Result<Vec<ImpactVerdict>, JudgeFailure> {
    let text = format!(
        r#"{{"verdicts":[{{"ref":"1:agent_playbook:5","impact":"negative","reason":"r","diagnosis":{diagnosis}}}]}}"#
    );
    read_impact(&text, &chunk(&["1:agent_playbook:5"]))
}

#[test]
fn a_grade_is_read_also_when_it_is_wrapped_in_words() {
    let text = r#"Here you are:
```json
{"is_success": false, "failure_type": "wrong_tool", "failure_reason": "no", "is_escalated": true, "number_of_correction_per_session": 2}
```"#;

    let grade = read_session(text).unwrap();

    assert_eq!((grade.is_success, grade.failure_type), (false, Some(FailureType::WrongTool)));
    assert_eq!((grade.is_escalated, grade.corrections), (true, 2));
}

#[test]
fn what_is_no_answer_is_refused_and_says_nothing_of_its_content() {
    let wrong = [
        ("", "it is empty"),
        ("I rate this as a success!", "it is not JSON"),
        ("{\"is_success\": tru}", "it is not JSON"),
        ("{\"verdict\": true}", "it does not fit the schema"),
        ("{\"is_success\": \"true\"}", "it does not fit the schema"),
        (
            "{\"is_success\": false, \"failure_type\": \"bad_luck\"}",
            "it holds a word that is not among the choices",
        ),
    ];
    for (text, why) in wrong {
        assert_eq!(read_session(text), Err(JudgeFailure::Malformed(why)), "{text}");
    }
}

#[test]
fn a_reason_that_is_too_long_or_holds_nul_is_cut_and_cleaned() {
    let long = format!(r#"{{"is_success": false, "failure_reason": "\u0000{}"}}"#, "x".repeat(20_000));

    let grade = read_session(&long).unwrap();

    assert_eq!(grade.failure_reason.as_str(), "x".repeat(LONGEST_REASON));
}

#[test]
fn an_unknown_field_in_a_diagnosis_is_refused() {
    let fine = r#"{"category":"no_issue","reason":"fine","evidence_interaction_ids":[1]}"#;
    let more = r#"{"category":"no_issue","reason":"fine","confidence":0.9}"#;

    assert!(impact_with(fine).is_ok());
    assert_eq!(impact_with(more), Err(JudgeFailure::Malformed("it does not fit the schema")));
}

#[test]
fn a_diagnosis_has_a_reason_and_a_category_we_know() {
    assert!(impact_with(r#"{"category":"no_issue","reason":" "}"#).is_err());
    assert!(impact_with(r#"{"category":"bad_luck","reason":"x"}"#).is_err());
    assert_eq!(impact_with("null").unwrap()[0].diagnosis, None);
}

#[test]
fn a_chunk_with_other_references_than_those_asked_is_refused() {
    let answer = |refs: &[&str]| {
        let verdicts: Vec<_> = refs.iter().map(|r| json!({"ref": r, "is_relevant": true})).collect();
        read_relevance(&json!({ "verdicts": verdicts }).to_string(), &chunk(&["1:profile:a", "1:profile:b"]))
    };

    assert!(answer(&["1:profile:b", "1:profile:a"]).is_ok());
    assert!(answer(&["1:profile:a"]).is_err());
    assert!(answer(&["1:profile:a", "1:profile:a"]).is_err());
    assert!(answer(&["1:profile:a", "1:profile:b", "2:profile:a"]).is_err());
    assert!(answer(&["1:profile:a", "nonsense"]).is_err());
}

#[test]
fn a_tie_is_never_significant() {
    let tie = read_shadow(r#"{"better_request":"tie","is_significantly_better":true}"#).unwrap();
    let better = read_shadow(r#"{"better_request":"2","is_significantly_better":true}"#).unwrap();

    assert!(!tie.is_significantly_better && better.is_significantly_better);
    assert!(read_shadow(r#"{"better_request":"3","is_significantly_better":true}"#).is_err());
}

#[test]
fn every_schema_closes_its_objects_as_strict_mode_wants() {
    fn check(schema: &Value) {
        if schema.get("type") == Some(&json!("object")) {
            assert_eq!(schema["additionalProperties"], json!(false));
            let properties: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
            let required: Vec<_> =
                schema["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
            assert_eq!(properties, required);
        }
        for inner in schema.as_object().into_iter().flat_map(serde_json::Map::values) {
            check(inner);
        }
        schema.as_array().into_iter().flatten().for_each(check);
    }
    for schema in [session(), relevance(), impact(), shadow()] {
        check(&schema);
    }
}

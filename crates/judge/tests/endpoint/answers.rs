//! What is made of an answer that arrived.

use std::collections::BTreeSet;

use evaluation::PromptVersion;
use evaluation::judging::{
    Budget, Judge, JudgeFailure, JudgeKind, LearningChunk, LearningSubject, ShadowPair, Transcript, Trouble,
    VerdictRef,
};
use serde_json::json;
use touchstone_judge::{Prompts, Question};

use crate::stub::{Stub, finishing, saying, status};
use crate::{SUCCESS, grade, judge_of, pace, transcript};

fn chunk() -> LearningChunk {
    let subject = LearningSubject {
        reference: VerdictRef::parse("2:agent_playbook:5").unwrap(),
        content: "ask first".to_owned(),
        trigger: "a refund".to_owned(),
    };
    LearningChunk { transcript: transcript("a refund please"), subjects: vec![subject] }
}

#[test]
fn an_answer_comes_with_its_epoch_and_its_cost() {
    let stub = Stub::doing(vec![saying(SUCCESS)]);
    let judge = judge_of(&stub, pace(1));

    let judged = grade(&judge).unwrap();

    let prompt = Prompts.current(Question::Session);
    assert_eq!((judged.answer.is_success, judged.answer.corrections), (true, 1));
    assert_eq!(judged.epoch.kind, JudgeKind::Model);
    assert_eq!(judged.epoch.prompt_version.as_str(), prompt.version);
    assert_eq!(judged.epoch.prompt_hash, prompt.hash());
    assert_eq!(judged.epoch.requested_model, "model-asked-for");
    assert_eq!(judged.epoch.returned_model, "model-that-answered");
    assert_eq!((judged.effort.input_tokens, judged.effort.output_tokens), (100, 7));
    assert_eq!(judge.epoch(), judged.epoch);
}

#[test]
fn the_question_goes_to_the_right_place_with_the_key_the_model_and_the_schema() {
    let stub = Stub::doing(vec![saying(SUCCESS)]);

    grade(&judge_of(&stub, pace(1))).unwrap();

    let asked = stub.asked().remove(0);
    assert_eq!(asked.path, "/v1/chat/completions");
    assert_eq!(asked.authorization.as_deref(), Some("Bearer key"));
    assert_eq!(asked.body["model"], "model-asked-for");
    let format = &asked.body["response_format"];
    assert_eq!((&format["type"], &format["json_schema"]["strict"]), (&json!("json_schema"), &json!(true)));
    assert!(asked.message(0).starts_with(Prompts.current(Question::Session).text));
}

#[test]
fn a_refusal_is_a_refusal_and_a_cut_answer_is_cut_and_neither_is_repaired() {
    let endings = [
        (finishing(&json!({"content": null, "refusal": "I'd rather not"}), "stop"), JudgeFailure::Refused),
        (finishing(&json!({"content": ""}), "content_filter"), JudgeFailure::Refused),
        (finishing(&json!({"content": "{\"is_success\": true"}), "length"), JudgeFailure::Cut),
    ];
    for (act, expected) in endings {
        let stub = Stub::doing(vec![act]);

        assert_eq!(grade(&judge_of(&stub, pace(3))), Err(expected));
        assert_eq!(stub.asked().len(), 1);
    }
}

#[test]
fn an_answer_that_cannot_be_used_is_asked_for_once_more() {
    for unusable in ["", "looks fine to me", "{\"is_success\": \"yes\"}"] {
        let stub = Stub::doing(vec![saying(unusable), saying(SUCCESS)]);

        let judged = grade(&judge_of(&stub, pace(1))).unwrap();

        let asked = stub.asked();
        assert_eq!((asked.len(), judged.effort.input_tokens), (2, 200));
        assert_eq!(asked[1].message(2), unusable);
        assert!(asked[1].message(3).starts_with("Your answer cannot be used: "));
    }
}

#[test]
fn a_second_answer_that_cannot_be_used_is_the_last() {
    let stub = Stub::doing(vec![saying("looks fine to me")]);

    assert_eq!(grade(&judge_of(&stub, pace(3))), Err(JudgeFailure::Malformed("it is not JSON")));
    assert_eq!(stub.asked().len(), 2);
}

#[test]
fn an_endpoint_without_structured_output_is_asked_in_ways_it_understands_and_remembered() {
    // Knows neither schemas nor JSON mode.
    let stub = Stub::by(|asked, _| {
        if asked.body.get("response_format").is_some() {
            status(400)
        } else {
            saying(&format!("Sure!\n```json\n{SUCCESS}\n```"))
        }
    });
    let judge = judge_of(&stub, pace(1));

    assert!(grade(&judge).unwrap().answer.is_success);
    let first = stub.asked();
    assert!(grade(&judge).unwrap().answer.is_success);

    let formats: Vec<_> = first.iter().map(|asked| asked.body["response_format"]["type"].clone()).collect();
    assert_eq!(formats, [json!("json_schema"), json!("json_schema"), json!("json_object"), json!(null)]);
    assert!(first[3].message(2).contains("is_success"), "the words carry the schema");
    assert_eq!(stub.asked().len(), first.len() + 1);
}

#[test]
fn an_endpoint_that_understands_nothing_is_not_available() {
    let stub = Stub::doing(vec![status(400)]);

    assert_eq!(grade(&judge_of(&stub, pace(3))), Err(JudgeFailure::Unavailable(Trouble::Status(400))));
    assert_eq!(stub.asked().len(), 4);
}

#[test]
fn verdicts_about_something_else_are_asked_for_once_more() {
    let verdict = |reference| json!({"verdicts": [{"ref": reference, "is_relevant": true, "reason": "r"}]});
    let stub = Stub::doing(vec![
        saying(&verdict("2:agent_playbook:6").to_string()),
        saying(&verdict("2:agent_playbook:5").to_string()),
    ]);

    let judged = judge_of(&stub, pace(1)).relevance(&chunk()).unwrap();

    assert_eq!(judged.answer[0].reference.to_string(), "2:agent_playbook:5");
    assert_eq!(stub.asked().len(), 2);
}

#[test]
fn a_diagnosis_with_an_unknown_field_is_refused() {
    let diagnosis = json!({"category": "unknown", "reason": "r", "evidence_interaction_ids": [], "score": 1});
    let verdict =
        json!({"ref": "2:agent_playbook:5", "impact": "neutral", "reason": "r", "diagnosis": diagnosis});
    let stub = Stub::doing(vec![saying(&json!({"verdicts": [verdict]}).to_string())]);

    let failure = judge_of(&stub, pace(1)).impact(&chunk()).unwrap_err();

    assert_eq!(failure, JudgeFailure::Malformed("it does not fit the schema"));
}

#[test]
fn a_comparison_uses_the_pinned_rubric_or_none() {
    let stub = Stub::doing(vec![saying(
        r#"{"better_request": "2", "is_significantly_better": true, "comparison_reason": "clearer"}"#,
    )]);
    let judge = judge_of(&stub, pace(1));
    let pair = |version: &str| ShadowPair {
        context: Transcript::within(Budget::default(), &[], &BTreeSet::new()),
        first: "one".to_owned(),
        second: "two".to_owned(),
        version: PromptVersion::new(version).unwrap(),
    };

    let judged = judge.compare_shadow(&pair("v1.1.0")).unwrap();

    assert_eq!(judged.answer.better_request.as_str(), "2");
    assert_eq!(judged.epoch.prompt_version.as_str(), "v1.1.0");
    assert_eq!(judge.compare_shadow(&pair("v0.1.0")), Err(JudgeFailure::Unavailable(Trouble::UnknownPrompt)));
    assert_eq!(stub.asked().len(), 1);
}

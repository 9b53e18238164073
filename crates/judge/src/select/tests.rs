//! The rules of choosing a judge.

use evaluation::judging::{JudgeFailure, JudgeKind, Trouble};
use organization::ports::MockOrganizationReader;

use super::*;

fn environment(base_url: Option<&str>, model: Option<&str>, key: Option<&str>) -> JudgeEnvironment {
    JudgeEnvironment {
        base_url: base_url.map(str::to_owned),
        model: model.map(str::to_owned),
        api_key: key.map(ApiKey::new),
    }
}

fn settings(provider: Option<JudgeProvider>, base_url: Option<&str>, model: Option<&str>) -> JudgeSettings {
    JudgeSettings { provider, base_url: base_url.map(str::to_owned), model: model.map(str::to_owned) }
}

fn endpoint(choice: Choice) -> Endpoint {
    match choice {
        Choice::OpenAi(endpoint) => endpoint,
        other => panic!("{other:?}"),
    }
}

fn server() -> JudgeEnvironment {
    environment(Some("https://judge.example/v1"), Some("m"), Some("secret"))
}

#[test]
fn without_any_word_about_a_model_the_heuristic_judges() {
    assert_eq!(JudgeEnvironment::default().choose(&JudgeSettings::default()), Choice::Heuristic);
}

#[test]
fn the_environment_is_the_default() {
    let chosen = endpoint(server().choose(&JudgeSettings::default()));

    assert_eq!((chosen.base_url.as_str(), chosen.model.as_str()), ("https://judge.example/v1", "m"));
    assert_eq!(chosen.api_key, Some(ApiKey::new("secret")));
}

#[test]
fn an_organization_overrides_provider_address_and_model() {
    let heuristic = settings(Some(JudgeProvider::Heuristic), None, None);
    let other = settings(None, Some("https://judge.example/v2"), Some("better"));

    assert_eq!(server().choose(&heuristic), Choice::Heuristic);
    let chosen = endpoint(server().choose(&other));
    assert_eq!((chosen.base_url.as_str(), chosen.model.as_str()), ("https://judge.example/v2", "better"));
}

#[test]
fn the_servers_key_goes_to_no_other_host() {
    for elsewhere in [
        "https://thief.example/v1",
        "http://judge.example/v1",
        "https://judge.example:444/v1",
        "https://judge.example.thief.example/v1",
        "https://judge.example@thief.example/v1",
    ] {
        let chosen = endpoint(server().choose(&settings(None, Some(elsewhere), None)));

        assert_eq!(chosen.api_key, None, "{elsewhere}");
    }
}

#[test]
fn a_key_without_an_address_is_for_the_address_that_is_named() {
    let key_only = environment(None, None, Some("secret"));

    let chosen = endpoint(key_only.choose(&settings(None, Some("http://127.0.0.1:9/v1"), Some("m"))));

    assert_eq!(chosen.api_key, Some(ApiKey::new("secret")));
}

#[test]
fn half_an_endpoint_is_not_a_reason_to_judge_by_rules_of_thumb() {
    let asked = settings(Some(JudgeProvider::OpenAi), None, None);
    let half = settings(None, Some("https://judge.example/v1"), None);

    assert_eq!(JudgeEnvironment::default().choose(&asked), Choice::Unconfigured);
    assert_eq!(JudgeEnvironment::default().choose(&half), Choice::Unconfigured);
}

#[test]
fn a_key_is_never_printed() {
    let printed = format!("{:?} {:?}", server(), server().choose(&JudgeSettings::default()));

    assert!(!printed.contains("secret"), "{printed}");
}

fn selecting(configurations: Vec<Configuration>) -> SelectJudge {
    let mut reader = MockOrganizationReader::new();
    let mut next = configurations.into_iter();
    reader
        .expect_configuration()
        .returning(move |_| Ok(next.next().map(|one| (Profile::Standard, Some(one)))));
    SelectJudge::new(JudgeEnvironment::default(), Arc::new(reader), Pace::default())
}

#[test]
fn a_judge_is_kept_until_the_organization_chooses_another() {
    let plain = Configuration::default_for(Profile::Standard);
    let model = Configuration {
        judge: settings(Some(JudgeProvider::OpenAi), Some("http://127.0.0.1:9/v1"), Some("m")),
        ..plain.clone()
    };
    let judges = selecting(vec![plain.clone(), plain, model.clone(), model]);
    let org = OrgId::new("acme").unwrap();

    let asked: Vec<_> = (0..4).map(|_| judges.judge_of(&org).unwrap()).collect();

    assert_eq!(asked[0].kind(), JudgeKind::Heuristic);
    assert!(Arc::ptr_eq(&asked[0], &asked[1]));
    assert_eq!(asked[2].kind(), JudgeKind::Model);
    assert!(Arc::ptr_eq(&asked[2], &asked[3]));
}

#[test]
fn a_judge_that_is_not_configured_says_so() {
    let asked = settings(Some(JudgeProvider::OpenAi), None, None);
    let configuration = Configuration { judge: asked, ..Configuration::default_for(Profile::Standard) };

    let judge = selecting(vec![configuration]).judge_of(&OrgId::new("acme").unwrap()).unwrap();

    assert_eq!(judge.probe(), Err(JudgeFailure::Unavailable(Trouble::Configuration)));
}

//! `config check` shows what a server would go by, and refuses what a server would refuse.

use std::path::Path;
use std::process::Output;

use serde_json::Value;
use support::run;

const AWAY: &str = "postgres://ada:s3cret@127.0.0.1:1/none";
const SECRETS: &str = "TOUCHSTONE_REF_SECRETS";

fn check(url: &str, environment: &[(&str, &str)], arguments: &[&str]) -> Output {
    run(url, environment, &[&["config", "check"], arguments].concat())
}

fn shown(environment: &[(&str, &str)], arguments: &[&str]) -> Value {
    let output = check(AWAY, environment, &[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}", told(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The settings that the documentation lists, as they are named here.
fn documented() -> Vec<String> {
    let operations = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/OPERATIONS.md");
    let text = std::fs::read_to_string(operations).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `TOUCHSTONE_"));
    rows.filter_map(|row| row.split('`').next()).map(str::to_lowercase).collect()
}

#[test]
fn every_setting_that_is_documented_is_shown() {
    let shown = shown(&[], &[]);

    assert!(documented().len() > 10);
    for name in documented() {
        assert!(shown[&name].is_string(), "{name} is missing");
    }
}

#[test]
fn what_is_shown_is_what_a_server_goes_by_and_a_flag_goes_first() {
    let environment = [
        ("TOUCHSTONE_LISTEN", "0.0.0.0:80"),
        ("TOUCHSTONE_OPERATIONS_LISTEN", "127.0.0.1:9090"),
        ("TOUCHSTONE_LOG", "warn"),
        ("TOUCHSTONE_LOG_FORMAT", "text"),
    ];

    let open = shown(&environment, &[]);
    let usual = shown(&[], &[]);
    let typed = shown(&environment, &["--listen", "127.0.0.1:81"]);

    let facts = |shown: &Value| {
        ["listen", "operations_listen", "secure_cookie", "log", "log_format"]
            .map(|name| shown[name].as_str().unwrap().to_owned())
    };
    assert_eq!(facts(&open), ["0.0.0.0:80", "127.0.0.1:9090", "true", "warn", "text"]);
    assert_eq!(facts(&usual), ["127.0.0.1:8080", "the main address", "false", "info", "JSON lines"]);
    assert_eq!(facts(&typed)[..3], ["127.0.0.1:81", "127.0.0.1:9090", "false"]);
}

#[test]
fn no_secret_is_shown() {
    let output = check(AWAY, &[("TOUCHSTONE_JUDGE_API_KEY", "key-of-the-judge")], &[]);

    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success());
    for secret in ["s3cret", "key-of-the-judge", storage::testing::SECRET] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn what_a_server_refuses_is_refused_with_the_same_words() {
    let cases = [
        [(SECRETS, "too short"), ("TOUCHSTONE_LISTEN", "127.0.0.1:0")],
        [(SECRETS, ""), ("TOUCHSTONE_LISTEN", "0.0.0.0:0")],
        [("TOUCHSTONE_SECURE_COOKIE", "perhaps"), ("TOUCHSTONE_LISTEN", "127.0.0.1:0")],
        [("TOUCHSTONE_WORKERS", "0"), ("TOUCHSTONE_LISTEN", "127.0.0.1:0")],
    ];

    for environment in cases {
        let served = run(AWAY, &environment, &["serve"]);
        let checked = check(AWAY, &environment, &[]);

        assert_eq!((checked.status.code(), served.status.code()), (Some(2), Some(2)), "{environment:?}");
        assert_eq!(told(&checked), told(&served));
        assert!(checked.stdout.is_empty());
    }
    for name in ["TOUCHSTONE_LISTEN", "TOUCHSTONE_OPERATIONS_LISTEN"] {
        assert_eq!(check(AWAY, &[(name, "nowhere")], &[]).status.code(), Some(2), "{name}");
    }
}

#[test]
fn a_secret_that_was_kept_is_looked_at_and_none_is_made() {
    let home = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/touchstone.db", home.path().display());
    let kept = home.path().join("reference-secret");

    let empty = check(&url, &[(SECRETS, "")], &[]);
    assert!(empty.status.success());
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "a check makes nothing");
    std::fs::write(&kept, storage::testing::SECRET).unwrap();
    let well = check(&url, &[(SECRETS, "")], &[]);
    std::fs::write(&kept, "torso").unwrap();
    let torn = check(&url, &[(SECRETS, "")], &[]);

    assert!(String::from_utf8_lossy(&empty.stdout).contains("one will be made and kept in"));
    assert!(String::from_utf8_lossy(&well.stdout).contains("the one kept in"));
    assert_eq!(torn.status.code(), Some(2));
}

//! The rules of sampling.

use std::collections::BTreeSet;

use super::*;
use crate::calendar::DAY;
use crate::samples::{at, org, session};

fn rate(rate: f64) -> SamplingRate {
    SamplingRate::new(rate).unwrap()
}

fn candidate(number: i64, day: i64, source: &str) -> Candidate {
    Candidate {
        session: session("ada", &format!("s{number}")),
        began_at: at(day * DAY + number),
        source: Source::new(source).unwrap(),
    }
}

fn job(id: &str) -> JobId {
    JobId::new(id).unwrap()
}

fn sampled(id: &str, per_stratum: usize, candidates: impl Iterator<Item = Candidate>) -> StratifiedSample {
    let mut sampler = StratifiedSampler::new(job(id), per_stratum);
    candidates.for_each(|candidate| sampler.offer(candidate));
    sampler.finish()
}

#[test]
fn the_fraction_is_the_first_8_bytes_of_the_digest_over_two_to_64() {
    // printf 'acme\0ada\0s1' | sha256sum begins with the 8 bytes below.
    let expected = number(13_471_832_510_619_094_140) / TWO_TO_64;

    assert_eq!(fraction(&org(), &session("ada", "s1")), expected);
}

#[test]
fn names_that_run_together_are_different_sessions() {
    assert_ne!(fraction(&org(), &session("a", "bc")), fraction(&org(), &session("ab", "c")));
}

#[test]
fn a_rate_of_1_takes_all_and_a_rate_of_0_none() {
    for number in 0..1_000 {
        let session = session("ada", &number.to_string());

        assert!(rate(1.0).includes(&org(), &session));
        assert!(!rate(0.0).includes(&org(), &session));
    }
}

#[test]
fn a_higher_rate_is_a_superset() {
    let chosen = |share| -> BTreeSet<i32> {
        (0..5_000).filter(|n| rate(share).includes(&org(), &session("ada", &n.to_string()))).collect()
    };
    let (few, many) = (chosen(0.05), chosen(0.2));

    assert!(few.is_subset(&many));
    assert!((180..=320).contains(&few.len()), "{}", few.len());
    assert!((900..=1_100).contains(&many.len()), "{}", many.len());
}

#[test]
fn a_rate_lies_between_0_and_1() {
    for wrong in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert_eq!(SamplingRate::new(wrong), Err(RateOutOfRange));
    }
}

#[test]
fn each_day_and_source_gives_at_most_its_share() {
    let candidates =
        (0..3).flat_map(|day| (0..50).map(move |number| (day, number))).flat_map(|(day, number)| {
            let other = if number < 2 { "" } else { "app" };
            let number = number + day * 1_000;
            [candidate(number, day, "web"), candidate(number + 100, day, other)]
        });

    let sample = sampled("job-1", 5, candidates);

    // Three days, each with five of web, five of app and the two of no source.
    assert_eq!(sample.sessions.len(), 3 * (5 + 5 + 2));
    assert_eq!(sample.candidates, 300);
    assert_eq!(sample.sessions.iter().collect::<BTreeSet<_>>().len(), sample.sessions.len());
}

#[test]
fn a_job_chooses_the_same_sessions_whatever_the_order() {
    let forwards = sampled("job-1", 7, (0..100).map(|number| candidate(number, 1, "web")));
    let backwards = sampled("job-1", 7, (0..100).rev().map(|number| candidate(number, 1, "web")));

    assert_eq!(forwards, backwards);
}

#[test]
fn another_job_chooses_others() {
    let first = sampled("job-1", 7, (0..100).map(|number| candidate(number, 1, "web")));
    let second = sampled("job-2", 7, (0..100).map(|number| candidate(number, 1, "web")));

    assert_ne!(first.sessions, second.sessions);
}

//! What the story must show, whatever day it is told on.

use kernel::Timestamp;

use super::*;
use crate::demo::timeline::{DAY, REGRESSION};

/// Sunday 15 June 2025, in the evening.
const SUNDAY: i64 = 1_750_020_000;

fn story(size: Size, now: i64) -> Story {
    let line = Timeline::until(Timestamp::from_seconds(now));
    Story::of(OrgId::new("demo").unwrap(), line, size).unwrap()
}

fn scenes(story: &Story) -> Vec<Scene> {
    days().flat_map(|day| story.day(day).unwrap()).collect()
}

/// The share of these that were settled, in percent.
fn settled<'a>(scenes: impl Iterator<Item = &'a Scene>) -> f64 {
    let (mut settled, mut all) = (0.0, 0.0);
    for scene in scenes {
        settled += f64::from(u8::from(scene.is_settled()));
        all += 1.0;
    }
    assert!(all > 30.0, "too few to tell");
    100.0 * settled / all
}

/// The story on each day of a week, because weekends fall elsewhere then.
fn on_every_weekday(told: impl Fn(&Story, &[Scene])) {
    for day in 0..7 {
        let story = story(Size::FULL, SUNDAY + day * DAY);
        told(&story, &scenes(&story));
    }
}

#[test]
fn the_story_is_the_same_every_time() {
    assert_eq!(scenes(&story(Size::SMALL, SUNDAY)), scenes(&story(Size::SMALL, SUNDAY)));
}

#[test]
fn four_hundred_people_write_and_one_of_them_is_forgotten() {
    on_every_weekday(|story, scenes| {
        let users: std::collections::BTreeSet<_> = scenes.iter().map(|scene| &scene.user).collect();

        assert_eq!(users.len(), 401);
        assert!(users.contains(&story.forgotten().unwrap()));
        assert!((4_000..8_000).contains(&scenes.len()), "{}", scenes.len());
    });
}

#[test]
fn the_ended_experiment_lifts_and_the_worse_version_shows() {
    on_every_weekday(|story, scenes| {
        let arm = |arm| {
            settled(scenes.iter().filter(move |scene| {
                let of = scene.attribution.as_ref();
                of.is_some_and(|of| of.experiment == story.ended.id && of.arm == arm)
            }))
        };
        let on = |from: u32, to: u32| {
            settled(scenes.iter().filter(move |scene| scene.day >= from && scene.day < to))
        };
        let (worse, better) = REGRESSION;

        assert!(arm(learning::Arm::Treatment) > arm(learning::Arm::Holdout) + 8.0);
        assert!(on(worse, better) < on(worse - 9, worse) - 8.0);
        assert!(on(better, better + 9) > on(worse, better) + 8.0);
    });
}

#[test]
fn the_rule_that_does_harm_fails_more_often_than_not() {
    on_every_weekday(|_, scenes| {
        let cited = scenes
            .iter()
            .filter(|scene| scene.retrieval == Retrieval::Cited && scene.topic == Topic::Refund)
            .filter(|scene| rule_for(scene.topic, scene.day).is_some());

        assert!(settled(cited) < 45.0);
    });
}

#[test]
fn the_active_experiment_has_too_few_people_held_out() {
    on_every_weekday(|story, scenes| {
        let held_out: std::collections::BTreeSet<_> = scenes
            .iter()
            .filter(|scene| {
                let of = scene.attribution.as_ref();
                of.is_some_and(|of| of.experiment == story.active.id && of.arm == learning::Arm::Holdout)
            })
            .map(|scene| &scene.user)
            .collect();

        assert!((2..20).contains(&held_out.len()), "{}", held_out.len());
    });
}

#[test]
fn nothing_happens_after_now() {
    let now = SUNDAY - 8 * 3_600;

    let latest = scenes(&story(Size::FULL, now)).into_iter().map(|scene| scene.at).max();

    assert!(latest.unwrap().seconds() < now);
}

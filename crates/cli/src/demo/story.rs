//! The story: ninety days of a shop's support agent, thrown from one seed.

use evaluation::{FailureType, ShadowOutcome};
use experiments::{HoldoutPercentage, assign};
use kernel::{ExperimentId, OrgId, SessionId, UserId};
use learning::Attribution;

use super::dice::Dice;
use super::rules::{RULES, rule_for};
use super::scene::{Comparison, Ending, Handover, Retrieval, Scene};
use super::timeline::{
    ACTIVE_EXPERIMENT, DAYS, ENDED_EXPERIMENT, ERASURE, FIRST_RULES, FIRST_SHADOWS, NEW_RUBRIC, Timeline,
    is_regression,
};
use super::topics::{TOPICS, Topic};

/// Everything is thrown from this.
const SEED: u64 = 20_240_611;
/// Where sessions come from and how often; the last says nothing.
const SOURCES: [(u32, &str); 5] =
    [(46, "web-chat"), (28, "mobile-app"), (16, "email"), (8, "voice"), (2, "")];
/// Sessions of the experiments begin and end at this second of their first and last day.
pub(super) const MORNING: i64 = 9 * 3_600;
/// The user who is forgotten writes for the first time on this day, and then every so many days.
const FORGOTTEN: (u32, u32) = (11, 9);

/// How much happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// How many people write, beside the one who is forgotten.
    pub users: u32,
    /// How many sessions a working day has.
    pub sessions: u32,
}

impl Size {
    /// What `touchstone demo` tells.
    pub const FULL: Self = Self { users: 400, sessions: 70 };
    /// The same story with fewer people, for tests.
    pub const SMALL: Self = Self { users: 110, sessions: 18 };
}

/// An experiment of the story.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    /// Its id.
    pub(super) id: ExperimentId,
    /// The share of users it holds out.
    pub(super) holdout: HoldoutPercentage,
}

/// The story of one organization.
#[derive(Debug, Clone)]
pub(super) struct Story {
    pub(super) org: OrgId,
    pub(super) line: Timeline,
    pub(super) size: Size,
    pub(super) ended: Trial,
    pub(super) active: Trial,
}

impl Story {
    /// The story of this organization along these days.
    pub(super) fn of(org: OrgId, line: Timeline, size: Size) -> anyhow::Result<Self> {
        let trial = |id: &str, percent: f64| -> anyhow::Result<Trial> {
            Ok(Trial { id: ExperimentId::new(id)?, holdout: HoldoutPercentage::new(percent)? })
        };
        let (ended, active) = (trial("retrieval-worth", 30.0)?, trial("retrieval-after-v2-3", 5.0)?);
        Ok(Self { org, line, size, ended, active })
    }

    /// The user who asks to be forgotten.
    pub(super) fn forgotten(&self) -> anyhow::Result<UserId> {
        user(self.size.users)
    }

    /// The sessions of a day that have come to their end by now, in the order in which they began.
    pub(super) fn day(&self, day: u32) -> anyhow::Result<Vec<Scene>> {
        let busy = if self.line.is_weekend(day) { self.size.sessions * 3 / 5 } else { self.size.sessions };
        let (first, rhythm) = FORGOTTEN;
        let extra = u32::from(day >= first && day < ERASURE && (day - first).is_multiple_of(rhythm));
        let mut scenes = Vec::new();
        for number in 0..busy + extra {
            let writer = if number < busy { Writer::Someone } else { Writer::Forgotten };
            let scene = self.scene(day, number, writer)?;
            // The longest session takes a quarter of an hour, and it is judged ten minutes later.
            if scene.at.plus_seconds(1_800) < self.line.now() {
                scenes.push(scene);
            }
        }
        scenes.sort_by(|one, other| (one.at, &one.session).cmp(&(other.at, &other.session)));
        Ok(scenes)
    }

    fn scene(&self, day: u32, number: u32, writer: Writer) -> anyhow::Result<Scene> {
        let seed = SEED ^ (u64::from(day) << 32) ^ u64::from(number);
        let mut dice = Dice::of(&[seed]);
        let index = match writer {
            Writer::Someone => self.who(day, number, &mut dice),
            Writer::Forgotten => self.size.users,
        };
        let user = user(index)?;
        // Most people write in the afternoon.
        let second = i64::midpoint(i64::from(dice.below(86_000)), i64::from(dice.below(86_000)));
        let at = self.line.moment(day, second);
        let attribution = self.attribution(day, second, &user);
        let topic = dice.weighted(&TOPICS).unwrap_or(Topic::Delivery);
        let source = dice.weighted(&SOURCES).unwrap_or("web-chat");
        let retrieval = retrieval(day, attribution.as_ref(), &mut dice);
        let odds = odds(day, source, topic, retrieval) + likes(index);
        let ending = ending(day, odds.clamp(0.05, 0.97), topic, &mut dice);
        Ok(Scene {
            seed,
            day,
            at,
            user,
            session: SessionId::new(&format!("s{day:02}-{number:03}"))?,
            source,
            topic,
            attribution,
            retrieval,
            ending,
            corrections: corrections(ending, &mut dice),
            handover: handover(ending, &mut dice),
            shadow: shadow(day, &mut dice),
            teaches: match writer {
                Writer::Someone => day < 3 || dice.happens(0.04),
                Writer::Forgotten => day == FORGOTTEN.0,
            },
        })
    }

    /// Every fifth session takes the next person in turn, so that everybody writes; the others come more often from a few.
    fn who(&self, day: u32, number: u32, dice: &mut Dice) -> u32 {
        let users = self.size.users;
        if number.is_multiple_of(5) {
            return (day * self.size.sessions / 5 + number / 5) % users;
        }
        dice.below(users).min(dice.below(users)).min(dice.below(users))
    }

    /// The arm that the user is in, while an experiment runs.
    fn attribution(&self, day: u32, second: i64, user: &UserId) -> Option<Attribution> {
        let place = (day, second);
        let (start, stop) = ENDED_EXPERIMENT;
        let trial = if place >= (start, MORNING) && place < (stop, MORNING) {
            &self.ended
        } else if place >= (ACTIVE_EXPERIMENT, MORNING) {
            &self.active
        } else {
            return None;
        };
        let arm = match assign(&self.org, &trial.id, user, trial.holdout) {
            experiments::Arm::Treatment => learning::Arm::Treatment,
            experiments::Arm::Holdout => learning::Arm::Holdout,
        };
        Some(Attribution { experiment: trial.id.clone(), arm })
    }
}

/// Who writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writer {
    /// One of many.
    Someone,
    /// The user who asks to be forgotten.
    Forgotten,
}

/// The name of a person.
fn user(index: u32) -> anyhow::Result<UserId> {
    Ok(UserId::new(&format!("customer-{:04}", 1_001 + index))?)
}

/// Some people are easier to help than others.
fn likes(user: u32) -> f64 {
    Dice::of(&[SEED, u64::from(user)]).share() * 0.2 - 0.1
}

fn retrieval(day: u32, attribution: Option<&Attribution>, dice: &mut Dice) -> Retrieval {
    let cites = dice.happens(0.8);
    if day < FIRST_RULES || attribution.is_some_and(|found| found.arm == learning::Arm::Holdout) {
        return Retrieval::Nothing;
    }
    if cites { Retrieval::Cited } else { Retrieval::Uncited }
}

/// How likely a session is settled, before anything is known about its user.
fn odds(day: u32, source: &str, topic: Topic, retrieval: Retrieval) -> f64 {
    let by_source = match source {
        "mobile-app" => -0.03,
        "email" => 0.04,
        "voice" => -0.08,
        _ => 0.0,
    };
    let by_version = match day {
        day if is_regression(day) => -0.21,
        day if day >= 28 => 0.02,
        _ => 0.0,
    };
    let rule = rule_for(topic, day).and_then(|place| RULES.get(place));
    let by_rules = match (retrieval, rule) {
        (Retrieval::Nothing, _) => 0.0,
        (_, Some(rule)) if rule.is_harmful() => -0.38,
        (_, Some(_)) => 0.15,
        (_, None) => 0.1,
    };
    0.6 + topic.ease() + by_source + by_version + by_rules
}

fn ending(day: u32, odds: f64, topic: Topic, dice: &mut Dice) -> Ending {
    if dice.happens(odds) {
        return Ending::Settled;
    }
    let reasons = if is_regression(day) {
        [(50, FailureType::WrongTool), (30, FailureType::SystemError), (20, FailureType::WrongAnswer)]
    } else if topic == Topic::Refund {
        [
            (80, FailureType::WrongAnswer),
            (15, FailureType::InsufficientInfoFromTool),
            (5, FailureType::SystemError),
        ]
    } else {
        [
            (55, FailureType::WrongAnswer),
            (33, FailureType::InsufficientInfoFromTool),
            (12, FailureType::MissingTool),
        ]
    };
    Ending::Unsettled(dice.weighted(&reasons).unwrap_or(FailureType::WrongAnswer))
}

fn corrections(ending: Ending, dice: &mut Dice) -> u32 {
    let often = match ending {
        Ending::Settled => [(68, 0), (22, 1), (8, 2), (2, 3), (0, 4), (0, 5)],
        Ending::Unsettled(_) => [(26, 0), (30, 1), (24, 2), (12, 3), (5, 4), (3, 5)],
    };
    dice.weighted(&often).unwrap_or(0)
}

fn handover(ending: Ending, dice: &mut Dice) -> Handover {
    let share = if ending == Ending::Settled { 0.02 } else { 0.36 };
    if dice.happens(share) { Handover::ToPerson } else { Handover::None }
}

/// The older rubric hardly ever saw a tie; under the newer one the shadow does worse, but not always.
fn shadow(day: u32, dice: &mut Dice) -> Option<Comparison> {
    use ShadowOutcome::{Loss, Tie, Win};
    if day < FIRST_SHADOWS || !dice.happens(0.7) {
        return None;
    }
    let outcomes = if is_regression(day) {
        [(34, Win), (8, Tie), (58, Loss)]
    } else if day < NEW_RUBRIC {
        [(61, Win), (5, Tie), (34, Loss)]
    } else {
        [(46, Win), (25, Tie), (29, Loss)]
    };
    let outcome = dice.weighted(&outcomes).unwrap_or(Tie);
    Some(Comparison { outcome, is_significant: outcome != Tie && dice.happens(0.4) })
}

/// Every day of the story.
pub(super) fn days() -> std::ops::Range<u32> {
    0..DAYS
}

#[cfg(test)]
mod tests;

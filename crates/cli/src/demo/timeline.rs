//! When what happens: ninety days, counted from 0, of which the last is today.

use kernel::Timestamp;

/// Seconds of a day.
pub(super) const DAY: i64 = 86_400;
/// How many days the story takes.
pub(super) const DAYS: u32 = 90;

/// From this day on the organization's agents have rules to follow.
pub(super) const FIRST_RULES: u32 = 5;
/// The first day of the experiment that has ended, and the day on which it was stopped.
pub(super) const ENDED_EXPERIMENT: (u32, u32) = (15, 43);
/// From this day on turns carry a second answer, to be compared with the first.
pub(super) const FIRST_SHADOWS: u32 = 30;
/// From this day on a rule is followed that does harm.
pub(super) const HARMFUL_RULE: u32 = 46;
/// The days on which the version runs that does worse: deployed on the first, mended on the second.
pub(super) const REGRESSION: (u32, u32) = (65, 73);
/// From this day on shadow answers are compared by another rubric.
pub(super) const NEW_RUBRIC: u32 = 75;
/// The day on which a user asks to be forgotten.
pub(super) const ERASURE: u32 = 82;
/// The day on which the experiment began that still runs.
pub(super) const ACTIVE_EXPERIMENT: u32 = 85;

/// The versions of the agent, each with its first day.
const VERSIONS: [(u32, &str); 4] =
    [(REGRESSION.1, "v2.3.1"), (REGRESSION.0, "v2.3.0"), (28, "v2.2.0"), (0, "v2.1.0")];

/// The version of the agent on a day.
pub(super) fn version_on(day: u32) -> &'static str {
    VERSIONS.iter().find(|(since, _)| day >= *since).map_or("v2.1.0", |(_, version)| version)
}

/// Whether the version that does worse runs on a day.
pub(super) const fn is_regression(day: u32) -> bool {
    day >= REGRESSION.0 && day < REGRESSION.1
}

/// Ninety days that end with the day of `now`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timeline {
    begin: i64,
    now: Timestamp,
}

impl Timeline {
    /// The days that end with this moment's.
    pub(super) fn until(now: Timestamp) -> Self {
        let today = now.seconds().div_euclid(DAY) * DAY;
        Self { begin: today - i64::from(DAYS - 1) * DAY, now }
    }

    /// The moment at which the story is told.
    pub(super) const fn now(self) -> Timestamp {
        self.now
    }

    /// So many seconds into a day.
    pub(super) fn moment(self, day: u32, seconds: i64) -> Timestamp {
        Timestamp::from_seconds(self.begin + i64::from(day) * DAY + seconds)
    }

    /// Whether fewer people write on this day.
    pub(super) fn is_weekend(self, day: u32) -> bool {
        let days_since_thursday = self.moment(day, 0).seconds().div_euclid(DAY);
        matches!(days_since_thursday.rem_euclid(7), 2 | 3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_day_is_today_and_the_first_is_89_days_before() {
        let line = Timeline::until(Timestamp::from_seconds(1_750_000_000));

        assert_eq!(line.moment(89, 0).seconds(), 1_749_945_600);
        assert_eq!(line.moment(0, 0).seconds(), 1_749_945_600 - 89 * DAY);
    }

    #[test]
    fn saturdays_and_sundays_are_weekends() {
        // 15 June 2025 was a Sunday.
        let line = Timeline::until(Timestamp::from_seconds(1_750_000_000));

        let weekends: Vec<_> = (83..=89).filter(|day| line.is_weekend(*day)).collect();

        assert_eq!(weekends, [88, 89]);
    }

    #[test]
    fn every_day_has_its_version() {
        let versions = [0, 27, 28, 64, 65, 72, 73, 89].map(version_on);

        assert_eq!(
            versions,
            ["v2.1.0", "v2.1.0", "v2.2.0", "v2.2.0", "v2.3.0", "v2.3.0", "v2.3.1", "v2.3.1"]
        );
        assert!(!is_regression(64) && is_regression(65) && is_regression(72) && !is_regression(73));
    }
}

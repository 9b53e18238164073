//! Hours, days and weeks of UTC in whole-number arithmetic, for any second that an integer can name.

use kernel::Timestamp;

use crate::vocabulary::vocabulary;

/// Seconds of an hour.
pub const HOUR: i64 = 3_600;
/// Seconds of a day.
pub const DAY: i64 = 24 * HOUR;
/// Seconds of a week.
pub const WEEK: i64 = 7 * DAY;

vocabulary! {
    /// The length of a bucket of time.
    #[derive(Default)]
    Bucket {
        /// From full hour to full hour.
        Hour => "hour",
        /// From midnight to midnight, UTC.
        Day => "day",
        /// From Monday 00:00 UTC to the next; what is shown when nobody says.
        #[default]
        Week => "week",
    }
}

impl Bucket {
    /// The start of the bucket that holds this time.
    #[must_use]
    pub const fn start_of(self, at: Timestamp) -> Timestamp {
        let into_bucket = match self {
            Self::Hour => at.seconds().rem_euclid(HOUR),
            Self::Day => at.seconds().rem_euclid(DAY),
            // The epoch was a Thursday: three days into its week.
            Self::Week => (at.seconds().rem_euclid(WEEK) + 3 * DAY) % WEEK,
        };
        at.plus_seconds(-into_bucket)
    }
}

/// The UTC date of this time as `YYYY-MM-DD`.
#[must_use]
pub fn utc_date(at: Timestamp) -> String {
    let (year, month, day) = civil(at.seconds().div_euclid(DAY));
    if year < 0 {
        return format!("-{:04}-{month:02}-{day:02}", year.unsigned_abs());
    }
    format!("{year:04}-{month:02}-{day:02}")
}

/// Year, month and day of a day counted from 1970-01-01, by the Gregorian calendar.
///
/// Counts years from March, so that a leap day ends its year and every 400 years look alike.
const fn civil(day: i64) -> (i64, i64, i64) {
    const FOUR_CENTURIES: i64 = 146_097;
    // 0000-03-01 lies 719,468 days before the epoch.
    let day = day + 719_468;
    let era = day.div_euclid(FOUR_CENTURIES);
    let day_of_era = day.rem_euclid(FOUR_CENTURIES);
    let leap_days = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / (FOUR_CENTURIES - 1);
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Months from March: 31, 30, 31, 30, 31 and again, 153 days in five months.
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let (month, next_year) =
        if month_from_march < 10 { (month_from_march + 3, 0) } else { (month_from_march - 9, 1) };
    (era * 400 + year_of_era + next_year, month, day_of_month)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::at;

    /// 2024-02-26, a Monday in a leap year.
    const MONDAY: i64 = 1_708_905_600;

    #[test]
    fn a_week_starts_on_monday_at_midnight_utc() {
        assert_eq!(Bucket::Week.start_of(at(MONDAY)), at(MONDAY));
        assert_eq!(Bucket::Week.start_of(at(MONDAY + WEEK - 1)), at(MONDAY));
        assert_eq!(Bucket::Week.start_of(at(MONDAY + WEEK)), at(MONDAY + WEEK));
        assert_eq!(Bucket::Week.start_of(at(MONDAY - 1)), at(MONDAY - WEEK));
    }

    #[test]
    fn a_day_and_an_hour_start_where_the_clock_says() {
        let at_noon = MONDAY + 12 * HOUR;

        assert_eq!(Bucket::Day.start_of(at(at_noon + 59)), at(MONDAY));
        assert_eq!(Bucket::Day.start_of(at(MONDAY + DAY)), at(MONDAY + DAY));
        assert_eq!(Bucket::Hour.start_of(at(at_noon + HOUR - 1)), at(at_noon));
    }

    #[test]
    fn time_before_the_epoch_belongs_to_the_bucket_that_began_earlier() {
        assert_eq!(Bucket::Hour.start_of(at(-1)), at(-HOUR));
        assert_eq!(Bucket::Day.start_of(at(-1)), at(-DAY));
        // The week of the epoch began on Monday, 1969-12-29.
        assert_eq!(Bucket::Week.start_of(at(-1)), at(-3 * DAY));
        assert_eq!(Bucket::Week.start_of(at(-3 * DAY - 1)), at(-10 * DAY));
    }

    #[test]
    fn the_ends_of_time_do_not_wrap_around() {
        for bucket in Bucket::ALL {
            assert!(bucket.start_of(at(i64::MAX)) <= at(i64::MAX));
            assert_eq!(bucket.start_of(at(i64::MIN)), at(i64::MIN));
        }
        assert_eq!(utc_date(at(i64::MAX)), "292277026596-12-04");
        assert_eq!(utc_date(at(i64::MIN)), "-292277022657-01-27");
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, date) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (MONDAY, "2024-02-26"),
            (MONDAY + 3 * DAY, "2024-02-29"),
            (MONDAY + 4 * DAY, "2024-03-01"),
            (951_782_400, "2000-02-29"),
            (4_107_456_000, "2100-02-28"),
            (4_107_542_400, "2100-03-01"),
            (253_402_300_799, "9999-12-31"),
            (253_402_300_800, "10000-01-01"),
            (-62_167_219_200, "0000-01-01"),
        ] {
            assert_eq!(utc_date(at(seconds)), date);
        }
    }

    #[test]
    fn every_day_of_400_years_follows_the_day_before() {
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for number in 0..146_097 {
            assert_eq!(civil(number), (year, month, day));
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            day += 1;
            if day > length[usize::try_from(month - 1).unwrap()] {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
    }
}

//! Points in time as callers write them: RFC 3339 with an offset, or epoch seconds.

use kernel::Timestamp;
use serde::Deserialize;
use utoipa::ToSchema;

/// A point in time in a request.
#[derive(Debug, Clone, PartialEq, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Moment {
    /// Epoch seconds.
    Seconds(i64),
    /// Epoch seconds with a fraction, which is cut off.
    Fraction(f64),
    /// RFC 3339 with an offset, such as `2026-11-01T00:00:00Z`.
    Text(String),
}

/// A text that names no point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAMoment;

impl std::fmt::Display for NotAMoment {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("must be a time in RFC 3339 with an offset, or epoch seconds")
    }
}

impl Moment {
    /// The point in time.
    pub fn parse(&self) -> Result<Timestamp, NotAMoment> {
        let seconds = match self {
            Self::Seconds(seconds) => *seconds,
            Self::Fraction(seconds) => format!("{:.0}", seconds.floor()).parse().map_err(|_| NotAMoment)?,
            Self::Text(text) => match text.trim().parse::<i64>() {
                Ok(seconds) => seconds,
                Err(_) => {
                    chrono::DateTime::parse_from_rfc3339(text.trim()).map_err(|_| NotAMoment)?.timestamp()
                }
            },
        };
        Ok(Timestamp::from_seconds(seconds))
    }
}

/// A point in time as RFC 3339, in UTC.
#[must_use]
pub fn rfc3339(at: Timestamp) -> String {
    chrono::DateTime::from_timestamp(at.seconds(), 0).map_or_else(
        || at.seconds().to_string(),
        |time| time.to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(json: &str) -> Result<i64, NotAMoment> {
        serde_json::from_str::<Moment>(json).unwrap().parse().map(Timestamp::seconds)
    }

    #[test]
    fn a_moment_is_rfc_3339_or_epoch_seconds() {
        assert_eq!(parsed("1700000000"), Ok(1_700_000_000));
        assert_eq!(parsed("1700000000.9"), Ok(1_700_000_000));
        assert_eq!(parsed(r#""1700000000""#), Ok(1_700_000_000));
        assert_eq!(parsed(r#""2023-11-14T22:13:20Z""#), Ok(1_700_000_000));
        assert_eq!(parsed(r#""2023-11-14T23:13:20+01:00""#), Ok(1_700_000_000));
    }

    #[test]
    fn a_time_without_an_offset_is_refused() {
        for json in [r#""2023-11-14T22:13:20""#, r#""yesterday""#, r#""""#, "1e300"] {
            assert_eq!(parsed(json), Err(NotAMoment), "{json}");
        }
    }

    #[test]
    fn a_time_is_told_in_utc() {
        assert_eq!(rfc3339(Timestamp::from_seconds(1_700_000_000)), "2023-11-14T22:13:20Z");
    }
}

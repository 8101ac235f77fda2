//! Moments, kept as milliseconds since 1970 in UTC: one integer that both engines compare alike.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// A moment in milliseconds since 1970 in UTC.
pub type Millis = i64;

/// A day.
pub const DAY: Millis = 24 * 60 * 60 * 1_000;

/// Reads the clock.
#[must_use]
pub fn now() -> Millis {
    Timestamp::now().as_millisecond()
}

/// Reads an RFC 3339 moment or a plain date, which means its first moment in UTC.
#[must_use]
pub fn parse(text: &str) -> Option<Millis> {
    moment(text).map(Timestamp::as_millisecond)
}

/// The same with all its digits.
pub(crate) fn moment(text: &str) -> Option<Timestamp> {
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment);
    }
    let date = text.parse::<Date>().ok().filter(|_| text.len() == "2026-01-01".len())?;
    Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// Prints a moment in RFC 3339.
#[must_use]
pub fn print(at: Millis) -> String {
    Timestamp::from_millisecond(at).map_or_else(|_| at.to_string(), |moment| moment.to_string())
}

/// Reads the moment that a JSON value stands for: a text as in [`parse`], or a count of seconds or milliseconds.
#[must_use]
pub fn of_json(raw: &str) -> Option<Millis> {
    if raw.starts_with('"') {
        return parse(&serde_json::from_str::<String>(raw).ok()?);
    }
    let number = raw.parse::<f64>().ok().filter(|n| n.is_finite())?;
    // Seconds stay below this until the year 5138; milliseconds have been above it since 1973.
    let millis = if number.abs() < 1e11 { number * 1000.0 } else { number };
    (millis.abs() < 2.5e14).then_some(millis as Millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_spellings_that_exports_use() {
        let day = 1_767_225_600_000;
        for raw in [
            "\"2026-01-01T00:00:00Z\"",
            "\"2026-01-01T01:00:00+01:00\"",
            "\"2026-01-01\"",
            "1767225600",
            "1767225600000",
        ] {
            assert_eq!(of_json(raw), Some(day), "{raw}");
        }
        for raw in ["\"yesterday\"", "\"\"", "true", "null", "{}", "1e300", "\"2026-01-01T00:00\""] {
            assert_eq!(of_json(raw), None, "{raw}");
        }
        assert_eq!(print(day), "2026-01-01T00:00:00Z");
    }
}

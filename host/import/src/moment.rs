//! Moments as exports spell them, in the one spelling that the store reads.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;

/// The years that a record of a person's life can be from. Anything else is a broken clock.
const YEARS: std::ops::RangeInclusive<i16> = 1900..=2200;

/// Spells a moment in RFC 3339.
pub(crate) fn spell(moment: Timestamp) -> Option<String> {
    YEARS.contains(&moment.to_zoned(TimeZone::UTC).year()).then(|| moment.to_string())
}

/// A count of seconds since 1970, with a fraction or without one.
pub(crate) fn seconds(seconds: f64) -> Option<String> {
    // Microseconds are as fine as exports are, and a float holds them until far after these years.
    let micros = (seconds * 1e6).round();
    (micros.abs() < 9e18).then(|| Timestamp::from_microsecond(micros as i64).ok().and_then(spell))?
}

/// A moment with its zone, as ISO 8601 spells it.
pub(crate) fn iso(text: &str) -> Option<String> {
    text.trim().parse::<Timestamp>().ok().and_then(spell)
}

/// What a clock showed somewhere. A time that the clocks there skipped or had twice is taken as they went before.
pub(crate) fn local(shown: DateTime, zone: &TimeZone) -> Option<String> {
    zone.to_ambiguous_zoned(shown).compatible().ok().and_then(|zoned| spell(zoned.timestamp()))
}

/// A JSON value that stands for a moment: seconds, digits of them in a text, or ISO 8601.
pub(crate) fn of_json(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => seconds(number.as_f64()?),
        Value::String(text) => iso(text).or_else(|| seconds(text.parse().ok()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_exports_write_and_no_broken_clock() {
        assert_eq!(seconds(1_512_085_950.000_216).as_deref(), Some("2017-11-30T23:52:30.000216Z"));
        assert_eq!(iso("2026-03-01T09:00:00+01:00").as_deref(), Some("2026-03-01T08:00:00Z"));
        for wrong in [f64::NAN, f64::INFINITY, -1e300, 1e18, -9e9] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
        for wrong in ["", "yesterday", "0001-01-01T00:00:00Z", "2026-13-01T00:00:00Z"] {
            assert_eq!(iso(wrong), None, "{wrong}");
        }
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let at = |hour| jiff::civil::date(2026, 3, 29).at(hour, 30, 0, 0);
        assert_eq!(local(at(2), &berlin).as_deref(), Some("2026-03-29T01:30:00Z"), "an hour that never was");
    }
}

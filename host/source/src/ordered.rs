//! Values as bytes whose order is the order of the values.
//!
//! Engines differ in how they read numbers and order text, and agree on bytes. So what a filter compares is spelled here,
//! once, and both engines keep and compare the same bytes. Values of different kinds lie apart: a range of numbers holds no
//! text.

use crate::shape::FieldKind;
use crate::time;
use stepwell_contract::Chars;

/// The longest text that a filter can compare. Longer ones are for search.
pub const TEXT_MAX: Chars = Chars(256);

/// The longest name of a field that a filter can name, in bytes: it stands in the same entry of an index as the text.
pub const NAME_MAX: usize = 1_024;

/// How many digits of a number are told apart.
const DIGITS_MAX: usize = 512;

const EMPTY: u8 = 1;
const BOOLEAN: u8 = 2;
const NUMBER: u8 = 3;
const TEXT: u8 = 4;
const MOMENT: u8 = 5;

/// The kinds of spelled values, each with all of its values.
pub(crate) const NULLS: Kind = Kind(EMPTY);
pub(crate) const BOOLEANS: Kind = Kind(BOOLEAN);
pub(crate) const NUMBERS: Kind = Kind(NUMBER);
pub(crate) const TEXTS: Kind = Kind(TEXT);
pub(crate) const MOMENTS: Kind = Kind(MOMENT);

/// A kind of spelled value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind(u8);

impl Kind {
    /// All values of the kind.
    pub(crate) fn range(self) -> Range {
        Range { from: vec![self.0], to: vec![self.0 + 1] }
    }
}

/// Spells a stored value: a moment both as the text that it is and as a moment. Nothing for what a filter cannot compare.
#[must_use]
pub fn values(kind: FieldKind, value: &str) -> Vec<Vec<u8>> {
    match kind {
        FieldKind::Empty => vec![empty()],
        FieldKind::Boolean => vec![boolean(value == "true")],
        FieldKind::Number => number(value).into_iter().collect(),
        FieldKind::Text if Chars::of(value) <= TEXT_MAX => {
            [Some(text(value)), moment(value)].into_iter().flatten().collect()
        }
        FieldKind::Text | FieldKind::Json | FieldKind::Binary => Vec::new(),
    }
}

/// Spells null.
#[must_use]
pub fn empty() -> Vec<u8> {
    vec![EMPTY]
}

/// Spells true or false.
#[must_use]
pub fn boolean(value: bool) -> Vec<u8> {
    vec![BOOLEAN, u8::from(value)]
}

/// Spells a text: by code point, which is the order of its bytes.
#[must_use]
pub fn text(value: &str) -> Vec<u8> {
    [&[TEXT], value.as_bytes()].concat()
}

/// Spells an RFC 3339 moment or a plain date by the instant that it means, whatever its zone.
#[must_use]
pub fn moment(value: &str) -> Option<Vec<u8>> {
    let nanoseconds = time::moment(value)?.as_nanosecond();
    // With its sign flipped, a number's bytes are in its order.
    let sortable = nanoseconds.cast_unsigned() ^ (1 << 127);
    Some([&[MOMENT], &sortable.to_be_bytes()[..]].concat())
}

/// Spells a JSON number exactly, however large or fine: `12.50`, `12.5` and `1.25e1` are the same.
#[must_use]
pub fn number(json: &str) -> Option<Vec<u8>> {
    let (negative, unsigned) = json.strip_prefix('-').map_or((false, json), |rest| (true, rest));
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let significant = digits.trim_start_matches('0');
    let leading_zeros = digits.len() - significant.len();
    let significant = significant.trim_end_matches('0');
    if significant.is_empty() {
        return Some(vec![NUMBER, 1]);
    }
    // The number is 0.significant times ten to the power of this.
    let power =
        power_of_ten(exponent).saturating_add(whole.len() as i64).saturating_sub(leading_zeros as i64);
    let mut body = (power.cast_unsigned() ^ (1 << 63)).to_be_bytes().to_vec();
    body.extend(significant.bytes().take(DIGITS_MAX).map(|digit| digit - b'0' + 1));
    body.push(0);
    if negative {
        body.iter_mut().for_each(|byte| *byte = !*byte);
    }
    Some([&[NUMBER, if negative { 0 } else { 2 }], &body[..]].concat())
}

/// Whether a text spells a JSON number of which JSON readers may lose digits: they keep 15 of every number, and all of a
/// whole one that a machine word holds.
#[must_use]
pub fn may_be_rounded(text: &str) -> bool {
    let is_number = text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
        && text.ends_with(|last: char| last.is_ascii_digit())
        && serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok();
    if !is_number || text.parse::<u64>().is_ok() || text.parse::<i64>().is_ok() {
        return false;
    }
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let significant = digits.trim_matches('0').len();
    significant > 15 || (significant > 0 && !(f64::MIN_POSITIVE..WHOLE_MAX).contains(&magnitude(text)))
}

/// From here on a whole number does not fit into a machine word.
const WHOLE_MAX: f64 = 18_446_744_073_709_551_616.0;

fn magnitude(json: &str) -> f64 {
    json.parse::<f64>().unwrap_or(f64::INFINITY).abs()
}

/// Whether a number that was read from JSON may have lost digits that nobody sees any more: a whole one that does not fit
/// into a machine word.
#[must_use]
pub fn was_too_large(json: &str) -> bool {
    magnitude(json) >= WHOLE_MAX
}

/// Reads a value that is spelled, but a moment: its kind, and its text or JSON. A number is written in one way, whichever way
/// it came.
pub(crate) fn read(spelled: &[u8]) -> Option<(FieldKind, String)> {
    match spelled {
        [EMPTY] => Some((FieldKind::Empty, "null".to_owned())),
        [BOOLEAN, value] => Some((FieldKind::Boolean, (*value != 0).to_string())),
        [TEXT, text @ ..] => Some((FieldKind::Text, std::str::from_utf8(text).ok()?.to_owned())),
        [NUMBER, ..] => Some((FieldKind::Number, decimal(spelled)?)),
        _ => None,
    }
}

/// Reads a number that is spelled, as JSON: with all its digits, and with an exponent only where zeros would not end.
pub(crate) fn decimal(spelled: &[u8]) -> Option<String> {
    let (negative, body) = match spelled {
        [NUMBER, 1] => return Some("0".to_owned()),
        [NUMBER, 0, body @ ..] => (true, body.iter().map(|byte| !byte).collect::<Vec<u8>>()),
        [NUMBER, 2, body @ ..] => (false, body.to_vec()),
        _ => return None,
    };
    let (power, digits) = body.split_first_chunk::<8>()?;
    let power = (u64::from_be_bytes(*power) ^ (1 << 63)).cast_signed();
    let (_end, digits) = digits.split_last()?;
    let digits: String = digits.iter().map(|digit| char::from(b'0' + digit.saturating_sub(1))).collect();
    let written = match usize::try_from(power) {
        Ok(whole) if whole > DIGITS_MAX => None,
        Ok(0) => Some(format!("0.{digits}")),
        Ok(whole) if whole >= digits.len() => Some(format!("{digits:0<whole$}")),
        Ok(whole) => Some(format!("{}.{}", &digits[..whole], &digits[whole..])),
        Err(_) => None,
    };
    let written = match written {
        Some(written) => written,
        None => format!("0.{digits}e{power}"),
    };
    Some(if negative { format!("-{written}") } else { written })
}

/// Reads an exponent; one that no machine number can hold is as far out as can be.
fn power_of_ten(exponent: &str) -> i64 {
    let digits = exponent.strip_prefix('+').unwrap_or(exponent);
    digits.parse().unwrap_or(if digits.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 })
}

/// A stretch of spelled values of one kind, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first value.
    pub from: Vec<u8>,
    /// What comes right after the last.
    pub to: Vec<u8>,
}

impl Range {
    /// Whether a spelled value lies in it.
    #[must_use]
    pub fn contains(&self, value: &[u8]) -> bool {
        self.from.as_slice() <= value && value < self.to.as_slice()
    }

    /// One value alone.
    #[must_use]
    pub fn only(value: Vec<u8>) -> Self {
        Self { to: after(&value), from: value }
    }

    /// All of a value's kind from it on, with or without it.
    #[must_use]
    pub fn up_from(value: Vec<u8>, with_it: bool) -> Self {
        let to = value.iter().take(1).map(|kind| kind + 1).collect();
        Self { from: if with_it { value } else { after(&value) }, to }
    }

    /// All of a value's kind up to it, with or without it.
    #[must_use]
    pub fn up_to(value: Vec<u8>, with_it: bool) -> Self {
        Self { from: value[..value.len().min(1)].to_vec(), to: if with_it { after(&value) } else { value } }
    }
}

/// The bytes that come right after some bytes: there are none between.
fn after(value: &[u8]) -> Vec<u8> {
    [value, &[0]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rust_decimal::Decimal;

    fn sorted(list: &[&str], spell: impl Fn(&str) -> Option<Vec<u8>>) {
        let spelled: Vec<_> = list.iter().map(|value| spell(value).unwrap()).collect();
        for (index, pair) in spelled.windows(2).enumerate() {
            assert!(pair[0] < pair[1], "{} comes before {}", list[index], list[index + 1]);
        }
    }

    #[test]
    fn numbers_are_in_their_order_however_they_are_written() {
        sorted(
            &[
                "-1e99999999999999999999",
                "-1e999999",
                "-123456789012345678901234567891",
                "-123456789012345678901234567890",
                "-10.5",
                "-10",
                "-9",
                "-0.1",
                "-1e-400",
                "0",
                "1e-99999999999999999999",
                "1e-400",
                "0.0999",
                "0.1",
                "9",
                "9.5",
                "10",
                "9007199254740992",
                "9007199254740993",
                "1e999999",
            ],
            number,
        );
        for (one, two) in [("12.50", "12.5"), ("1e3", "1000"), ("0.001E+3", "1"), ("-0.0", "0"), ("0e9", "0")]
        {
            assert_eq!(number(one), number(two), "{one} {two}");
        }
        assert_eq!(number("x"), None);
    }

    #[test]
    fn texts_are_in_the_order_of_code_points_and_moments_of_instants() {
        sorted(&["", "A", "Z", "a", "a\0", "a ", "aa", "é", "\u{fffe}", "😀"], |value| Some(text(value)));
        sorted(
            &[
                "-000001-01-01T00:00:00Z",
                "1969-12-31T23:59:59.999999999Z",
                "1970-01-01",
                "2025-06-01T01:00:00+02:00",
                "2025-06-01",
                "2025-06-01T00:00:00.0001Z",
                "2025-06-01T00:00:00.0002Z",
            ],
            moment,
        );
        assert_eq!(moment("2025-06-01T02:00:00+02:00"), moment("2025-06-01"));
        assert_eq!(moment("soon"), None);
    }

    #[test]
    fn kinds_lie_apart_and_long_texts_are_left_to_search() {
        let kinds = [empty(), boolean(false), boolean(true), number("-5").unwrap(), number("5").unwrap()];
        assert!(kinds.is_sorted() && *kinds.last().unwrap() < text(""));
        assert_eq!(values(FieldKind::Text, "2025-06-01").len(), 2);
        assert_eq!(values(FieldKind::Text, &"é".repeat(256)).len(), 1);
        assert!(values(FieldKind::Text, &"é".repeat(257)).is_empty());
        assert!(values(FieldKind::Json, "[]").is_empty());
    }

    #[test]
    fn a_number_is_written_in_one_way() {
        for (json, expected) in [
            ("12.50", "12.5"),
            ("1.25e1", "12.5"),
            ("-0.0", "0"),
            ("100", "100"),
            ("-1e3", "-1000"),
            ("0.05", "0.5e-1"),
            ("0.5", "0.5"),
            (
                "12345678901234567890123456789012345678901234567890",
                "12345678901234567890123456789012345678901234567890",
            ),
            ("1e999999", "0.1e1000000"),
        ] {
            assert_eq!(decimal(&number(json).unwrap()).unwrap(), expected, "{json}");
        }
        assert_eq!(read(&empty()), Some((FieldKind::Empty, "null".into())));
        assert_eq!(read(&boolean(true)), Some((FieldKind::Boolean, "true".into())));
        for broken in [&[][..], &[NUMBER], &[NUMBER, 2, 1], &[TEXT, 0xff], &[MOMENT, 0], &[9]] {
            assert_eq!(read(broken), None, "{broken:?}");
        }
    }

    #[test]
    fn a_range_ends_where_it_says() {
        let five = || number("5").unwrap();
        let holds = |range: &Range| {
            ["-1", "4.999", "5", "5.0001", "1e30"].map(|value| range.contains(&number(value).unwrap()))
        };
        assert_eq!(holds(&Range::only(five())), [false, false, true, false, false]);
        assert_eq!(holds(&Range::up_from(five(), true)), [false, false, true, true, true]);
        assert_eq!(holds(&Range::up_from(five(), false)), [false, false, false, true, true]);
        assert_eq!(holds(&Range::up_to(five(), true)), [true, true, true, false, false]);
        assert_eq!(holds(&Range::up_to(five(), false)), [true, true, false, false, false]);
        let all = [Range::up_from(five(), true), Range::up_to(five(), true)];
        assert!(all.iter().all(|range| !range.contains(&text("5")) && !range.contains(&boolean(true))));
    }

    proptest! {
        #[test]
        fn decimals_compare_as_decimals(
            one in "-?(0|[1-9][0-9]{0,12})(\\.[0-9]{1,8})?", two in "-?(0|[1-9][0-9]{0,12})(\\.[0-9]{1,8})?",
        ) {
            let decimal = |text: &str| text.parse::<Decimal>().unwrap();
            prop_assert_eq!(number(&one).cmp(&number(&two)), decimal(&one).cmp(&decimal(&two)));
        }

        #[test]
        fn what_is_spelled_can_be_read_again(
            json in "-?(0|[1-9][0-9]{0,40})(\\.[0-9]{1,40})?(e[+-]?[0-9]{1,4})?", text in "\\PC{0,20}",
        ) {
            let spelled = number(&json).unwrap();
            let (kind, written) = read(&spelled).unwrap();
            prop_assert_eq!(kind, FieldKind::Number);
            prop_assert_eq!(number(&written).unwrap(), spelled, "{}", written);
            prop_assert!(serde_json::from_str::<&serde_json::value::RawValue>(&written).is_ok(), "{}", written);
            prop_assert_eq!(read(&super::text(&text)), Some((FieldKind::Text, text)));
        }
    }
}

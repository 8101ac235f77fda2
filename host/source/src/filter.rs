//! Conditions on the values of a record's fields.
//!
//! Values are compared as [`ordered`] spells them, and not as the engines read numbers and order text.

use crate::ordered::{self, Range};
use crate::shape::FieldKind;

/// What must hold for one field.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The top-level field.
    pub field: String,
    /// How its value is compared.
    pub test: Test,
    /// With what.
    pub value: Scalar,
}

/// How a value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// It is the same.
    Equal,
    /// It is the same or more.
    AtLeast,
    /// It is more.
    Above,
    /// It is the same or less.
    AtMost,
    /// It is less.
    Below,
}

/// A value without parts.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// A string.
    Text(String),
    /// A number, as JSON spells it.
    Number(String),
    /// True or false.
    Boolean(bool),
    /// Nothing.
    Null,
}

impl Test {
    /// What meets the test with a value.
    fn range(self, value: Vec<u8>) -> Range {
        match self {
            Self::Equal => Range::only(value),
            Self::AtLeast => Range::up_from(value, true),
            Self::Above => Range::up_from(value, false),
            Self::AtMost => Range::up_to(value, true),
            Self::Below => Range::up_to(value, false),
        }
    }
}

impl Condition {
    /// The values that meet the condition, as they are spelled. Texts are the same to the letter; a range that is bounded
    /// by a moment holds moments, whatever their zones, and one that is bounded by another text holds texts. What is no
    /// number meets nothing. A text that spells a number which JSON readers may round stands for that number too, because
    /// there is no other way to write it: what it holds of numbers is a second range.
    #[must_use]
    pub fn ranges(&self) -> Vec<Range> {
        let value = match (&self.value, self.test) {
            (Scalar::Null, _) => ordered::empty(),
            (Scalar::Boolean(value), _) => ordered::boolean(*value),
            (Scalar::Number(json), _) => ordered::number(json).unwrap_or_default(),
            (Scalar::Text(text), Test::Equal) => ordered::text(text),
            (Scalar::Text(text), _) => ordered::moment(text).unwrap_or_else(|| ordered::text(text)),
        };
        let number = match &self.value {
            Scalar::Text(text) if ordered::may_be_rounded(text) => ordered::number(text),
            _ => None,
        };
        std::iter::once(value).chain(number).map(|value| self.test.range(value)).collect()
    }

    /// Whether a stored value meets the condition. A text of more than [`ordered::TEXT_MAX`] meets none.
    #[must_use]
    pub fn holds(&self, kind: FieldKind, value: &str) -> bool {
        let ranges = self.ranges();
        ordered::values(kind, value).iter().any(|value| ranges.iter().any(|range| range.contains(value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(test: Test, value: Scalar, kind: FieldKind, stored: &str) -> bool {
        Condition { field: "f".into(), test, value }.holds(kind, stored)
    }

    #[test]
    fn numbers_compare_as_numbers() {
        let number = |test, wanted: &str, stored| {
            holds(test, Scalar::Number(wanted.into()), FieldKind::Number, stored)
        };
        assert!(number(Test::Equal, "12.5", "12.50") && number(Test::Equal, "1000", "1e3"));
        assert!(number(Test::Above, "9", "10") && !number(Test::Above, "10", "10"));
        assert!(
            number(Test::AtMost, "-1", "-1.0") && number(Test::Below, "0", "-0.0000000000000000000000001")
        );
        // Digits that a machine number would lose.
        assert!(!number(Test::Equal, "9007199254740993", "9007199254740992"));
        assert!(number(Test::Above, "1e308", "1e309") && number(Test::Above, "1e999998", "1e999999"));
        assert!(!holds(Test::Equal, Scalar::Text("1".into()), FieldKind::Number, "1"));
        assert!(!number(Test::Equal, "no number", "0") && !number(Test::AtLeast, "no number", "0"));
    }

    #[test]
    fn texts_compare_to_the_letter_and_moments_as_moments() {
        let text =
            |test, wanted: &str, stored| holds(test, Scalar::Text(wanted.into()), FieldKind::Text, stored);
        assert!(text(Test::Equal, "é", "é") && !text(Test::Equal, "inbox", "Inbox"));
        assert!(text(Test::AtLeast, "2025-06-01", "2025-06-01T00:00:00Z"));
        assert!(text(Test::Below, "2025-06-01T00:00:00Z", "2025-06-01T01:00:00+02:00"));
        assert!(!text(Test::Equal, "2025-06-01T00:00:00Z", "2025-06-01T02:00:00+02:00"));
        assert!(text(Test::Above, "a", "b") && text(Test::Above, "Z", "a"));
        // A moment is no word, and a word is no moment.
        assert!(!text(Test::AtLeast, "2025-06-01", "soon") && text(Test::AtLeast, "2025", "2025-06-01"));
    }

    #[test]
    fn a_text_stands_for_a_number_that_json_readers_may_round() {
        let (number, text) = (FieldKind::Number, FieldKind::Text);
        let spelled =
            |test, wanted: &str, kind, stored| holds(test, Scalar::Text(wanted.into()), kind, stored);
        let long = "123456789012345678901";
        assert!(spelled(Test::Equal, long, number, long) && spelled(Test::Equal, long, text, long));
        assert!(!spelled(Test::Equal, long, number, "123456789012345678902"));
        assert!(spelled(Test::Above, long, number, "123456789012345678902"));
        assert!(!spelled(Test::AtMost, long, number, "123456789012345678902"));
        assert!(spelled(Test::Equal, "0.1000000000000000000001", number, "0.1000000000000000000001"));
        // A number that every reader keeps is written as a number.
        assert!(!spelled(Test::Equal, "12", number, "12") && !spelled(Test::Equal, "1e3", number, "1000"));
    }

    #[test]
    fn kinds_do_not_mix() {
        assert!(holds(Test::Equal, Scalar::Boolean(true), FieldKind::Boolean, "true"));
        assert!(!holds(Test::Equal, Scalar::Boolean(true), FieldKind::Text, "true"));
        assert!(holds(Test::Equal, Scalar::Null, FieldKind::Empty, "null"));
        assert!(!holds(Test::AtLeast, Scalar::Text(String::new()), FieldKind::Text, &"x".repeat(257)));
    }
}

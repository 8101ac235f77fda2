//! Conditions on the values of a record's fields.
//!
//! Values are compared here and not by the engines, which differ in how they read numbers and order text.

use crate::shape::FieldKind;
use crate::time;
use rust_decimal::Decimal;
use std::cmp::Ordering;

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

impl Condition {
    /// Whether a value meets the condition. A long text, which a store does not keep in one piece, meets none.
    #[must_use]
    pub fn holds(&self, kind: FieldKind, value: Option<&str>) -> bool {
        let order = match (&self.value, kind, value) {
            (Scalar::Null, FieldKind::Empty, _) => Some(Ordering::Equal),
            (Scalar::Boolean(wanted), FieldKind::Boolean, Some(value)) => {
                Some(value.cmp(if *wanted { "true" } else { "false" }))
            }
            (Scalar::Number(wanted), FieldKind::Number, Some(value)) => compare_numbers(value, wanted),
            (Scalar::Text(wanted), FieldKind::Text, Some(value)) => Some(self.compare_texts(value, wanted)),
            _ => None,
        };
        order.is_some_and(|order| match self.test {
            Test::Equal => order.is_eq(),
            Test::AtLeast => order.is_ge(),
            Test::Above => order.is_gt(),
            Test::AtMost => order.is_le(),
            Test::Below => order.is_lt(),
        })
    }

    /// Texts are the same to the letter; in a range two moments are ordered as moments, whatever their zones.
    fn compare_texts(&self, value: &str, wanted: &str) -> Ordering {
        match (self.test, time::parse(value), time::parse(wanted)) {
            (Test::Equal, ..) => value.cmp(wanted),
            (_, Some(value), Some(wanted)) => value.cmp(&wanted),
            _ => value.cmp(wanted),
        }
    }
}

/// Orders two numbers exactly where decimal digits suffice, and else as nearly as a machine number can.
fn compare_numbers(one: &str, two: &str) -> Option<Ordering> {
    let exact = |text: &str| text.parse::<Decimal>().or_else(|_| Decimal::from_scientific(text)).ok();
    if let (Some(one), Some(two)) = (exact(one), exact(two)) {
        return Some(one.cmp(&two));
    }
    one.parse::<f64>().ok()?.partial_cmp(&two.parse::<f64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(test: Test, value: Scalar, kind: FieldKind, stored: &str) -> bool {
        Condition { field: "f".into(), test, value }.holds(kind, Some(stored))
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
        assert!(number(Test::Above, "1", "1e300") && number(Test::Above, "1", "1e999999"));
        assert!(!holds(Test::Equal, Scalar::Text("1".into()), FieldKind::Number, "1"));
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
    }

    #[test]
    fn kinds_do_not_mix() {
        assert!(holds(Test::Equal, Scalar::Boolean(true), FieldKind::Boolean, "true"));
        assert!(!holds(Test::Equal, Scalar::Boolean(true), FieldKind::Text, "true"));
        assert!(holds(Test::Equal, Scalar::Null, FieldKind::Empty, "null"));
        let long = Condition { field: "f".into(), test: Test::Equal, value: Scalar::Text(String::new()) };
        assert!(!long.holds(FieldKind::Text, None));
    }
}

//! Sums of decimal numbers without rounding, because people add money.

/// A decimal number: its digits, of which so many stand after the point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Exact {
    digits: i128,
    scale: u32,
}

impl Exact {
    /// Reads a JSON number; none if it has more digits than fit.
    pub(crate) fn parse(json: &str) -> Option<Self> {
        let (mantissa, exponent) = json.split_once(['e', 'E']).unwrap_or((json, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
        let digits: i128 = [whole, fraction].concat().parse().ok()?;
        if digits == 0 {
            return Some(Self::default());
        }
        let scale = i64::try_from(fraction.len()).ok()?.checked_sub(exponent.parse::<i64>().ok()?)?;
        match u32::try_from(scale) {
            Ok(scale) => Some(Self { digits, scale }).filter(|exact| exact.scale <= 38),
            Err(_) => {
                let power = u32::try_from(scale.unsigned_abs()).ok()?;
                Some(Self { digits: digits.checked_mul(10_i128.checked_pow(power)?)?, scale: 0 })
            }
        }
    }

    /// Adds another; none if the sum has more digits than fit.
    pub(crate) fn checked_add(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        let at = |one: Self| one.digits.checked_mul(10_i128.checked_pow(scale - one.scale)?);
        Some(Self { digits: at(self)?.checked_add(at(other)?)?, scale })
    }
}

impl Exact {
    /// As often as told; none if that has more digits than fit.
    pub(crate) fn checked_times(self, times: u64) -> Option<Self> {
        Some(Self { digits: self.digits.checked_mul(i128::from(times))?, ..self })
    }
}

impl std::fmt::Display for Exact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.digits < 0 { "-" } else { "" };
        let width = self.scale as usize + 1;
        let digits = format!("{:0>width$}", self.digits.unsigned_abs());
        let (whole, fraction) = digits.split_at(digits.len() - self.scale as usize);
        match fraction.trim_end_matches('0') {
            "" => write!(f, "{sign}{whole}"),
            fraction => write!(f, "{sign}{whole}.{fraction}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rust_decimal::Decimal;

    #[test]
    fn so_many_times_is_so_many_additions() {
        let one = Exact::parse("-12.05").unwrap();
        let added = (0..7).try_fold(Exact::default(), |sum, _| sum.checked_add(one));
        assert_eq!(one.checked_times(7).unwrap().to_string(), added.unwrap().to_string());
        assert_eq!(Exact::parse(&"9".repeat(38)).unwrap().checked_times(u64::MAX), None);
    }

    fn sum(numbers: &[&str]) -> Option<String> {
        let mut sum = Exact::default();
        for number in numbers {
            sum = sum.checked_add(Exact::parse(number)?)?;
        }
        Some(sum.to_string())
    }

    #[test]
    fn adds_without_rounding_and_says_when_it_cannot() {
        assert_eq!(sum(&["0.1", "0.2"]).unwrap(), "0.3");
        assert_eq!(sum(&["9007199254740993", "0.5", "-1e-3"]).unwrap(), "9007199254740993.499");
        assert_eq!(sum(&["1.50", "1.5e0", "0.00"]).unwrap(), "3");
        assert_eq!(sum(&["-0.05", "1e3", "2E+2"]).unwrap(), "1199.95");
        assert_eq!(sum(&["-0.5", "0.25"]).unwrap(), "-0.25");
        assert_eq!(sum(&[]).unwrap(), "0");
        assert_eq!(sum(&["1e40"]), None);
        assert_eq!(sum(&["1e30", "1e-30"]), None);
        assert_eq!(sum(&["1e-99999999999999999999"]), None);
    }

    proptest! {
        #[test]
        fn agrees_with_another_decimal(
            list in proptest::collection::vec("-?(0|[1-9][0-9]{0,9})(\\.[0-9]{1,6})?", 0..9),
        ) {
            let other: Decimal = list.iter().map(|text| text.parse::<Decimal>().unwrap()).sum();
            let list: Vec<&str> = list.iter().map(String::as_str).collect();
            prop_assert_eq!(sum(&list).unwrap().parse::<Decimal>().unwrap(), other);
        }
    }
}

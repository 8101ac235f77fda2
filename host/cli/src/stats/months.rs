//! Records of months and of years, none of them left out in between.

use std::collections::BTreeMap;
use stepwell_source::care::Day;
use stepwell_source::time;

/// What records are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Period {
    Month,
    Year,
}

/// A gap that is longer than this many periods is left out: a wrong date must not fill the screen.
const LONG_GAP: i64 = 24;

/// How many records each period has. An empty one between others is shown, unless there are very many.
pub(super) fn periods(days: &[Day], period: Period) -> Vec<(String, u64)> {
    let mut counts: BTreeMap<i64, u64> = BTreeMap::new();
    for day in days {
        let Some(month) = month_of(day) else { continue };
        let index = match period {
            Period::Month => month,
            Period::Year => month.div_euclid(12),
        };
        *counts.entry(index).or_default() += day.records;
    }
    let mut all = Vec::new();
    let mut last: Option<i64> = None;
    for (index, records) in counts {
        if let Some(last) = last.filter(|last| index - last <= LONG_GAP) {
            all.extend((last + 1..index).map(|empty| (name(empty, period), 0)));
        }
        all.push((name(index, period), records));
        last = Some(index);
    }
    all
}

/// Months since the year 0.
fn month_of(day: &Day) -> Option<i64> {
    let printed = time::print(day.begins);
    let (year, rest) = printed.get(1..)?.split_once('-')?;
    let year: i64 = format!("{}{year}", &printed[..1]).parse().ok()?;
    let month: i64 = rest.get(..2)?.parse().ok()?;
    Some(year * 12 + month - 1)
}

fn name(index: i64, period: Period) -> String {
    match period {
        Period::Month => format!("{:04}-{:02}", index.div_euclid(12), index.rem_euclid(12) + 1),
        Period::Year => format!("{index:04}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(begins: &str, records: u64) -> Day {
        let begins = time::parse(begins).unwrap();
        Day { connection: "home".into(), stream: "notes".into(), begins, records }
    }

    #[test]
    fn empty_months_are_shown_and_long_gaps_are_not() {
        let days = [day("2026-01-31", 2), day("2025-11-01", 1), day("2026-01-01", 3), day("1971-05-05", 7)];
        let named =
            |list: &[(&str, u64)]| list.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect::<Vec<_>>();
        assert_eq!(
            periods(&days, Period::Month),
            named(&[("1971-05", 7), ("2025-11", 1), ("2025-12", 0), ("2026-01", 5)])
        );
        assert_eq!(periods(&days, Period::Year), named(&[("1971", 7), ("2025", 1), ("2026", 5)]));
        assert_eq!(periods(&[], Period::Month), []);
    }
}

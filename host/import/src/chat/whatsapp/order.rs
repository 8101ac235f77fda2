//! In which order a phone writes day, month and year. It depends on the phone's language, and no line says it.
//!
//! The order decides when a message was sent, and that decides whether a grant with a time range covers it. So it is never
//! guessed: an order holds if the dates of the chat leave no other one possible.

use super::line::Head;
use jiff::civil::DateTime;
use std::fmt;
use std::str::FromStr;

/// The order of a date's three numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateOrder {
    /// 31.12.2026
    DayMonthYear,
    /// 12/31/2026
    MonthDayYear,
    /// 2026-12-31
    YearMonthDay,
}

impl DateOrder {
    /// All orders that phones write.
    pub const ALL: [Self; 3] = [Self::DayMonthYear, Self::MonthDayYear, Self::YearMonthDay];

    /// Its name on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DayMonthYear => "dmy",
            Self::MonthDayYear => "mdy",
            Self::YearMonthDay => "ymd",
        }
    }

    /// What it is, for people.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::DayMonthYear => "31.12.2026",
            Self::MonthDayYear => "12/31/2026",
            Self::YearMonthDay => "2026-12-31",
        }
    }
}

impl fmt::Display for DateOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The order is none of those that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no such order; choose dmy, mdy or ymd")]
pub struct UnknownDateOrder;

impl FromStr for DateOrder {
    type Err = UnknownDateOrder;

    fn from_str(name: &str) -> Result<Self, UnknownDateOrder> {
        Self::ALL.into_iter().find(|order| order.as_str() == name).ok_or(UnknownDateOrder)
    }
}

/// The orders that the dates of a chat leave possible.
#[derive(Clone, Debug)]
pub(super) struct Orders(Vec<DateOrder>);

/// When a message was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    At(DateTime),
    /// The date may be one day or another.
    Unclear,
    /// There is no such day or hour.
    Impossible,
}

impl Orders {
    /// The order that somebody who knows the phone has named.
    pub(super) fn named(order: DateOrder) -> Self {
        Self(vec![order])
    }

    /// What the clock showed when a message was sent. A date that means the same day in every order is clear in any chat.
    pub(super) fn shown(&self, head: &Head) -> Shown {
        let mut days = self.0.iter().filter_map(|order| head.shown(*order));
        match days.next() {
            None => Shown::Impossible,
            Some(first) if days.all(|other| other == first) => Shown::At(first),
            Some(_) => Shown::Unclear,
        }
    }
}

/// Looks through the dates of a chat.
#[derive(Debug)]
pub(super) struct Evidence {
    heads: u64,
    open: Vec<DateOrder>,
}

impl Default for Evidence {
    fn default() -> Self {
        Self { heads: 0, open: DateOrder::ALL.to_vec() }
    }
}

impl Evidence {
    /// Looks at the beginning of a message.
    pub(super) fn look(&mut self, head: &Head) {
        self.heads += 1;
        let fits: Vec<DateOrder> =
            DateOrder::ALL.into_iter().filter(|order| head.shown(*order).is_some()).collect();
        // What is a date in no order says nothing about the others.
        if !fits.is_empty() {
            self.open.retain(|order| fits.contains(order));
        }
    }

    /// The orders that are left; none if there was no date at all. If the dates contradict each other, because the phone
    /// changed its language or somebody wrote a line that looks like a message, each date stands for itself.
    pub(super) fn orders(self) -> Option<Orders> {
        match (self.heads, self.open.is_empty()) {
            (0, _) => None,
            (_, true) => Some(Orders(DateOrder::ALL.to_vec())),
            (_, false) => Some(Orders(self.open)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(date: &str) -> Head {
        Head::parse(&format!("{date}, 09:15 - Ilse: x")).unwrap_or_else(|| panic!("{date}")).0
    }

    /// What the last of some dates is taken for.
    fn last(dates: &[&str]) -> String {
        let mut evidence = Evidence::default();
        dates.iter().for_each(|date| evidence.look(&head(date)));
        match evidence.orders().unwrap().shown(&head(dates.last().unwrap())) {
            Shown::At(at) => at.date().to_string(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn an_order_holds_only_if_no_other_is_possible() {
        for (dates, taken) in [
            (&["13/01/2026", "02/03/2026"][..], "2026-03-02"),
            (&["01/13/2026", "02/03/2026"], "2026-02-03"),
            (&["2026/02/03"], "2026-02-03"),
            (&["02/03/2026"], "Unclear"),
            (&["02/02/2026"], "2026-02-02"),
            // No language writes the month first and puts dots.
            (&["02.03.2026"], "2026-03-02"),
            // The year of two digits may stand first or last, and nobody chatted before 2009.
            (&["26-03-02"], "2026-03-02"),
            (&["12-03-10"], "Unclear"),
            (&["05-03-10", "13-03-10"], "2010-03-13"),
            // Contradiction: what is clear by itself stays clear.
            (&["13/01/2026", "01/14/2026"], "2026-01-14"),
            (&["13/01/2026", "01/14/2026", "02/03/2026"], "Unclear"),
            // No date at all.
            (&["02/03/2026", "31/31/2026"], "Impossible"),
            (&["31/31/2026", "02/03/2026"], "Unclear"),
            (&["31/12/1999"], "Impossible"),
        ] {
            assert_eq!(last(dates), taken, "{dates:?}");
        }
    }

    #[test]
    fn an_order_that_was_named_is_the_only_one() {
        let named = |order: &str, date: &str| Orders::named(order.parse().unwrap()).shown(&head(date));
        let day = |month, day| Shown::At(jiff::civil::date(2026, month, day).at(9, 15, 0, 0));
        assert_eq!(named("dmy", "02/03/2026"), day(3, 2));
        assert_eq!(named("mdy", "02/03/2026"), day(2, 3));
        assert_eq!(named("ymd", "26/02/03"), day(2, 3));
        assert_eq!(named("mdy", "13/03/2026"), Shown::Impossible);
        assert!("day-first".parse::<DateOrder>().is_err());
    }
}

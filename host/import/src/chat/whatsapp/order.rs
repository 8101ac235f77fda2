//! In which order a phone writes day, month and year. It depends on the phone's language, and no line says it.

use super::line::Head;

/// The order of a date's three numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DateOrder {
    DayMonthYear,
    MonthDayYear,
    YearMonthDay,
}

/// What the dates of a chat say about their order.
#[derive(Debug, Default)]
pub(super) struct Guess {
    dates: u64,
    year_first: u64,
    first_beyond_12: u64,
    second_beyond_12: u64,
    dots: u64,
    half_days: u64,
}

impl Guess {
    /// Looks at a line.
    pub(super) fn look(&mut self, line: &str) {
        let Some((head, _)) = Head::parse(line) else { return };
        let [first, second, _] = head.date;
        self.dates += 1;
        self.year_first += u64::from(first > 31);
        self.first_beyond_12 += u64::from((13..=31).contains(&first));
        self.second_beyond_12 += u64::from((13..=31).contains(&second));
        self.dots += u64::from(head.separator == '.');
        self.half_days += u64::from(head.is_half_day);
    }

    /// The order; none if there was no date. Where every day is a possible month too, a clock of twelve hours with slashes
    /// is taken for American.
    pub(super) fn order(&self) -> Option<DateOrder> {
        Some(match self {
            Self { dates: 0, .. } => return None,
            Self { year_first, .. } if *year_first > 0 => DateOrder::YearMonthDay,
            Self { first_beyond_12, second_beyond_12, .. } if first_beyond_12 != second_beyond_12 => {
                if first_beyond_12 > second_beyond_12 {
                    DateOrder::DayMonthYear
                } else {
                    DateOrder::MonthDayYear
                }
            }
            Self { dots, half_days, .. } if *dots == 0 && *half_days > 0 => DateOrder::MonthDayYear,
            _ => DateOrder::DayMonthYear,
        })
    }
}

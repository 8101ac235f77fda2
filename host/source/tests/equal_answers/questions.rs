//! Questions about many records: lists, searches and numbers.

use super::{CONNECTIONS, STREAMS};
use crate::dice::Dice;
use crate::world::connection;
use stepwell_contract::StreamName;
use stepwell_source::filter::{Condition, Scalar, Test};
use stepwell_source::query::{AggregateQuery, Granularity, Group, Metric, Order, RecordsQuery, SearchQuery};
use stepwell_source::{Caller, Embedded, Source as _, SourceError};

#[derive(Debug)]
pub(super) enum Question {
    List(RecordsQuery),
    Search(SearchQuery),
    Number(AggregateQuery),
}

const FIELDS: &[&str] = &["n", "n", "at", "at", "subject", "body", "file", "tree", "none"];

fn conditions(dice: &mut Dice) -> Vec<Condition> {
    let tests = [Test::Equal, Test::AtLeast, Test::Above, Test::AtMost, Test::Below];
    let one = |dice: &mut Dice| {
        let value = match dice.below(8) {
            0..4 => Scalar::Number(dice.below(1_000).to_string()),
            4 | 5 => Scalar::Text(format!("2026-{:02}-01T00:00:00Z", 1 + dice.below(12))),
            6 => Scalar::Text(dice.text(2).replace('\0', "")),
            _ => Scalar::Null,
        };
        Condition { field: dice.pick(FIELDS).to_owned(), test: tests[dice.below(5) as usize], value }
    };
    (0..*dice.pick(&[&0, &0, &1, &1, &2])).map(|_| one(dice)).collect()
}

pub(super) fn chance(dice: &mut Dice) -> Question {
    let name = if dice.one_in(12) { "none" } else { dice.pick(STREAMS) };
    let stream = StreamName::new(name).unwrap();
    let only = dice.one_in(4).then(|| connection(dice.pick(CONNECTIONS)));
    let limit = *dice.pick(&[&1, &3, &10, &100]);
    match dice.below(3) {
        0 => Question::List(RecordsQuery {
            stream,
            connection: only,
            fields: dice.one_in(3).then(|| vec![dice.pick(FIELDS).to_owned()]),
            view: None,
            conditions: conditions(dice),
            sort: dice.one_in(3).then(|| dice.pick(&["at", "n", "subject", "emitted_at", "none"]).to_owned()),
            order: if dice.one_in(2) { Order::Ascending } else { Order::Descending },
            limit,
            cursor: None,
            changes_since: None,
        }),
        1 => {
            let parts = [
                "a", "b*", "-k", "日本", "\"j k\"", "Ä", "de*", "-\"a b\"", "e\u{301}", "語", "!", "\"", "-",
                "f-g", "hij*",
            ];
            let q: Vec<&str> =
                (0..1 + dice.below(3)).map(|_| parts[dice.below(parts.len() as u64) as usize]).collect();
            Question::Search(SearchQuery {
                q: q.join(" "),
                streams: if dice.one_in(2) { vec![stream] } else { Vec::new() },
                conditions: if dice.one_in(3) { conditions(dice) } else { Vec::new() },
                connection: only,
                limit: limit.min(3),
                cursor: None,
            })
        }
        _ => {
            let metric = [Metric::Count, Metric::Sum, Metric::Min, Metric::Max, Metric::CountDistinct];
            let metric = metric[dice.below(5) as usize];
            let group = match dice.below(4) {
                0 => Some(Group::Field(dice.pick(FIELDS).to_owned())),
                1 => Some(Group::Time {
                    field: dice.pick(&["at", "n"]).to_owned(),
                    granularity: [Granularity::Hour, Granularity::Week, Granularity::Quarter]
                        [dice.below(3) as usize],
                    time_zone: dice.pick(&["UTC", "Europe/Zurich", "Asia/Kathmandu", "No/Where"]).to_owned(),
                }),
                _ => None,
            };
            Question::Number(AggregateQuery {
                stream,
                connection: only,
                metric,
                field: (metric != Metric::Count).then(|| dice.pick(FIELDS).to_owned()),
                group: group.filter(|_| metric == Metric::Count),
                conditions: conditions(dice),
                limit,
            })
        }
    }
}

impl Question {
    /// Asks, and prints all that the caller learns; of lists the next page too.
    pub(super) async fn ask(&self, store: &Embedded, caller: &Caller) -> Result<String, SourceError> {
        match self {
            Self::List(query) => {
                let page = store.records(caller, query).await?;
                let mut told = format!("{page:?}");
                if page.next_cursor.is_some() {
                    let next = RecordsQuery { cursor: page.next_cursor, ..query.clone() };
                    told += &format!("{:?}", store.records(caller, &next).await?);
                }
                Ok(told)
            }
            Self::Search(query) => {
                let page = store.search(caller, query).await?;
                let mut told = format!("{page:?}");
                if page.next_cursor.is_some() {
                    let next = SearchQuery { cursor: page.next_cursor, ..query.clone() };
                    told += &format!("{:?}", store.search(caller, &next).await?);
                }
                Ok(told)
            }
            Self::Number(query) => Ok(format!("{:?}", store.aggregate(caller, query).await?)),
        }
    }
}

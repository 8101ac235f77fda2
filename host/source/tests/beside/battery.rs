//! Everything that can be asked, and all that the answers tell.

use super::estate::{CANARY, CONNECTIONS, Estate, FIELDS, KEYS, STREAMS};
use crate::dice::Dice;
use crate::world::{connection, record};
use std::fmt::Debug;
use stepwell_contract::selector::Query;
use stepwell_contract::{Bytes, Chars, FieldPath, RecordId, Span, StreamName};
use stepwell_source::error::Result;
use stepwell_source::filter::{Condition, Scalar, Test};
use stepwell_source::query::{
    AggregateQuery, ExpandQuery, Granularity, Group, Metric, Order, RecordsQuery, SearchQuery,
};
use stepwell_source::shape::RecordIdentity;
use stepwell_source::{Source as _, SourceError};

/// How many pages of a list are turned.
const PAGES: usize = 3;

#[derive(Clone, Debug)]
pub(super) enum Question {
    Catalogue,
    List(RecordsQuery),
    Search(SearchQuery),
    Number(AggregateQuery),
    Expand(ExpandQuery),
    Record { id: String, only: Option<Vec<String>> },
    Text { id: String, path: String, span: Span },
    Find { id: String, path: String, q: String },
    Bytes { id: String, path: String },
}

fn name(text: &str) -> StreamName {
    StreamName::new(text).unwrap()
}

fn list(stream: &str) -> RecordsQuery {
    RecordsQuery {
        stream: name(stream),
        connection: None,
        fields: None,
        view: None,
        conditions: Vec::new(),
        sort: None,
        order: Order::Descending,
        limit: 4,
        cursor: None,
        changes_since: None,
    }
}

/// What is always asked: every kind of question at least once in every stream.
pub(super) fn fixed() -> Vec<Question> {
    let mut questions = vec![Question::Catalogue];
    for stream in ["vault", "nowhere"] {
        questions.push(Question::List(list(stream)));
    }
    for &stream in STREAMS {
        let base = list(stream);
        for order in [Order::Descending, Order::Ascending] {
            questions.push(Question::List(RecordsQuery { order, ..base.clone() }));
        }
        for sort in ["emitted_at", "sent", "n", "subject", "secret"] {
            questions.push(Question::List(RecordsQuery { sort: Some(sort.to_owned()), ..base.clone() }));
        }
        for view in ["short", "mixed", "none"] {
            questions.push(Question::List(RecordsQuery { view: Some(view.to_owned()), ..base.clone() }));
        }
        let changes = RecordsQuery { changes_since: Some("beginning".to_owned()), ..base.clone() };
        questions.push(Question::List(RecordsQuery { limit: 100, ..changes.clone() }));
        questions.push(Question::List(changes));
        for (metric, field, group) in [
            (Metric::Count, None, None),
            (Metric::Sum, Some("n"), None),
            (Metric::Min, Some("subject"), None),
            (Metric::Max, Some("sent"), None),
            (Metric::CountDistinct, Some("tag"), None),
            (Metric::Count, None, Some(Group::Field("n".to_owned()))),
            (Metric::Count, None, Some(by_month("sent"))),
        ] {
            questions.push(Question::Number(AggregateQuery {
                stream: name(stream),
                connection: None,
                metric,
                field: field.map(str::to_owned),
                group,
                conditions: Vec::new(),
                limit: 3,
            }));
        }
    }
    for (stream, relationship) in [("mail", "thread"), ("threads", "mails"), ("mail", "none")] {
        questions.push(expand(stream, relationship));
    }
    for q in [
        "heron",
        "her*",
        "\"ferry key\"",
        "heron -zurich",
        "東京",
        CANARY,
        "canary*",
        "-heron",
        "key -canary6d1f",
    ] {
        questions.push(search(q));
    }
    questions
}

fn by_month(field: &str) -> Group {
    Group::Time { field: field.to_owned(), granularity: Granularity::Month, time_zone: "UTC".to_owned() }
}

fn search(q: &str) -> Question {
    Question::Search(SearchQuery {
        q: q.to_owned(),
        streams: Vec::new(),
        conditions: Vec::new(),
        connection: None,
        limit: 3,
        cursor: None,
    })
}

fn expand(stream: &str, relationship: &str) -> Question {
    let identity = |at: &&str, n: u64| RecordIdentity {
        connection: connection(at),
        stream: name(stream),
        record: RecordId::new(format!("k{n:02}")).unwrap(),
    };
    Question::Expand(ExpandQuery {
        stream: name(stream),
        connection: None,
        records: CONNECTIONS
            .iter()
            .flat_map(|at| (0..KEYS).step_by(3).map(move |n| identity(at, n)))
            .collect(),
        relationships: vec![(relationship.to_owned(), None)],
    })
}

fn conditions(dice: &mut Dice) -> Vec<Condition> {
    let tests = [Test::Equal, Test::AtLeast, Test::Above, Test::AtMost, Test::Below];
    let one = |dice: &mut Dice| {
        let (field, value) = match dice.below(6) {
            0 | 1 => ("n", Scalar::Number(dice.below(5).to_string())),
            2 => ("sent", Scalar::Text("2025-06-01T00:00:00Z".to_owned())),
            3 => ("tag", Scalar::Text("red".to_owned())),
            4 => ("flag", Scalar::Boolean(true)),
            _ => (dice.pick(&["subject", "secret", "none"]), Scalar::Text(CANARY.to_owned())),
        };
        let ordered = matches!(value, Scalar::Number(_) | Scalar::Text(_));
        let test = if ordered { tests[dice.below(5) as usize] } else { Test::Equal };
        Condition { field: field.to_owned(), test, value }
    };
    (0..1 + dice.below(2)).map(|_| one(dice)).collect()
}

/// One question of chance.
pub(super) fn chance(dice: &mut Dice) -> Question {
    let stream = if dice.one_in(10) { dice.pick(&["vault", "none"]) } else { dice.pick(STREAMS) };
    let only = dice.one_in(4).then(|| connection(dice.pick(&["home", "work", "far", "none"])));
    let field = |dice: &mut Dice| {
        if dice.one_in(6) { dice.pick(&["secret", "none"]) } else { dice.pick(FIELDS) }.to_owned()
    };
    let place = if dice.one_in(5) { dice.pick(&["", "far/"]) } else { dice.pick(&["home/", "work/"]) };
    let id = format!("{place}{stream}:k{:02}", dice.below(KEYS + 1));
    let path = if dice.one_in(4) {
        dice.pick(&["/tree/leaf", "/tree/list/0", "/tree/long", "/tree/none", "/secret/x"]).to_owned()
    } else {
        field(dice)
    };
    match dice.below(10) {
        0 | 1 => Question::List(RecordsQuery {
            connection: only,
            fields: dice.one_in(3).then(|| vec![field(dice)]),
            conditions: conditions(dice),
            sort: dice.one_in(2).then(|| field(dice)),
            order: if dice.one_in(2) { Order::Ascending } else { Order::Descending },
            limit: *dice.pick(&[&1, &3, &50]),
            ..list(stream)
        }),
        2 => Question::List(RecordsQuery {
            connection: only,
            changes_since: Some("beginning".to_owned()),
            limit: *dice.pick(&[&1, &5, &50]),
            ..list(stream)
        }),
        3 | 4 => {
            let parts = [
                "heron",
                "her*",
                "\"ferry key\"",
                "-zurich",
                "東京",
                "-\"e mail\"",
                "red",
                "and",
                "\"so on heron\"",
            ];
            let q: Vec<&str> = (0..1 + dice.below(2)).map(|_| parts[dice.below(9) as usize]).collect();
            Question::Search(SearchQuery {
                q: q.join(" "),
                streams: if dice.one_in(2) { vec![name(stream)] } else { Vec::new() },
                conditions: if dice.one_in(3) { conditions(dice) } else { Vec::new() },
                connection: only,
                limit: *dice.pick(&[&1, &3, &10]),
                cursor: None,
            })
        }
        5 | 6 => {
            let metrics = [Metric::Count, Metric::Sum, Metric::Min, Metric::Max, Metric::CountDistinct];
            let metric = metrics[dice.below(5) as usize];
            let group = match dice.below(3) {
                0 => Some(Group::Field(field(dice))),
                1 => Some(by_month(&field(dice))),
                _ => None,
            };
            Question::Number(AggregateQuery {
                stream: name(stream),
                connection: only,
                metric,
                field: (metric != Metric::Count).then(|| field(dice)),
                group: group.filter(|_| metric == Metric::Count),
                conditions: if dice.one_in(2) { conditions(dice) } else { Vec::new() },
                limit: *dice.pick(&[&1, &100]),
            })
        }
        7 => Question::Record { id, only: dice.one_in(2).then(|| vec![field(dice)]) },
        8 if dice.one_in(2) => Question::Bytes { id, path: "file".to_owned() },
        8 => Question::Find { id, path, q: dice.pick(&["heron", CANARY, "KEY"]).to_owned() },
        _ => {
            let at = *dice.pick(&[&0, &4_090, &9_000]);
            Question::Text { id, path, span: Span::at(Chars(at), Chars(3_000)) }
        }
    }
}

impl Estate {
    /// Asks, and writes down all that the answer tells.
    pub(super) async fn ask(&self, question: &Question) -> Vec<String> {
        let mut told = Vec::new();
        match self.answer(question, &mut told).await {
            Err(SourceError::Failed(failure)) => panic!("{question:?} failed: {failure}"),
            Err(error) => told.push(format!("{error:?}")),
            Ok(()) => {}
        }
        told
    }

    async fn answer(&self, question: &Question, told: &mut Vec<String>) -> Result<()> {
        let (store, caller) = (&self.world.store, &self.caller);
        let mut tell = |answer: &dyn Debug| told.push(format!("{answer:?}"));
        match question {
            Question::Catalogue => store.catalogue(caller).await?.iter().for_each(|scope| tell(scope)),
            Question::List(query) => {
                let mut query = query.clone();
                for _ in 0..PAGES {
                    let page = store.records(caller, &query).await?;
                    tell(&page);
                    if let Some(mark) = &page.next_changes_since {
                        let later =
                            RecordsQuery { changes_since: Some(mark.clone()), cursor: None, ..query.clone() };
                        tell(&store.records(caller, &later).await?);
                    }
                    query.cursor = page.next_cursor;
                    if query.cursor.is_none() {
                        break;
                    }
                }
            }
            Question::Search(query) => {
                let mut query = query.clone();
                for _ in 0..PAGES {
                    let page = store.search(caller, &query).await?;
                    tell(&page);
                    query.cursor = page.next_cursor;
                    if query.cursor.is_none() {
                        break;
                    }
                }
            }
            Question::Number(query) => tell(&store.aggregate(caller, query).await?),
            Question::Expand(query) => {
                for identity in &query.records {
                    // One at a time: a record that the grant does not show must not hide the others.
                    let one = ExpandQuery { records: vec![identity.clone()], ..query.clone() };
                    match store.expand(caller, &one).await {
                        Ok(expanded) => tell(&expanded),
                        Err(error @ SourceError::Failed(_)) => return Err(error),
                        Err(error) => tell(&error),
                    }
                }
            }
            Question::Record { id, only } => {
                tell(&store.record(caller, &record(id), only.as_deref()).await?);
            }
            Question::Text { id, path, span } => {
                let field = store.field(caller, &record(id), &FieldPath::parse(path).unwrap()).await?;
                tell(&(&field.record, &field.path, &field.shape));
                tell(&store.text(caller, &field, *span).await?);
            }
            Question::Find { id, path, q } => {
                let field = store.field(caller, &record(id), &FieldPath::parse(path).unwrap()).await?;
                tell(&store.find(caller, &field, &Query::new(q).unwrap(), Chars::ZERO).await?);
            }
            Question::Bytes { id, path } => {
                let field = store.field(caller, &record(id), &FieldPath::parse(path).unwrap()).await?;
                tell(&(&field.record, &field.shape));
                let bytes = store.bytes(caller, &field, Bytes(0), Bytes(1_000)).await?;
                tell(&String::from_utf8_lossy(&bytes));
            }
        }
        Ok(())
    }
}

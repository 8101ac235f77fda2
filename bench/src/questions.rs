//! Questions about many records: searches, lists, filters and numbers, against the first page of a list.

use crate::Plan;
use crate::shelf::target;
use anyhow::Context as _;
use std::hint::black_box;
use stepwell_bench::engine::Engine;
use stepwell_bench::measure::in_turns;
use stepwell_bench::report::{self, Report};
use stepwell_bench::text::{Input, mail};
use stepwell_contract::StreamName;
use stepwell_source::filter::{Condition, Scalar, Test};
use stepwell_source::grant::{GrantRequest, StreamRequest};
use stepwell_source::prepare::prepare;
use stepwell_source::query::{AggregateQuery, Metric, Order, RecordsQuery, SearchQuery};
use stepwell_source::sqlite::Missing;
use stepwell_source::{Caller, Embedded, Source as _};

#[derive(Clone, Copy, Debug)]
enum Question {
    List,
    Search(&'static str),
    /// One record by the value of a field.
    Exact,
    /// A stretch of time that holds most records.
    Since,
    Count,
}

const QUESTIONS: &[(&str, Question)] = &[
    ("a page of the list", Question::List),
    ("a word", Question::Search("invoice")),
    ("a word that most records have", Question::Search("the")),
    ("two words", Question::Search("the invoice")),
    ("a beginning", Question::Search("inv*")),
    ("a phrase", Question::Search("\"for the\"")),
    ("a word without another", Question::Search("the -invoice")),
    ("a word that no record has", Question::Search("axolotl")),
    ("a filter that one record meets", Question::Exact),
    ("a filter that most records meet", Question::Since),
    ("a count of all records", Question::Count),
];

pub(crate) async fn run(engine: &Engine, plan: Plan, report: &Report) -> anyhow::Result<()> {
    let Input { lines, manifest } = mail(plan.ingest_bytes)?;
    let place = engine.place()?;
    let store = place.url.open(Missing::Create).await?;
    let target = target(manifest)?;
    let mut ingest = store.ingest(&target).await?;
    for line in &lines {
        ingest.push(prepare(line.as_bytes(), &target.manifest)?).await?;
    }
    ingest.flush().await?;
    let caller = caller(&store, &target.stream).await?;
    report.heading(
        format_args!("{}: questions about {} short records", engine.name(), report::count(lines.len())),
        "times a page of 25 records of the list",
    )?;
    let samples = in_turns(plan.searches * 4, QUESTIONS, async |(_, question)| {
        ask(&store, &caller, &target.stream, *question).await
    })
    .await?;
    let list = samples.first().context("a list")?;
    for ((what, _), samples) in QUESTIONS.iter().zip(&samples) {
        report.line(what, samples.over(list), report::time(samples.median()))?;
    }
    Ok(())
}

async fn caller(store: &Embedded, stream: &StreamName) -> anyhow::Result<Caller> {
    let everything = StreamRequest {
        name: stream.clone(),
        connections: Vec::new(),
        fields: None,
        since: None,
        until: None,
        resources: None,
    };
    let request = GrantRequest {
        client: "bench".to_owned(),
        subject: "owner".to_owned(),
        purpose: None,
        expires_at: None,
        streams: vec![everything],
    };
    let (_, token) = store.create_grant(&request).await?;
    Ok(store.authenticate(&token).await?)
}

async fn ask(
    store: &Embedded,
    caller: &Caller,
    stream: &StreamName,
    question: Question,
) -> anyhow::Result<()> {
    let condition = |field: &str, test, value: &str| Condition {
        field: field.to_owned(),
        test,
        value: Scalar::Text(value.to_owned()),
    };
    let conditions = match question {
        Question::Exact => vec![condition("id", Test::Equal, "b-0000007")],
        Question::Since => vec![condition("sent_at", Test::AtLeast, "2000-01-01")],
        _ => Vec::new(),
    };
    match question {
        Question::List | Question::Exact | Question::Since => {
            let query = RecordsQuery {
                stream: stream.clone(),
                connection: None,
                fields: None,
                view: None,
                conditions,
                sort: None,
                order: Order::Descending,
                limit: 25,
                cursor: None,
                changes_since: None,
            };
            black_box(store.records(caller, &query).await?);
        }
        Question::Search(q) => {
            let query = SearchQuery {
                q: q.to_owned(),
                streams: Vec::new(),
                conditions,
                connection: None,
                limit: 25,
                cursor: None,
            };
            black_box(store.search(caller, &query).await?);
        }
        Question::Count => {
            let query = AggregateQuery {
                stream: stream.clone(),
                connection: None,
                metric: Metric::Count,
                field: None,
                group: None,
                conditions,
                limit: 1,
            };
            black_box(store.aggregate(caller, &query).await?);
        }
    }
    Ok(())
}

//! Numbers about records: the same from the index of values as from the records one by one.

use crate::on_both_engines;
use crate::world::{World, line, stream};
use serde_json::{Value, json};
use stepwell_contract::StreamName;
use stepwell_source::embedded::statement::Statement;
use stepwell_source::query::{AggregateQuery, Aggregation, Granularity, Group, Metric};
use stepwell_source::{Caller, Source as _};

on_both_engines!(the_index_gives_the_same_numbers_as_the_records);

/// Values that are spelled in several ways, and of all kinds that the index has.
fn values() -> Vec<Value> {
    let number = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    vec![
        number("1"),
        number("1.0"),
        number("100e-2"),
        number("-2.50"),
        number("0.05"),
        number("1767225600"),
        number("1e25"),
        json!("2026-01-01T00:00:00Z"),
        json!("2026-01-01T01:00:00+01:00"),
        json!("2026-01-01T00:00:00Z"),
        json!("word"),
        json!("Word"),
        json!("nul \u{0} inside"),
        json!(""),
        json!(true),
        json!(false),
        json!(null),
        json!(null),
    ]
}

fn question(stream: &str, metric: Metric, group: Option<Group>) -> AggregateQuery {
    AggregateQuery {
        stream: StreamName::new(stream).unwrap(),
        connection: None,
        field: (metric != Metric::Count).then(|| "v".to_owned()),
        metric,
        group,
        conditions: Vec::new(),
        limit: 100,
    }
}

/// The answer, and whether the values were read record by record.
async fn ask(world: &World, caller: &Caller, query: &AggregateQuery) -> (Aggregation, bool) {
    world.content_seen();
    let answer = world.store.aggregate(caller, query).await.unwrap();
    let walked = world.content_seen().iter().any(|seen| seen.statement == Statement::Values);
    (answer, walked)
}

async fn the_index_gives_the_same_numbers_as_the_records(world: World) {
    let lines: Vec<String> = values()
        .iter()
        .enumerate()
        .map(|(number, value)| line(&format!("k{number}"), &json!({ "v": value })))
        .collect();
    world.fill("home/full", None, &lines).await;
    // One record without the field has no entry in the index, and so all are looked at.
    let without = [&lines[..], &[line("without", &json!({ "w": 1 }))]].concat();
    world.fill("home/sparse", None, &without).await;
    let caller = world.grant(vec![stream("full"), stream("sparse")]).await;
    let by_day = Group::Time {
        field: "v".to_owned(),
        granularity: Granularity::Day,
        time_zone: "Europe/Zurich".to_owned(),
    };
    for (metric, group) in [
        (Metric::Sum, None),
        (Metric::Min, None),
        (Metric::Max, None),
        (Metric::CountDistinct, None),
        (Metric::Count, Some(Group::Field("v".to_owned()))),
        (Metric::Count, Some(by_day)),
    ] {
        let (full, walked) = ask(&world, &caller, &question("full", metric, group.clone())).await;
        assert!(!walked, "{metric:?} {group:?}");
        let (mut sparse, walked) = ask(&world, &caller, &question("sparse", metric, group.clone())).await;
        assert!(walked, "{metric:?} {group:?}");
        assert_eq!(full.records as usize, lines.len());
        sparse.records -= 1;
        if metric == Metric::Count {
            sparse.value = json!(lines.len());
            sparse.groups.iter_mut().find(|group| group.key.is_null()).unwrap().count -= 1;
            let by_count = |answer: &mut Aggregation| {
                answer.groups.sort_by_key(|group| (group.key.to_string(), group.count));
            };
            let mut full = full;
            by_count(&mut full);
            by_count(&mut sparse);
            assert_eq!(full, sparse, "{group:?}");
        } else {
            assert_eq!(full, sparse, "{metric:?}");
        }
    }
}

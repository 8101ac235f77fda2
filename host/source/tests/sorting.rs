//! Lists by the values of a field, against sorting them all in memory, whether the index has their order or not.

use crate::on_both_engines;
use crate::queries::list;
use crate::world::{World, line, stream};
use serde_json::{Value, json};
use stepwell_source::embedded::statement::Statement;
use stepwell_source::filter::{Condition, Scalar, Test};
use stepwell_source::query::{Order, RecordsQuery};
use stepwell_source::{Caller, Source as _};

on_both_engines!(
    every_page_size_gives_the_order_that_is_documented,
    a_sorted_list_that_is_filtered_keeps_its_order,
);

const MANIFEST: &str = r#"{"query":{"range_filters":{
    "number":["gte"],"word":["gte"],"moment":["gte"],"yes":["gte"],"long":["gte"],"mixed":["gte"]}}}"#;

/// Whether a page is read along the index of values, for each field.
const FIELDS: [(&str, bool); 6] =
    [("number", true), ("word", true), ("moment", true), ("yes", true), ("long", false), ("mixed", false)];

/// The value of a field in a record; none if it has no such field.
fn value(field: &str, number: usize) -> Option<Value> {
    let pick = |values: &[Value]| Some(values[number * 7 % values.len()].clone());
    match field {
        _ if number == 11 => None,
        "number" => pick(&[json!(3), json!(-1.5), json!(10), json!(1e3), json!(0), json!(-20), json!(null)]),
        "word" => {
            pick(&[json!("b"), json!("a"), json!(""), json!("é"), json!("Z"), json!("a\u{0}b"), json!("10")])
        }
        "moment" => pick(&[
            json!("2026-01-01T00:00:00.0002Z"),
            json!("2026-01-01T00:00:00.0001Z"),
            json!("2026-01-01T03:00:00+03:00"),
            json!("2025-06-01T00:00:00Z"),
            json!("1969-12-31T23:59:59Z"),
        ]),
        "yes" => pick(&[json!(true), json!(false), json!(null)]),
        // The same first 128 letters, and then the other way round than the keys.
        "long" => Some(json!(format!("{}{:02}", "x".repeat(128 - number % 3), 40 - number))),
        _ => pick(&[
            json!(7),
            json!("2026-01-01T00:00:00Z"),
            json!("seven"),
            json!(true),
            json!("unlike".repeat(60)),
            json!("too long ".repeat(600)),
            json!({ "a": 1 }),
            json!("7"),
        ]),
    }
}

/// A value's place: numbers, then moments, then other texts by their first 128 letters; none if it has no place.
fn place(value: Option<&Value>) -> Option<(u8, f64, i128, String)> {
    match value? {
        Value::Number(number) => Some((0, number.as_f64().unwrap(), 0, String::new())),
        Value::Bool(value) => Some((2, 0.0, 0, value.to_string())),
        Value::String(text) => match text.parse::<jiff::Timestamp>() {
            Ok(moment) => Some((1, 0.0, moment.as_nanosecond(), String::new())),
            Err(_) if text.chars().count() > 4_096 => None,
            Err(_) => Some((2, 0.0, 0, text.chars().take(128).collect())),
        },
        _ => None,
    }
}

async fn fill(world: &World) -> Caller {
    for connection in ["home", "work"] {
        let lines: Vec<String> = (0..20)
            .map(|number| {
                let fields = FIELDS.iter().filter_map(|(field, _)| Some((*field, value(field, number)?)));
                let data: serde_json::Map<String, Value> =
                    fields.map(|(field, value)| (field.to_owned(), value)).collect();
                line(&key(number), &Value::Object(data))
            })
            .collect();
        world.fill(&format!("{connection}/messages"), Some(MANIFEST), &lines).await;
    }
    world.grant(vec![stream("messages")]).await
}

fn key(number: usize) -> String {
    format!("k{:02}", number * 3 % 20)
}

fn expected(field: &str, order: Order, keep: impl Fn(&Value) -> bool) -> Vec<String> {
    let mut all = Vec::new();
    for connection in ["home", "work"] {
        for number in 0..20 {
            let value = value(field, number);
            if value.as_ref().map_or(keep(&Value::Null), &keep) {
                all.push((place(value.as_ref()), format!("{connection}/messages:{}", key(number))));
            }
        }
    }
    all.sort_by(|(one, one_id), (two, two_id)| {
        let ascending = one.partial_cmp(two).unwrap().then_with(|| one_id.cmp(two_id));
        let directed = if order == Order::Ascending { ascending } else { ascending.reverse() };
        one.is_none().cmp(&two.is_none()).then(directed)
    });
    all.into_iter().map(|(_, id)| id).collect()
}

async fn pages(world: &World, caller: &Caller, query: RecordsQuery) -> Vec<String> {
    let (mut joined, mut query) = (Vec::new(), query);
    loop {
        let page = world.store.records(caller, &query).await.unwrap();
        joined.extend(page.records.iter().map(|view| view.identity.id().to_string()));
        query.cursor = page.next_cursor;
        if query.cursor.is_none() {
            return joined;
        }
    }
}

async fn every_page_size_gives_the_order_that_is_documented(world: World) {
    let caller = fill(&world).await;
    for (field, along_index) in FIELDS {
        for order in [Order::Ascending, Order::Descending] {
            let expected = expected(field, order, |_| true);
            for limit in [1, 3, 7, 39, 40, 100] {
                world.content_seen();
                let query = RecordsQuery { sort: Some(field.to_owned()), ..list(limit, order, None) };
                let found = pages(&world, &caller, query).await;
                assert_eq!(found, expected, "{field} {order:?} by {limit}");
                let walked = world.content_seen().iter().any(|seen| seen.statement == Statement::SortValues);
                assert_eq!(walked, !along_index, "{field} {order:?} by {limit}");
            }
        }
    }
}

async fn a_sorted_list_that_is_filtered_keeps_its_order(world: World) {
    let caller = fill(&world).await;
    for order in [Order::Ascending, Order::Descending] {
        let positive = Condition {
            field: "number".to_owned(),
            test: Test::Above,
            value: Scalar::Number("0".to_owned()),
        };
        for limit in [1, 4, 100] {
            let query = RecordsQuery {
                sort: Some("number".to_owned()),
                conditions: vec![positive.clone()],
                ..list(limit, order, None)
            };
            let found = pages(&world, &caller, query).await;
            let expected = expected("number", order, |value| value.as_f64().is_some_and(|value| value > 0.0));
            assert_eq!(found, expected, "{order:?} by {limit}");
        }
    }
}

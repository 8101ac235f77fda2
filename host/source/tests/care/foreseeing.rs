//! What is said of a grant before it is made is what can be read under it; and the days of records.

use super::shelf::url;
use crate::on_both_engines;
use crate::world::{World, connection, line, request, stream};
use serde_json::json;
use stepwell_contract::{RecordId, StreamName};
use stepwell_source::Source as _;
use stepwell_source::care::{self, Day};
use stepwell_source::grant::StreamRequest;
use stepwell_source::query::{Order, RecordsQuery};
use stepwell_source::time;

on_both_engines!(what_is_foreseen_is_what_can_be_read, each_day_has_its_records);

const MANIFEST: &str = r#"{ "name": "notes", "schema": { "type": "object", "properties": { "at": { "type": "string", "format": "date-time" },
    "title": { "type": "string" } } }, "cursor_field": "at", "consent_time_field": "at" }"#;

async fn fill(world: &World) {
    let lines: Vec<String> = (0..40_u32)
        .map(|n| {
            let at = format!("2026-{:02}-{:02}T10:00:00Z", 1 + n / 10, 1 + n % 10);
            // Some have no time of their own.
            let data = if n % 7 == 3 { json!({ "title": "x" }) } else { json!({ "title": "x", "at": at }) };
            line(&format!("n{n}"), &data)
        })
        .collect();
    world.fill("home/notes", Some(MANIFEST), &lines).await;
    world.fill("work/notes", None, &lines[..5]).await;
}

async fn what_is_foreseen_is_what_can_be_read(world: World) {
    fill(&world).await;
    let at = |text: &str| Some(time::parse(text).unwrap());
    let listed = |keys: &[&str]| Some(keys.iter().map(|key| RecordId::new(*key).unwrap()).collect());
    let home = || StreamRequest { connections: vec![connection("home")], ..stream("notes") };
    let wanted = [
        stream("notes"),
        home(),
        StreamRequest { since: at("2026-02-01"), ..home() },
        StreamRequest { until: at("2026-02-03T10:00:00Z"), ..home() },
        StreamRequest { since: at("2026-02-03T10:00:00Z"), until: at("2026-03-01"), ..home() },
        StreamRequest { since: at("2030-01-01"), ..stream("notes") },
        StreamRequest { resources: listed(&["n1", "n2", "n3", "none"]), ..home() },
        StreamRequest { resources: listed(&["n1", "n25"]), since: at("2026-02-01"), ..home() },
    ];
    let mut counts = Vec::new();
    for wanted in wanted {
        let planned = world.store.plan_grant(&request(vec![wanted.clone()])).await.unwrap();
        let foreseen = care::foresee(&url(&world), &planned).await.unwrap();
        let caller = world.grant(vec![wanted.clone()]).await;
        for (stream, foreseen) in planned.iter().zip(&foreseen) {
            let query = RecordsQuery {
                stream: StreamName::new("notes").unwrap(),
                connection: Some(connection(&stream.connection_id)),
                fields: None,
                view: None,
                conditions: Vec::new(),
                sort: None,
                order: Order::Ascending,
                limit: 100,
                cursor: None,
                changes_since: None,
            };
            let page = world.store.records(&caller, &query).await.unwrap();
            assert_eq!(page.records.len() as u64, foreseen.records, "{wanted:?}");
            let times = page.records.iter().map(|view| view.time);
            assert_eq!(times.clone().min().zip(times.max()), foreseen.times, "{wanted:?}");
            counts.push((foreseen.records, foreseen.of));
        }
    }
    // The grants above tell records apart.
    assert_eq!(counts[..3], [(40, 40), (5, 5), (40, 40)]);
    assert!(
        counts[3].0 < 40 && counts[3].0 > 0 && counts.iter().any(|(records, _)| *records == 0),
        "{counts:?}"
    );
}

async fn each_day_has_its_records(world: World) {
    let line =
        |key: &str, at: &str| json!({ "key": key, "data": { "t": key }, "emitted_at": at }).to_string();
    let lines = [
        line("a", "1969-12-31T23:59:59Z"),
        line("b", "1969-12-31T00:00:00Z"),
        line("c", "1970-01-01T00:00:00Z"),
        line("d", "2026-03-01T23:59:59.999Z"),
        line("e", "2026-03-02T00:00:00Z"),
    ];
    world.fill("home/notes", None, &lines).await;
    world.fill("work/notes", None, &lines[4..]).await;
    let day = |connection: &str, begins: &str, records| Day {
        connection: connection.to_owned(),
        stream: "notes".to_owned(),
        begins: time::parse(begins).unwrap(),
        records,
    };
    assert_eq!(
        care::timeline(&url(&world)).await.unwrap(),
        [
            day("home", "1969-12-31", 2),
            day("home", "1970-01-01", 1),
            day("home", "2026-03-01", 1),
            day("home", "2026-03-02", 1),
            day("work", "2026-03-02", 1),
        ]
    );
}

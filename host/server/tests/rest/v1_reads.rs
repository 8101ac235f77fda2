//! Every read of `/v1`: its shape is what docs/openapi.json says, its content what was stored, and the ledger has it.

use crate::rest::on_both_engines;
use crate::rest::openapi::assert_valid;
use crate::rest::world::{MAILS, World, body, fields, png};
use serde_json::{Value, json};

on_both_engines!(
    every_answer_has_the_documented_shape,
    pages_join_without_a_gap,
    a_record_comes_whole,
    windows_join_to_the_field_in_any_script,
    filters_work_inside_the_grant,
    blobs_come_by_range,
    the_ledger_has_every_read,
);

#[track_caller]
fn list(answer: &Value) -> &Vec<Value> {
    answer["data"].as_array().unwrap_or_else(|| panic!("a list: {answer}"))
}

async fn every_answer_has_the_documented_shape(world: World) {
    for (operation, target) in [
        ("schema", "/v1/schema"),
        ("schema", "/v1/schema?view=compact"),
        ("schema", "/v1/schema?detail=full&stream=mail&connection_id=cin_home"),
        ("streams", "/v1/streams"),
        ("stream", "/v1/streams/mail?connection_id=cin_home"),
        ("stream", "/v1/streams/notes"),
        ("records", "/v1/streams/mail/records?limit=3&count=exact&expand=replies&expand_limit[replies]=2"),
        (
            "records",
            "/v1/streams/mail/records?changes_since=beginning&limit=100&connector_instance_id=cin_work",
        ),
        ("record", "/v1/streams/mail/records/m2"),
        ("record", "/v1/streams/mail/records/m1?connection_id=cin_home&expand=replies&fields=subject"),
        ("field_window", "/v1/streams/mail/records/m2/field-window?field=body&limit_chars=99999"),
        ("field_window", "/v1/streams/mail/records/m2/field-window?field=%2Ftags%2F1&q=b"),
        ("aggregate", "/v1/streams/mail/aggregate?metric=count"),
        ("aggregate", "/v1/streams/mail/aggregate?metric=sum&field=size&connection_id=cin_home"),
        (
            "aggregate",
            "/v1/streams/mail/aggregate?metric=count&group_by=folder&limit=1&connection_id=cin_home",
        ),
        ("search", "/v1/search?q=letter&limit=5"),
        ("search", "/v1/search?q=quoted+z%C3%BCrich&streams[]=mail&filter[unread]=true"),
        ("search", "/v1/search?q=nothingofthekind"),
    ] {
        let answer = world.get(target).await;
        assert_eq!((answer.status, answer.is_whole), (200, true), "{target}: {answer:?}");
        assert_valid(operation, "200", &answer.json(), target);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.header("pdpp-version"), Some("2026-04-06"));
        assert_eq!(answer.header("cache-control"), Some("private, no-store"));
        assert_eq!(answer.header("request-id"), answer.header("x-request-id"));
        assert_eq!(answer.json()["links"]["self"], target);
    }
    let clamped =
        world.get("/v1/streams/mail/records/m2/field-window?field=body&limit_chars=99999").await.json();
    assert_eq!(clamped["meta"]["warnings"][0]["code"], "limit_clamped");
    assert_eq!(clamped["window"]["limit_chars"], 16_384);
    let older = world.get("/v1/streams/mail/records?connector_instance_id=cin_work").await.json();
    assert_eq!(
        (list(&older).len(), &older["meta"]["warnings"][0]["code"]),
        (2, &json!("deprecated_alias_used"))
    );
    let groups = world
        .get("/v1/streams/mail/aggregate?metric=count&group_by=folder&connection_id=cin_home")
        .await
        .json();
    assert_eq!(groups["groups"], json!([{ "key": "inbox", "count": 20 }, { "key": "archive", "count": 10 }]));
    let streams = world.get("/v1/streams").await.json();
    let counts: Vec<&Value> = list(&streams).iter().map(|row| &row["record_count"]).collect();
    assert_eq!(counts, [&json!(MAILS), &json!(1), &json!(2)]);
    let compact = world.get("/v1/schema?view=compact&stream=mail&connection_id=cin_home").await.json();
    let flags = &compact["connectors"][0]["streams"][0]["field_capabilities"];
    assert!(flags["size"].as_str().unwrap().starts_with("t=number,eq,r="), "{flags}");
    assert!(flags["body"].as_str().unwrap().contains("lex"), "{flags}");
}

async fn pages_join_without_a_gap(world: World) {
    let (mut target, mut ids) =
        ("/v1/streams/mail/records?limit=7&fields=subject,size".to_owned(), Vec::new());
    loop {
        let page = world.get(&target).await.json();
        for row in list(&page) {
            ids.push(format!("{}/{}", row["connection_id"].as_str().unwrap(), row["id"].as_str().unwrap()));
            assert!(
                row["data"]
                    .as_object()
                    .unwrap()
                    .keys()
                    .all(|key| ["size", "subject"].contains(&key.as_str()))
            );
        }
        // The link is the whole question with the cursor; following it is all that a client has to do.
        let Some(next) = page["links"]["next"].as_str() else { break };
        assert_eq!(page["has_more"], true);
        target = next.to_owned();
    }
    let newest_first = (1..=MAILS).rev().map(|number| format!("cin_home/m{number}"));
    let expected: Vec<String> =
        ["cin_work/w2".to_owned(), "cin_work/m1".to_owned()].into_iter().chain(newest_first).collect();
    assert_eq!(ids, expected);
    let sorted = world.get("/v1/streams/mail/records?sort=size&connection_id=cin_home&limit=2").await.json();
    assert_eq!(list(&sorted)[1]["id"], "m2");
    let view = world.get("/v1/streams/mail/records?view=short&limit=1&connection_id=cin_home").await.json();
    assert_eq!(list(&view)[0]["data"], json!({ "sent_at": "2025-05-30T10:00:00Z", "subject": "Letter 30" }));
}

async fn a_record_comes_whole(world: World) {
    let record = world.get("/v1/streams/mail/records/m7").await.json();
    assert_eq!(record["data"]["body"], body(7));
    assert_eq!(record["data"]["tags"], json!(["a", { "b": 7 }]));
    assert_eq!((&record["data"]["size"], &record["data"]["unread"]), (&json!(700), &json!(false)));
    let odd = world.get("/v1/streams/notes/records/n%3A1%20%C3%BC").await.json();
    assert_eq!((&odd["id"], &odd["data"]), (&json!("n:1 ü"), &json!({ "text": "a note" })));
    let first = world.get("/v1/streams/mail/records/m1?connection_id=cin_home&expand=replies").await.json();
    let replies = &first["expanded"]["replies"];
    assert_eq!((list(replies).len(), &replies["has_more"]), (5, &json!(true)));
    assert_eq!(list(replies)[0]["data"]["body"], body(30));
}

async fn windows_join_to_the_field_in_any_script(world: World) {
    let (mut at, mut text) = (Some(0), String::new());
    while let Some(offset) = at {
        let target = format!(
            "/v1/streams/mail/records/m2/field-window?field=body&limit_chars=1000&offset_chars={offset}"
        );
        let window = world.get(&target).await.json()["window"].take();
        let part = window["text"].as_str().unwrap();
        assert_eq!(window["end_chars"].as_u64().unwrap() - offset, part.chars().count() as u64);
        text.push_str(part);
        at = window["next_offset_chars"].as_u64();
        assert_eq!(window["has_more"], at.is_some());
    }
    assert_eq!(text, body(2));
    let found = world
        .get("/v1/streams/mail/records/m2/field-window?field=body&q=THE+END&before_chars=3&after_chars=0")
        .await;
    let window = found.json()["window"].take();
    let total = body(2).chars().count();
    assert_eq!((&window["match_end_chars"], &window["text"]), (&json!(total), &json!("ne\nthe end")));
    let past =
        world.get("/v1/streams/mail/records/m2/field-window?field=body&offset_chars=99999999").await.json();
    assert_eq!((&past["window"]["text"], &past["window"]["complete"]), (&json!(""), &json!(false)));
}

async fn filters_work_inside_the_grant(world: World) {
    for (filter, count) in [
        ("filter[folder]=archive", 10),
        ("filter[size][gte]=1000&filter[size][lt]=1300", 3),
        ("filter[unread]=true", 15),
        ("filter[sent_at][gte]=2025-05-29", 4),
        ("filter[in_reply_to]=m1&filter[folder]=inbox", 19),
    ] {
        let page = world
            .get(&format!("/v1/streams/mail/records?limit=100&{filter}&count=exact&fields=subject"))
            .await
            .json();
        assert_eq!((list(&page).len(), &page["meta"]["count"]["value"]), (count, &json!(count)), "{filter}");
    }
    let narrow = world.granted(vec![fields("cin_home", "mail", &["subject", "size"])]).await;
    let size = world.get_with("/v1/streams/mail/records?filter[size]=300", &narrow, &[]).await.json();
    assert_eq!(list(&size)[0]["data"], json!({ "size": 300, "subject": "Letter 3" }));
    for target in [
        "/v1/streams/mail/records?filter[folder]=archive",
        "/v1/streams/mail/records?filter[nosuchfield]=archive",
        "/v1/streams/mail/records?fields=body",
        "/v1/streams/mail/records/m2?fields=body",
        "/v1/streams/mail/records/m2/field-window?field=body",
    ] {
        let refused = world.get_with(target, &narrow, &[]).await;
        assert_eq!(refused.error(), (403, "permission_error".into(), "field_not_granted".into()), "{target}");
        assert_valid("records", "default", &refused.json(), target);
    }
}

async fn blobs_come_by_range(world: World) {
    let record = world.get("/v1/streams/mail/records/m4?fields=file").await.json();
    let link = &record["data"]["file"];
    assert_eq!((&link["mime_type"], &link["file_name"]), (&json!("image/png"), &json!("Zürich.png")));
    let (url, bytes) = (link["fetch_url"].as_str().unwrap(), png());
    let whole = world.get(url).await;
    assert!(whole.status == 200 && whole.is_whole && whole.body == bytes, "{:?}", whole.headers);
    assert_eq!(whole.header("content-type"), Some("image/png"));
    assert_eq!(whole.header("content-length"), Some(bytes.len().to_string().as_str()));
    let tag = whole.header("etag").unwrap().to_owned();
    assert_eq!(tag, format!("\"{}\"", link["digest"].as_str().unwrap()));
    let part = world.get_with(url, &world.token, &[("range", "bytes=65530-131080")]).await;
    assert_eq!(part.status, 206);
    assert_eq!(part.header("content-range"), Some(format!("bytes 65530-131080/{}", bytes.len()).as_str()));
    assert!(part.body == bytes[65_530..=131_080]);
    assert_eq!(world.get_with(url, &world.token, &[("if-none-match", &tag)]).await.status, 304);
    assert_eq!(world.get_with(url, &world.token, &[("range", "bytes=9999999-")]).await.status, 416);
    for other in
        ["/v1/blobs/x", "/v1/blobs/e30", &format!("{url}?connection_id=cin_work"), &format!("{url}x")]
    {
        assert_eq!(
            world.get(other).await.error(),
            (404, "not_found_error".into(), "blob_not_found".into()),
            "{other}"
        );
    }
    let narrow = world.granted(vec![fields("cin_home", "mail", &["subject"])]).await;
    assert_eq!(world.get_with(url, &narrow, &[]).await.error().2, "blob_not_found");
}

async fn the_ledger_has_every_read(world: World) {
    let record = world.get("/v1/streams/mail/records/m4").await.json();
    let blob = record["data"]["file"]["fetch_url"].as_str().unwrap().to_owned();
    let entries = world.ledger().await;
    let of_body =
        entries.iter().find(|entry| entry.field.as_deref() == Some("body")).expect("the long field");
    assert_eq!((of_body.tool.as_str(), of_body.bytes), ("v1 record", body(4).len() as u64));
    assert_eq!(of_body.extent.map(|extent| extent.bounds()), Some((0, body(4).chars().count() as u64)));
    for (target, tool, count) in [
        ("/v1/schema", "v1 schema", 1),
        ("/v1/streams", "v1 streams", 1),
        ("/v1/streams/notes", "v1 stream", 1),
        ("/v1/streams/mail/records?limit=3&fields=subject", "v1 records", 3),
        ("/v1/streams/mail/records/m2/field-window?field=body", "v1 field-window", 1),
        ("/v1/streams/mail/aggregate?metric=count", "v1 aggregate", 1),
        ("/v1/search?q=letter&limit=4", "v1 search", 4),
        ("/v1/search?q=nothingofthekind", "v1 search", 1),
        (&blob, "v1 blobs", 1),
    ] {
        let before = world.ledger().await.len();
        assert_eq!(world.get(target).await.status, 200, "{target}");
        let entries = world.ledger().await;
        assert_eq!(entries.len() - before, count, "{target}");
        assert!(entries.iter().take(count).all(|entry| entry.tool == tool), "{target}: {entries:?}");
    }
    // The news that a phrase does not occur is a read too.
    let missed = world.get("/v1/streams/mail/records/m2/field-window?field=body&q=nowhere").await;
    assert_eq!(missed.error(), (404, "not_found_error".into(), "query_not_found".into()));
    assert_eq!(world.ledger().await[0].tool, "v1 field-window");
}

//! No answer leaves before the owner's ledger has it, and the ledger holds none of what it says was shown.

use crate::ledger_world::Desk;
use crate::on_both_engines;
use crate::world::{World, fields, stream};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use stepwell_contract::Code;
use stepwell_contract::handle::Handle;
use stepwell_contract::tool::{Spelling, ToolSet, definitions};
use stepwell_ladder::{Content, LadderError, LedgerFault, LedgerPolicy};
use stepwell_sample::known;
use stepwell_source::Extent;
use stepwell_source::prepare::Manifest;

on_both_engines!(
    every_tool_and_every_kind_of_resource_is_written_down,
    an_entry_says_which_part_of_which_record_was_shown,
    what_a_record_leads_to_and_what_is_gone_is_written_down,
    the_ledger_holds_no_content_no_phrase_and_no_cursor,
    what_is_refused_is_not_written_down_as_shown,
    what_cannot_be_written_down_is_refused_or_served_as_the_operator_decided,
);

fn all_streams() -> Vec<stepwell_source::grant::StreamRequest> {
    [known::MESSAGES, known::CONVERSATIONS, known::CHAT_MESSAGES].map(stream).to_vec()
}

/// A call of each tool.
fn calls() -> Vec<(&'static str, Value)> {
    let long = known::LONG_TEXT;
    vec![
        ("aggregate", json!({ "stream": "messages", "metric": "count" })),
        ("fetch", json!({ "id": long.id() })),
        ("query_records", json!({ "stream": "messages", "limit": 7 })),
        ("read_record_field", json!({ "id": long.id(), "field_path": long.field, "offset_chars": 100 })),
        ("schema", json!({})),
        ("search", json!({ "q": "roof" })),
    ]
}

/// A resource of each kind.
async fn uris(desk: &Desk) -> Vec<(&'static str, String)> {
    let find = async |id: String, prefix: &str| {
        let document = desk.call("fetch", json!({ "id": id })).await.expect("a document").into_inner();
        let fields = document.structured["content_ladder"]["records"][0]["fields"].as_array().cloned();
        let uris =
            fields.unwrap().into_iter().filter_map(|f| Some(f["resource"]["uri"].as_str()?.to_owned()));
        uris.into_iter().find(|uri| uri.starts_with(prefix)).expect("a uri")
    };
    let id = stepwell_contract::ResultId::parse(&known::ROOF_QUOTE.id()).unwrap();
    let (connection, stream) = (id.connection.clone(), id.stream.clone());
    vec![
        (
            "pdpp://record/",
            Handle::Record { connection: connection.clone(), stream: stream.clone(), record: id.record }
                .uri(),
        ),
        ("pdpp://stream/", Handle::Stream { connection, stream }.uri()),
        ("pdpp://field-window/", find(known::LONG_TEXT.id(), "pdpp://field-window/").await),
        ("pdpp://blob/", find(known::LARGE_BLOB.id(), "pdpp://blob/").await),
    ]
}

async fn every_tool_and_every_kind_of_resource_is_written_down(world: World) {
    world.fill_with_the_sample().await;
    let desk = Desk::new(&world, all_streams(), LedgerPolicy::default()).await;
    let tools = definitions(ToolSet::ALL, Spelling::Portable);
    let tools: BTreeSet<_> = tools.iter().map(|tool| tool.name).collect();
    assert_eq!(tools, calls().iter().map(|(tool, _)| *tool).collect(), "a tool that is not called here");
    for (tool, arguments) in calls() {
        desk.call(tool, arguments).await.expect("an answer");
        let entries = desk.new_entries().await;
        assert!(!entries.is_empty() && entries.iter().all(|entry| entry.tool == tool), "{tool}: {entries:?}");
    }
    let templates: BTreeSet<_> =
        desk.ladder.templates().into_iter().map(|one| one.uri_template.replace("{handle}", "")).collect();
    let uris = uris(&desk).await;
    let kinds: BTreeSet<_> = uris.iter().map(|(kind, _)| (*kind).to_owned()).collect();
    assert_eq!(templates, kinds, "a kind of resource that is not read here");
    desk.new_entries().await;
    for (kind, uri) in uris {
        desk.ladder.read_resource(&desk.asker(), &uri).await.expect(kind);
        let entries = desk.new_entries().await;
        let [entry] = &entries[..] else { panic!("{kind}: {entries:?}") };
        assert_eq!(
            (entry.tool.as_str(), entry.stream.as_deref()),
            ("resources/read", Some("messages")),
            "{kind}"
        );
        assert!(entry.bytes > 0, "{kind}");
    }
    desk.ladder.list_resources(&desk.asker(), None).await.expect("a list");
    let entries = desk.new_entries().await;
    assert_eq!((entries.len(), entries[0].tool.as_str(), &entries[0].record), (1, "resources/list", &None));
    // Nothing was found, and that was said.
    desk.call("search", json!({ "q": "zzzznothing" })).await.expect("an answer");
    let entries = desk.new_entries().await;
    assert_eq!((entries.len(), entries[0].tool.as_str(), entries[0].bytes), (1, "search", 0));
}

async fn what_a_record_leads_to_and_what_is_gone_is_written_down(world: World) {
    let manifest = r#"{"relationships":[{"name":"talk","stream":"talk","foreign_key":"room","cardinality":"has_many"}],
                       "query":{"expand":[{"name":"talk"}]}}"#;
    let line = |key: &str, data: Value| json!({ "key": key, "data": data }).to_string();
    let rooms = ["r1", "r2"].map(|key| line(key, json!({ "title": key })));
    let talk = ["t1", "t2"].map(|key| line(key, json!({ "room": "r1", "said": "x".repeat(50) })));
    world.fill_lines("c/rooms", None, Manifest::parse(manifest, "rooms").unwrap(), rooms.into_iter()).await;
    world.fill_lines("c/talk", None, Manifest::default(), talk.into_iter()).await;
    let desk = Desk::new(&world, ["rooms", "talk"].map(stream).to_vec(), LedgerPolicy::default()).await;
    let expected = [("rooms", "r1"), ("rooms", "r2"), ("talk", "t1"), ("talk", "t2")];
    let list = json!({ "stream": "rooms", "expand": ["talk"] });
    let opened = json!({ "id": "c/rooms:r1", "expand": ["talk"] });
    for (tool, arguments, expected) in [
        ("query_records", list, expected.to_vec()),
        ("fetch", opened, [&expected[..1], &expected[2..]].concat()),
    ] {
        let answer = desk.call(tool, arguments).await.unwrap();
        let entries = desk.new_entries().await;
        let mut shown: Vec<(&str, &str)> = entries
            .iter()
            .map(|entry| (entry.stream.as_deref().unwrap(), entry.record.as_deref().unwrap()))
            .collect();
        shown.sort_unstable();
        assert_eq!(shown, expected, "{tool}");
        assert!(entries.iter().all(|entry| entry.bytes > 0));
        let whole = answer.structured.to_string().len() as u64;
        assert!(entries.iter().map(|entry| entry.bytes).sum::<u64>() <= whole, "nothing counts twice");
    }
    let first =
        desk.call("query_records", json!({ "stream": "talk", "changes_since": "beginning" })).await.unwrap();
    let mark = first.structured["data"]["next_changes_since"].clone();
    let gone = std::iter::once(json!({ "key": "t1", "deleted": true }).to_string());
    world.fill_lines("c/talk", None, Manifest::default(), gone).await;
    desk.new_entries().await;
    let changes = json!({ "stream": "talk", "changes_since": mark });
    let answer = desk.call("query_records", changes).await.unwrap();
    let row =
        json!({ "object": "record", "id": "t1", "stream": "talk", "connection_id": "c", "deleted": true });
    assert_eq!(answer.structured["data"]["data"], json!([row]));
    assert!(
        answer.text[0].contains("1 deleted.") && answer.text[0].ends_with("deleted=\"c/talk:t1\""),
        "{:?}",
        answer.text
    );
    let [entry] = &desk.new_entries().await[..] else { panic!("one entry") };
    assert_eq!((entry.record.as_deref(), entry.bytes), (Some("t1"), row.to_string().len() as u64));
}

async fn an_entry_says_which_part_of_which_record_was_shown(world: World) {
    world.fill_with_the_sample().await;
    let desk = Desk::new(&world, all_streams(), LedgerPolicy::default()).await;
    let long = known::LONG_TEXT;
    let read = json!({ "id": long.id(), "field_path": long.field, "offset_chars": 100, "limit_chars": 50 });
    let answer = desk.call("read_record_field", read).await.unwrap();
    let [entry] = &desk.new_entries().await[..] else { panic!() };
    let place = [&entry.connection, &entry.stream, &entry.record, &entry.field].map(|part| part.as_deref());
    assert_eq!(place, [long.connection, long.stream, long.key, long.field].map(Some));
    assert_eq!(entry.extent.map(Extent::bounds), Some((100, 150)));
    let text = answer.structured["window"]["text"].as_str().unwrap();
    assert_eq!((entry.bytes, entry.tier.as_deref()), (text.len() as u64, Some("field-window")));
    assert_eq!((entry.grant.as_str(), entry.client.as_str()), (desk.caller.grant(), "a client"));

    let answer = desk.call("fetch", json!({ "id": long.id() })).await.unwrap();
    let entries = desk.new_entries().await;
    let [body, document] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!((document.record.as_deref(), &document.field, document.extent), (Some(long.key), &None, None));
    let text = answer.structured["text"].as_str().unwrap();
    assert_eq!((body.field.as_deref(), body.bytes), (Some(long.field), text.len() as u64));
    assert_eq!(body.extent.map(Extent::bounds), Some((0, text.chars().count() as u64)));

    let answer = desk.call("search", json!({ "q": "roof", "limit": 5 })).await.unwrap();
    let entries = desk.new_entries().await;
    let records = |entries: &[stepwell_source::ledger::LedgerEntry]| -> BTreeSet<String> {
        entries.iter().map(|entry| entry.record.clone().unwrap()).collect()
    };
    let results = answer.structured["results"].as_array().unwrap();
    let shown: BTreeSet<String> =
        results.iter().map(|hit| hit["record_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(records(&entries), shown);
    assert!(entries.iter().all(|entry| entry.field.is_some() && entry.extent.is_some()), "{entries:?}");

    let answer = desk.call("query_records", json!({ "stream": "messages", "limit": 7 })).await.unwrap();
    let entries = desk.new_entries().await;
    assert_eq!(entries.len(), 7);
    for (entry, row) in entries.iter().rev().zip(answer.structured["data"]["data"].as_array().unwrap()) {
        assert_eq!(entry.record.as_deref(), row["id"].as_str());
        assert_eq!(entry.bytes, row.to_string().len() as u64);
    }

    let (_, blob) = uris(&desk).await.pop().unwrap();
    desk.new_entries().await;
    let first = desk.ladder.read_resource(&desk.asker(), &blob).await.unwrap();
    let second = desk.ladder.read_resource(&desk.asker(), first.next_uri.as_deref().unwrap()).await.unwrap();
    let Content::Bytes(bytes) = &second.content else { panic!() };
    let entries = desk.new_entries().await;
    let (start, end) = (65_536, 65_536 + bytes.len() as u64);
    assert_eq!(
        entries[0].extent.map(|extent| (extent.unit(), extent.bounds())),
        Some(("bytes", (start, end)))
    );
    assert_eq!((entries[0].bytes, entries[0].tier.as_deref()), (bytes.len() as u64, Some("binary-export")));
}

async fn the_ledger_holds_no_content_no_phrase_and_no_cursor(world: World) {
    world.fill_with_the_sample().await;
    let desk = Desk::new(&world, all_streams(), LedgerPolicy::default()).await;
    // In a case in which it stands nowhere in the data.
    let phrase = known::UNIQUE_QUERY.to_uppercase();
    let long = known::LONG_TEXT;
    let read = json!({ "id": long.id(), "field_path": long.field, "q": phrase });
    let mut secrets = vec![phrase.clone()];
    let answer = desk.call("read_record_field", read).await.unwrap();
    let window = &answer.structured["window"];
    secrets.extend(["text", "next_cursor"].map(|key| window[key].as_str().unwrap().to_owned()));
    secrets.push(answer.meta.as_ref().unwrap()["next_match_cursor"].as_str().unwrap().to_owned());
    let hits = desk.call("search", json!({ "q": phrase })).await.unwrap();
    let more = desk.call("search", json!({ "q": "THE", "limit": 1 })).await.unwrap();
    for result in hits.structured["results"].as_array().unwrap() {
        secrets.extend(["title", "snippet"].map(|key| result[key].as_str().unwrap().to_owned()));
    }
    secrets.push(more.structured["data"]["next_cursor"].as_str().unwrap().to_owned());
    for (tool, arguments) in calls() {
        desk.call(tool, arguments).await.unwrap();
    }
    for (_, uri) in uris(&desk).await {
        desk.ladder.read_resource(&desk.asker(), &uri).await.unwrap();
    }
    let dump = desk.dump(&world).await;
    assert!(dump.contains(long.key) && dump.contains("read_record_field"), "{dump}");
    for secret in secrets {
        let head: String = secret.chars().take(24).collect();
        assert!(head.len() > 4 && !dump.contains(&head), "{head:?} stands in the ledger");
    }
    for file in desk.files(&world) {
        let holds = file.windows(phrase.len()).any(|part| part == phrase.as_bytes());
        assert!(!holds, "the phrase stands in the store's own file");
    }
}

async fn what_is_refused_is_not_written_down_as_shown(world: World) {
    world.fill_with_the_sample().await;
    let desk = Desk::new(
        &world,
        vec![fields(known::HOME_MAIL, known::MESSAGES, &["subject"])],
        LedgerPolicy::default(),
    )
    .await;
    let id = format!("{}/{}:{}", known::HOME_MAIL, known::MESSAGES, known::ROOF_QUOTE.key);
    for (tool, arguments, code) in [
        ("read_record_field", json!({ "id": id, "field_path": "body" }), Code::FieldNotGranted),
        (
            "read_record_field",
            json!({ "id": id, "field_path": "subject", "cursor": "x" }),
            Code::InvalidCursor,
        ),
        ("fetch", json!({ "id": id, "fields": ["body"] }), Code::FieldNotGranted),
        ("fetch", json!({ "id": "cin_home_mail/messages:none" }), Code::NotFound),
        ("query_records", json!({ "stream": "conversations" }), Code::GrantStreamNotAllowed),
        ("aggregate", json!({ "stream": "conversations", "metric": "count" }), Code::GrantStreamNotAllowed),
        ("schema", json!({ "stream": "conversations" }), Code::GrantStreamNotAllowed),
    ] {
        let refused = desk.call(tool, arguments.clone()).await.expect_err(tool).for_client();
        assert_eq!(refused.code, code, "{tool} {arguments}");
        assert!(desk.new_entries().await.is_empty(), "{tool} {arguments}");
    }
    // That a phrase does not occur says something about the text; which phrase it was is nobody's business.
    let missed =
        desk.call("read_record_field", json!({ "id": id, "field_path": "subject", "q": "zzz" })).await;
    assert_eq!(missed.expect_err("no such phrase").for_client().code, Code::QueryNotFound);
    let [entry] = &desk.new_entries().await[..] else { panic!("one entry") };
    assert_eq!((entry.field.as_deref(), entry.bytes), (Some("subject"), 0));
    assert_eq!(entry.record.as_deref(), Some(known::ROOF_QUOTE.key));
    assert!(!format!("{entry:?}").contains("zzz"));
    world.store.revoke_grant(desk.caller.grant()).await.unwrap();
    let refused = desk.call("fetch", json!({ "id": id })).await.expect_err("revoked").for_client();
    assert_eq!(refused.code, Code::GrantRevoked);
    assert!(desk.new_entries().await.is_empty());
}

async fn what_cannot_be_written_down_is_refused_or_served_as_the_operator_decided(world: World) {
    world.fill_with_the_sample().await;
    let policy = LedgerPolicy::default();
    let refuse = Desk::new(&world, all_streams(), policy).await;
    let serve =
        Desk::new(&world, all_streams(), LedgerPolicy { on_fault: LedgerFault::Serve, ..policy }).await;
    let off = Desk::new(&world, all_streams(), LedgerPolicy { enabled: false, ..policy }).await;
    let uris = uris(&off).await;
    assert!(off.new_entries().await.is_empty());
    world.fill_up_the_ledger().await;
    for (tool, arguments) in calls() {
        let error = refuse.call(tool, arguments.clone()).await.expect_err(tool);
        assert!(matches!(error, LadderError::Unrecorded(_)), "{tool}: {error:?}");
        let refusal = error.for_client();
        assert_eq!(refusal.code, Code::LedgerUnavailable, "{tool}");
        assert!(!refusal.to_json().to_string().contains("disclosure"), "{refusal}");
        serve.call(tool, arguments.clone()).await.expect(tool);
        off.call(tool, arguments).await.expect(tool);
    }
    for (kind, uri) in uris {
        let error = refuse.ladder.read_resource(&refuse.asker(), &uri).await.expect_err(kind);
        assert_eq!(error.for_client().code, Code::LedgerUnavailable, "{kind}");
        serve.ladder.read_resource(&serve.asker(), &uri).await.expect(kind);
    }
    let listed = refuse.ladder.list_resources(&refuse.asker(), None).await;
    assert!(matches!(listed, Err(LadderError::Unrecorded(_))));
}

//! Both channels of a window: structured content by the seed's schema, text that nothing in a record can forge.

use crate::on_both_engines;
use crate::world::{Ask, World, stream};
use serde_json::{Value, json};
use stepwell_contract::{Bytes, budget};
use stepwell_ladder::FieldWindow;
use stepwell_sample::known;
use stepwell_source::{Caller, Source as _};

on_both_engines!(
    every_window_of_the_sample_is_valid_consistent_and_within_its_budget,
    record_text_cannot_forge_the_header,
    a_phrase_of_the_greatest_length_stays_within_the_budget,
);

/// The seed's output schema, to the letter.
const SEED: &str = include_str!("fixtures/read_record_field.output.json");

/// Checks what holds for every window, in both channels.
struct Checker {
    schema: jsonschema::Validator,
}

impl Checker {
    fn new() -> Self {
        let seed: Value = serde_json::from_str(SEED).expect("the seed is JSON");
        Self { schema: jsonschema::validator_for(&seed).expect("the seed is a schema") }
    }

    fn check(&self, ask: &Ask, window: &FieldWindow) {
        let structured = window.structured();
        if let Err(error) = self.schema.validate(&structured) {
            panic!("{ask:?}: {error}: {structured}");
        }
        let text = window.to_text();
        let (line, body) = text.split_once('\n').expect("a header line");
        assert_eq!(body, window.text, "{ask:?}");
        assert_eq!(line, window.header());
        let visible = |c: char| !c.is_control() && !"\u{2028}\u{2029}\u{202e}\u{feff}\u{200b}".contains(c);
        assert!(line.chars().all(visible), "{line:?}");
        agree(&serde_json::from_str(line).expect("the header is JSON"), &structured);
        within_budget(ask, window);
    }
}

/// The header says the same as the structured content.
fn agree(header: &Value, structured: &Value) {
    let (record, field, window) = (&structured["record"], &structured["field"], &structured["window"]);
    assert_eq!(header["id"], record["id"]);
    assert_eq!(header["field_path"], field["path"]);
    assert_eq!((&header["total_chars"], &header["digest"]), (&field["size_chars"], &field["digest"]));
    for member in ["start_chars", "end_chars", "complete", "next_cursor", "previous_cursor"] {
        assert_eq!(header[member], window[member], "{member}");
    }
    let chars = window["text"].as_str().unwrap().chars().count() as u64;
    assert_eq!(window["end_chars"].as_u64().unwrap() - window["start_chars"].as_u64().unwrap(), chars);
    let hit = |member| window["match"].get(member).cloned().unwrap_or(Value::Null);
    let said = |member| header.get(member).cloned().unwrap_or(Value::Null);
    assert_eq!(said("match_start_chars"), hit("start_chars"));
    assert_eq!(said("match_end_chars"), hit("end_chars"));
    assert_eq!(said("next_match_cursor").is_string(), window["match"].is_object());
}

/// What goes over the wire is at most twice the window's text, as it is serialised there, and a fixed frame.
fn within_budget(ask: &Ask, window: &FieldWindow) {
    let content = json!([{ "type": "text", "text": window.to_text() }]);
    let result = json!({ "content": content, "structuredContent": window.structured() }).to_string();
    let text = json!(window.text).to_string();
    let budget = budget::window(Bytes::of(&text));
    assert!(Bytes::of(&result) <= budget, "{ask:?}: {} bytes of {budget}", result.len());
}

async fn every_window_of_the_sample_is_valid_consistent_and_within_its_budget(world: World) {
    world.fill_with_the_sample().await;
    let streams = [known::MESSAGES, known::CONVERSATIONS, known::CHAT_MESSAGES];
    let caller = world.grant(streams.map(stream).to_vec()).await;
    let checker = Checker::new();
    let mut windows = 0;
    for connection in stepwell_sample::connections() {
        for one in &connection.streams {
            for record in &one.records {
                let id = format!("{}/{}:{}", connection.id, one.name, record.key);
                for ask in text_fields(&world, &caller, &id).await {
                    windows += check_all(&world, &caller, &checker, ask).await;
                }
            }
        }
    }
    assert!(windows > 2_000, "{windows} windows");
}

/// Each field of a record that a window can be read from.
async fn text_fields(world: &World, caller: &Caller, id: &str) -> Vec<Ask> {
    let record = stepwell_contract::ResultId::parse(id).unwrap().into();
    let view = world.store.record(caller, &record, None).await.unwrap();
    let text_like = view.fields.iter().filter(|field| field.shape.kind.is_text_like());
    text_like.map(|field| Ask::new(id, &field.name)).collect()
}

async fn check_all(world: &World, caller: &Caller, checker: &Checker, first: Ask) -> usize {
    let (mut ask, mut count) = (first.clone(), 0);
    loop {
        let window = world.window(caller, &ask).await;
        checker.check(&ask, &window);
        count += 1;
        if count == 1 {
            // The word that stands in the window is found in it, so the match is checked on real text too.
            let word: String = window.text.chars().skip(7).take(12).collect();
            if !word.is_empty() {
                let by_match = first.clone().q(&word).limit(64);
                checker.check(&by_match, &world.window(caller, &by_match).await);
            }
        }
        match window.next_cursor {
            Some(cursor) => ask = first.clone().cursor(&cursor),
            None => return count,
        }
    }
}

async fn record_text_cannot_forge_the_header(world: World) {
    world.fill_with_the_sample().await;
    let caller = world.grant(vec![stream(known::MESSAGES)]).await;
    let checker = Checker::new();
    for key in known::HOSTILE_KEYS.iter().chain(known::ODD_KEYS) {
        let id = format!("{}/{}:{key}", known::HOME_MAIL, known::MESSAGES);
        for ask in text_fields(&world, &caller, &id).await {
            // From every offset of the text, so that a forged line also comes to stand first in a window.
            for offset in (0..1_500).step_by(61) {
                let ask = ask.clone().offset(offset);
                let window = world.window(&caller, &ask).await;
                checker.check(&ask, &window);
                let header: Value = serde_json::from_str(window.to_text().lines().next().unwrap()).unwrap();
                assert_eq!(header["id"], json!(id));
                assert_eq!(header["start_chars"].as_u64(), Some(offset.min(window.window.total.get())));
            }
        }
    }
}

async fn a_phrase_of_the_greatest_length_stays_within_the_budget(world: World) {
    for letter in ["q", "ж"] {
        check_phrase(&world, &letter.repeat(512)).await;
    }
}

async fn check_phrase(world: &World, phrase: &str) {
    world.fill("mail/messages", &[("m1", json!({ "body": format!("{phrase} {phrase}") }))]).await;
    let caller = world.grant(vec![stream("messages")]).await;
    let ask = Ask::new("mail/messages:m1", "body").q(phrase).limit(1);
    Checker::new().check(&ask, &world.window(&caller, &ask).await);
}

//! Nested JSON, read by pointer.

use crate::on_both_engines;
use crate::world::{Ask, World, digest, fields, stream};
use serde_json::{Value, json};
use stepwell_contract::Code;
use stepwell_sample::known;

on_both_engines!(
    a_pointer_reads_short_and_long_values_inside_a_field,
    an_object_is_read_as_canonical_json_text,
    a_pointer_to_nothing_or_to_no_text_is_refused_by_its_kind,
    the_grant_checks_the_first_token_of_a_pointer,
    odd_names_are_reached_by_their_escapes,
);

const ID: &str = "mail/messages:m1";

fn record() -> Value {
    json!({
        "headers": {
            "list": [{ "name": "a" }, { "name": "b", "log": "line é\n".repeat(2_000) }],
            "short": "short \u{1f98a}",
            "number": 1.50,
            "yes": true,
            "nothing": null,
            "b": { "z": 1, "a": [2, 3] },
        },
        "small": { "inside": { "text": "only a few letters" } },
        "secret": { "inside": "not for everyone" },
    })
}

async fn prepared(world: &World) -> stepwell_source::Caller {
    world.fill("mail/messages", &[("m1", record())]).await;
    world.grant(vec![fields("mail", "messages", &["headers", "small"])]).await
}

async fn a_pointer_reads_short_and_long_values_inside_a_field(world: World) {
    let caller = prepared(&world).await;
    for (path, text) in [
        ("/headers/short", "short \u{1f98a}"),
        ("/headers/list/0/name", "a"),
        ("/headers/list/1/name", "b"),
        ("/small/inside/text", "only a few letters"),
    ] {
        let window = world.window(&caller, &Ask::new(ID, path)).await;
        assert_eq!((window.text.as_str(), window.window.complete()), (text, true), "{path}");
        assert_eq!(window.field.shape.digest.unwrap().to_string(), digest(text));
        assert_eq!(window.field.shape.mime.as_deref(), Some("text/plain"));
    }
    let log = Ask::new(ID, "/headers/list/1/log");
    let window = world.window(&caller, &log.clone().offset(13_000)).await;
    assert_eq!(window.text, "line é\n".repeat(2_000).chars().skip(13_000).collect::<String>());
    assert_eq!(world.window(&caller, &log.q("LINE É\nline").context(0, 0)).await.text, "line é\nline");
}

async fn an_object_is_read_as_canonical_json_text(world: World) {
    let caller = prepared(&world).await;
    let small = world.window(&caller, &Ask::new(ID, "/headers/b")).await;
    assert_eq!(small.text, r#"{"a":[2,3],"z":1}"#);
    assert_eq!(small.field.shape.mime.as_deref(), Some("application/json"));
    for path in ["headers", "/headers", "/headers/list", "/headers/list/1"] {
        let (mut text, mut ask) = (String::new(), Ask::new(ID, path).limit(5_000));
        loop {
            let window = world.window(&caller, &ask).await;
            text.push_str(&window.text);
            match window.next_cursor {
                Some(cursor) => ask = Ask::new(ID, path).cursor(&cursor),
                None => {
                    break assert_eq!(
                        window.field.shape.digest.unwrap().to_string(),
                        digest(&text),
                        "{path}"
                    );
                }
            }
        }
        let parsed: Value = serde_json::from_str(&text).unwrap();
        let pointer = if path == "headers" { "/headers" } else { path };
        assert_eq!(Some(&parsed), record().pointer(pointer), "{path}");
    }
}

async fn a_pointer_to_nothing_or_to_no_text_is_refused_by_its_kind(world: World) {
    let caller = prepared(&world).await;
    for path in
        ["/headers/none", "/headers/list/2", "/headers/list/01", "/headers/short/x", "/small/inside/text/0"]
    {
        assert_eq!(world.code(&caller, &Ask::new(ID, path)).await, Code::FieldNotFound, "{path}");
    }
    for (path, kind) in
        [("/headers/number", "number"), ("/headers/yes", "boolean"), ("/headers/nothing", "null")]
    {
        let refusal = world.refusal(&caller, &Ask::new(ID, path)).await;
        assert_eq!((refusal.code, &refusal.extras["kind"]), (Code::FieldNotText, &json!(kind)), "{path}");
    }
}

async fn the_grant_checks_the_first_token_of_a_pointer(world: World) {
    let caller = prepared(&world).await;
    world.content_seen();
    for path in ["secret", "/secret", "/secret/inside", "/secret/none", "/none/inside", "/"] {
        assert_eq!(world.code(&caller, &Ask::new(ID, path)).await, Code::FieldNotGranted, "{path}");
        world.assert_nothing_was_selected(path);
    }
}

async fn odd_names_are_reached_by_their_escapes(world: World) {
    world.fill_with_the_sample().await;
    let caller = world.grant(vec![stream(known::MESSAGES)]).await;
    let id = format!("{}/{}:m-0911", known::HOME_MAIL, known::MESSAGES);
    for (path, text) in [
        ("/headers/odd/a~1b", "slash"),
        ("/headers/odd/m~0n", "tilde"),
        ("/headers/odd/", "empty"),
        ("/headers/odd/ ", "blank"),
        ("/headers/odd/~01", "escaped slash"),
        ("/headers/odd/0/0", "not an index"),
    ] {
        assert_eq!(world.window(&caller, &Ask::new(&id, path)).await.text, text, "{path}");
    }
    let (place, pointer) = (known::LARGE_JSON, known::LARGE_JSON_POINTER);
    let connections = stepwell_sample::connections();
    let inside = pointer.strip_prefix("/headers").unwrap();
    let log = place.find(&connections).and_then(|value| value.pointer(inside)?.as_str()).unwrap();
    let window = world.window(&caller, &Ask::new(&place.id(), pointer).limit(16_384)).await;
    assert_eq!(window.field.shape.digest.unwrap().to_string(), digest(log));
    assert!(log.starts_with(&window.text));
}

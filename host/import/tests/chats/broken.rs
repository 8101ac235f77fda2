//! Exports that are damaged, or made to do damage.

use super::chatgpt;
use crate::desk::{Desk, Room};
use serde_json::json;
use stepwell_import::{ImportError, Kind, Options};

fn import(json: impl AsRef<[u8]>) -> Desk {
    let room = Room::new();
    Desk::import(Kind::Chatgpt, &room.file("conversations.json", json))
}

fn one() -> String {
    chatgpt::export()[0].to_string()
}

#[test]
fn one_broken_conversation_costs_no_other() {
    let deep = format!("{}1{}", "[".repeat(300), "]".repeat(300));
    for broken in [
        "{\"mapping\": nonsense}",
        "17",
        "null",
        "{}",
        "{\"conversation_id\":\"x\",\"mapping\":[]}",
        deep.as_str(),
    ] {
        let other = one().replace("c0ffee-1", "other");
        let desk = import(format!("[{},{broken},{other}]", one()));
        assert_eq!(desk.of("conversations").len(), 2, "{broken}");
        assert_eq!(desk.reasons(), ["malformed"], "{broken}");
        assert_eq!(desk.skips[0].place.to_string(), "conversations.json, conversation 2");
    }
}

#[test]
fn a_file_that_was_cut_gives_what_was_before_the_cut() {
    let whole = format!("[{},{}]", one(), one().replace("c0ffee-1", "other"));
    for cut in [one().len() + 2, one().len() + 500, whole.len() - 1] {
        let desk = import(&whole[..cut]);
        assert!((1..=2).contains(&desk.of("conversations").len()));
        assert_eq!(desk.reasons(), ["truncated"]);
    }
    assert_eq!(import("").reasons(), ["truncated"]);
    assert_eq!(import("{}").reasons(), ["malformed"]);
}

#[test]
fn half_characters_and_nul_are_text_like_any_other() {
    let json = one().replace("Why does", "\\ud83d \\u0000 Why does");
    let desk = import(format!("[{json}]"));
    let text = desk
        .of("chat_messages")
        .iter()
        .find_map(|(_, data)| data["text"].as_str().filter(|text| text.contains("Why")).map(str::to_owned));
    assert_eq!(text.unwrap(), "\u{fffd} \0 Why does my roof leak?");
    let mut broken = one().replace("Why does", "caf\u{1}Why").into_bytes();
    broken.iter_mut().for_each(|byte| {
        if *byte == 1 {
            *byte = 0xe9;
        }
    });
    assert_eq!(import([b"[", broken.as_slice(), b"]"].concat()).of("conversations").len(), 1);
}

#[test]
fn the_same_conversation_twice_is_one_and_wrong_times_are_none() {
    let desk = import(format!("[{},{}]", one(), one()));
    assert_eq!(desk.of("conversations").len(), 1);
    assert!(desk.reasons().iter().all(|reason| *reason == "duplicate"));
    let mut wrong = chatgpt::export();
    for time in [json!(1e300), json!(-5e15), json!("soon"), json!({})] {
        wrong[0]["update_time"] = time;
        assert!(import(wrong.to_string()).one("conversations").get("updated_at").is_none());
    }
}

#[test]
fn ids_that_lead_elsewhere_become_keys_that_do_not() {
    let desk = import(format!("[{}]", one().replace("c0ffee-1", "../../../etc/passwd")));
    assert!(desk.drafts.iter().all(|draft| !draft.key.contains('/') && !draft.key.contains("..")));
}

#[test]
fn an_archive_without_conversations_is_refused() {
    let room = Room::new();
    for kind in [Kind::Chatgpt, Kind::Claude, Kind::Telegram, Kind::Whatsapp] {
        let zip = room.zip("x.zip", &[("readme.md", b"hello")]);
        let options = Options { zone: Some(jiff::tz::TimeZone::UTC), ..Options::default() };
        let error = Desk::with(kind, &zip, options.clone()).err().expect("a refusal");
        assert!(matches!(error, ImportError::NotOfKind { .. }), "{error}");
        let error = Desk::with(kind, &room.path("nowhere"), options).err().expect("a refusal");
        assert!(matches!(error, ImportError::Io { .. }), "{error}");
    }
}

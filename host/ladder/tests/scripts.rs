//! Text in any script comes back code point for code point, forwards and backwards.

use crate::on_both_engines;
use crate::world::{Ask, World, digest, long_text, stream};
use serde_json::json;
use stepwell_sample::known;
use stepwell_source::Caller;

on_both_engines!(
    windows_along_next_cursor_join_to_the_text_in_any_script,
    windows_along_previous_cursor_join_to_the_text_in_any_script,
    the_sample_text_of_several_megabytes_joins_to_its_digest_both_ways,
    a_nul_comes_back_where_it_was,
);

const ID: &str = "mail/messages:m1";

/// Texts that cutting by bytes, by UTF-16 units or by grapheme would break.
fn texts() -> Vec<String> {
    vec![
        "日本語の文章。漢字仮名交じり文は続く。".repeat(400),
        "👩‍👩‍👧‍👦🏳️‍🌈🇨🇭👋🏽 ".repeat(450),
        "e\u{301}o\u{308}a\u{30a}\u{323}n\u{303}".repeat(1_000),
        "\u{301}".repeat(5_000),
        "שלום العربية नमस्ते ไทย 한국어 \u{202e}reversed\u{202c} ".repeat(150),
        "\u{10ffff}\u{fffe}\u{ffff}\u{feff}\u{2028}\r\n\u{85}\u{1b}[31m".repeat(500),
        long_text(9_001),
    ]
}

/// Reads from a window to the end of the field in one direction.
async fn walk(world: &World, caller: &Caller, start: Ask, limit: u64, forwards: bool) -> String {
    let mut parts = Vec::new();
    let mut ask = start.clone();
    loop {
        let window = world.window(caller, &ask).await;
        assert!(window.text.chars().count() as u64 <= limit);
        parts.push(window.text);
        assert!(parts.len() < 10_000, "the walk has no end");
        match if forwards { window.next_cursor } else { window.previous_cursor } {
            Some(cursor) => ask = start.clone().cursor(&cursor),
            None => break,
        }
    }
    if !forwards {
        parts.reverse();
    }
    parts.concat()
}

async fn each_text(world: &World) -> Vec<(Caller, String, Ask)> {
    let mut cases = Vec::new();
    for (index, text) in texts().into_iter().enumerate() {
        let key = format!("m{index}");
        world.fill("mail/messages", &[(&key, json!({ "body": text }))]).await;
        let caller = world.grant(vec![stream("messages")]).await;
        cases.push((caller, text, Ask::new(&format!("mail/messages:{key}"), "body")));
    }
    cases
}

async fn windows_along_next_cursor_join_to_the_text_in_any_script(world: World) {
    for (caller, text, ask) in each_text(&world).await {
        for limit in [997, 4_096, 16_384] {
            let read = walk(&world, &caller, ask.clone().limit(limit), limit, true).await;
            assert_eq!(digest(&read), digest(&text), "{limit}: {:?}", &text[..text.len().min(20)]);
        }
    }
}

async fn windows_along_previous_cursor_join_to_the_text_in_any_script(world: World) {
    for (caller, text, ask) in each_text(&world).await {
        for limit in [997, 4_096] {
            let last = ask.clone().offset(u64::MAX).limit(limit);
            let read = walk(&world, &caller, last, limit, false).await;
            assert_eq!(digest(&read), digest(&text), "{limit}: {:?}", &text[..text.len().min(20)]);
        }
    }
}

async fn the_sample_text_of_several_megabytes_joins_to_its_digest_both_ways(world: World) {
    world.fill_with_the_sample().await;
    let caller = world.grant(vec![stream(known::MESSAGES)]).await;
    let connections = stepwell_sample::connections();
    let text = known::LONG_TEXT.find(&connections).and_then(|value| value.as_str()).unwrap();
    let ask = Ask::new(&known::LONG_TEXT.id(), known::LONG_TEXT.field).limit(16_384);
    assert_eq!(world.window(&caller, &ask).await.field.shape.digest.unwrap().to_string(), digest(text));
    assert_eq!(digest(&walk(&world, &caller, ask.clone(), 16_384, true).await), digest(text));
    let last = ask.offset(u64::MAX);
    assert_eq!(digest(&walk(&world, &caller, last, 16_384, false).await), digest(text));
}

async fn a_nul_comes_back_where_it_was(world: World) {
    let short = "a\0b\u{fdd0}\0日\0";
    let long = format!("{short}{}", "x\0y é\0".repeat(3_000));
    world.fill("mail/messages", &[("m1", json!({ "short": short, "long": long }))]).await;
    let caller = world.grant(vec![stream("messages")]).await;
    let window = world.window(&caller, &Ask::new(ID, "short")).await;
    assert_eq!((window.text.as_str(), window.window.total.get()), (short, 7));
    assert_eq!(window.field.shape.digest.unwrap().to_string(), digest(short));
    let read = walk(&world, &caller, Ask::new(ID, "long").limit(1_000), 1_000, true).await;
    assert_eq!(read, long);
    let found = world.window(&caller, &Ask::new(ID, "long").q("Y É\0X").context(0, 0)).await;
    assert_eq!(found.text, "y é\0x");
}

//! Windows of text: every code point once, in its order, wherever the chunks are cut.

use crate::dice::Dice;
use crate::on_both_engines;
use crate::world::{World, line, stream};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use stepwell_contract::{Chars, Span};
use stepwell_source::prepare::RejectionCode;
use stepwell_source::{Source, SourceError};

on_both_engines!(
    spans_of_any_size_join_to_the_original,
    a_span_anywhere_is_the_slice_of_the_original,
    lengths_around_the_chunk_size_read_back_whole,
    what_lies_past_the_end_is_not_there,
    nul_round_trips_and_counts_as_one_code_point,
    half_a_surrogate_pair_is_rejected_and_nothing_is_cut,
);

/// The digest as a field shows it, computed from the original.
fn digest(text: &str) -> String {
    let hex: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

async fn spans_of_any_size_join_to_the_original(world: World) {
    let mut dice = Dice(11);
    // The second has no white space at all, so it is cut at the limit.
    let texts = [dice.text(60_000), "👩\u{200d}🦰e\u{301}漢".repeat(4_000)];
    for (number, text) in texts.iter().enumerate() {
        let key = number.to_string();
        world.fill("c/s", None, &[line(&key, &json!({ "body": text }))]).await;
        let caller = world.grant(vec![stream("s")]).await;
        let field = world.field(&caller, &format!("c/s:{key}"), "body").await.unwrap();
        assert_eq!(field.shape.chars, Some(Chars::of(text)));
        assert_eq!(field.shape.digest.unwrap().to_string(), digest(text));
        for largest in [700, 5_000, 17_000] {
            let (mut at, mut joined) = (Chars::ZERO, String::new());
            while at < field.shape.chars.unwrap() {
                let span = Span::at(at, Chars(1 + dice.below(largest)));
                let piece = world.store.text(&caller, &field, span).await.unwrap();
                at = at + Chars::of(&piece);
                joined.push_str(&piece);
            }
            assert_eq!(digest(&joined), digest(text));
        }
    }
}

async fn a_span_anywhere_is_the_slice_of_the_original(world: World) {
    let mut dice = Dice(12);
    let text = dice.text(30_000);
    let chars: Vec<char> = text.chars().collect();
    world.fill("c/s", None, &[line("k", &json!({ "body": text }))]).await;
    let caller = world.grant(vec![stream("s")]).await;
    let field = world.field(&caller, "c/s:k", "body").await.unwrap();
    for _ in 0..150 {
        let (at, len) = (dice.below(30_500), dice.below(9_000));
        let naive: String = chars.iter().skip(at as usize).take(len as usize).collect();
        let span = Span::at(Chars(at), Chars(len));
        assert!(world.store.text(&caller, &field, span).await.unwrap() == naive, "{span:?}");
    }
}

async fn lengths_around_the_chunk_size_read_back_whole(world: World) {
    let lengths = [0, 1, 2, 4_095, 4_096, 4_097, 8_191, 8_192, 8_193, 12_288];
    let mut dice = Dice(13);
    let texts: Vec<String> = lengths.iter().map(|&length| dice.text(length)).collect();
    let lines: Vec<String> =
        texts.iter().enumerate().map(|(n, text)| line(&n.to_string(), &json!({ "body": text }))).collect();
    world.fill("c/s", None, &lines).await;
    let caller = world.grant(vec![stream("s")]).await;
    for (number, text) in texts.iter().enumerate() {
        let id = format!("c/s:{number}");
        assert_eq!(&world.whole(&caller, &id, "body").await.unwrap(), text);
        let len = Chars::of(text).get();
        let last: String = text.chars().last().into_iter().collect();
        assert_eq!(world.text(&caller, &id, "body", len.saturating_sub(1), 5).await.unwrap(), last);
    }
}

async fn what_lies_past_the_end_is_not_there(world: World) {
    let lines =
        [line("short", &json!({ "body": "äbc" })), line("long", &json!({ "body": "ä".repeat(9_000) }))];
    world.fill("c/s", None, &lines).await;
    let caller = world.grant(vec![stream("s")]).await;
    for (id, total) in [("c/s:short", 3), ("c/s:long", 9_000)] {
        for at in [total, total + 1, 1 << 40, i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX - 1, u64::MAX] {
            assert_eq!(world.text(&caller, id, "body", at, 4_096).await.unwrap(), "", "{id} {at}");
        }
        let across = world.text(&caller, id, "body", total - 2, u64::MAX).await.unwrap();
        assert_eq!(across.chars().count(), 2);
        let field = world.field(&caller, id, "body").await.unwrap();
        assert_eq!(world.find(&caller, &field, "Ä", u64::MAX).await, None);
    }
}

async fn nul_round_trips_and_counts_as_one_code_point(world: World) {
    let mut dice = Dice(14);
    let short = "a\0b\u{fdd0}\0\u{fffe}".to_owned();
    let long = format!("{short}{}\0end", dice.text(9_000).replace('a', "\0"));
    let data = json!({ "short": short, "long": long, "tree": { "leaf": "x\0y", "long": long } });
    assert_eq!(world.fill("c/s", None, &[line("k", &data)]).await.stored.added, 1);
    let caller = world.grant(vec![stream("s")]).await;
    for (path, text) in
        [("short", &short), ("long", &long), ("/tree/long", &long), ("/tree/leaf", &"x\0y".to_owned())]
    {
        let field = world.field(&caller, "c/s:k", path).await.unwrap();
        assert_eq!(field.shape.chars, Some(Chars::of(text)), "{path}");
        assert_eq!(field.shape.bytes.unwrap().get(), text.len() as u64, "{path}");
        assert_eq!(field.shape.digest.unwrap().to_string(), digest(text), "{path}");
        assert!(world.store.text(&caller, &field, field.whole()).await.unwrap() == *text, "{path}");
    }
    assert_eq!(world.text(&caller, "c/s:k", "short", 1, 4).await.unwrap(), "\0b\u{fdd0}\0");
    let field = world.field(&caller, "c/s:k", "long").await.unwrap();
    assert_eq!(world.find(&caller, &field, "\0END", 0).await, Some(Chars::of(&long).get() - 4));
    // JSON keeps its own escape, so the enclosing text has six characters there.
    assert!(
        world.whole(&caller, "c/s:k", "tree").await.unwrap().starts_with(r#"{"leaf":"x\u0000y","long":"#)
    );
    let view = world.record(&caller, "c/s:k", None).await.unwrap();
    assert_eq!(view.fields.iter().find(|field| field.name == "short").unwrap().head.as_ref(), Some(&short));
}

async fn half_a_surrogate_pair_is_rejected_and_nothing_is_cut(world: World) {
    let filled = world
        .fill(
            "c/s",
            None,
            &[
                r#"{"key":"good","data":{"a":"\ud83d\ude00"}}"#,
                r#"{"key":"lead","data":{"a":"x\ud83dy"}}"#,
                r#"{"key":"trail","data":{"a":"x\ude00y"}}"#,
                r#"{"key":"end","data":{"a":"x\ud83d"}}"#,
                r#"{"key":"swapped","data":{"a":"\ude00\ud83d"}}"#,
                r#"{"key":"nested","data":{"a":{"b":["\ud800"]}}}"#,
                r#"{"key":"name","data":{"\udfff":1}}"#,
                r#"{"key":"\ud800","data":{}}"#,
                r#"{"key":"also-good","data":{"a":"y"}}"#,
                r#"{"key":"no-json","data":{"a":"\ud83d\ude00"} x}"#,
            ],
        )
        .await;
    assert_eq!(filled.stored.added, 2);
    let mut rejected: Vec<_> = (2..=8).map(|number| (number, RejectionCode::LoneSurrogate)).collect();
    rejected.push((10, RejectionCode::MalformedNdjson));
    assert_eq!(filled.rejected, rejected);
    let caller = world.grant(vec![stream("s")]).await;
    assert_eq!(world.whole(&caller, "c/s:good", "a").await.unwrap(), "😀");
    assert!(matches!(world.field(&caller, "c/s:lead", "a").await, Err(SourceError::Refused(_))));
}

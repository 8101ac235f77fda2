//! Windows by offset and by cursor.

use crate::on_both_engines;
use crate::world::{Ask, World, digest, long_text, stream};
use serde_json::json;
use stepwell_contract::{Chars, Code, unit};
use stepwell_contract::{FieldPath, Span};

on_both_engines!(
    without_a_selector_the_first_4096_characters_are_read,
    the_next_cursor_goes_on_and_the_previous_one_comes_back,
    a_small_window_holds_exactly_what_was_asked_for,
    a_window_over_the_limit_is_refused_and_nothing_is_read,
    past_the_end_stands_an_empty_window_at_the_end,
    a_short_field_is_complete_and_has_no_cursors,
    any_window_is_what_a_slice_of_the_text_is,
);

const ID: &str = "mail/messages:m1";

async fn long_field(world: &World) -> (stepwell_source::Caller, String) {
    let text = long_text(10_000);
    world.fill("mail/messages", &[("m1", json!({ "body": text, "subject": "long" }))]).await;
    (world.grant(vec![stream("messages")]).await, text)
}

fn part(text: &str, start: u64, end: u64) -> &str {
    unit::slice(text, Span::new(Chars(start), Chars(end)).expect("a span"))
}

async fn without_a_selector_the_first_4096_characters_are_read(world: World) {
    let (caller, text) = long_field(&world).await;
    let window = world.window(&caller, &Ask::new(ID, "body")).await;
    assert_eq!(window.text, part(&text, 0, 4_096));
    assert_eq!(window.window.span, Span::at(Chars(0), Chars(4_096)));
    assert_eq!((window.window.total, window.window.limit), (Chars(10_000), Chars(4_096)));
    assert!(!window.window.complete() && window.next_cursor.is_some());
    assert_eq!(window.previous_cursor, None);
    assert_eq!(window.next_match_cursor, None);
    assert_eq!(window.field.shape.digest.unwrap().to_string(), digest(&text));
    assert_eq!(window.field.path, FieldPath::top_level("body"));
}

async fn the_next_cursor_goes_on_and_the_previous_one_comes_back(world: World) {
    let (caller, text) = long_field(&world).await;
    let ask = Ask::new(ID, "body");
    let first = world.window(&caller, &ask).await;
    let second = world.window(&caller, &ask.clone().cursor(first.next_cursor.as_deref().unwrap())).await;
    assert_eq!(second.text, part(&text, 4_096, 8_192));
    let last = world.window(&caller, &ask.clone().cursor(second.next_cursor.as_deref().unwrap())).await;
    assert_eq!(last.text, part(&text, 8_192, 10_000));
    assert_eq!(last.next_cursor, None);
    let back = world.window(&caller, &ask.clone().cursor(last.previous_cursor.as_deref().unwrap())).await;
    assert_eq!(back.text, second.text);
    let start = world.window(&caller, &ask.cursor(back.previous_cursor.as_deref().unwrap())).await;
    assert_eq!((start.text, start.previous_cursor), (first.text, None));
}

async fn a_small_window_holds_exactly_what_was_asked_for(world: World) {
    let (caller, text) = long_field(&world).await;
    for (offset, limit) in [(0, 1), (4_095, 2), (4_096, 1), (9_999, 1), (9_990, 50), (123, 16_384)] {
        let window = world.window(&caller, &Ask::new(ID, "body").offset(offset).limit(limit)).await;
        assert_eq!(window.text, part(&text, offset, (offset + limit).min(10_000)), "{offset} {limit}");
    }
}

async fn a_window_over_the_limit_is_refused_and_nothing_is_read(world: World) {
    let (caller, _) = long_field(&world).await;
    world.content_seen();
    for limit in [0, 16_385, u64::MAX] {
        let refusal = world.refusal(&caller, &Ask::new(ID, "body").limit(limit)).await;
        assert_eq!(
            (refusal.code, refusal.param.as_deref()),
            (Code::InvalidWindowSelector, Some("limit_chars"))
        );
    }
    world.assert_nothing_was_selected("over the limit");
    world.window(&caller, &Ask::new(ID, "body").limit(16_384)).await;
}

async fn past_the_end_stands_an_empty_window_at_the_end(world: World) {
    let (caller, text) = long_field(&world).await;
    for offset in [10_000, 10_001, u64::MAX] {
        let window = world.window(&caller, &Ask::new(ID, "body").offset(offset).limit(100)).await;
        assert_eq!((window.text.as_str(), window.window.span), ("", Span::at(Chars(10_000), Chars(0))));
        assert_eq!((window.window.complete(), window.next_cursor), (false, None));
        let back = Ask::new(ID, "body").cursor(window.previous_cursor.as_deref().unwrap());
        assert_eq!(world.window(&caller, &back).await.text, part(&text, 9_900, 10_000));
    }
}

async fn a_short_field_is_complete_and_has_no_cursors(world: World) {
    world.fill("mail/messages", &[("m1", json!({ "body": "grüße 👋", "empty": "" }))]).await;
    let caller = world.grant(vec![stream("messages")]).await;
    for (field, text) in [("body", "grüße 👋"), ("empty", "")] {
        let window = world.window(&caller, &Ask::new(ID, field)).await;
        assert_eq!((window.text.as_str(), window.window.complete()), (text, true));
        assert_eq!((window.next_cursor, window.previous_cursor), (None, None));
    }
}

async fn any_window_is_what_a_slice_of_the_text_is(world: World) {
    let (caller, text) = long_field(&world).await;
    let mut dice = 1_u64;
    let mut below = |bound: u64| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) % bound
    };
    for _ in 0..60 {
        let (offset, limit) = (below(11_000), 1 + below(5_000));
        let window = world.window(&caller, &Ask::new(ID, "body").offset(offset).limit(limit)).await;
        let start = offset.min(10_000);
        assert_eq!(window.text, part(&text, start, (start + limit).min(10_000)), "{offset} {limit}");
    }
}

//! Windows around a phrase.

use crate::on_both_engines;
use crate::world::{Ask, World, stream};
use serde_json::json;
use stepwell_contract::{Chars, Code, Span};

on_both_engines!(
    a_match_is_shown_with_2048_characters_on_each_side,
    a_limit_beside_the_phrase_caps_the_window_around_the_match,
    case_is_folded_beyond_ascii_and_offsets_stay_those_of_the_text,
    the_next_match_cursor_finds_every_match_and_then_ends_at_the_end,
    a_phrase_across_a_chunk_border_is_found,
    a_phrase_that_does_not_occur_is_refused_with_the_size_of_the_field,
    a_match_window_pages_on_like_any_other,
);

const ID: &str = "mail/messages:m1";

async fn with_body(world: &World, body: &str) -> stepwell_source::Caller {
    world.fill("mail/messages", &[("m1", json!({ "body": body }))]).await;
    world.grant(vec![stream("messages")]).await
}

fn phrase() -> Ask {
    Ask::new(ID, "body").q("needle")
}

async fn a_match_is_shown_with_2048_characters_on_each_side(world: World) {
    let caller = with_body(&world, &format!("{}Needle{}", "é".repeat(6_000), "x".repeat(6_000))).await;
    let window = world.window(&caller, &phrase()).await;
    assert_eq!(window.window.span, Span::at(Chars(6_000 - 2_048), Chars(2_048 + 6 + 2_048)));
    assert_eq!(window.text, format!("{}Needle{}", "é".repeat(2_048), "x".repeat(2_048)));
    assert_eq!(window.hit.as_ref().map(|(_, at)| *at), Some(Span::at(Chars(6_000), Chars(6))));
    let narrow = world.window(&caller, &phrase().context(3, 0)).await;
    assert_eq!(narrow.text, "éééNeedle");
    for context in [(8_193, 0), (0, 8_193)] {
        let code = world.code(&caller, &phrase().context(context.0, context.1)).await;
        assert_eq!(code, Code::InvalidWindowSelector);
    }
}

async fn a_limit_beside_the_phrase_caps_the_window_around_the_match(world: World) {
    let caller = with_body(&world, &format!("{}NEEDLE{}", "a".repeat(5_000), "b".repeat(5_000))).await;
    assert_eq!(world.window(&caller, &phrase().limit(10)).await.text, "aaNEEDLEbb");
    let shorter_than_the_match = world.window(&caller, &phrase().limit(2)).await;
    assert_eq!(shorter_than_the_match.text, "NEEDLE");
}

async fn case_is_folded_beyond_ascii_and_offsets_stay_those_of_the_text(world: World) {
    let caller = with_body(&world, "👩‍🚀 İn ZÜRICH, ΣΊΣΥΦΟΣ, ſtraße, 5 K\u{212a}, ДОМ").await;
    for (q, found) in [
        ("zürich", "ZÜRICH"),
        ("σίσυφος", "ΣΊΣΥΦΟΣ"),
        ("STRAẞE", "ſtraße"),
        ("5 kk", "5 K\u{212a}"),
        ("дом", "ДОМ"),
        ("👩‍🚀", "👩‍🚀"),
    ] {
        let window = world.window(&caller, &Ask::new(ID, "body").q(q).context(0, 0)).await;
        assert_eq!(window.text, found, "{q}");
    }
}

async fn the_next_match_cursor_finds_every_match_and_then_ends_at_the_end(world: World) {
    let body: String = (0..9).map(|n| format!("{}needle {n};", "fill 日 ".repeat(400 * n))).collect();
    let caller = with_body(&world, &body).await;
    let mut starts = Vec::new();
    let mut window = world.window(&caller, &phrase().context(0, 2)).await;
    while !window.matches_ended {
        assert_eq!(window.text, format!("needle {}", starts.len()));
        starts.push(window.hit.as_ref().unwrap().1.start().get() as usize);
        let next = Ask::new(ID, "body").cursor(window.next_match_cursor.as_deref().unwrap());
        window = world.window(&caller, &next).await;
    }
    let chars: Vec<char> = body.chars().collect();
    let needle: Vec<char> = "needle".chars().collect();
    let expected: Vec<usize> = (0..chars.len()).filter(|&at| chars[at..].starts_with(&needle)).collect();
    assert_eq!(starts, expected);
    let end = Chars(chars.len() as u64);
    assert_eq!((window.window.span, window.text.as_str()), (Span::at(end, Chars::ZERO), ""));
    assert_eq!((&window.hit, &window.next_cursor, &window.next_match_cursor), (&None, &None, &None));
    assert!(window.header().contains("no further match"), "{}", window.header());
}

async fn a_phrase_across_a_chunk_border_is_found(world: World) {
    // No white space near the limit, so the text is cut exactly at 4,096, 8,192 and so on.
    for border in [4_096, 8_192, 64 * 4_096] {
        for reach in 1..6 {
            let caller =
                with_body(&world, &format!("{}needle{}", "x".repeat(border - reach), "y".repeat(9_000)))
                    .await;
            let window = world.window(&caller, &phrase().context(1, 1)).await;
            assert_eq!(window.text, "xneedley", "{border} {reach}");
        }
    }
}

async fn a_phrase_that_does_not_occur_is_refused_with_the_size_of_the_field(world: World) {
    let caller = with_body(&world, &"日本".repeat(3_000)).await;
    let refusal = world.refusal(&caller, &phrase()).await;
    assert_eq!((refusal.code, refusal.param.as_deref()), (Code::QueryNotFound, Some("q")));
    assert_eq!(refusal.extras["size_chars"], 6_000);
    assert_eq!(world.code(&caller, &Ask::new(ID, "body").q("")).await, Code::InvalidWindowSelector);
    let long = "x".repeat(513);
    assert_eq!(world.code(&caller, &Ask::new(ID, "body").q(&long)).await, Code::InvalidWindowSelector);
    assert_eq!(world.code(&caller, &phrase().offset(5)).await, Code::InvalidWindowSelector);
}

async fn a_match_window_pages_on_like_any_other(world: World) {
    let body = format!("{}needle{}", "a".repeat(7_000), "b".repeat(7_000));
    let caller = with_body(&world, &body).await;
    let window = world.window(&caller, &phrase().context(100, 100)).await;
    let next = Ask::new(ID, "body").cursor(window.next_cursor.as_deref().unwrap());
    let previous = Ask::new(ID, "body").cursor(window.previous_cursor.as_deref().unwrap());
    assert_eq!(world.window(&caller, &next).await.window.span, Span::at(Chars(7_106), Chars(206)));
    assert_eq!(world.window(&caller, &previous).await.window.span, Span::at(Chars(6_900 - 206), Chars(206)));
}

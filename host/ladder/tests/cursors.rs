//! Cursors work for one record, field and grant, for a day, and only while the field stays as it was.

use crate::on_both_engines;
use crate::world::{Ask, NOW, World, fields, long_text, stream};
use serde_json::{Value, json};
use stepwell_contract::{Chars, Code, Span};
use stepwell_ladder::FieldWindow;
use stepwell_source::Caller;

on_both_engines!(
    a_cursor_works_for_its_record_field_and_grant_only,
    every_flipped_bit_makes_a_cursor_invalid,
    a_changed_field_makes_its_cursors_stale_and_says_where_to_restart,
    a_change_elsewhere_leaves_cursors_and_windows_as_they_are,
    a_cursor_expires_after_a_day,
    authorization_is_checked_before_the_cursor_and_the_cursor_before_staleness,
    a_limit_beside_a_cursor_replaces_the_size,
    a_cursor_stands_alone,
    a_cursor_works_in_another_process_on_the_same_store,
    both_spellings_of_a_path_share_their_cursors,
);

const ID: &str = "home/messages:m1";
const DAY: u64 = 24 * 60 * 60;

fn data() -> Value {
    json!({ "body": long_text(9_000), "other": long_text(9_000), "note": "n" })
}

async fn prepared(world: &World) -> Caller {
    for connection in ["home", "work"] {
        world.fill(&format!("{connection}/messages"), &[("m1", data()), ("m2", data())]).await;
    }
    world.grant(vec![stream("messages")]).await
}

fn body() -> Ask {
    Ask::new(ID, "body")
}

/// The three cursors of a window in the middle of the field.
async fn cursors(world: &World, caller: &Caller) -> [String; 3] {
    let window = world.window(caller, &body().q("the end").context(100, 0)).await;
    let FieldWindow { next_cursor, previous_cursor, next_match_cursor, .. } = window;
    [next_cursor, previous_cursor, next_match_cursor].map(|cursor| cursor.expect("a cursor"))
}

async fn a_cursor_works_for_its_record_field_and_grant_only(world: World) {
    let caller = prepared(&world).await;
    // An equal grant is another grant; the windows that its holder reads are its own.
    let stranger = world.grant(vec![stream("messages")]).await;
    for cursor in cursors(&world, &caller).await {
        for (who, ask) in [
            (&caller, Ask::new("home/messages:m2", "body")),
            (&caller, Ask::new("work/messages:m1", "body")),
            (&caller, Ask::new(ID, "other")),
            (&stranger, body()),
        ] {
            world.content_seen();
            let refusal = world.refusal(who, &ask.cursor(&cursor)).await;
            assert_eq!((refusal.code, refusal.param.as_deref()), (Code::InvalidCursor, Some("cursor")));
            world.assert_nothing_was_selected("a foreign cursor");
            let said = refusal.to_json().to_string();
            for foreign in [caller.grant(), ID, "m1", "body", &cursor] {
                assert!(!said.contains(foreign), "{said}");
            }
        }
    }
}

async fn every_flipped_bit_makes_a_cursor_invalid(world: World) {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let caller = prepared(&world).await;
    for cursor in cursors(&world, &caller).await {
        assert!(cursor.bytes().all(|byte| ALPHABET.contains(&byte)), "{cursor}");
        for at in 0..cursor.len() {
            for bit in 0..6 {
                let mut bytes = cursor.clone().into_bytes();
                let digit = ALPHABET.iter().position(|&letter| letter == bytes[at]).unwrap();
                bytes[at] = ALPHABET[digit ^ (1 << bit)];
                let flipped = String::from_utf8(bytes).unwrap();
                assert_eq!(
                    world.code(&caller, &body().cursor(&flipped)).await,
                    Code::InvalidCursor,
                    "{flipped}"
                );
            }
        }
        let broken = [
            &cursor[1..],
            &cursor[..cursor.len() - 1],
            &format!("{cursor}A"),
            &format!("{cursor}="),
            "?",
            "é",
        ];
        for broken in broken {
            assert_eq!(world.code(&caller, &body().cursor(broken)).await, Code::InvalidCursor, "{broken}");
        }
    }
}

async fn a_changed_field_makes_its_cursors_stale_and_says_where_to_restart(world: World) {
    let caller = prepared(&world).await;
    let window = world.window(&caller, &body().offset(5_000).limit(500)).await;
    let by_match = world.window(&caller, &body().q("the end").context(0, 0)).await;
    world.fill("home/messages", &[("m1", json!({ "body": format!("{}!", long_text(9_000)) }))]).await;
    for (cursor, restart) in
        [(window.next_cursor, 5_500), (window.previous_cursor, 4_500), (by_match.next_match_cursor, 8_999)]
    {
        world.content_seen();
        let refusal = world.refusal(&caller, &body().cursor(&cursor.unwrap())).await;
        assert_eq!(refusal.code, Code::StaleCursor);
        assert_eq!(refusal.extras["restart_offset_chars"], restart);
        world.assert_nothing_was_selected("a stale cursor");
        world.window(&caller, &body().offset(restart)).await;
    }
}

async fn a_change_elsewhere_leaves_cursors_and_windows_as_they_are(world: World) {
    prepared(&world).await;
    let caller = world.grant(vec![fields("home", "messages", &["body"])]).await;
    let read = async || world.window(&caller, &body().q("the end").context(100, 0)).await;
    let before = read().await;
    let mut changed = data();
    changed["other"] = json!("quite another text");
    world.fill("home/messages", &[("m1", changed), ("m7", data())]).await;
    let after = read().await;
    assert_eq!((before.to_text(), before.structured()), (after.to_text(), after.structured()));
    world.window(&caller, &body().cursor(&before.next_cursor.unwrap())).await;
    // Importing the same again changes nothing either.
    world.fill("home/messages", &[("m1", data())]).await;
    assert_eq!(read().await.to_text(), after.to_text());
}

async fn a_cursor_expires_after_a_day(world: World) {
    let caller = prepared(&world).await;
    let cursor = world.window(&caller, &body()).await.next_cursor.unwrap();
    world.window(&caller, &body().cursor(&cursor).at(NOW + DAY - 1)).await;
    let refusal = world.refusal(&caller, &body().cursor(&cursor).at(NOW + DAY)).await;
    assert_eq!(refusal.code, Code::ExpiredCursor);
    assert_eq!(refusal.extras["restart_offset_chars"], 4_096);
    // Rounded up to the hour, so equal calls within it give equal cursors.
    let later = world.window(&caller, &body().at(NOW + 1)).await.next_cursor.unwrap();
    let latest = world.window(&caller, &body().at(NOW + 3_600)).await.next_cursor.unwrap();
    assert_eq!((cursor == later, later == latest), (false, true));
    world.window(&caller, &body().cursor(&latest).at(NOW + 3_600 + DAY - 1)).await;
}

async fn authorization_is_checked_before_the_cursor_and_the_cursor_before_staleness(world: World) {
    let owner_of_cursor = prepared(&world).await;
    let cursor = world.window(&owner_of_cursor, &body()).await.next_cursor.unwrap();
    let narrow = world.grant(vec![fields("home", "messages", &["other"])]).await;
    for (id, path, code) in [
        (ID, "body", Code::FieldNotGranted),
        ("home/drafts:m1", "body", Code::GrantStreamNotAllowed),
        ("work/messages:m1", "other", Code::ConnectionNotFound),
        ("home/messages:m9", "other", Code::NotFound),
        ("home/messages:m9", "body", Code::FieldNotGranted),
    ] {
        assert_eq!(world.code(&narrow, &Ask::new(id, path).cursor(&cursor)).await, code, "{id} {path}");
    }
    world.fill("home/messages", &[("m1", json!({ "body": "changed", "other": "changed" }))]).await;
    assert_eq!(world.code(&narrow, &Ask::new(ID, "other").cursor(&cursor)).await, Code::InvalidCursor);
    let late = body().cursor(&cursor).at(NOW + DAY);
    assert_eq!(world.code(&owner_of_cursor, &late).await, Code::ExpiredCursor);
    assert_eq!(world.code(&owner_of_cursor, &body().cursor(&cursor)).await, Code::StaleCursor);
}

async fn a_limit_beside_a_cursor_replaces_the_size(world: World) {
    let caller = prepared(&world).await;
    let window = world.window(&caller, &body().offset(4_000).limit(1_000)).await;
    let next = body().cursor(window.next_cursor.as_deref().unwrap());
    let previous = body().cursor(window.previous_cursor.as_deref().unwrap());
    let span = |start, len| Span::at(Chars(start), Chars(len));
    assert_eq!(world.window(&caller, &next).await.window.span, span(5_000, 1_000));
    let replaced = world.window(&caller, &next.clone().limit(10)).await;
    assert_eq!(replaced.window.span, span(5_000, 10));
    let after = world.window(&caller, &body().cursor(&replaced.next_cursor.unwrap())).await;
    assert_eq!(after.window.span, span(5_010, 10), "the new size is sealed in what follows");
    assert_eq!(world.window(&caller, &previous.clone().limit(10)).await.window.span, span(3_990, 10));
    assert_eq!(world.window(&caller, &previous.limit(16_384)).await.window.span, span(0, 4_000));
    let code = world.code(&caller, &next.limit(16_385)).await;
    assert_eq!(code, Code::InvalidWindowSelector);
}

async fn a_cursor_stands_alone(world: World) {
    let caller = prepared(&world).await;
    let cursor = world.window(&caller, &body()).await.next_cursor.unwrap();
    let beside: [fn(Ask) -> Ask; 3] = [|ask| ask.offset(0), |ask| ask.q("a"), |ask| ask.context(1, 1)];
    for add in beside {
        let code = world.code(&caller, &add(body().cursor(&cursor))).await;
        assert_eq!(code, Code::InvalidWindowSelector);
    }
    assert_eq!(world.code(&caller, &body().cursor("")).await, Code::InvalidWindowSelector);
}

async fn a_cursor_works_in_another_process_on_the_same_store(world: World) {
    let caller = prepared(&world).await;
    let window = world.window(&caller, &body()).await;
    let replica = World::at(world.url.clone(), None).await;
    let next = replica.window(&caller, &body().cursor(&window.next_cursor.unwrap())).await;
    assert_eq!(next.window.span.start(), Chars(4_096));
}

async fn both_spellings_of_a_path_share_their_cursors(world: World) {
    let caller = prepared(&world).await;
    let cursor = world.window(&caller, &body()).await.next_cursor.unwrap();
    let window = world.window(&caller, &Ask::new(ID, "/body").cursor(&cursor)).await;
    assert_eq!(window.window.span.start(), Chars(4_096));
    assert_eq!(window.field.path.as_str(), "/body", "a result echoes the spelling that was used");
}

//! A field of 100 MB is read by windows that cost what they hold, wherever they lie.

use crate::memory;
use crate::on_both_engines;
use crate::world::{Ask, World, request, stream};
use sha2::{Digest as _, Sha256};
use stepwell_contract::{Chars, FieldPath, ResultId, Span};
use stepwell_source::prepare::Manifest;
use stepwell_source::{Caller, Source as _};

on_both_engines!(a_field_of_100_megabytes_is_read_in_bounded_windows_and_bounded_memory);

/// Each line says where it stands, so what a window must hold is known without the text.
const LINE_CHARS: u64 = 72;
const LINES: u64 = 1_300_000;
const TOTAL: u64 = LINE_CHARS * LINES;
pub(crate) const ID: &str = "archive/documents:big";
pub(crate) const FIELD: &str = "text";
/// As someone would type it; the text has it in other letters, once, at its very end.
pub(crate) const LAST_WORDS: &str = "end of the zürich line";

fn line(n: u64) -> String {
    let words = match n + 1 == LINES {
        true => "here is the END OF THE ZÜRICH LINE, and nothing more",
        false => "the ferry sails on, é 日 🗝 and the key stays here ok",
    };
    format!("{n:010} {words:<60}\n")
}

/// What stands at an offset.
fn expected(start: u64, chars: u64) -> String {
    let lines: String =
        (start / LINE_CHARS..LINES).take((chars / LINE_CHARS) as usize + 2).map(line).collect();
    lines.chars().skip((start % LINE_CHARS) as usize).take(chars as usize).collect()
}

async fn a_field_of_100_megabytes_is_read_in_bounded_windows_and_bounded_memory(world: World) {
    assert_eq!(line(0).chars().count() as u64, LINE_CHARS);
    assert_eq!(line(LINES - 1).chars().count() as u64, LINE_CHARS);
    let digest = fill(&world).await;
    let (_, token) = world.store.create_grant(&request(vec![stream("documents")])).await.unwrap();
    let caller = world.store.authenticate(&token).await.unwrap();
    world.content_seen();

    windows_cost_what_they_hold(&world, &caller).await;
    cursors_go_on_from_anywhere(&world, &caller).await;
    the_last_words_are_found_at_the_end(&world, &caller).await;
    the_chunks_join_to_the_digest(&world, &caller, digest).await;
    memory::assert_a_reader_stays_small(&world.url, token.reveal());
}

/// Stores the text and gives its digest.
async fn fill(world: &World) -> [u8; 32] {
    let mut text = String::with_capacity(TOTAL as usize * 9 / 8);
    for n in 0..LINES {
        text.push_str(&line(n));
    }
    assert!(text.len() > 100_000_000, "{} bytes", text.len());
    let digest = Sha256::digest(text.as_bytes()).into();
    let mut json = String::with_capacity(text.len() + text.len() / 16);
    json.push_str(r#"{"key":"big","data":{"text":""#);
    json.push_str(&text.replace('\n', "\\n"));
    json.push_str(r#"","aside":"short"}}"#);
    drop(text);
    world.fill_lines("archive/documents", None, Manifest::default(), [json].into_iter()).await;
    digest
}

async fn windows_cost_what_they_hold(world: &World, caller: &Caller) {
    for limit in [1, 4_096, 16_384] {
        for start in [0, 1, TOTAL / 2 + 5, TOTAL - limit, TOTAL - 1, TOTAL] {
            let window = world.window(caller, &Ask::new(ID, FIELD).offset(start).limit(limit)).await;
            let chars = limit.min(TOTAL - start);
            assert_eq!(window.text, expected(start, chars), "{start} {limit}");
            let seen = world.content_seen();
            // At most one chunk of 4,096 on each side more than the window, in letters that are short on average.
            let rows: usize = seen.iter().map(|seen| seen.rows).sum();
            let bytes: u64 = seen.iter().map(|seen| seen.bytes).sum();
            assert!(rows as u64 <= limit.div_ceil(3_840) + 2, "{start} {limit}: {seen:?}");
            assert!(bytes <= (limit + 2 * 4_096) * 5 / 4, "{start} {limit}: {seen:?}");
        }
    }
}

async fn cursors_go_on_from_anywhere(world: &World, caller: &Caller) {
    for start in [0, TOTAL / 2, TOTAL - 40_000] {
        let (mut ask, mut at) = (Ask::new(ID, FIELD).offset(start).limit(16_384), start);
        for _ in 0..4 {
            let window = world.window(caller, &ask).await;
            assert_eq!(window.window.span.start(), Chars(at));
            assert_eq!(window.text, expected(at, 16_384.min(TOTAL - at)));
            at = window.window.span.end().get();
            let Some(next) = window.next_cursor else { break };
            ask = Ask::new(ID, FIELD).cursor(&next);
        }
    }
    let end = world.window(caller, &Ask::new(ID, FIELD).offset(TOTAL).limit(1_000)).await;
    let last = Ask::new(ID, FIELD).cursor(end.previous_cursor.as_deref().unwrap());
    assert_eq!(world.window(caller, &last).await.text, expected(TOTAL - 1_000, 1_000));
    world.content_seen();
}

async fn the_last_words_are_found_at_the_end(world: &World, caller: &Caller) {
    let window = world.window(caller, &Ask::new(ID, FIELD).q(LAST_WORDS).context(7, 0)).await;
    assert_eq!(window.text, "is the END OF THE ZÜRICH LINE");
    let next = Ask::new(ID, FIELD).cursor(window.next_match_cursor.as_deref().unwrap());
    assert!(world.window(caller, &next).await.matches_ended);
    let widest = world.content_seen().into_iter().map(|seen| seen.bytes).max().unwrap_or_default();
    assert!(widest < 1_000_000, "{widest} bytes in one statement of a search");
}

async fn the_chunks_join_to_the_digest(world: &World, caller: &Caller, digest: [u8; 32]) {
    let record = ResultId::parse(ID).unwrap().into();
    let field = world.store.field(caller, &record, &FieldPath::top_level(FIELD)).await.unwrap();
    assert_eq!(field.shape.digest.unwrap().0, digest);
    assert_eq!(field.whole(), Span::at(Chars::ZERO, Chars(TOTAL)));
    let whole = world.store.text(caller, &field, field.whole()).await.unwrap();
    assert_eq!(<[u8; 32]>::from(Sha256::digest(whole.as_bytes())), digest);
}

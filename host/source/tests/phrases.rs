//! Looking for a phrase gives what comparing at every offset gives.

use crate::dice::Dice;
use crate::on_both_engines;
use crate::world::{World, line, stream};
use serde_json::json;

on_both_engines!(
    a_phrase_across_chunk_borders_is_found_where_the_model_finds_it,
    every_match_is_reached_by_asking_for_the_next_one,
    a_phrase_across_two_pieces_of_a_long_search_is_found,
    signs_that_mean_something_elsewhere_mean_themselves,
);

fn fold(c: char) -> char {
    unicode_case_mapping::case_folded(c).and_then(|folded| char::from_u32(folded.get())).unwrap_or(c)
}

/// The obvious model: fold everything, compare at every offset.
fn naive(folded: &[char], phrase: &str, from: u64) -> Option<u64> {
    let phrase: Vec<char> = phrase.chars().map(fold).collect();
    (from as usize..folded.len()).find(|&at| folded[at..].starts_with(&phrase)).map(|at| at as u64)
}

/// Spells a phrase in other cases than it was written in.
fn other_case(dice: &mut Dice, phrase: &[char]) -> String {
    let respell = |c: char, dice: &mut Dice| match dice.below(3) {
        0 => c,
        1 => Some(c.to_uppercase())
            .filter(|upper| upper.len() == 1)
            .map_or(c, |mut upper| upper.next().unwrap()),
        _ => Some(c.to_lowercase())
            .filter(|lower| lower.len() == 1)
            .map_or(c, |mut lower| lower.next().unwrap()),
    };
    phrase.iter().map(|&c| respell(c, dice)).collect()
}

async fn a_phrase_across_chunk_borders_is_found_where_the_model_finds_it(world: World) {
    let mut dice = Dice(21);
    let text = dice.text(25_000);
    let chars: Vec<char> = text.chars().collect();
    let folded: Vec<char> = chars.iter().copied().map(fold).collect();
    world.fill("c/s", None, &[line("k", &json!({ "body": text }))]).await;
    let caller = world.grant(vec![stream("s")]).await;
    let field = world.field(&caller, "c/s:k", "body").await.unwrap();
    let mut across = 0;
    for _ in 0..120 {
        // Around a border, which lies up to 256 before a multiple of the chunk size.
        let border = 4_096 * (1 + dice.below(5));
        let start = (border + 40).saturating_sub(dice.below(320)) as usize;
        let length = 1 + dice.below(300) as usize;
        let phrase = other_case(&mut dice, &chars[start..(start + length).min(chars.len())]);
        let from = dice.below(start as u64 + 200);
        let expected = naive(&folded, &phrase, from);
        assert_eq!(world.find(&caller, &field, &phrase, from).await, expected, "{phrase:?} from {from}");
        across += u64::from(expected.is_some());
    }
    assert!(across > 60, "most phrases were there to be found: {across}");
}

async fn every_match_is_reached_by_asking_for_the_next_one(world: World) {
    let mut dice = Dice(22);
    let text: String =
        (0..9_000).map(|_| dice.pick(&["a", "A", "b", "ß", "ẞ", "σ", "ς", "k", "\u{212a}", " "])).collect();
    let folded: Vec<char> = text.chars().map(fold).collect();
    world.fill("c/s", None, &[line("k", &json!({ "body": text }))]).await;
    let caller = world.grant(vec![stream("s")]).await;
    let field = world.field(&caller, "c/s:k", "body").await.unwrap();
    for phrase in ["AAA", "ßσ", "k A", "Σß"] {
        let (mut from, mut count) = (0, 0);
        while let Some(hit) = world.find(&caller, &field, phrase, from).await {
            assert_eq!(Some(hit), naive(&folded, phrase, from), "{phrase} from {from}");
            (from, count) = (hit + 1, count + 1);
        }
        assert_eq!(naive(&folded, phrase, from), None, "{phrase} from {from}");
        assert!(count > 3, "{phrase}: {count}");
    }
}

async fn a_phrase_across_two_pieces_of_a_long_search_is_found(world: World) {
    const PIECE: usize = 64 * 4_096;
    let mut chars: Vec<char> = "straße nach süden ".chars().cycle().take(3 * PIECE).collect();
    let planted: Vec<char> = "Der REIHER 🦢 von Zürich".chars().collect();
    let places = [PIECE - 10, 2 * PIECE - 1, 3 * PIECE - planted.len()];
    for place in places {
        chars[place..place + planted.len()].copy_from_slice(&planted);
    }
    let text: String = chars.iter().collect();
    world.fill("c/s", None, &[line("k", &json!({ "body": text }))]).await;
    let caller = world.grant(vec![stream("s")]).await;
    let field = world.field(&caller, "c/s:k", "body").await.unwrap();
    let q = "der reiher 🦢 VON ZÜRICH";
    for (from, expected) in
        [(0, Some(places[0])), (places[0] + 1, Some(places[1])), (places[1] + 1, Some(places[2]))]
    {
        assert_eq!(
            world.find(&caller, &field, q, from as u64).await,
            expected.map(|at| at as u64),
            "from {from}"
        );
    }
    assert_eq!(world.find(&caller, &field, q, places[2] as u64 + 1).await, None);
    // A search that starts elsewhere has its pieces cut elsewhere.
    for from in [1, 9, 4_095, PIECE - 10] {
        assert_eq!(world.find(&caller, &field, q, from as u64).await, Some(places[0] as u64), "from {from}");
    }
    // However long the field, one statement of a search selects a bounded piece of it.
    assert!(world.content_seen().iter().all(|seen| seen.bytes < 1_200_000));
}

async fn signs_that_mean_something_elsewhere_mean_themselves(world: World) {
    let text = r#"a.c a+c (?i)x [a-z] \d{2} ^$ 50% _ 'quoted' "; DROP TABLE seg; -- *?"#;
    world.fill("c/s", None, &[line("k", &json!({ "body": text }))]).await;
    let caller = world.grant(vec![stream("s")]).await;
    let field = world.field(&caller, "c/s:k", "body").await.unwrap();
    for q in
        [".c", "A+C", "(?I)X", "[a-z]", r"\D{2}", "^$", "50%", "_", "'Quoted'", "drop table SEG", "*?", "\""]
    {
        let expected = text.to_lowercase().find(&q.to_lowercase()).map(|at| at as u64);
        assert!(expected.is_some());
        assert_eq!(world.find(&caller, &field, q, 0).await, expected, "{q}");
    }
    for q in ["abc", "a.+", ".*", "5_%", "x{2}"] {
        assert_eq!(world.find(&caller, &field, q, 0).await, None, "{q}");
    }
}

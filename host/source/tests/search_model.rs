//! Search against an obvious model: every record, every word of its granted texts, one after the other.

use crate::dice::Dice;
use crate::on_both_engines;
use crate::world::{World, connection, fields, stream};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use stepwell_contract::{Code, StreamName, unit};
use stepwell_source::grant::StreamRequest;
use stepwell_source::query::{SearchHit, SearchQuery};
use stepwell_source::words::{Word, words};
use stepwell_source::{Caller, Source as _, time};

const SEED: u64 = 20_261_118;
const QUERIES: usize = 40;
const MANIFEST: &str =
    r#"{"cursor_field":"at","query":{"search":{"lexical_fields":["title","body","secret","tree"]}}}"#;
/// What texts and questions are made of. Some are parts of others, some differ in case and marks only.
const WORDS: &[&str] = &[
    "heron",
    "her",
    "Herons",
    "key",
    "KEY",
    "Zürich",
    "zurich",
    "Zu\u{308}rich",
    "東京",
    "東",
    "京都",
    "e-mail",
    "mail",
    "a",
    "b",
    "ﬁne",
    "x1",
    "한국",
    "señor",
];
const GAPS: &[&str] = &[" ", " ", " ", ", ", "\n", "-", ".", "", " … ", "\u{301} ", "*", "\"", "\u{0}"];

struct Entry {
    id: String,
    at: i64,
    emitted: i64,
    /// The searchable text of each top-level field, and its words.
    texts: BTreeMap<&'static str, (String, Vec<Word>)>,
}

fn prose(dice: &mut Dice, chars: usize) -> String {
    let mut text = String::new();
    while text.chars().count() < chars {
        text.push_str(dice.pick(WORDS));
        text.push_str(dice.pick(GAPS));
        if dice.one_in(150) {
            text.push_str(&" ".repeat(*dice.pick(&[&300, &4_000, &4_200])));
        }
    }
    text
}

fn with_words(text: String) -> (String, Vec<Word>) {
    let words = words(&text).collect();
    (text, words)
}

async fn library(world: &World, dice: &mut Dice) -> Vec<Entry> {
    let mut entries = Vec::new();
    for place in ["home/notes", "work/notes", "home/mail"] {
        let mut lines = Vec::new();
        for number in 0..14 {
            let (key, at) = (format!("k{number}"), dice.below(9) as i64);
            let mut data = json!({ "at": at * 1_000_000_000, "other": prose(dice, 20) });
            let mut texts = BTreeMap::new();
            for field in ["title", "body", "secret"] {
                if dice.one_in(4) {
                    continue;
                }
                let size = match field {
                    "body" => *dice.pick(&[&0, &9, &20, &40, &90, &4_080, &4_300, &8_300]),
                    _ => dice.below(30) as usize,
                };
                let text = prose(dice, size);
                data[field] = json!(text);
                texts.insert(field, with_words(text));
            }
            if dice.one_in(4) {
                // Only long texts inside of a JSON value are indexed.
                let text = prose(dice, 4_200);
                data["tree"] = json!({ "leaf": [text] });
                texts.insert("tree", with_words(text));
            }
            let emitted = format!("{}-01-15T00:00:00Z", 1985 + 32 * dice.below(4));
            lines.push(json!({ "key": key, "data": data, "emitted_at": emitted }).to_string());
            let emitted = time::parse(&emitted).unwrap();
            entries.push(Entry { id: format!("{place}:{key}"), at: at * 1_000_000_000_000, emitted, texts });
        }
        let filled = world.fill(place, Some(MANIFEST), &lines).await;
        assert_eq!(filled.rejected, []);
    }
    entries
}

/// Something that is asked for: folded words in a row, of which the last may be a beginning.
struct Asked {
    words: Vec<String>,
    open: bool,
    not: bool,
}

/// Makes a question, as it is written and as it is meant.
fn question(dice: &mut Dice) -> (String, Vec<Asked>) {
    let (mut q, mut asked) = (String::new(), Vec::new());
    for _ in 0..1 + dice.below(4) {
        let not = !asked.is_empty() && dice.one_in(4);
        let open = dice.one_in(4);
        let quoted = dice.one_in(2);
        let count = if quoted { 1 + dice.below(3) } else { 1 };
        let spoken: Vec<&str> = (0..count).map(|_| dice.pick(WORDS)).collect();
        let spoken = spoken.join(" ");
        let star = if open { "*" } else { "" };
        q.push_str(if not { "-" } else { "" });
        match (quoted, dice.one_in(2)) {
            (false, _) => q.push_str(&format!("{spoken}{star}")),
            (true, false) => q.push_str(&format!("\"{spoken}\"{star}")),
            (true, true) => q.push_str(&format!("\"{spoken}{star}\"")),
        }
        q.push_str(dice.pick(&[" ", "  ", "\t", " - ", " ! & | ( "]));
        asked.push(Asked { words: words(&spoken).map(|word| word.text).collect(), open, not });
    }
    (q, asked)
}

/// Whether one text has the words in a row, within the reach of a phrase.
fn has(all: &[Word], asked: &Asked) -> bool {
    (0..all.len()).any(|from| {
        let row = asked.words.iter().enumerate().map(|(index, wanted)| {
            let word = all.get(from + index)?;
            let last = index + 1 == asked.words.len();
            let same = if last && asked.open {
                word.text.starts_with(wanted.as_str())
            } else {
                word.text == *wanted
            };
            same.then_some(word.at)
        });
        let Some(row) = row.collect::<Option<Vec<_>>>() else { return false };
        row.len() == 1 || row[row.len() - 1].end().get() - row[0].start().get() <= 4_096
    })
}

fn expected(
    entries: &[Entry],
    fields_of: impl Fn(&str) -> Vec<&'static str>,
    asked: &[Asked],
) -> Vec<String> {
    let mut hits: Vec<(i64, &str)> = Vec::new();
    for entry in entries {
        let granted = fields_of(&entry.id);
        let texts: Vec<&[Word]> =
            granted.iter().filter_map(|field| entry.texts.get(field)).map(|(_, words)| &**words).collect();
        if !granted.is_empty() && asked.iter().all(|one| texts.iter().any(|text| has(text, one)) != one.not) {
            // Without the field that orders the stream, what a caller can know is when a record was emitted.
            let time = if granted.contains(&"at") { entry.at } else { entry.emitted };
            hits.push((time, &entry.id));
        }
    }
    // By time, connection, stream and key; a key's number has no more than one digit here unless it begins with one.
    hits.sort_by(|a, b| (b.0, parts(b.1)).cmp(&(a.0, parts(a.1))));
    hits.into_iter().map(|(_, id)| id.to_owned()).collect()
}

fn parts(id: &str) -> (&str, &str, &str) {
    let (connection, rest) = id.split_once('/').unwrap();
    let (stream, key) = rest.split_once(':').unwrap();
    (connection, stream, key)
}

/// Reads all pages of a search, each of so many hits.
async fn drain(world: &World, caller: &Caller, q: &str, limit: usize) -> Vec<SearchHit> {
    let (mut hits, mut cursor) = (Vec::new(), None);
    loop {
        let query = SearchQuery {
            q: q.to_owned(),
            streams: Vec::new(),
            conditions: Vec::new(),
            connection: None,
            limit,
            cursor,
        };
        let page = world.store.search(caller, &query).await.unwrap();
        assert!(page.hits.len() <= limit);
        hits.extend(page.hits);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return hits;
        }
    }
}

/// Every place that a hit shows is one where something that was asked for stands, and is quoted to the letter.
fn check_places(hit: &SearchHit, entry: &Entry, q: &str, asked: &[Asked]) {
    assert!(!hit.matches.is_empty(), "{q:?} shows no place in {}", entry.id);
    for found in &hit.matches {
        let (text, _) = &entry.texts[found.path.top()];
        let shown = unit::slice(text, found.snippet_at);
        assert_eq!(shown, found.snippet, "{q:?} in {}", entry.id);
        let place = unit::slice(text, found.at);
        let words: Vec<Word> = words(place).collect();
        assert!(asked.iter().any(|one| !one.not && has(&words, one)), "{q:?}: {place:?} in {}", entry.id);
    }
}

async fn search_finds_what_the_model_finds(world: World) {
    let mut dice = Dice(SEED);
    let entries = library(&world, &mut dice).await;
    let all = world.grant(vec![stream("notes"), stream("mail")]).await;
    let few =
        StreamRequest { connections: vec![connection("home")], ..fields("notes", &["title", "body", "at"]) };
    let few = world.grant(vec![few, fields("mail", &["tree"])]).await;
    let of_all = |_: &str| vec!["title", "body", "secret", "tree", "at"];
    let of_few = |id: &str| match id {
        id if id.starts_with("home/notes") => vec!["title", "body", "at"],
        id if id.starts_with("home/mail") => vec!["tree"],
        _ => Vec::new(),
    };
    let mut found = 0;
    for _ in 0..QUERIES {
        let (q, asked) = question(&mut dice);
        let limit = 1 + dice.below(30) as usize;
        for (caller, wanted) in
            [(&all, expected(&entries, of_all, &asked)), (&few, expected(&entries, of_few, &asked))]
        {
            let hits = drain(&world, caller, &q, limit).await;
            let ids: Vec<String> = hits.iter().map(|hit| hit.record.identity.id().to_string()).collect();
            assert_eq!(ids, wanted, "{q:?}");
            for hit in &hits {
                let id = hit.record.identity.id().to_string();
                let entry = entries.iter().find(|entry| entry.id == id).unwrap();
                check_places(hit, entry, &q, &asked);
            }
            found += hits.len();
        }
    }
    assert!(found > QUERIES, "{found} hits are too few to mean much");
}

fn ask(q: &str) -> SearchQuery {
    let (streams, conditions) = (Vec::new(), Vec::new());
    SearchQuery { q: q.to_owned(), streams, conditions, connection: None, limit: 25, cursor: None }
}

/// What was not granted must neither find nor exclude.
async fn a_field_that_is_not_granted_neither_matches_nor_excludes(world: World) {
    let data: Value = json!({ "title": "the grey heron", "secret": "the blue otter" });
    world.fill("home/notes", None, &[json!({ "key": "k", "data": data }).to_string()]).await;
    let narrow = world.grant(vec![fields("notes", &["title"])]).await;
    let wide = world.grant(vec![stream("notes")]).await;
    for (q, narrow_hits, wide_hits) in [
        ("heron -otter", 1, 0),
        ("heron -\"blue otter\"", 1, 0),
        ("heron -ott*", 1, 0),
        ("heron -\"otter blue\"", 1, 1),
        ("heron otter", 0, 1),
        ("heron \"blue otter\"", 0, 1),
        ("heron blu*", 0, 1),
        ("\"heron the\"", 0, 0),
    ] {
        for (caller, hits) in [(&narrow, narrow_hits), (&wide, wide_hits)] {
            let page = world.store.search(caller, &ask(q)).await.unwrap();
            assert_eq!(page.hits.len(), hits, "{q}");
        }
    }
    let refused = world.store.search(&wide, &ask("-heron -\"a b\"")).await.unwrap_err();
    let refusal = refused.refusal().unwrap();
    assert_eq!((refusal.code, refusal.param.as_deref()), (Code::InvalidArguments, Some("q")));
    assert!(refusal.message.contains("must not have"), "{}", refusal.message);
    let other = SearchQuery { streams: vec![StreamName::new("none").unwrap()], ..ask("x") };
    assert_eq!(crate::world::code(world.store.search(&wide, &other).await), Code::GrantStreamNotAllowed);
}

on_both_engines!(search_finds_what_the_model_finds, a_field_that_is_not_granted_neither_matches_nor_excludes);

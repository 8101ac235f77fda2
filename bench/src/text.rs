//! What is stored: invented prose of any length, and mail as the sample data has it. The same on every run.

use anyhow::Context as _;
use serde_json::json;
use stepwell_sample::known;
use stepwell_source::prepare::Manifest;

/// Stands once in every text of [`prose`], at its end.
pub const PHRASE: &str = "The heron of Zürich keeps the ferry key";

const WORDS: &[&str] = &[
    "the", "ferry", "lamp", "and", "a", "quiet", "harbour", "with", "tea", "under", "slate", "roof", "Ilse",
    "wrote", "that", "nobody", "had", "counted", "kettles", "since", "März", "café", "invoice", "of",
    "twelve", "herons", "on", "Thursday", "evening", "the", "tide", "came", "in", "slowly", "and",
    "everyone", "went", "home", "by", "boat",
];

/// A small generator (splitmix64); its seed is all of its state.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }
}

/// Prose of about so many bytes, mostly ASCII as mail is, that ends with [`PHRASE`].
pub fn prose(bytes: usize, seed: u64) -> String {
    let mut dice = Dice(seed);
    let mut text = String::with_capacity(bytes + PHRASE.len());
    while text.len() + PHRASE.len() < bytes {
        text.push_str(WORDS[dice.below(WORDS.len())]);
        text.push(if dice.below(14) == 0 { '\n' } else { ' ' });
    }
    text.push_str(PHRASE);
    text
}

/// Lines of NDJSON, and the manifest that they are read by.
#[derive(Debug)]
pub struct Input {
    pub lines: Vec<String>,
    pub manifest: Manifest,
}

/// The sample's short messages with all of their fields, over and over, each under a key of its own.
pub fn mail(bytes: usize) -> anyhow::Result<Input> {
    let connections = stepwell_sample::connections();
    let streams = connections.iter().flat_map(|connection| &connection.streams);
    let streams: Vec<_> = streams.filter(|stream| stream.name == known::MESSAGES).collect();
    let stream = streams.first().context("the sample has mail")?;
    let short: Vec<_> = streams
        .iter()
        .flat_map(|stream| &stream.records)
        .filter(|record| record.data["attachment"].is_null() && record.data.to_string().len() < 4_000)
        .collect();
    let (mut lines, mut total) = (Vec::new(), 0);
    for (number, record) in short.iter().cycle().enumerate() {
        let key = format!("b-{number:07}");
        let mut data = record.data.clone();
        data["id"] = json!(key);
        let line = json!({ "key": key, "data": data, "emitted_at": record.emitted_at }).to_string();
        total += line.len();
        if total > bytes {
            break;
        }
        lines.push(line);
    }
    Ok(Input { lines, manifest: Manifest::parse(&stream.manifest.to_string(), stream.name)? })
}

/// Messages with a body of 300 KB each.
pub fn long_mail(bytes: usize) -> Input {
    const BODY: usize = 300_000;
    let line = |number: usize| {
        let key = format!("l-{number:07}");
        let data = json!({ "id": key, "subject": "the log", "body": prose(BODY, number as u64) });
        json!({ "key": key, "data": data }).to_string()
    };
    Input { lines: (0..bytes / BODY).map(line).collect(), manifest: Manifest::default() }
}

//! Puts what was found into words.

use crate::find::{Found, Search};
use serde_json::json;
use stepwell_sdk::text::{chars, prefix_of_words};
use stepwell_sdk::tool::{Answer, AnswerLine};
use stepwell_sdk::{Context, FieldExt as _, Reader, RecordShape, Span, Wanted};

/// How many code points are shown on each side of a match.
const AROUND: u32 = 24;

/// How much of a long match is shown.
const MATCH: u32 = 40;

/// What the first line takes at most.
const SUMMARY: usize = 200;

/// The answer: a line that sums up, and one for each match that fits.
pub(crate) fn listed(search: &Search<'_>, found: &Found, context: &Context, reader: &impl Reader) -> Answer {
    let words = around(search, found, reader);
    let mut room = (context.budget.bytes as usize).saturating_sub(SUMMARY);
    let mut lines = Vec::new();
    for (start, words) in found.starts.iter().zip(words) {
        let line = format!("{start}: {words}");
        let Some(left) = room.checked_sub(line.len()) else { break };
        room = left;
        lines.push(line);
    }
    let shown = lines.len();
    // What did not fit comes first next time; then what was counted only; then what was not searched.
    let next = found.starts.get(shown).copied().or(found.next).or(found.resume);
    lines.insert(0, summary(search, found, shown));
    let mut data = json!({
        "field_path": search.path,
        "searched_from": search.from,
        "searched_to": found.to,
        "reached_end": found.resume.is_none(),
        "matches": found.count,
        "match_chars": chars(search.q),
        "starts": found.starts[..shown],
    });
    if let Some(size) = search.size {
        data["size_chars"] = json!(size);
    }
    // A call that would begin where this one did leads nowhere.
    let next = next.filter(|next| *next > search.from).map(|from| {
        json!({ "id": search.slot, "field_path": search.path, "q": search.q, "from": from }).to_string()
    });
    Answer { lines: about(search.slot, lines), data: Some(data.to_string()), next, options: Vec::new() }
}

fn summary(search: &Search<'_>, found: &Found, shown: usize) -> String {
    let (from, to, count) = (search.from, found.to, found.count);
    let end = if found.resume.is_none() { " (the field's end)" } else { "" };
    let mut text = format!("{count} match(es) from {from} to {to}{end}");
    if (shown as u32) < count {
        text.push_str(&format!(", the first {shown} listed"));
    }
    if found.resume.is_some() {
        text.push_str(match (to > from, search.size) {
            (false, _) => "; the limits of this tool let it read nothing more",
            (true, Some(_)) => "; the rest is not searched yet",
            (true, None) => "; more may follow",
        });
    }
    text
}

/// The words around each match, all read in one crossing.
fn around(search: &Search<'_>, found: &Found, reader: &impl Reader) -> Vec<String> {
    let length = chars(search.q);
    let span = |start: u32| Span {
        start: start.saturating_sub(AROUND),
        end: start.saturating_add(length.min(MATCH) + AROUND),
    };
    let wanted = |start: &u32| Wanted { slot: search.slot, path: search.path.to_owned(), at: span(*start) };
    let wanted: Vec<Wanted> = found.starts.iter().map(wanted).collect();
    let read = reader.read(&wanted);
    let words = wanted.iter().zip(read).map(|(wanted, words)| match words {
        // Where it may not be read any more, the offset has to do.
        Err(_) => String::new(),
        Ok(words) => {
            let before = if wanted.at.start > 0 { "…" } else { "" };
            let after = if chars(&words) == wanted.at.end - wanted.at.start { "…" } else { "" };
            format!("{before}{}{after}", words.split_whitespace().collect::<Vec<_>>().join(" "))
        }
    });
    words.collect()
}

/// The answer where the record has no such text: those that it has.
pub(crate) fn no_text(record: &RecordShape) -> Answer {
    let names: Vec<&str> =
        record.fields.iter().filter(|field| field.is_readable()).map(|field| field.path.as_str()).collect();
    let names = names.join(", ");
    let names = if names.is_empty() { "none" } else { prefix_of_words(&names, 400) };
    let line = format!("no text of that name can be read in this record; fields with text: {names}");
    Answer { lines: about(record.slot, vec![line]), data: None, next: None, options: Vec::new() }
}

fn about(slot: u32, lines: Vec<String>) -> Vec<AnswerLine> {
    lines.into_iter().map(|text| AnswerLine { text, slot: Some(slot) }).collect()
}

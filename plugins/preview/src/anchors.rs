//! Places to jump to inside a long text.

use crate::marks::{self, Mark};
use stepwell_sdk::preview::{Anchor, Passage, Shown};
use stepwell_sdk::text::{chars, lines, prefix_of_words, slice};
use stepwell_sdk::{FieldExt, FieldShape, Reader, Span, Wanted};

/// The beginning of a text is looked through line by line up to here; beyond, samples tell where one is.
const SCAN: u32 = 131_072;
/// The size of a sample.
const SAMPLE: u32 = 800;
/// A text without any structure of its own has at most this many places.
const PARAGRAPHS: usize = 8;
/// No more places than a reader can take in.
const MOST: usize = 20;
/// A label is at most this long, in bytes, and at least `SHORTEST`.
const LABEL: usize = 72;
const SHORTEST: usize = 16;

/// A place with the words that stand there.
struct Place {
    at: u32,
    label: Span,
    bytes: usize,
}

/// Finds up to `most` places whose labels take at most `bytes` bytes together.
pub(crate) fn find(
    reader: &impl Reader,
    slot: u32,
    field: &FieldShape,
    most: usize,
    bytes: usize,
) -> Vec<Anchor> {
    let most = most.min(MOST).min(bytes / SHORTEST);
    if most == 0 {
        return Vec::new();
    }
    let label = (bytes / most).clamp(SHORTEST, LABEL);
    let (start, scanned) = scan(reader, slot, field);
    let beyond = field.size().saturating_sub(scanned);
    // The unseen rest gets its share of the places, but never so many that the beginning's own marks have no room.
    let share = u64::from(beyond) * most as u64 / u64::from(field.size().max(1));
    let samples = if beyond > SCAN / 4 { (share as usize).min(most * 3 / 4) } else { 0 };
    let mut places: Vec<_> = strongest(marks::find(&start), most - samples)
        .into_iter()
        .filter(|mark| mark.line.start > 0)
        .map(|mark| place(&start, 0, mark.line, label))
        .collect();
    if places.is_empty() {
        places = paragraphs(&start, PARAGRAPHS.min(most - samples), label);
    }
    places.extend(sampled(reader, slot, field, scanned, samples, label));
    let mut left = bytes;
    places
        .into_iter()
        .take_while(|place| {
            let fits = place.bytes <= left;
            left = left.saturating_sub(place.bytes);
            fits
        })
        .map(|place| Anchor {
            path: field.path.clone(),
            at: place.at,
            label: Shown::Verbatim(Passage { path: field.path.clone(), at: place.label }),
        })
        .collect()
}

/// Reads the beginning, as much of it as half of the allowance pays for.
fn scan(reader: &impl Reader, slot: u32, field: &FieldShape) -> (String, u32) {
    let affordable = reader.left().bytes / 2;
    // Most texts take little more than a byte for a code point; one that takes four is tried again with a quarter.
    for part in [1, 4] {
        let end = SCAN.min(field.size()).min(affordable / part);
        if let Ok(text) = reader.read_one(slot, &field.path, Span { start: 0, end }) {
            let scanned = chars(&text);
            return (text, scanned);
        }
    }
    (field.head_text().to_owned(), chars(field.head_text()))
}

fn place(text: &str, base: u32, line: Span, label: usize) -> Place {
    let words = prefix_of_words(slice(text, line), label);
    let at = base + line.start;
    Place { at, label: Span { start: at, end: at + chars(words) }, bytes: words.len() }
}

/// Keeps the strongest marks, and of equally strong ones an even choice, in the order of the text.
fn strongest(mut marks: Vec<Mark>, most: usize) -> Vec<Mark> {
    if marks.len() <= most {
        return marks;
    }
    let mut strengths: Vec<_> = marks.iter().map(|mark| mark.strength).collect();
    strengths.sort_unstable_by(|a, b| b.cmp(a));
    let Some(&weakest) = most.checked_sub(1).and_then(|last| strengths.get(last)) else { return Vec::new() };
    let stronger = marks.iter().filter(|mark| mark.strength > weakest).count();
    let equal = marks.iter().filter(|mark| mark.strength == weakest).count();
    let (keep, mut seen) = (most - stronger, 0);
    marks.retain(|mark| {
        if mark.strength != weakest {
            return mark.strength > weakest;
        }
        // The n-th of `equal` stays if the line of the even choice takes a step there.
        let stays = (seen + 1) * keep / equal > seen * keep / equal;
        seen += 1;
        stays
    });
    marks
}

/// Beginnings of paragraphs at even distances, for a text without any structure of its own.
fn paragraphs(text: &str, most: usize, label: usize) -> Vec<Place> {
    let total = chars(text) as usize;
    let mut places: Vec<Place> = Vec::new();
    let mut previous_blank = true;
    for line in lines(text) {
        let due = (places.len() + 1) * total / (most + 1);
        if places.len() < most && previous_blank && !line.text.is_empty() && line.at.start as usize >= due {
            places.push(place(text, 0, line.at, label));
        }
        previous_blank = line.text.is_empty();
    }
    places
}

/// Looks into the unseen rest at even distances: at each, the first mark, paragraph, line or word that begins.
fn sampled(
    reader: &impl Reader,
    slot: u32,
    field: &FieldShape,
    from: u32,
    most: usize,
    label: usize,
) -> Vec<Place> {
    let most =
        most.min(reader.left().reads as usize).min(reader.left().bytes as usize / (4 * SAMPLE as usize));
    let beyond = u64::from(field.size().saturating_sub(from));
    let wanted: Vec<_> = (0..most as u64)
        .map(|n| {
            let start = from + u32::try_from(beyond * n / most as u64).unwrap_or(0);
            Wanted { slot, path: field.path.clone(), at: Span { start, end: start.saturating_add(SAMPLE) } }
        })
        .collect();
    let answers = reader.read(&wanted);
    wanted
        .iter()
        .zip(answers)
        .filter_map(|(wanted, text)| {
            let text = text.ok()?;
            beginning(&text).map(|line| place(&text, wanted.at.start, line, label))
        })
        .collect()
}

/// Where something begins in a sample that starts anywhere: its first, torn line does not count.
fn beginning(text: &str) -> Option<Span> {
    let torn = text.find('\n').map_or(0, |end| chars(&text[..=end]));
    let marks =
        marks::find(text).into_iter().map(|mark| mark.line).find(|line| line.start >= torn && torn > 0);
    let mut blank = false;
    let paragraph = lines(text).find(|line| {
        let begins = blank && !line.text.is_empty();
        blank = line.text.is_empty();
        begins
    });
    let line = lines(text).find(|line| torn > 0 && line.at.start >= torn && !line.text.is_empty());
    let word = || {
        let from =
            text.find(". ").map(|dot| dot + 2).or_else(|| text.find(char::is_whitespace).map(|at| at + 1))?;
        Some(Span { start: chars(&text[..from]), end: chars(text) })
    };
    marks.or(paragraph.map(|line| line.at)).or(line.map(|line| line.at)).or_else(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwell_sdk::testing::{Memory, text};

    fn labels(content: &str, most: usize) -> Vec<(u32, String)> {
        let reader = Memory::new(64, 512 * 1024).with(0, "body", content);
        let anchors = find(&reader, 0, &text("body", content), most, 1_024);
        anchors
            .into_iter()
            .map(|anchor| match anchor.label {
                Shown::Verbatim(passage) => (anchor.at, slice(content, passage.at).to_owned()),
                Shown::Derived(derived) => (anchor.at, derived.text),
            })
            .collect()
    }

    #[test]
    fn too_many_marks_leave_the_strongest_evenly() {
        let mut content = String::from("intro\n\n");
        for chapter in 0..5 {
            content += &format!("# Chapter {chapter}\n\n");
            for section in 0..10 {
                content += &format!("## Section {chapter}.{section}\n\ntext\n\n");
            }
        }
        let found = labels(&content, 12);
        assert_eq!(found.len(), 12);
        assert_eq!(found.iter().filter(|(_, label)| label.starts_with("# ")).count(), 5);
        assert!(found.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn the_unseen_rest_is_sampled() {
        let content = "One sentence with é. Another one follows here.\n\n".repeat(20_000);
        let found = labels(&content, 20);
        let last = found.last().map_or(0, |(at, _)| *at);
        assert!(last > SCAN * 4, "{last}");
        let beyond = found.iter().filter(|(at, _)| *at > SCAN).count();
        assert!(
            beyond * 3 >= found.len() * 2,
            "only {beyond} of {} places lie beyond the start",
            found.len()
        );
        for (at, label) in &found {
            assert!(label.starts_with("One") || label.starts_with("Another"), "{at} {label:?}");
        }
    }

    #[test]
    fn without_an_allowance_the_head_must_do() {
        let content = format!("a\n\n# Found\n{}", "x ".repeat(9_000));
        let anchors =
            find(&Memory::new(0, 0).with(0, "body", &content), 0, &text("body", &content), 20, 1_024);
        assert_eq!(anchors.len(), 1);
        assert_eq!(anchors[0].at, 3);
    }
}

//! One record's sheet.

use crate::anchors;
use crate::passage::{Piece, verbatim};
use stepwell_sdk::preview::{Derived, Passage, Sheet, Shown};
use stepwell_sdk::record::Part;
use stepwell_sdk::text::{chars, first_line, prefix_of_words, slice};
use stepwell_sdk::{
    Context, FieldExt, FieldKind, FieldShape, Hit, Purpose, Reader, RecordExt, RecordShape, Span,
};

/// Code points to read before and after a match that lies outside the head.
const MARGIN: u32 = 240;
/// A title takes at most this many bytes, and a third of the record's.
const TITLE: usize = 160;
/// A small fact takes at most this many bytes.
const FACT: usize = 96;
/// A line of fewer bytes says too little to be worth one.
const WORTH: usize = 24;
/// A text longer than one default window gets places to jump to.
const LONG: u32 = 4_096;

/// Lists what the heads do not contain: the surroundings of matches, and more of the text for a document.
pub(crate) fn wanted<'a>(record: &'a RecordShape, context: &Context) -> Vec<(u32, &'a str, Span)> {
    let mut wanted = Vec::new();
    for hit in shown_hits(record, context) {
        let (Some(at), Some(field)) = (hit.at, record.field(&hit.path)) else { continue };
        if field.is_readable() && !in_head(field, at) {
            let around = Span { start: at.start.saturating_sub(MARGIN), end: at.end.saturating_add(MARGIN) };
            wanted.push((record.slot, field.path.as_str(), around));
        }
    }
    if let Some(body) = body(record)
        && context.purpose == Purpose::Document
        && !body.is_whole()
        && context.budget.bytes as usize > body.head_text().len()
    {
        wanted.push((record.slot, body.path.as_str(), Span { start: 0, end: context.budget.bytes }));
    }
    wanted
}

/// Composes the sheet, given the pieces that were read for the whole page.
pub(crate) fn compose(
    record: &RecordShape,
    context: &Context,
    pieces: &[Piece<'_>],
    reader: &impl Reader,
) -> Sheet {
    let mut draft = Draft {
        record,
        pieces,
        bytes: context.budget.bytes as usize,
        room: context.budget.lines as usize,
        lines: Vec::new(),
        shown: Vec::new(),
    };
    let is_document = context.purpose == Purpose::Document;
    let body = body(record);
    // Places to jump to are for a page of its own; their labels are paid for before the text, which can be read anyway.
    let long = body.filter(|body| is_document && body.size() > LONG && context.budget.anchors > 0);
    let labels = if long.is_some() { draft.bytes / 4 } else { 0 };
    draft.bytes -= labels;

    let title = draft.title();
    draft.hits(context);
    draft.fact(record.part(Part::Author));
    draft.fact(record.part(Part::Time).filter(|time| record.time.as_deref() != Some(time.head_text())));
    draft.body(body);
    draft.rest(body);
    let anchors = long.map_or_else(Vec::new, |field| {
        anchors::find(reader, record.slot, field, context.budget.anchors as usize, labels)
    });
    Sheet { slot: record.slot, title, lines: draft.lines, anchors, options: Vec::new() }
}

/// The text that the record is about: by role, by name, else the longest.
fn body(record: &RecordShape) -> Option<&FieldShape> {
    record.part(Part::Body).filter(|field| field.is_readable()).or_else(|| {
        let title = record.part(Part::Title).map(|title| title.path.as_str());
        record.longest().filter(|field| Some(field.path.as_str()) != title)
    })
}

/// The matches worth showing: two in a row, four in a document.
fn shown_hits<'a>(record: &'a RecordShape, context: &Context) -> impl Iterator<Item = &'a Hit> {
    record.hits.iter().take(if context.purpose == Purpose::Document { 4 } else { 2 })
}

fn in_head(field: &FieldShape, at: Span) -> bool {
    let head = chars(field.head_text());
    at.end <= head && (field.is_whole() || at.end.saturating_add(MARGIN / 2) <= head)
}

/// A sheet in the making: what is left of the budget, and what is already said.
struct Draft<'a> {
    record: &'a RecordShape,
    pieces: &'a [Piece<'a>],
    bytes: usize,
    room: usize,
    lines: Vec<Shown>,
    shown: Vec<Passage>,
}

impl<'a> Draft<'a> {
    fn push(&mut self, shown: Shown, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
        self.room = self.room.saturating_sub(1);
        if let Shown::Verbatim(passage) = &shown {
            self.shown.push(passage.clone());
        }
        self.lines.push(shown);
    }

    fn is_shown(&self, path: &str, at: Span) -> bool {
        self.shown.iter().any(|seen| seen.path == path && seen.at.start < at.end && at.start < seen.at.end)
    }

    /// The title field's first line; else the first line of the text.
    fn title(&mut self) -> Option<Shown> {
        let record = self.record;
        let field = record.part(Part::Title).or_else(|| body(record))?;
        let most = TITLE.min(self.bytes / 3);
        if !field.is_readable() {
            let text = prefix_of_words(field.value.as_deref()?, most);
            self.bytes -= text.len();
            return Some(Shown::Derived(Derived { text: text.to_owned(), covers: None }));
        }
        let line = first_line(field.head_text())?;
        let (mut passage, mut bytes) = Piece::head(record.slot, field).words_from(line.start, most)?;
        if passage.at.end > line.end {
            passage.at.end = line.end;
            bytes = slice(field.head_text(), passage.at).len();
        }
        self.bytes = self.bytes.saturating_sub(bytes);
        self.shown.push(passage.clone());
        Some(verbatim(passage))
    }

    /// Where the search matched: the record's own words if the place is known, else the source's excerpt.
    fn hits(&mut self, context: &Context) {
        let hits: Vec<_> = shown_hits(self.record, context).collect();
        for (index, hit) in hits.iter().enumerate() {
            let share = self.bytes / 2 / (hits.len() - index);
            if self.room == 0 || share < WORTH {
                return;
            }
            let Some(field) = self.record.field(&hit.path) else { continue };
            match hit.at {
                Some(at) if self.is_shown(&hit.path, at) => {}
                Some(at) => match self.around(field, at, share) {
                    Some((passage, bytes)) => self.push(verbatim(passage), bytes),
                    None => self.snippet(hit, share),
                },
                None => self.snippet(hit, share),
            }
        }
    }

    fn around(&self, field: &FieldShape, at: Span, bytes: usize) -> Option<(Passage, usize)> {
        let read =
            self.pieces.iter().filter(|piece| piece.slot == self.record.slot && piece.path == field.path);
        read.filter_map(|piece| piece.around(at, bytes))
            .next()
            .or_else(|| Piece::head(self.record.slot, field).around(at, bytes))
    }

    fn snippet(&mut self, hit: &Hit, bytes: usize) {
        let Some(snippet) = hit.snippet.as_deref() else { return };
        let text = prefix_of_words(snippet.trim(), bytes);
        if !text.is_empty() {
            self.push(Shown::Derived(Derived { text: text.to_owned(), covers: None }), text.len());
        }
    }

    /// A small fact: a short text verbatim, a number or a boolean with its name.
    fn fact(&mut self, field: Option<&'a FieldShape>) {
        // An empty list says nothing.
        let Some(field) = field.filter(|field| !matches!(field.head_text(), "[]" | "{}")) else { return };
        let most = FACT.min(self.bytes);
        if self.room == 0 || self.shown.iter().any(|seen| seen.path == field.path) {
            return;
        }
        match field.kind {
            FieldKind::Text | FieldKind::Json => {
                if let Some((passage, bytes)) = Piece::head(self.record.slot, field).words_from(0, most) {
                    self.push(verbatim(passage), bytes);
                }
            }
            FieldKind::Number | FieldKind::Boolean => {
                let text = format!("{}: {}", field.path, field.value.as_deref().unwrap_or_default());
                if text.len() <= most {
                    let bytes = text.len();
                    self.push(Shown::Derived(Derived { text, covers: None }), bytes);
                }
            }
            _ => {}
        }
    }

    /// How the text begins, up to where a match was already shown.
    fn body(&mut self, field: Option<&'a FieldShape>) {
        let Some(field) = field else { return };
        // Leave something for the facts that follow, unless there are none.
        let reserve = if self.record.fields.len() > 2 { (self.bytes / 5).min(2 * FACT) } else { 0 };
        let most = self.bytes - reserve;
        if self.room == 0 || most < WORTH.min(field.head_text().len()) {
            return;
        }
        let own = |piece: &&Piece<'_>| {
            piece.slot == self.record.slot && piece.path == field.path && piece.start == 0
        };
        let piece =
            self.pieces.iter().find(own).cloned().unwrap_or_else(|| Piece::head(self.record.slot, field));
        // The title may be the text's own first line.
        let begin = self.shown.iter().filter(|seen| seen.path == field.path && seen.at.start == first(field));
        let begin = begin.map(|seen| seen.at.end).max().unwrap_or(0);
        let Some((mut passage, mut bytes)) = piece.words_from(begin, most) else { return };
        let next =
            self.shown.iter().filter(|seen| seen.path == field.path && seen.at.start >= passage.at.start);
        if let Some(next) = next.map(|seen| seen.at.start).min()
            && next < passage.at.end
        {
            passage.at.end = next;
            bytes = piece.bytes_of(passage.at);
        }
        if passage.at.end > passage.at.start && !self.is_shown(&field.path, passage.at) {
            self.push(verbatim(passage), bytes);
        }
    }

    /// The remaining small facts, in the record's order: first those that are whole.
    fn rest(&mut self, body: Option<&FieldShape>) {
        let body = body.map(|body| body.path.as_str());
        let record = self.record;
        let small = |field: &&FieldShape| field.size() as usize <= FACT;
        let others = || {
            record.fields.iter().filter(|field| Some(field.path.as_str()) != body && !looks_like_id(field))
        };
        for field in others().filter(small).chain(others().filter(|field| !small(field))) {
            if self.bytes < WORTH / 2 {
                return;
            }
            self.fact(Some(field));
        }
    }
}

/// Where the first line that says something starts.
fn first(field: &FieldShape) -> u32 {
    first_line(field.head_text()).map_or(0, |line| line.start)
}

/// Keys tell a reader nothing, and the host prints the record's own.
fn looks_like_id(field: &FieldShape) -> bool {
    let name = field.path.to_ascii_lowercase();
    name == "id"
        || name.ends_with("_id")
        || name.ends_with("_ids")
        || name == "etag"
        || name.ends_with("hash")
}

#[cfg(test)]
mod tests;

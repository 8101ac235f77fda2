//! A preview tier that shows what an HTML text says instead of its tags.
//!
//! The words are derived, because they are not the field's own letters, and they cover the part of the field that they
//! were taken from, so that a reader knows where to go on. A field that is no HTML is shown verbatim.

mod entity;
mod html;

use html::Rendered;
use stepwell_sdk::preview::{Derived, Guest, Passage, Sheet, Shown};
use stepwell_sdk::record::Part as Role;
use stepwell_sdk::text::{chars, first_line, prefix_of_words, slice};
use stepwell_sdk::{
    Context, Fault, FieldExt, FieldKind, FieldShape, Host, Purpose, Reader, RecordExt, RecordShape, Span,
    Wanted,
};

/// How far a field is read, in code points: pages begin with a long head that says nothing.
const READ: u32 = 16_384;
/// With fewer bytes of words than this in its head, a row is worth a read.
const ENOUGH: usize = 80;
/// A title takes at most this many bytes, and a third of the record's.
const TITLE: usize = 160;
/// An author takes at most this many bytes.
const FACT: usize = 80;

/// Composes the previews of a page. All that needs reading is read in one crossing for the whole page.
#[must_use]
pub fn compose(records: &[RecordShape], context: &Context, reader: &impl Reader) -> Vec<Sheet> {
    let wanted: Vec<Wanted> = records.iter().filter_map(|record| more(record, context)).collect();
    let read = reader.read(&wanted);
    let known: Vec<(u32, String)> =
        wanted.iter().zip(read).filter_map(|(wanted, text)| Some((wanted.slot, text.ok()?))).collect();
    let text_of = |record: &RecordShape| known.iter().find(|(slot, _)| *slot == record.slot);
    records
        .iter()
        .map(|record| sheet(record, context, text_of(record).map(|(_, text)| text.as_str())))
        .collect()
}

/// The field that is HTML: the text that the record is about if that is, else any other.
fn page(record: &RecordShape) -> Option<&FieldShape> {
    let body = record.part(Role::Body).into_iter();
    body.chain(&record.fields).find(|field| field.kind == FieldKind::Text && is_html(field))
}

fn is_html(field: &FieldShape) -> bool {
    let declared = field.mime.as_deref().unwrap_or_default();
    let declared = declared.split(';').next().unwrap_or_default().trim();
    declared.eq_ignore_ascii_case("text/html")
        || declared.eq_ignore_ascii_case("application/xhtml+xml")
        || html::looks_like_it(field.head_text())
}

/// What to read beyond the head: of a document much, of a row only if its head says little.
fn more(record: &RecordShape, context: &Context) -> Option<Wanted> {
    let field = page(record).filter(|field| !field.is_whole())?;
    let says_little = || html::render(field.head_text(), ENOUGH).text.len() < ENOUGH;
    (context.purpose == Purpose::Document || says_little()).then(|| Wanted {
        slot: record.slot,
        path: field.path.clone(),
        at: Span { start: 0, end: READ.min(field.size()) },
    })
}

fn sheet(record: &RecordShape, context: &Context, text: Option<&str>) -> Sheet {
    let mut bytes = context.budget.bytes as usize;
    let page = page(record);
    let text = text.or_else(|| page.map(FieldExt::head_text)).unwrap_or_default();
    let title = title(record, page, text, TITLE.min(bytes / 3));
    bytes -= title.as_ref().map_or(0, |(_, bytes)| *bytes);
    let author = record.part(Role::Author).filter(|field| field.is_readable());
    let author = author.and_then(|field| beginning(field, FACT.min(bytes / 3)));
    bytes -= author.as_ref().map_or(0, |(_, bytes)| *bytes);
    let words = match page {
        Some(field) => derived(field, text, bytes),
        None => {
            let body = record.part(Role::Body).or_else(|| record.longest());
            body.filter(|field| field.is_readable()).and_then(|field| beginning(field, bytes))
        }
    };
    let lines = words.into_iter().chain(author).map(|(shown, _)| shown);
    let lines = lines.take(context.budget.lines as usize).collect();
    let title = title.map(|(shown, _)| shown);
    Sheet { slot: record.slot, title, lines, anchors: Vec::new(), options: Vec::new() }
}

/// The title field's first line; else what the page calls itself.
fn title(record: &RecordShape, page: Option<&FieldShape>, text: &str, most: usize) -> Option<(Shown, usize)> {
    if let Some(field) = record.part(Role::Title).filter(|field| field.is_readable() && !is_html(field)) {
        let line = first_line(field.head_text())?;
        let words = prefix_of_words(slice(field.head_text(), line), most);
        return verbatim(field, line.start, words);
    }
    let (at, named) = html::title(text, most)?;
    let covers = Some(Passage { path: page?.path.clone(), at });
    let bytes = named.len();
    Some((Shown::Derived(Derived { text: named, covers }), bytes))
}

fn beginning(field: &FieldShape, most: usize) -> Option<(Shown, usize)> {
    verbatim(field, 0, prefix_of_words(field.head_text(), most))
}

fn verbatim(field: &FieldShape, start: u32, words: &str) -> Option<(Shown, usize)> {
    let at = Span { start, end: start + chars(words) };
    let passage = Passage { path: field.path.clone(), at };
    (!words.is_empty()).then_some((Shown::Verbatim(passage), words.len()))
}

fn derived(field: &FieldShape, text: &str, most: usize) -> Option<(Shown, usize)> {
    let Rendered { text, end } = html::render(text, most);
    let bytes = text.len();
    let covers = Some(Passage { path: field.path.clone(), at: Span { start: 0, end } });
    (bytes > 0).then_some((Shown::Derived(Derived { text, covers }), bytes))
}

/// The component.
#[derive(Debug)]
pub struct HtmlPreview;

impl Guest for HtmlPreview {
    fn compose(records: Vec<RecordShape>, context: Context) -> Result<Vec<Sheet>, Fault> {
        Ok(compose(&records, &context, &Host))
    }
}

stepwell_sdk::preview::export!(HtmlPreview);

#[cfg(test)]
mod tests;

//! One mail's sheet.

use crate::parts::{Kind, Part, parts, subject};
use stepwell_sdk::preview::{Derived, Passage, Sheet, Shown};
use stepwell_sdk::record::Part as Role;
use stepwell_sdk::text::{chars, first_line, prefix_of_words, slice};
use stepwell_sdk::{Context, FieldExt, FieldKind, FieldShape, Purpose, RecordExt, RecordShape, Span, Wanted};

/// How far a mail is read for words of its own, in code points.
const READ: u32 = 8_192;
/// With fewer own words than this in its head, a row is worth a read.
const ENOUGH: u32 = 80;
/// A title takes at most this many bytes, and a third of the record's.
const TITLE: usize = 160;
/// An author or a place in a thread takes at most this many bytes.
const FACT: usize = 80;
/// A line of fewer bytes says too little to be worth one.
const WORTH: usize = 16;

/// What to read beyond the head: of a document much, of a row only if its head is somebody else's words.
pub(crate) fn wanted(record: &RecordShape, context: &Context) -> Option<Wanted> {
    let body = body(record).filter(|body| !body.is_whole())?;
    let own: u32 = parts(body.head_text()).iter().filter(|part| part.kind == Kind::Own).map(length).sum();
    (context.purpose == Purpose::Document || own < ENOUGH).then(|| Wanted {
        slot: record.slot,
        path: body.path.clone(),
        at: Span { start: 0, end: READ.min(body.size()) },
    })
}

fn length(part: &Part) -> u32 {
    part.at.end - part.at.start
}

fn body(record: &RecordShape) -> Option<&FieldShape> {
    record.part(Role::Body).filter(|field| field.kind == FieldKind::Text)
}

/// Composes the sheet; `text` is the beginning of the body where more than its head was read.
pub(crate) fn compose(record: &RecordShape, context: &Context, text: Option<&str>) -> Sheet {
    let budget = &context.budget;
    let mut draft = Draft { bytes: budget.bytes as usize, room: budget.lines as usize, lines: Vec::new() };
    let title = draft.title(record);
    if let Some(field) = body(record) {
        let text = text.unwrap_or_else(|| field.head_text());
        let parts = parts(text);
        // The first own words, then who says them and to whom, then what was left out.
        let reserve = 2 * FACT.min(draft.bytes / 4);
        let own: Vec<_> = parts.iter().filter(|part| part.kind == Kind::Own).collect();
        if let Some(first) = own.first() {
            draft.words(field, text, first.at, draft.bytes.saturating_sub(reserve));
        }
        draft.thread(record);
        draft.hidden(field, &parts, chars(text) < field.size());
        draft.author(record);
        own.iter().skip(1).for_each(|part| draft.words(field, text, part.at, draft.bytes));
    } else {
        draft.thread(record);
        draft.author(record);
    }
    Sheet { slot: record.slot, title, lines: draft.lines, anchors: Vec::new(), options: Vec::new() }
}

/// A sheet in the making, with what is left of its budget.
struct Draft {
    bytes: usize,
    room: usize,
    lines: Vec<Shown>,
}

impl Draft {
    fn push(&mut self, shown: Shown, bytes: usize) {
        if self.room > 0 && bytes <= self.bytes && bytes > 0 {
            self.room -= 1;
            self.bytes -= bytes;
            self.lines.push(shown);
        }
    }

    /// The subject without what mail programs put before it.
    fn title(&mut self, record: &RecordShape) -> Option<Shown> {
        let field = record.part(Role::Title).or_else(|| body(record)).filter(|field| field.is_readable())?;
        let head = field.head_text();
        let line = first_line(head)?;
        let (skip, _) = subject(slice(head, line));
        // A subject that is nothing but a prefix is shown as it is.
        let start = if line.start + skip < line.end { line.start + skip } else { line.start };
        let words = prefix_of_words(slice(head, Span { start, end: line.end }), TITLE.min(self.bytes / 3));
        if words.is_empty() {
            return None;
        }
        self.bytes -= words.len();
        Some(verbatim(field, Span { start, end: start + chars(words) }))
    }

    fn words(&mut self, field: &FieldShape, text: &str, at: Span, most: usize) {
        let words = prefix_of_words(slice(text, at), most);
        if words.len() >= WORTH.min(slice(text, at).len()) {
            self.push(verbatim(field, Span { start: at.start, end: at.start + chars(words) }), words.len());
        }
    }

    fn author(&mut self, record: &RecordShape) {
        let Some(field) = record.part(Role::Author).filter(|field| field.is_readable()) else { return };
        let words = prefix_of_words(field.head_text(), FACT.min(self.bytes));
        self.push(verbatim(field, Span { start: 0, end: chars(words) }), words.len());
    }

    /// Where the mail stands in its thread, as far as it says so.
    fn thread(&mut self, record: &RecordShape) {
        let known = |names: &[&str]| {
            let is = |field: &&FieldShape| names.iter().any(|name| field.path.eq_ignore_ascii_case(name));
            record.fields.iter().find(|field| field.kind == FieldKind::Text && is(field))
        };
        let answered = known(&["in_reply_to", "in-reply-to", "inreplyto"]);
        let thread = known(&["thread_id", "threadid", "conversation_id"]);
        let titled = record.part(Role::Title).filter(|field| field.kind == FieldKind::Text);
        let (prefix, depth) = titled.map_or((0, 0), |field| subject(field.head_text()));
        let mut said = Vec::new();
        match (depth, answered) {
            (0, None) => {}
            (0 | 1, _) => said.push("an answer".to_owned()),
            (more, _) => said.push(format!("an answer, {more} deep")),
        }
        if let Some(field) = thread {
            said.push(format!("in thread {}", prefix_of_words(field.head_text(), FACT / 2)));
        }
        // It covers what it was read from: the mail that is answered, else the thread, else the prefixes.
        let covers = answered.or(thread).map(|field| (field, chars(field.head_text())));
        let covers = covers.or(titled.filter(|_| depth > 0).map(|field| (field, prefix)));
        if let Some((field, end)) = covers {
            self.derived(said.join(", "), field, Span { start: 0, end });
        }
    }

    /// Says what is not shown, with the part that each remark stands for.
    fn hidden(&mut self, field: &FieldShape, parts: &[Part], goes_on: bool) {
        let mut quoted = parts.iter().filter(|part| part.kind == Kind::Quoted);
        let lines: u32 = quoted.clone().map(|part| part.lines).sum();
        if let (Some(first), Some(last)) = (quoted.clone().next(), quoted.next_back()) {
            let least = if goes_on { "at least " } else { "" };
            let text = match lines {
                1 => format!("{least}1 quoted line hidden"),
                _ => format!("{least}{lines} quoted lines hidden"),
            };
            self.derived(text, field, Span { start: first.at.start, end: last.at.end });
        }
        if let Some(part) = parts.iter().find(|part| part.kind == Kind::Signature) {
            self.derived("signature hidden".to_owned(), field, part.at);
        }
    }

    fn derived(&mut self, text: String, field: &FieldShape, at: Span) {
        let bytes = text.len();
        let covers = Some(Passage { path: field.path.clone(), at });
        self.push(Shown::Derived(Derived { text, covers }), bytes);
    }
}

fn verbatim(field: &FieldShape, at: Span) -> Shown {
    Shown::Verbatim(Passage { path: field.path.clone(), at })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwell_sdk::testing::{Memory, context, record, text};

    /// Composes one mail and resolves what is shown; derived lines with what they cover.
    fn show(fields: &[(&str, &str)], context: &Context) -> (Option<String>, Vec<String>) {
        let shape = record("messages", fields.iter().map(|(path, content)| text(path, content)).collect());
        let reader = fields
            .iter()
            .fold(Memory::new(64, 512 * 1024), |reader, (path, content)| reader.with(0, path, content));
        let sheet = crate::compose(&[shape], context, &reader).remove(0);
        let own = |passage: &Passage| {
            let content = fields.iter().find(|(path, _)| *path == passage.path).unwrap().1;
            assert!(passage.at.end <= chars(content), "inside the field: {passage:?}");
            slice(content, passage.at).to_owned()
        };
        let resolve = |shown: &Shown| match shown {
            Shown::Verbatim(passage) => own(passage),
            Shown::Derived(derived) => {
                format!("~{} ~{}", derived.text, own(derived.covers.as_ref().unwrap()))
            }
        };
        let bytes: usize = sheet
            .title
            .iter()
            .chain(&sheet.lines)
            .map(|shown| match shown {
                Shown::Verbatim(passage) => own(passage).len(),
                Shown::Derived(derived) => derived.text.len(),
            })
            .sum();
        assert!(bytes <= context.budget.bytes as usize && sheet.lines.len() <= context.budget.lines as usize);
        (sheet.title.as_ref().map(resolve), sheet.lines.iter().map(resolve).collect())
    }

    const REPLY: &[(&str, &str)] = &[
        ("subject", "Re: Re: Lunch on Friday?"),
        ("from", "Ann <ann@example.org>"),
        ("in_reply_to", "<m-17@example.org>"),
        ("thread_id", "t-4"),
        (
            "body",
            "On Monday Ben wrote:\n> Shall we?\n> Ben\n\nYes, with pleasure!\n\n-- \nAnn Example\nHarbour Lane 7",
        ),
    ];

    #[test]
    fn a_reply_shows_its_own_words_its_thread_and_what_is_hidden() {
        let (title, lines) = show(REPLY, &context(Purpose::Row, 240));
        assert_eq!(title.as_deref(), Some("Lunch on Friday?"));
        assert_eq!(
            lines,
            [
                "Yes, with pleasure!",
                "~an answer, 2 deep, in thread t-4 ~<m-17@example.org>",
                "~3 quoted lines hidden ~On Monday Ben wrote:\n> Shall we?\n> Ben",
                "~signature hidden ~--\u{20}\nAnn Example\nHarbour Lane 7",
                "Ann <ann@example.org>",
            ]
        );
    }

    #[test]
    fn own_words_below_a_long_quote_are_found() {
        let body = format!("{}\nHere is my answer.", "> an old line of words\n".repeat(100));
        let (_, lines) = show(&[("subject", "Re: x"), ("body", &body)], &context(Purpose::Row, 240));
        assert_eq!(lines[0], "Here is my answer.");
        assert!(lines[1].starts_with("~an answer ~Re: "), "{lines:?}");
        assert!(lines[2].starts_with("~100 quoted lines hidden ~> an old"), "{lines:?}");
    }

    #[test]
    fn a_first_mail_is_a_mail_and_other_records_are_no_problem() {
        let (title, lines) =
            show(&[("subject", "Hello"), ("body", "Just this.")], &context(Purpose::Document, 1_024));
        assert_eq!((title.as_deref(), lines), (Some("Hello"), vec!["Just this.".to_owned()]));
        assert_eq!(show(&[("amount", "12")], &context(Purpose::Row, 240)), (None, Vec::new()));
        assert_eq!(show(&[], &context(Purpose::Row, 240)), (None, Vec::new()));
    }

    #[test]
    fn any_budget_is_kept() {
        for bytes in 0..300 {
            for lines in 0..6 {
                let mut context = context(Purpose::Row, bytes);
                context.budget.lines = lines;
                show(REPLY, &context);
            }
        }
    }
}

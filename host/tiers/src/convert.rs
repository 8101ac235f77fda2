//! Between the types of the WIT and those of this crate: of 0.1 here, of the tiers with two versions in `librarian` and
//! `tool`. Numbers saturate on the way out: a size that does not fit into 32 bits is only ever compared with smaller
//! ones.

pub(crate) mod librarian;
pub(crate) mod tool;

use crate::fault::{GuestRefusal, Invalid};
use crate::fields::ReadRefusal;
use crate::plan::{Anchor, Asked, BlobShape, Card, Derived, Mode, Passage, Sheet, Shown};
use crate::shape::{Context, FieldKind, FieldShape, Hit, Purpose, RecordShape, Slot};
use crate::wit::v0_1::imports::{fields, log, shapes};
use crate::wit::v0_1::{exporter, previewer, windower};
use std::collections::BTreeMap;
use std::sync::Arc;
use stepwell_contract::{Chars, Span};

/// A number for a guest.
pub(crate) fn saturating(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// How much a message matters, in a word.
pub(crate) const fn level(level: log::Level) -> &'static str {
    match level {
        log::Level::Debug => "debug",
        log::Level::Info => "info",
        log::Level::Warn => "warn",
    }
}

/// A span from a guest.
pub(crate) fn span(at: shapes::Span) -> Result<Span, Invalid> {
    Span::new(Chars(at.start.into()), Chars(at.end.into())).ok_or(Invalid::Backwards)
}

fn span_out(at: Span) -> shapes::Span {
    shapes::Span { start: saturating(at.start().get()), end: saturating(at.end().get()) }
}

pub(crate) fn field_out(field: FieldShape) -> shapes::FieldShape {
    shapes::FieldShape {
        path: field.path,
        kind: match field.kind {
            FieldKind::Text => shapes::FieldKind::Text,
            FieldKind::Json => shapes::FieldKind::Json,
            FieldKind::Number => shapes::FieldKind::Number,
            FieldKind::Boolean => shapes::FieldKind::Boolean,
            FieldKind::Binary => shapes::FieldKind::Binary,
            FieldKind::Empty => shapes::FieldKind::Empty,
        },
        mime: field.mime,
        role: field.role,
        chars: field.chars.map(|size| saturating(size.get())),
        bytes: field.bytes.map(|size| saturating(size.get())),
        value: field.value,
        head: field.head,
        options: field.options,
    }
}

pub(crate) fn record_out(record: RecordShape) -> shapes::RecordShape {
    let hit = |hit: Hit| shapes::Hit { path: hit.path, at: hit.at.map(span_out), snippet: hit.snippet };
    shapes::RecordShape {
        slot: record.slot.0,
        stream_name: record.stream,
        connector: record.connector,
        label: record.label,
        time: record.time,
        fields: record.fields.into_iter().map(field_out).collect(),
        hits: record.hits.into_iter().map(hit).collect(),
        options: record.options,
    }
}

/// Parts records into what a call's answer is checked against, and what its guest is shown. The first needs no text, and
/// to copy all of it would cost as much as many an answer.
pub(crate) fn parted(records: Vec<RecordShape>) -> (Arc<Vec<RecordShape>>, Vec<shapes::RecordShape>) {
    let field = |field: &FieldShape| FieldShape {
        chars: field.chars,
        bytes: field.bytes,
        ..FieldShape::new(field.path.as_str(), field.kind)
    };
    let outline = |record: &RecordShape| {
        RecordShape::new(record.slot, record.stream.as_str(), record.fields.iter().map(field).collect())
    };
    let outlines = records.iter().map(outline).collect();
    (Arc::new(outlines), records.into_iter().map(record_out).collect())
}

pub(crate) fn context_out(context: &Context, options: &BTreeMap<String, String>) -> shapes::Context {
    shapes::Context {
        purpose: match context.purpose {
            Purpose::Row => shapes::Purpose::Row,
            Purpose::Document => shapes::Purpose::Document,
        },
        budget: shapes::Budget {
            bytes: saturating(context.budget.bytes.get()),
            lines: context.budget.lines,
            anchors: context.budget.anchors,
        },
        locale: context.locale.clone(),
        time_zone: context.time_zone.clone(),
        now: context.now.clone(),
        options: options.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
    }
}

/// A guest's refusal without its message, which may contain record text.
pub(crate) fn refusal(fault: &shapes::Fault) -> GuestRefusal {
    match fault {
        shapes::Fault::Unsupported(_) => GuestRefusal::Unsupported,
        shapes::Fault::Invalid(_) => GuestRefusal::Invalid,
        shapes::Fault::Other(_) => GuestRefusal::Other,
    }
}

pub(crate) fn refusal_out(refusal: ReadRefusal) -> fields::Refusal {
    match refusal {
        ReadRefusal::NotInHand => fields::Refusal::NotInHand,
        ReadRefusal::NotText => fields::Refusal::NotText,
        ReadRefusal::OverAllowance => fields::Refusal::OverAllowance,
        ReadRefusal::BadSelection => fields::Refusal::Other("not a selection".to_owned()),
        ReadRefusal::Unavailable => fields::Refusal::Other("the source did not answer".to_owned()),
    }
}

fn passage(passage: previewer::Passage) -> Result<Passage, Invalid> {
    Ok(Passage { at: span(passage.at)?, path: passage.path })
}

fn shown(shown: previewer::Shown) -> Result<Shown, Invalid> {
    Ok(match shown {
        previewer::Shown::Verbatim(own) => Shown::Verbatim(passage(own)?),
        previewer::Shown::Derived(derived) => {
            Shown::Derived(Derived { text: derived.text, covers: derived.covers.map(passage).transpose()? })
        }
    })
}

fn anchor(anchor: previewer::Anchor) -> Result<Anchor, Invalid> {
    Ok(Anchor { path: anchor.path, at: Chars(anchor.at.into()), label: shown(anchor.label)? })
}

pub(crate) fn sheet(sheet: previewer::Sheet) -> Result<Sheet, Invalid> {
    Ok(Sheet {
        slot: Slot(sheet.slot),
        title: sheet.title.map(shown).transpose()?,
        lines: sheet.lines.into_iter().map(shown).collect::<Result<_, _>>()?,
        anchors: sheet.anchors.into_iter().map(anchor).collect::<Result<_, _>>()?,
    })
}

pub(crate) fn asked_out(asked: Asked) -> windower::Asked {
    let chars = |n: Chars| saturating(n.get());
    match asked {
        Asked::Page { offset, limit } => {
            windower::Asked::Page(windower::Page { offset: chars(offset), limit: chars(limit) })
        }
        Asked::Back { end, limit } => {
            windower::Asked::Back(windower::Back { end: chars(end), limit: chars(limit) })
        }
        Asked::Around { hit, before, after, limit } => windower::Asked::Around(windower::Around {
            hit: span_out(hit),
            before: chars(before),
            after: chars(after),
            limit: chars(limit),
        }),
    }
}

pub(crate) fn blob_out(blob: &BlobShape) -> exporter::BlobShape {
    exporter::BlobShape {
        path: blob.path.clone(),
        mime: blob.mime.clone(),
        bytes: blob.bytes.map(|size| saturating(size.get())),
        file_name: blob.file_name.clone(),
        head: blob.head.clone(),
        options: blob.options.clone(),
    }
}

pub(crate) fn card(card: exporter::Card) -> Card {
    let mode = match card.mode {
        exporter::Mode::Window => Mode::Window,
        exporter::Mode::DownloadOnly => Mode::DownloadOnly,
        exporter::Mode::Refuse => Mode::Refuse,
    };
    Card { file_name: card.file_name, mime: card.mime, mode, note: card.note }
}

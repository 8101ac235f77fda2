//! The capability that a tier is handed for one call, and the allowance in front of it.

use crate::limits;
use crate::shape::{FieldShape, RecordShape, Slot};
use crate::toolbox::{Selected, Selection};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;
use stepwell_contract::{Chars, Span};

/// One span to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The record.
    pub slot: Slot,
    /// The field, or a pointer into it.
    pub path: String,
    /// The span.
    pub at: Span,
}

/// Why a read gives nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadRefusal {
    /// No such slot in this call, or no such granted field in it.
    #[error("not in hand")]
    NotInHand,
    /// The field holds no text.
    #[error("not text")]
    NotText,
    /// The allowance or the time is used up.
    #[error("over the allowance")]
    OverAllowance,
    /// A selection that cannot be understood.
    #[error("not a selection")]
    BadSelection,
    /// The source did not answer.
    #[error("the source did not answer")]
    Unavailable,
}

/// The fields of the records in one call, under the caller's grant.
///
/// Whoever implements it reads under that grant and answers for nothing else. It is called on a blocking thread. Slots
/// and paths outside the call, and reads over the allowance, are refused before they get here.
pub trait Fields: Send + Sync {
    /// Reads a span of a readable field; what lies past its end is simply not there.
    fn read(&self, slot: Slot, path: &str, at: Span) -> Result<String, ReadRefusal>;

    /// Lists the members of a JSON field, or of an array or object inside it.
    fn children(&self, slot: Slot, pointer: &str) -> Result<Vec<FieldShape>, ReadRefusal>;

    /// Reads several spans, in the order asked, and gives up at `until`. A source with a network in between overrides
    /// this to ask once.
    fn read_all(&self, wanted: &[Wanted], until: Instant) -> Vec<Result<String, ReadRefusal>> {
        let read = |one: &Wanted| {
            if Instant::now() >= until {
                return Err(ReadRefusal::OverAllowance);
            }
            self.read(one.slot, &one.path, one.at)
        };
        wanted.iter().map(read).collect()
    }

    /// Selects more records and puts them in hand, and gives up at `until`. Only a tool's hand has any to give.
    fn select(&self, _what: &Selection, _until: Instant) -> Result<Selected, ReadRefusal> {
        Err(ReadRefusal::NotInHand)
    }

    /// How a record in hand is named in the arguments of a call. Only a tool's hand knows; no guest is told.
    fn spelled(&self, _slot: Slot) -> Option<String> {
        None
    }
}

/// A hand without fields, for calls that need none.
#[derive(Clone, Copy, Debug, Default)]
pub struct EmptyHand;

impl Fields for EmptyHand {
    fn read(&self, _: Slot, _: &str, _: Span) -> Result<String, ReadRefusal> {
        Err(ReadRefusal::NotInHand)
    }

    fn children(&self, _: Slot, _: &str) -> Result<Vec<FieldShape>, ReadRefusal> {
        Err(ReadRefusal::NotInHand)
    }
}

/// What is left of a call's allowance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    /// Spans and lists of children that may still be read.
    pub reads: u32,
    /// Bytes that may still be read.
    pub bytes: u64,
}

/// The one door for every WIT version: what is not in hand, or over the allowance, never reaches the source.
pub(crate) struct Hand {
    fields: Arc<dyn Fields>,
    in_hand: Vec<Dealt>,
    left: Allowance,
    until: Instant,
}

/// What was dealt at once. It is shared with whoever asked and looked through only when something is read, because most
/// calls read nothing.
enum Dealt {
    Records(Arc<Vec<RecordShape>>),
    Field(Slot, Arc<FieldShape>),
}

impl Dealt {
    /// The slots that it fills.
    fn slots(&self) -> impl Iterator<Item = Slot> {
        let (records, field) = match self {
            Self::Records(records) => (records.as_slice(), None),
            Self::Field(slot, _) => (&[][..], Some(*slot)),
        };
        records.iter().map(|record| record.slot).chain(field)
    }

    /// The fields in a slot.
    fn fields(&self, slot: Slot) -> &[FieldShape] {
        match self {
            Self::Records(records) => {
                records.iter().find(|record| record.slot == slot).map_or(&[], |record| &record.fields)
            }
            Self::Field(own, field) if *own == slot => std::slice::from_ref(field),
            Self::Field(..) => &[],
        }
    }
}

impl Hand {
    /// A hand without records.
    pub(crate) fn empty(fields: Arc<dyn Fields>, left: Allowance, until: Instant) -> Self {
        Self { fields, in_hand: Vec::new(), left, until }
    }

    /// A hand for one field.
    pub(crate) fn of_field(
        slot: Slot,
        field: &Arc<FieldShape>,
        fields: Arc<dyn Fields>,
        left: Allowance,
        until: Instant,
    ) -> Self {
        Self { fields, in_hand: vec![Dealt::Field(slot, Arc::clone(field))], left, until }
    }

    /// A hand for the records of one call: their readable fields.
    pub(crate) fn of_records(
        records: &Arc<Vec<RecordShape>>,
        fields: Arc<dyn Fields>,
        left: Allowance,
        until: Instant,
    ) -> Self {
        Self { fields, in_hand: vec![Dealt::Records(Arc::clone(records))], left, until }
    }

    pub(crate) const fn left(&self) -> Allowance {
        self.left
    }

    /// When the call's time is over.
    pub(crate) const fn until(&self) -> Instant {
        self.until
    }

    /// Reads what is in hand and within the allowance, in one go, and answers in the order asked.
    pub(crate) fn read(&mut self, wanted: Vec<Wanted>) -> Vec<Result<String, ReadRefusal>> {
        let mut admitted = Vec::new();
        let mut planned = self.left.bytes;
        let verdicts: Vec<_> = wanted
            .into_iter()
            .map(|one| {
                let one = self.admit(one, &mut planned)?;
                admitted.push(one);
                Ok(())
            })
            .collect();
        let mut answers =
            if admitted.is_empty() { Vec::new() } else { self.fields.read_all(&admitted, self.until) }
                .into_iter();
        verdicts
            .into_iter()
            .map(|verdict| {
                verdict?;
                let text = answers.next().unwrap_or(Err(ReadRefusal::Unavailable))?;
                self.pay(text.len())?;
                Ok(text)
            })
            .collect()
    }

    /// Checks one span and takes it off the number of reads. `planned` falls by the least that it can cost, so that no
    /// list of spans makes the source read far more than the allowance.
    fn admit(&mut self, mut one: Wanted, planned: &mut u64) -> Result<Wanted, ReadRefusal> {
        let size = self.size_of(one.slot, &one.path)?;
        self.take_read()?;
        let end = size.map_or(one.at.end(), |size| one.at.end().min(size));
        let start = one.at.start().min(end);
        let least = (end - start).get();
        if least > *planned && size.is_some() {
            return Err(ReadRefusal::OverAllowance);
        }
        // A field of unknown size is read as far as the allowance goes.
        let length = least.min(*planned);
        *planned -= length;
        one.at = Span::at(start, Chars(length));
        Ok(one)
    }

    /// Lists members of what is in hand.
    pub(crate) fn children(&mut self, slot: Slot, pointer: &str) -> Result<Vec<FieldShape>, ReadRefusal> {
        self.size_of(slot, pointer)?;
        self.take_read()?;
        let mut children = self.fields.children(slot, pointer)?;
        children.truncate(limits::CHILDREN);
        self.pay(children.iter().map(shown).sum())?;
        Ok(children)
    }

    /// Selects more records, as many as there is room for. Their shapes show text, so they are paid for like a read.
    pub(crate) fn select(&mut self, mut what: Selection) -> Result<Selected, ReadRefusal> {
        self.take_read()?;
        let held: BTreeSet<Slot> = self.in_hand.iter().flat_map(Dealt::slots).collect();
        what.limit = what.limit.min(limits::IN_HAND.saturating_sub(held.len()));
        if what.limit == 0 {
            return Err(ReadRefusal::OverAllowance);
        }
        let selected = self.fields.select(&what, self.until)?;
        let hits = |record: &RecordShape| {
            record.hits.iter().filter_map(|hit| hit.snippet.as_ref()).map(String::len).sum::<usize>()
        };
        let size = |record: &RecordShape| record.fields.iter().map(shown).sum::<usize>() + hits(record);
        self.pay(selected.records.iter().map(size).sum())?;
        self.in_hand.push(Dealt::Records(Arc::new(selected.records.clone())));
        Ok(selected)
    }

    /// Whether a record is in hand.
    pub(crate) fn holds(&self, slot: Slot) -> bool {
        self.in_hand.iter().flat_map(Dealt::slots).any(|held| held == slot)
    }

    fn take_read(&mut self) -> Result<(), ReadRefusal> {
        if Instant::now() >= self.until {
            return Err(ReadRefusal::OverAllowance);
        }
        self.left.reads = self.left.reads.checked_sub(1).ok_or(ReadRefusal::OverAllowance)?;
        Ok(())
    }

    fn pay(&mut self, bytes: usize) -> Result<(), ReadRefusal> {
        self.left.bytes = self.left.bytes.checked_sub(bytes as u64).ok_or(ReadRefusal::OverAllowance)?;
        Ok(())
    }

    /// The readable fields of a record in hand. What was dealt last is what is known best.
    fn readable(&self, slot: Slot) -> impl Iterator<Item = &FieldShape> {
        let dealt = self.in_hand.iter().rev().flat_map(move |dealt| dealt.fields(slot));
        dealt.filter(|field| field.kind.is_readable())
    }

    /// The size of a field in hand, where known; a pointer is in hand if the field that it starts in is.
    fn size_of(&self, slot: Slot, path: &str) -> Result<Option<Chars>, ReadRefusal> {
        if let Some(field) = self.readable(slot).find(|field| field.path == path) {
            return Ok(field.chars);
        }
        let first =
            path.strip_prefix('/').and_then(|rest| rest.split('/').next()).ok_or(ReadRefusal::NotInHand)?;
        let key = first.replace("~1", "/").replace("~0", "~");
        let is_inside = |field: &str| path.strip_prefix(field).is_some_and(|rest| rest.starts_with('/'));
        let leads_there = |field: &str| field == key || field.starts_with('/') && is_inside(field);
        if self.readable(slot).any(|field| leads_there(&field.path)) {
            return Ok(None);
        }
        Err(ReadRefusal::NotInHand)
    }
}

/// How many bytes of a field its shape shows.
fn shown(shape: &FieldShape) -> usize {
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    shape.path.len() + text(&shape.head) + text(&shape.value)
}

#[cfg(test)]
mod tests;

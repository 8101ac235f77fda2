//! One record of a page, for a tier that is asked about one at a time: it is in slot 0, whatever it is on the page.

use crate::fields::{Fields, ReadRefusal, Wanted};
use crate::shape::{FieldShape, RecordShape, Slot};
use std::sync::Arc;
use std::time::Instant;
use stepwell_contract::Span;

/// The fields of that record. Nothing else is asked of it: what is not in hand is refused before it gets here.
pub(super) struct Single {
    fields: Arc<dyn Fields>,
    /// Where the record stands on its page.
    slot: Slot,
}

impl Single {
    /// Takes a record out of its page.
    pub(super) fn of(record: RecordShape, fields: &Arc<dyn Fields>) -> (RecordShape, Arc<dyn Fields>) {
        let hand = Self { fields: Arc::clone(fields), slot: record.slot };
        (RecordShape { slot: Slot(0), ..record }, Arc::new(hand))
    }
}

impl Fields for Single {
    fn read(&self, _slot: Slot, path: &str, at: Span) -> Result<String, ReadRefusal> {
        self.fields.read(self.slot, path, at)
    }

    fn children(&self, _slot: Slot, pointer: &str) -> Result<Vec<FieldShape>, ReadRefusal> {
        self.fields.children(self.slot, pointer)
    }

    fn read_all(&self, wanted: &[Wanted], until: Instant) -> Vec<Result<String, ReadRefusal>> {
        let on_page = |one: &Wanted| Wanted { slot: self.slot, ..one.clone() };
        self.fields.read_all(&wanted.iter().map(on_page).collect::<Vec<_>>(), until)
    }
}

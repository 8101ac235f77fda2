//! Whole records, for those who take data out: each is in the ledger before its first byte leaves, and only a piece of it
//! is in memory.

use crate::ledger::{LedgerPolicy, Recorded, record};
use crate::reply::LadderError;
use serde_json::json;
use std::sync::Arc;
use stepwell_contract::{Bytes, Chars, FieldPath, Span};
use stepwell_source::query::{RecordsPage, RecordsQuery};
use stepwell_source::shape::FieldView;
use stepwell_source::whole::{Blobs, Broken, Closed, Pen, WholeRecord};
use stepwell_source::{Caller, Disclosure, Extent, FieldKind, RecordView, Source, SourceError, time};

/// How often a record is read again when it is rewritten under our hands.
const ATTEMPTS: usize = 3;

/// Hands out whole records to one caller, by one tool or route.
#[derive(Clone, Debug)]
pub struct WholeRecords {
    /// Where they are.
    pub source: Arc<dyn Source>,
    /// How the ledger is kept.
    pub ledger: LedgerPolicy,
    /// Who asks.
    pub caller: Caller,
    /// What the ledger calls the way in which they are asked for.
    pub tool: String,
    /// How bytes stand in them.
    pub blobs: Blobs,
}

/// Why not everything was handed out.
#[derive(Debug, thiserror::Error)]
pub enum Unfinished {
    /// Whoever wanted it is gone.
    #[error(transparent)]
    Closed(#[from] Closed),
    /// It could not be read, or not be written down.
    #[error(transparent)]
    Failed(#[from] LadderError),
}

impl From<Broken> for Unfinished {
    fn from(broken: Broken) -> Self {
        match broken {
            Broken::Closed(closed) => Self::Closed(closed),
            Broken::Source(error) => Self::Failed(error.into()),
        }
    }
}

/// What handing out a record discloses: long values each, and all that is short together.
#[must_use]
pub fn disclosed(view: &RecordView, blobs: Blobs) -> Vec<Disclosure> {
    let (mut entries, mut rest) = (Vec::new(), Bytes::ZERO);
    for FieldView { name, shape, .. } in &view.fields {
        let path = FieldPath::top_level(name);
        let part = |extent| Disclosure::of_part(&view.identity, path.as_str(), extent, shape.bytes);
        match (shape.kind, shape.chars) {
            (FieldKind::Binary, _) if blobs == Blobs::Inline => {
                entries.push(part(Extent::Bytes(Bytes::ZERO, shape.bytes)));
            }
            // A link says how many bytes there are, and none of them.
            (FieldKind::Binary, _) => {}
            (_, Some(chars)) if chars > stepwell_source::prepare::INLINE_MAX => {
                entries.push(part(Extent::Chars(Span::at(Chars::ZERO, chars))));
            }
            _ => rest = rest + shape.bytes,
        }
    }
    entries.insert(0, Disclosure::of_record(&view.identity, rest));
    entries
}

impl WholeRecords {
    /// Reads a page, and has all of it written down.
    pub async fn page(&self, query: &RecordsQuery) -> Result<Recorded<RecordsPage>, LadderError> {
        let page = self.source.records(&self.caller, query).await?;
        let mut entries: Vec<_> = page.records.iter().flat_map(|view| disclosed(view, self.blobs)).collect();
        entries.extend(page.removed.iter().map(|identity| Disclosure::of_record(identity, Bytes::ZERO)));
        record(&*self.source, self.ledger, &self.caller, &self.tool, page, &entries).await
    }

    /// Writes a record that is in the ledger: what stands before its fields, the fields, and what stands after them. One
    /// that is rewritten at this very moment is read again, and written down again.
    pub async fn write(
        &self,
        view: &RecordView,
        before: impl Fn(&RecordView) -> String,
        after: &str,
        pen: &mut Pen<'_>,
    ) -> Result<(), Unfinished> {
        let mut read_again = None;
        for attempt in 1.. {
            let view = read_again.as_ref().unwrap_or(view);
            match WholeRecord::locate(&*self.source, &self.caller, view, self.blobs).await {
                Ok(whole) => {
                    pen.write(before(view)).await?;
                    whole.write(pen).await?;
                    break;
                }
                Err(SourceError::Changed) if attempt < ATTEMPTS => {}
                Err(error) => return Err(LadderError::from(error).into()),
            }
            read_again = Some(self.again(view).await?);
        }
        Ok(pen.write(after).await?)
    }

    async fn again(&self, view: &RecordView) -> Result<RecordView, LadderError> {
        let fields: Vec<String> = view.fields.iter().map(|field| field.name.clone()).collect();
        let again = self.source.record(&self.caller, &view.identity.id().into(), Some(&fields)).await?;
        let entries = disclosed(&again, self.blobs);
        let again = record(&*self.source, self.ledger, &self.caller, &self.tool, again, &entries).await?;
        Ok(again.into_inner())
    }

    /// Writes a page and all that follow it as lines of NDJSON, in the form that an ingest takes.
    pub async fn write_lines(
        &self,
        mut query: RecordsQuery,
        mut page: Recorded<RecordsPage>,
        pen: &mut Pen<'_>,
    ) -> Result<(), Unfinished> {
        loop {
            for view in &page.records {
                self.write(view, line_head, "}\n", pen).await?;
            }
            query.cursor = page.next_cursor.clone();
            if query.cursor.is_none() {
                return Ok(pen.flush().await?);
            }
            page = self.page(&query).await?;
        }
    }
}

/// A line up to its fields.
fn line_head(view: &RecordView) -> String {
    let (key, emitted_at) = (view.identity.record.as_str(), time::print(view.emitted_at));
    format!("{{\"key\":{},\"emitted_at\":{},\"data\":", json!(key), json!(emitted_at))
}

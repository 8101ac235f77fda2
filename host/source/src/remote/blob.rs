//! Parts of a blob.

use super::Remote;
use super::ask::Ask;
use super::client::{broke_off, invalid};
use crate::error::Result;
use crate::shape::{Field, FieldKind, Place};
use crate::token::Caller;
use reqwest::StatusCode;
use reqwest::header::CONTENT_RANGE;
use stepwell_contract::{Bytes, Code, Refusal};

impl Remote {
    /// Reads a part. A server that always begins at the start is read up to the part, as far as that is bearable.
    pub(super) async fn read_bytes(
        &self,
        caller: &Caller,
        field: &Field,
        start: Bytes,
        length: Bytes,
    ) -> Result<Vec<u8>> {
        let (FieldKind::Binary, Place::Remote { blob: Some(blob) }) = (field.shape.kind, &field.place) else {
            return Err(field.holds_no_bytes().into());
        };
        let end = start.saturating_add(length);
        let end = field.shape.bytes.map_or(end, |size| end.min(size));
        if start >= end {
            return Ok(Vec::new());
        }
        let mut ask = Ask::of(&["blobs", blob]).connection(Some(&field.record.connection));
        ask.range = Some((start.get(), end.get()));
        let mut response = match self.get(caller, &ask).await {
            // The part lies behind the end.
            Err(error) if status_of(&error) == Some(416) => return Ok(Vec::new()),
            response => response?,
        };
        let mut skip = if response.status() == StatusCode::PARTIAL_CONTENT {
            let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
            if range.and_then(range_start) != Some(start.get()) {
                return Err(invalid("it is another part of the blob").into());
            }
            0
        } else {
            start.get()
        };
        if skip > self.client.limits().skipped {
            let message = "the resource server gives no parts of a blob, and this one lies too far in";
            return Err(Refusal::new(Code::UnsupportedBySource, message).param("field_path").into());
        }
        let wanted = usize::try_from((end - start).get()).unwrap_or(usize::MAX);
        let mut bytes = Vec::new();
        while bytes.len() < wanted {
            let Some(piece) = response.chunk().await.map_err(|error| broke_off(&error))? else { break };
            let past = skip.min(piece.len() as u64);
            skip -= past;
            let piece = &piece[usize::try_from(past).unwrap_or(piece.len())..];
            bytes.extend_from_slice(&piece[..piece.len().min(wanted - bytes.len())]);
        }
        Ok(bytes)
    }
}

fn range_start(range: &str) -> Option<u64> {
    range.strip_prefix("bytes ")?.split_once('-')?.0.parse().ok()
}

fn status_of(error: &crate::error::SourceError) -> Option<u64> {
    error.refusal()?.extras.get("http_status")?.as_u64()
}

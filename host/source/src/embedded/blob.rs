//! Reads windows of bytes.

use crate::bind;
use crate::embedded::Embedded;
use crate::embedded::statement::Statement;
use crate::error::{Result, SourceError};
use crate::prepare::blob::PART;
use crate::shape::{Field, FieldKind, Place};
use crate::time;
use crate::token::Caller;
use stepwell_contract::Bytes;

impl Embedded {
    /// Reads a part of a binary field, by a statement that checks the grant again.
    pub(super) async fn read_bytes(
        &self,
        caller: &Caller,
        field: &Field,
        start: Bytes,
        length: Bytes,
    ) -> Result<Vec<u8>> {
        let (FieldKind::Binary, Place::Stored(stored)) = (field.shape.kind, &field.place) else {
            return Err(field.holds_no_bytes().into());
        };
        let end = start.saturating_add(length).min(field.shape.bytes.unwrap_or_default());
        if start >= end {
            return Ok(Vec::new());
        }
        let grant = self.grant_for(caller, field).await?;
        let database_int = |bytes: Bytes| i64::try_from(bytes.get()).unwrap_or(i64::MAX);
        let params = bind![
            grant.as_str(),
            time::now(),
            stored.scope,
            stored.record,
            stored.top.as_str(),
            stored.pointer.as_str(),
            database_int(start) - PART as i64,
            database_int(end),
            &stored.row_digest.0[..],
        ];
        let (mut data, mut data_starts) = (Vec::new(), None);
        for mut row in self.read(Statement::BlobParts, params).await? {
            data_starts.get_or_insert(Bytes(row.int()?.unsigned_abs()));
            data.extend(row.bytes_or_null()?.unwrap_or_default());
        }
        let Some(data_starts) = data_starts else {
            self.require_active(&grant).await?;
            return Err(SourceError::Changed);
        };
        let from =
            usize::try_from(start.saturating_sub(data_starts).get()).unwrap_or(usize::MAX).min(data.len());
        let wanted = usize::try_from((end - start).get()).unwrap_or(usize::MAX).min(data.len() - from);
        Ok(data[from..from + wanted].to_vec())
    }
}

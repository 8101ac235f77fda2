//! `GET /v1/blobs/{id}`: the bytes of a binary field, whole or by range.

use super::Call;
use super::answer::Answer;
use super::fault::Fault;
use crate::file::FileRequest;
use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;
use stepwell_contract::handle::{Handle, HandleKind};
use stepwell_contract::{Code, FieldPath};
use stepwell_source::{Caller, Field, FieldKind, RecordRef, SourceError};
use stepwell_tiers::check::{MIME_TYPES, OCTET_STREAM};

pub(super) async fn blob(
    call: &Call<'_>,
    caller: &Caller,
    headers: &HeaderMap,
    is_head: bool,
) -> Result<Answer, Fault> {
    let field = located(call, caller).await?;
    let declared = field.shape.mime.as_deref().unwrap_or_default();
    let mime = MIME_TYPES.iter().find(|known| declared.eq_ignore_ascii_case(known)).unwrap_or(&OCTET_STREAM);
    let request = FileRequest {
        source: call.source(),
        ledger: call.ledger(),
        caller,
        tool: call.route.name(),
        headers,
        is_head,
        request_id: &call.request_id,
    };
    Ok(Answer(request.answer(field, mime).await?))
}

/// Finds the field that a blob's id names. Whether there is one outside the grant is nobody's business.
async fn located(call: &Call<'_>, caller: &Caller) -> Result<Field, Fault> {
    let none = || {
        Fault::new(StatusCode::NOT_FOUND, "blob_not_found", "the grant covers no blob of this id").param("id")
    };
    let handle = Handle::decode(HandleKind::Blob, call.in_path("id"));
    let Ok(Handle::Blob { connection, stream, record, field_path, digest, .. }) = handle else {
        return Err(none());
    };
    let wanted = call.asked.arguments.get("connection_id").and_then(Value::as_str);
    if wanted.is_some_and(|wanted| connection.as_ref().is_some_and(|own| own.as_str() != wanted)) {
        return Err(none());
    }
    let path = FieldPath::parse(&field_path).map_err(|_| none())?;
    let found = call.source().field(caller, &RecordRef { connection, stream, record }, &path).await;
    match found {
        Ok(field) if field.shape.kind != FieldKind::Binary => Err(none()),
        Ok(field) if is_other(&field, digest.as_deref()) => Err(none()),
        Ok(field) => Ok(field),
        Err(SourceError::Refused(refusal)) if hides(refusal.code) => Err(none()),
        Err(error) => Err(error.into()),
    }
}

/// Whether an id was made for other bytes than the field has now.
fn is_other(field: &Field, digest: Option<&str>) -> bool {
    digest.zip(field.shape.digest).is_some_and(|(named, current)| named != current.to_string())
}

fn hides(code: Code) -> bool {
    matches!(
        code,
        Code::NotFound
            | Code::FieldNotFound
            | Code::ConnectionNotFound
            | Code::FieldNotGranted
            | Code::GrantStreamNotAllowed
    )
}

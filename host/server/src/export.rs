//! `GET /export/{handle}`: bytes, texts and record sets as files, beside `/mcp` and under the same bearer.
//!
//! The handle is the one that stands behind `pdpp://blob/`, `pdpp://field-window/` or `pdpp://stream/`. It identifies and
//! grants nothing. What leaves is always an attachment that a browser neither shows nor runs.

mod disposition;
mod record_set;

use crate::file::FileRequest;
use crate::note::Note;
use crate::server::{Offer, Server};
use axum::RequestPartsExt as _;
use axum::Router;
use axum::extract::{RawPathParams, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use disposition::attachment;
use serde_json::json;
use std::sync::Arc;
use stepwell_contract::handle::{Handle, HandleKind};
use stepwell_contract::{Code, Refusal};
use stepwell_ladder::{Export, LadderError};
use stepwell_source::{Caller, RecordRef};

/// Where exports are.
pub const PATH: &str = "/export/{handle}";
/// What their addresses begin with.
pub(crate) const BEGINNING: &str = "/export/";

/// What the ledger calls an export.
const TOOL: &str = "export";

/// The routes. Whoever serves them checks the bearer first and leaves the caller in the request.
pub(crate) fn router(server: Server) -> Router {
    Router::new().route(PATH, get(export)).with_state(server)
}

/// One request for an export, by one configuration.
struct Call<'a> {
    offer: Arc<Offer>,
    caller: &'a Caller,
    parts: &'a Parts,
    request_id: String,
}

async fn export(State(server): State<Server>, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    let handle = parts.extract::<RawPathParams>().await.ok();
    let handle = handle.and_then(|params| params.iter().next().map(|(_, handle)| handle.to_owned()));
    let note = parts.extensions.get::<Note>().cloned().unwrap_or_else(Note::of_http);
    let request_id = note.id().to_owned();
    let outcome = match parts.extensions.get::<Caller>() {
        None => Err(Refusal::new(Code::InvalidToken, "the request carries no bearer token").into()),
        Some(caller) => {
            let (offer, request_id) = (server.offer(), request_id.clone());
            let call = Call { offer, caller, parts: &parts, request_id };
            call.answer(&handle.unwrap_or_default()).await
        }
    };
    let said = outcome.as_ref().map_or_else(|error| error.for_client().code.as_str(), |_| "ok");
    server.ended(&note, TOOL, None, said);
    let mut response = outcome.unwrap_or_else(|error| refused(&error, &request_id));
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox"));
    if let Ok(value) = HeaderValue::from_str(&request_id) {
        headers.insert("request-id", value);
    }
    response
}

impl Call<'_> {
    async fn answer(&self, handle: &str) -> Result<Response, LadderError> {
        let ladder = &self.offer.ladder;
        if !ladder.exports() {
            return Err(Refusal::new(Code::NotFound, "exports are switched off here").into());
        }
        match decoded(handle)? {
            Handle::Blob { connection, stream, record, field_path, digest, .. } => {
                let record = RecordRef { connection, stream, record };
                let export = ladder.export_blob(self.caller, &record, &field_path, digest.as_deref()).await?;
                self.file(export).await
            }
            Handle::FieldWindow { connection, stream, record, field_path, digest, .. } => {
                let record = RecordRef { connection, stream, record };
                let export = ladder.export_text(self.caller, &record, &field_path, digest.as_deref()).await?;
                self.file(export).await
            }
            Handle::Stream { connection, stream } => self.record_set(connection, stream).await,
            Handle::Record { .. } => {
                let refusal = Refusal::new(Code::InvalidHandle, "a record is not exported by itself");
                Err(refusal.param("handle").hint("export one of its fields, or its stream").into())
            }
        }
    }

    async fn file(&self, export: Export) -> Result<Response, LadderError> {
        let request = FileRequest {
            source: self.offer.ladder.source().clone(),
            ledger: self.offer.ladder.ledger(),
            caller: self.caller,
            tool: TOOL,
            headers: &self.parts.headers,
            is_head: self.parts.method == Method::HEAD,
            request_id: &self.request_id,
        };
        let mut response = request.answer(export.field, &export.mime).await?;
        response.headers_mut().insert(CONTENT_DISPOSITION, attachment(&export.file_name));
        Ok(response)
    }
}

/// Reads a handle of whatever kind.
fn decoded(handle: &str) -> Result<Handle, Refusal> {
    let mut kinds = HandleKind::ALL.into_iter().filter_map(|kind| Handle::decode(kind, handle).ok());
    kinds.next().ok_or_else(|| {
        let message = "the address ends with a handle that is malformed, or of another version";
        Refusal::new(Code::InvalidHandle, message).param("handle").hint("use it exactly as a result shows it")
    })
}

fn refused(error: &LadderError, request_id: &str) -> Response {
    if let LadderError::Failed(reason) | LadderError::Unrecorded(reason) = error {
        tracing::error!(request_id, reason, "cannot export");
    }
    let refusal = error.for_client();
    let status = refusal.code.http_status().and_then(|status| StatusCode::from_u16(status).ok());
    let status = status.unwrap_or(match refusal.code {
        Code::TierError => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::BAD_REQUEST,
    });
    let mut body = refusal.to_json();
    body["error"]["request_id"] = json!(request_id);
    body["error"]["http_status"] = json!(status.as_u16());
    let mut response = (status, body.to_string()).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

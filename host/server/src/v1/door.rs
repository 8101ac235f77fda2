//! The owner's door, who was let in, and which version of the API a client speaks.

use super::fault::Fault;
use crate::http::{Front, admission};
use crate::note::Note;
use axum::extract::{RawPathParams, Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state as layer};
use axum::response::Response;
use axum::{Extension, RequestPartsExt as _, Router};
use std::collections::BTreeMap;
use std::sync::Arc;
use stepwell_contract::{Code, Refusal};
use stepwell_ladder::LadderError;
use stepwell_source::embedded::Owner;
use stepwell_source::{Caller, Embedded};

/// The version of the API.
pub(super) const VERSION: &str = "2026-04-06";

/// The header that names it.
pub(super) const VERSION_HEADER: &str = "pdpp-version";

/// Who was let in.
pub(super) enum Visitor {
    /// Reads under a grant.
    Client(Caller),
    /// Fills streams, and reads nothing.
    Owner(Owner),
}

impl Visitor {
    /// Whom a door left in the request.
    pub(super) fn of(parts: &Parts) -> Result<Self, Fault> {
        let client = parts.extensions.get::<Caller>().cloned().map(Self::Client);
        let visitor = client.or_else(|| parts.extensions.get::<Owner>().copied().map(Self::Owner));
        visitor.ok_or_else(Fault::no_such_route)
    }
}

/// Puts the check of an owner before routes that fill streams. Owners' tokens are the store's own, whoever vouches for
/// those who read: an authorization server has no say in what is written.
pub(super) fn guard(front: &Front, store: Arc<Embedded>, routes: Router) -> Router {
    routes
        .route_layer(layer(front.clone(), admission::of_owner))
        .route_layer(layer((front.clone(), store), owner_required))
}

async fn owner_required(
    State((front, store)): State<(Front, Arc<Embedded>)>,
    Extension(note): Extension<Note>,
    mut request: Request,
    next: Next,
) -> Response {
    let token = match front.presented(&note, &request) {
        Ok(token) => token,
        Err(refused) => return *refused,
    };
    let owner = match store.authenticate_owner(&token).await {
        Ok(Some(owner)) => owner,
        Ok(None) => {
            let refusal = Refusal::new(Code::InsufficientScope, "only an owner's token fills streams");
            return front.unadmitted(&note, &refusal.into());
        }
        Err(error) => return front.unadmitted(&note, &LadderError::from(error)),
    };
    // What is not there cannot be logged.
    request.headers_mut().remove(AUTHORIZATION);
    request.extensions_mut().insert(owner);
    next.run(request).await
}

/// Refuses a client that speaks another version. One that says nothing speaks the current one.
pub(super) fn check_version(headers: &HeaderMap) -> Result<(), Fault> {
    match headers.get(VERSION_HEADER) {
        Some(version) if version.as_bytes() != VERSION.as_bytes() => {
            let message = format!("this server speaks the version {VERSION}");
            Err(Fault::new(StatusCode::BAD_REQUEST, "unsupported_version", message).param("PDPP-Version"))
        }
        _ => Ok(()),
    }
}

/// The names in the path.
pub(super) async fn path(parts: &mut Parts) -> Result<BTreeMap<String, String>, Fault> {
    let params = parts.extract::<RawPathParams>().await;
    let params = params.map_err(|_| Fault::invalid("path", "the path is not percent-encoded UTF-8"))?;
    Ok(params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

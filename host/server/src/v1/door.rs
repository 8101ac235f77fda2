//! Whose token a request brings, and which version of the API its client speaks.

use super::V1;
use super::fault::Fault;
use super::routes::{Operation, Route};
use crate::http::bearer;
use axum::RequestPartsExt as _;
use axum::extract::RawPathParams;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use std::collections::BTreeMap;
use stepwell_source::embedded::Owner;
use stepwell_source::{Caller, Source as _};

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

impl V1 {
    /// Lets in whom the route is for.
    pub(super) async fn visitor(&self, route: &Route, headers: &HeaderMap) -> Result<Visitor, Fault> {
        let token = bearer::token(headers).map_err(|_| {
            let message = "the request carries no bearer token, or a malformed one";
            Fault::new(StatusCode::UNAUTHORIZED, "authentication_error", message)
        })?;
        if route.operation != Operation::Ingest {
            return Ok(Visitor::Client(self.store.authenticate(&token).await?));
        }
        match self.store.authenticate_owner(&token).await? {
            Some(owner) => Ok(Visitor::Owner(owner)),
            None => {
                let message = "only an owner's token fills streams";
                Err(Fault::new(StatusCode::FORBIDDEN, "insufficient_scope", message))
            }
        }
    }
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

//! Who is asking.

use axum::http::request::Parts;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use std::sync::Arc;
use stepwell_contract::{Code, Refusal};
use stepwell_ladder::LadderError;
use stepwell_source::{Caller, Source, Token};

/// Where a transport finds its caller.
#[derive(Clone, Debug)]
pub(crate) enum Door {
    /// The process has one token. It is checked again on every request, so that a revocation counts at once.
    Process(Token),
    /// Each HTTP request brings its own, which was checked before it came here.
    Request {
        /// What the address of an export begins with, where there are exports.
        exports: Option<Arc<str>>,
    },
}

impl Door {
    /// What the address of an export begins with, for a client that could ask for one.
    pub(crate) fn exports(&self) -> Option<&str> {
        match self {
            Self::Process(_) => None,
            Self::Request { exports } => exports.as_deref(),
        }
    }

    /// Finds the caller of one request.
    pub(crate) async fn caller(
        &self,
        source: &dyn Source,
        context: &RequestContext<RoleServer>,
    ) -> Result<Caller, LadderError> {
        match self {
            Self::Process(token) => Ok(source.authenticate(token).await?),
            Self::Request { .. } => context
                .extensions
                .get::<Parts>()
                .and_then(|parts| parts.extensions.get::<Caller>())
                .cloned()
                .ok_or_else(|| {
                    Refusal::new(Code::InvalidToken, "the request carries no bearer token").into()
                }),
        }
    }
}

//! What is known of a request, for the log and the counters: its shape, never its content.

use crate::request_id::request_id;
use axum::http::request::Parts;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use stepwell_contract::Code;

/// A request's name, and what became of it. Cloning shares it.
#[derive(Clone, Debug)]
pub(crate) struct Note(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    id: String,
    started: Instant,
    /// Whether the transport writes the line of the log, because it knows more.
    is_of_http: bool,
    said: OnceLock<Said>,
    refused: OnceLock<Code>,
}

/// What the protocol's side says of a request.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    /// The protocol's method.
    pub(crate) method: &'static str,
    /// The tool, where one was called. It is one that is listed.
    pub(crate) tool: Option<String>,
    /// `ok`, the code of a refusal, `error` or `cancelled`.
    pub(crate) outcome: &'static str,
}

impl Note {
    /// A note of an HTTP request.
    pub(crate) fn of_http() -> Self {
        Self::new(true)
    }

    /// The note of the request that a handler answers.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        let parts = context.extensions.get::<Parts>();
        parts.and_then(|parts| parts.extensions.get::<Self>()).cloned().unwrap_or_else(|| Self::new(false))
    }

    fn new(is_of_http: bool) -> Self {
        let (id, started) = (request_id(), Instant::now());
        Self(Arc::new(Inner { id, started, is_of_http, said: OnceLock::new(), refused: OnceLock::new() }))
    }

    /// The request's name.
    pub(crate) fn id(&self) -> &str {
        &self.0.id
    }

    /// When it came.
    pub(crate) fn started(&self) -> Instant {
        self.0.started
    }

    /// Takes down what became of it.
    pub(crate) fn say(&self, said: Said) {
        if !self.0.is_of_http {
            let Said { method, tool, outcome } = &said;
            let (millis, tool) = (self.0.started.elapsed().as_millis(), tool.as_deref().unwrap_or("-"));
            tracing::info!(request_id = self.id(), method, tool, outcome, millis, "answered");
        }
        // The first to say it knows best.
        let _ = self.0.said.set(said);
    }

    /// Takes down that the transport refused it.
    pub(crate) fn refuse(&self, code: Code) {
        let _ = self.0.refused.set(code);
    }

    /// What became of it on the protocol's side, if it came that far.
    pub(crate) fn said(&self) -> Option<&Said> {
        self.0.said.get()
    }

    /// The code that the transport refused it with.
    pub(crate) fn refused(&self) -> Option<Code> {
        self.0.refused.get().copied()
    }
}

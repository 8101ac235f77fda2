//! Refusals, in PDPP's words: its types, its statuses and, where it has one, its code.

use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Map, Value, json};
use stepwell_contract::{Code, Refusal};
use stepwell_ladder::LadderError;
use stepwell_source::SourceError;

/// A refusal.
#[derive(Debug)]
pub(super) struct Fault {
    status: StatusCode,
    code: &'static str,
    message: String,
    param: Option<String>,
    hint: Option<String>,
    extras: Box<Map<String, Value>>,
}

impl Fault {
    pub(super) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), param: None, hint: None, extras: Box::default() }
    }

    /// A question that is not well put.
    pub(super) fn invalid(param: &str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request", message).param(param)
    }

    pub(super) fn no_such_route() -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", "there is nothing at this address")
    }

    pub(super) fn no_such_method() -> Self {
        let message = "this address does not take the method";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
    }

    pub(super) const fn code(&self) -> &'static str {
        self.code
    }

    pub(super) fn param(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }

    pub(super) fn with(mut self, name: &str, value: Value) -> Self {
        self.extras.insert(name.to_owned(), value);
        self
    }

    /// Blames the parameter of the route, where the source knows it by another name.
    pub(super) fn renamed(mut self, source: &str, route: &str) -> Self {
        if self.param.as_deref() == Some(source) {
            self.param = Some(route.to_owned());
        }
        self
    }

    /// The same as the tools would say it, for questions that are not asked of `/v1`.
    pub(super) fn refusal(self) -> Refusal {
        let refusal = Refusal::new(Code::InvalidArguments, self.message);
        match self.param {
            Some(param) => refusal.param(param),
            None => refusal,
        }
    }

    fn kind(&self) -> &'static str {
        match self.status.as_u16() {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            410 => "gone_error",
            429 => "rate_limit_error",
            // As the reference server answers.
            409 | 422 | 500.. => "api_error",
            _ => "invalid_request_error",
        }
    }

    pub(super) fn response(self, request_id: &str) -> Response {
        tracing::info!(request_id, code = self.code, status = self.status.as_u16(), "refused");
        let mut error = Map::new();
        error.insert("type".into(), json!(self.kind()));
        error.insert("code".into(), json!(self.code));
        error.insert("message".into(), json!(self.message));
        if let Some(param) = &self.param {
            error.insert("param".into(), json!(param));
        }
        if let Some(hint) = &self.hint {
            error.insert("hint".into(), json!(hint));
        }
        error.insert("request_id".into(), json!(request_id));
        for (name, value) in *self.extras {
            error.entry(name).or_insert(value);
        }
        let mut response = (self.status, json!({ "error": error }).to_string()).into_response();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        let code = match refusal.code {
            Code::InvalidArguments | Code::InvalidFilter | Code::InvalidResultId | Code::InvalidHandle => {
                "invalid_request"
            }
            Code::InvalidWindowSelector => "invalid_window",
            Code::InvalidToken => "authentication_error",
            Code::RateLimited => "rate_limit_exceeded",
            other => other.as_str(),
        };
        let status = refusal.code.http_status().and_then(|status| StatusCode::from_u16(status).ok());
        Self {
            status: status.unwrap_or(StatusCode::BAD_REQUEST),
            code,
            message: refusal.message,
            param: refusal.param.map(in_brackets),
            hint: refusal.hint,
            extras: Box::new(refusal.extras.into_iter().collect()),
        }
    }
}

/// A filter's field as a query spells it.
fn in_brackets(param: String) -> String {
    match param.strip_prefix("filter.") {
        Some(field) => format!("filter[{field}]"),
        None => param,
    }
}

impl From<LadderError> for Fault {
    fn from(error: LadderError) -> Self {
        if let LadderError::Failed(reason) | LadderError::Unrecorded(reason) = &error {
            tracing::error!(reason, "cannot answer");
        }
        error.for_client().into()
    }
}

impl From<SourceError> for Fault {
    fn from(error: SourceError) -> Self {
        LadderError::from(error).into()
    }
}

//! What can go wrong for a client, each with one code and one meaning.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt;

/// Says which side refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The request never reached the data: its arguments, id, cursor or handle were wrong.
    Adapter,
    /// The resource server looked and answered no.
    ResourceServer,
    /// The caller's token or grant does not allow it.
    Authorization,
    /// A plugin failed and its policy is to refuse.
    Tier,
}

impl Class {
    /// The value of `type` on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Adapter => "adapter_error",
            Self::ResourceServer => "rs_error",
            Self::Authorization => "authorization_error",
            Self::Tier => "tier_error",
        }
    }
}

macro_rules! codes {
    ($($variant:ident = $name:literal, $class:ident, $status:expr, $meaning:literal;)*) => {
        /// Every refusal that a client can see.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $(#[doc = $meaning] $variant,)* }

        impl Code {
            /// All codes, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The value of `code` on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Which side refuses with this code.
            #[must_use]
            pub const fn class(self) -> Class {
                match self { $(Self::$variant => Class::$class,)* }
            }

            /// The HTTP status that a resource server answers with, where there is one.
            #[must_use]
            pub const fn http_status(self) -> Option<u16> {
                match self { $(Self::$variant => $status,)* }
            }

            /// What the code means, in one sentence.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }
        }
    };
}

codes! {
    InvalidArguments = "invalid_arguments", Adapter, None, "An argument is missing, unknown or of the wrong shape.";
    InvalidResultId = "invalid_result_id", Adapter, None, "The id does not follow the id grammar.";
    ConflictingConnectionId = "conflicting_connection_id", Adapter, None, "The id and an argument name different connections.";
    InvalidFilter = "invalid_filter", Adapter, Some(400), "The filter is not an object of values and ranges.";
    UnsupportedSearchMode = "unsupported_search_mode", Adapter, Some(400), "The source has no such way of searching.";
    InvalidHandle = "invalid_handle", Adapter, None, "The resource handle is malformed, or of another kind or version.";
    InvalidWindowSelector = "invalid_window_selector", Adapter, None, "The selectors exclude each other or are out of bounds.";
    InvalidFieldPath = "invalid_field_path", Adapter, Some(400), "The field path is neither a name nor a JSON pointer.";
    InvalidCursor = "invalid_cursor", Adapter, Some(400), "The cursor was not issued for this record, field and grant.";
    StaleCursor = "stale_cursor", Adapter, Some(409), "The field changed since the cursor was issued.";
    ExpiredCursor = "expired_cursor", Adapter, Some(410), "The cursor is past its lifetime.";
    CursorExpired = "cursor_expired", ResourceServer, Some(410), "The changes since then are no longer kept.";
    UnknownView = "unknown_view", ResourceServer, Some(400), "The stream has no such view within the grant.";
    InvalidExpand = "invalid_expand", ResourceServer, Some(400), "The records lead to nothing of that name within the grant, or not to so many.";
    InvalidToken = "invalid_token", Authorization, Some(401), "The token is unknown, expired or revoked.";
    OwnerTokenRefused = "owner_token_refused", Authorization, Some(403), "An owner token may not read through this door.";
    GrantExpired = "grant_expired", Authorization, Some(403), "The grant is past its expiry.";
    GrantRevoked = "grant_revoked", Authorization, Some(403), "The owner revoked the grant.";
    GrantConsumed = "grant_consumed", Authorization, Some(403), "The grant was for one token, and that was issued.";
    GrantStreamNotAllowed = "grant_stream_not_allowed", Authorization, Some(403), "The grant does not name this stream.";
    FieldNotGranted = "field_not_granted", Authorization, Some(403), "The grant does not name this field.";
    ConnectionNotFound = "connection_not_found", ResourceServer, Some(404), "No such connection within the grant.";
    NotFound = "not_found", ResourceServer, Some(404), "No such record within the grant.";
    FieldNotFound = "field_not_found", ResourceServer, Some(404), "The record has no such field.";
    FieldNotText = "field_not_text", ResourceServer, Some(422), "The field holds no text.";
    ExportRefused = "export_refused", ResourceServer, Some(403), "The operator's export tier does not hand out this kind of file.";
    QueryNotFound = "query_not_found", ResourceServer, Some(404), "The phrase does not occur in the field.";
    AmbiguousConnection = "ambiguous_connection", ResourceServer, Some(409), "Several granted connections have a record with this id.";
    QueryTooBroad = "query_too_broad", ResourceServer, Some(422), "Answering would take too long; narrow the question.";
    InvalidRequest = "invalid_request", Adapter, Some(400), "The HTTP request itself is malformed.";
    HostNotAllowed = "host_not_allowed", Adapter, Some(403), "The server does not answer under this name.";
    OriginNotAllowed = "origin_not_allowed", Adapter, Some(403), "Web pages of this origin may not ask.";
    RequestTimeout = "request_timeout", Adapter, Some(408), "The request did not arrive in time.";
    RequestTooLarge = "request_too_large", Adapter, Some(413), "The request is larger than any that makes sense.";
    RateLimited = "rate_limited", Adapter, Some(429), "The grant's share of the server is used up; ask again later.";
    Overloaded = "overloaded", Adapter, Some(503), "The server has more to do than it can; ask again later.";
    AnswerTimeout = "answer_timeout", Adapter, Some(504), "The answer took too long and was given up.";
    AuthorizationUnavailable = "authorization_unavailable", Authorization, Some(503), "The authorization server could not be asked whether the token counts.";
    TierError = "tier_error", Tier, None, "A plugin failed, and its policy is to refuse.";
    SourceUnavailable = "source_unavailable", ResourceServer, Some(503), "The store did not answer.";
    LedgerUnavailable = "ledger_unavailable", ResourceServer, Some(503), "What would be shown could not be written to the owner's ledger, so nothing is shown.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A refusal that may be shown to a client: it names nothing outside the caller's grant.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct Refusal {
    /// Which refusal it is.
    pub code: Code,
    /// What was wrong, which value, and what to do next.
    pub message: String,
    /// The argument at fault.
    pub param: Option<String>,
    /// What to try instead.
    pub hint: Option<String>,
    /// Further members of the error object, such as `available_connections`.
    pub extras: BTreeMap<String, Value>,
}

impl Refusal {
    /// Starts a refusal from its code and sentence.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), param: None, hint: None, extras: BTreeMap::new() }
    }

    /// Names the argument at fault.
    #[must_use]
    pub fn param(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }

    /// Says what to try instead.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a member to the error object.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.extras.insert(key.to_owned(), value.into());
        self
    }

    /// The error object as it stands on the wire.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut error = Map::new();
        error.insert("type".into(), json!(self.code.class().as_str()));
        error.insert("code".into(), json!(self.code.as_str()));
        error.insert("message".into(), json!(self.message));
        if let Some(param) = &self.param {
            error.insert("param".into(), json!(param));
        }
        if let Some(hint) = &self.hint {
            error.insert("hint".into(), json!(hint));
        }
        if let Some(status) = self.code.http_status() {
            error.insert("http_status".into(), json!(status));
        }
        for (name, value) in &self.extras {
            error.entry(name.as_str()).or_insert_with(|| value.clone());
        }
        json!({ "error": error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_code_has_its_own_name_and_a_meaning() {
        let names: HashSet<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(names.len(), Code::ALL.len());
        for code in Code::ALL {
            assert!(code.as_str().bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{code}");
            assert!(code.meaning().ends_with('.'), "{code}");
        }
    }

    /// The whole of docs/errors.md.
    fn documentation() -> String {
        let mut text = String::from(DOCUMENTATION);
        for (class, meaning) in CLASSES {
            if Code::ALL.iter().any(|code| code.class() == class) {
                text.push_str(&format!("- `{}`: {meaning}\n", class.as_str()));
            }
        }
        text.push_str("\n| `code` | `type` | `http_status` | meaning |\n|---|---|---|---|\n");
        for code in Code::ALL {
            let status = code.http_status().map(|status| status.to_string()).unwrap_or_default();
            let (class, meaning) = (code.class().as_str(), code.meaning());
            text.push_str(&format!("| `{code}` | `{class}` | {status} | {meaning} |\n"));
        }
        text
    }

    const DOCUMENTATION: &str = "\
# Errors

<!-- Made from host/contract/src/error.rs. STEPWELL_WRITE_DOCS=1 cargo test -p stepwell-contract error writes it again. -->

A refusal is an object of this form. `param`, `hint` and `http_status` are there where they help, and some codes add
members of their own, such as `available_connections` or `restart_offset_chars`.

```json
{\"error\": {\"type\": \"rs_error\", \"code\": \"not_found\", \"message\": \"…\", \"param\": \"id\", \"http_status\": 404}}
```

A message names nothing that lies outside the caller's grant. `code` is what a program should look at; messages may change.

`type` says which side refused:

";

    const CLASSES: [(Class, &str); 4] = [
        (Class::Adapter, "the arguments, the id, the cursor or the handle were wrong."),
        (Class::Authorization, "the token or the grant does not allow it."),
        (Class::ResourceServer, "the store looked within the grant and said no."),
        (Class::Tier, "a plugin failed, and its policy is to refuse."),
    ];

    #[test]
    fn the_documentation_lists_every_code_as_it_is() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md");
        if std::env::var_os("STEPWELL_WRITE_DOCS").is_some() {
            std::fs::write(path, documentation()).unwrap();
            return;
        }
        let written = include_str!("../../../docs/errors.md").replace("\r\n", "\n");
        assert!(
            written == documentation(),
            "docs/errors.md differs from the codes; run: STEPWELL_WRITE_DOCS=1 cargo test -p stepwell-contract error"
        );
    }

    #[test]
    fn the_error_object_keeps_its_extras_but_never_lets_them_replace_the_code() {
        let refusal =
            Refusal::new(Code::NotFound, "no record").with("code", "forged").param("id").hint("search");
        let error = &refusal.to_json()["error"];
        assert_eq!(error["code"], "not_found");
        assert_eq!(error["type"], "rs_error");
        assert_eq!(error["http_status"], 404);
        assert_eq!((&error["param"], &error["hint"]), (&json!("id"), &json!("search")));
    }
}

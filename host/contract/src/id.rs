//! Result ids: `{connection_id}/{stream}:{record_id}`, or `{stream}:{record_id}` without a connection.

use crate::error::{Code, Refusal};
use crate::handle::{Handle, HandleKind, percent_decode};
use crate::name::{ConnectionId, RecordId, StreamName, UnsafeName};
use crate::quote::excerpt;
use std::fmt;
use std::str::FromStr;

/// Names one record, wherever a tool takes an `id`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResultId {
    /// Where the record came from; `None` in the older form, which is ambiguous if several connections have it.
    pub connection: Option<ConnectionId>,
    /// The record's stream.
    pub stream: StreamName,
    /// The record's key within the stream.
    pub record: RecordId,
}

impl ResultId {
    /// Puts an id together.
    #[must_use]
    pub fn new(connection: Option<ConnectionId>, stream: StreamName, record: RecordId) -> Self {
        Self { connection, stream, record }
    }

    /// Reads an id in any of its spellings: with a connection, without one, or as a `pdpp://record/` URI.
    ///
    /// Nothing is trimmed, folded or, outside a URI, percent-decoded: an id is compared to the letter.
    pub fn parse(id: &str) -> Result<Self, Refusal> {
        match id.strip_prefix(HandleKind::Record.uri_prefix()) {
            Some(handle) => Self::parse_handle(handle),
            None => Self::parse_plain(id),
        }
    }

    /// Adds the connection that a caller named beside the id. Two that differ are refused, because to prefer either
    /// could read the wrong source.
    pub fn with_connection(self, argument: Option<&ConnectionId>) -> Result<Self, Refusal> {
        match (&self.connection, argument) {
            (Some(embedded), Some(argument)) if embedded != argument => {
                let (embedded, argument) = (embedded.as_str(), argument.as_str());
                Err(Refusal::new(
                    Code::ConflictingConnectionId,
                    format!(
                        "the id names connection {} and connection_id names {}; leave connection_id out or make them equal",
                        excerpt(embedded),
                        excerpt(argument),
                    ),
                )
                .param("connection_id"))
            }
            (None, Some(argument)) => Ok(Self { connection: Some(argument.clone()), ..self }),
            _ => Ok(self),
        }
    }

    /// Reads what follows `pdpp://record/`: a handle, or an id that was merely percent-encoded. The second is tried
    /// once only; a URI within a URI is no id.
    fn parse_handle(handle: &str) -> Result<Self, Refusal> {
        let Some(handle) = percent_decode(handle) else {
            return Err(malformed(
                "handle",
                "the URI has a percent sign that is not followed by a byte of UTF-8 text",
            ));
        };
        match Handle::decode(HandleKind::Record, &handle) {
            Ok(handle) => {
                handle.result_id().ok_or_else(|| malformed("handle", "the handle does not name a record"))
            }
            // The handle alphabet has no colon and an id has one, so there is no doubt which of the two was meant.
            Err(_) if handle.contains(':') => Self::parse_plain(&handle),
            Err(refusal) => Err(malformed("handle", refusal.message)),
        }
    }

    fn parse_plain(id: &str) -> Result<Self, Refusal> {
        let (connection, rest) = match id.split_once('/') {
            Some((connection, rest)) => (Some(segment("connection", connection)?), rest),
            None => (None, id),
        };
        let Some((stream, record)) = rest.split_once(':') else {
            let rule =
                if rest.is_empty() { "must not be empty" } else { "needs a \":\" between stream and record" };
            return Err(malformed("stream", format!("the part {} {rule}", excerpt(rest))));
        };
        Ok(Self { connection, stream: segment("stream", stream)?, record: segment("record", record)? })
    }
}

fn segment<T: FromStr<Err = UnsafeName>>(name: &str, text: &str) -> Result<T, Refusal> {
    text.parse().map_err(|rule| malformed(name, format!("the {name} {} {rule}", excerpt(text))))
}

fn malformed(segment: &str, message: impl Into<String>) -> Refusal {
    Refusal::new(Code::InvalidResultId, message)
        .param("id")
        .hint("pass an id exactly as a result shows it: {connection_id}/{stream}:{record_id} or {stream}:{record_id}")
        .with("segment", segment)
}

impl fmt::Display for ResultId {
    /// Writes the id so that it reads back as the same id. A stream with a colon in it would not, since the first
    /// colon ends the stream; such an id is written as a URI, which is accepted wherever an id is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.stream.as_str().contains(':') {
            return f.write_str(&Handle::from(self.clone()).uri());
        }
        if let Some(connection) = &self.connection {
            write!(f, "{connection}/")?;
        }
        write!(f, "{}:{}", self.stream, self.record)
    }
}

impl FromStr for ResultId {
    type Err = Refusal;
    fn from_str(id: &str) -> Result<Self, Refusal> {
        Self::parse(id)
    }
}

/// The id of a search hit before a connection is put in front of it. Who makes it says what it is: an id is never
/// judged by its look, or a fallback such as `result:7` would pass for a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseId<'a> {
    /// A record, by its stream and key.
    Record {
        /// The hit's stream.
        stream: &'a str,
        /// The record's key.
        record: &'a str,
    },
    /// Anything else: a URL, a counter, or an id that the resource server minted whole.
    Opaque(&'a str),
}

/// The id of a search hit as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrappedId {
    /// What to pass to `fetch`.
    pub id: String,
    /// What to pass beside it as `connection_id`, where the id could not take it in.
    pub connection_beside: Option<String>,
}

/// Makes the id of a search hit self-contained where the grammar can carry it, and otherwise leaves it as it is.
#[must_use]
pub fn wrap(connection: Option<&str>, base: BaseId<'_>) -> WrappedId {
    let (id, embedded) = match base {
        BaseId::Opaque(id) => {
            // A whole id of the resource server's already says its connection.
            let named = connection.and_then(|_| ResultId::parse(id).ok()?.connection);
            (id.to_owned(), named.is_some_and(|named| Some(named.as_str()) == connection))
        }
        BaseId::Record { stream, record } => match (StreamName::new(stream), RecordId::new(record)) {
            (Ok(stream), Ok(record)) => {
                // Older readers split a connection with a colon elsewhere, so it stays beside the id.
                let embedded =
                    connection.filter(|c| !c.contains(':')).and_then(|c| ConnectionId::new(c).ok());
                let is_embedded = embedded.is_some();
                (ResultId::new(embedded, stream, record).to_string(), is_embedded)
            }
            _ => (format!("{stream}:{record}"), false),
        },
    };
    WrappedId { id, connection_beside: connection.filter(|_| !embedded).map(str::to_owned) }
}

#[cfg(test)]
mod tests;

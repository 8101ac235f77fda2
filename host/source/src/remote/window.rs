//! Windows of a field, by the one route that reads a part without the whole.
//!
//! The server counts offsets and totals in code points, and ends in UTF-16 units of what it returned. Ends are therefore
//! counted here, from the text itself, so that paging loses nothing.

use super::Remote;
use super::ask::Ask;
use super::client::invalid;
use super::limits::WINDOW;
use super::rows::Form;
use super::view;
use crate::error::{Failure, Result, SourceError};
use crate::shape::{Field, FieldKind, FieldShape, Place, RecordIdentity, RecordRef};
use crate::token::Caller;
use serde_json::{Value, json};
use stepwell_contract::quote::excerpt;
use stepwell_contract::{Chars, Code, ConnectionId, FieldPath, Refusal, Span, unit};

/// A part of a field as the server gave it.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) text: String,
    pub(super) start: Chars,
    pub(super) total: Chars,
    /// Where a phrase begins that was asked for.
    pub(super) match_start: Option<Chars>,
    connection: Option<String>,
}

impl Remote {
    pub(super) async fn measure(
        &self,
        caller: &Caller,
        record: &RecordRef,
        path: &FieldPath,
    ) -> Result<Field> {
        if !path.below_top().is_empty() {
            let message = format!("the resource server reads no windows inside {}", excerpt(path.top()));
            let refusal = Refusal::new(Code::FieldWindowUnsupported, message).param("field_path");
            return Err(refusal.hint("fetch the record with fields to see the value").into());
        }
        let probe = |ask: Ask| ask.with("offset_chars", 0).with("limit_chars", 1);
        let ask = probe(window_of(record, path.top()));
        let (part, connection) = match self.part(caller, &ask, 1).await {
            Err(error) if code_of(&error) == Some(Code::FieldNotText) => {
                return self.other_field(caller, record, path, error).await;
            }
            part => (part?, record.connection.clone()),
        };
        let connection = match connection.or_else(|| ConnectionId::new(part.connection.clone()?).ok()) {
            Some(connection) => connection,
            None => self.connection_of(caller, record, path, probe).await?,
        };
        let identity =
            RecordIdentity { connection, stream: record.stream.clone(), record: record.record.clone() };
        let shape = FieldShape {
            kind: FieldKind::Text,
            mime: Some("text/plain".to_owned()),
            file_name: None,
            chars: Some(part.total),
            bytes: None,
            digest: None,
            windows: true,
        };
        Ok(Field { record: identity, path: path.clone(), shape, place: Place::Remote { blob: None } })
    }

    /// Finds out which connection a record is in whose id names none, by asking each in turn.
    async fn connection_of(
        &self,
        caller: &Caller,
        record: &RecordRef,
        path: &FieldPath,
        probe: impl Fn(Ask) -> Ask,
    ) -> Result<ConnectionId> {
        let scopes = self.list_catalogue(caller).await?;
        let mut own = scopes.into_iter().filter(|scope| scope.stream == record.stream);
        let Some(first) = own.next() else {
            return Err(invalid("it names no connection of the record's stream").into());
        };
        let rest: Vec<ConnectionId> = own.map(|scope| scope.connection).collect();
        if rest.is_empty() {
            return Ok(first.connection);
        }
        for connection in std::iter::once(first.connection).chain(rest) {
            let asked = RecordRef { connection: Some(connection.clone()), ..record.clone() };
            if self.part(caller, &probe(window_of(&asked, path.top())), 1).await.is_ok() {
                return Ok(connection);
            }
        }
        Err(Refusal::new(Code::NotFound, "no connection has the record any more").param("id").into())
    }

    /// A field that is no text: measured by asking for the record with this field alone.
    async fn other_field(
        &self,
        caller: &Caller,
        record: &RecordRef,
        path: &FieldPath,
        not_text: SourceError,
    ) -> Result<Field> {
        let ask = Ask::stream(record.stream.as_str(), &["records", record.record.as_str()])
            .fields(Some(&[path.top().to_owned()]))
            .connection(record.connection.as_ref());
        let mut rows = self.rows(caller, &ask, Form::Record).await?;
        let row = rows.rows.pop().unwrap_or_default();
        let expected = view::Expected {
            stream: &record.stream,
            connection: record.connection.as_ref(),
            all_fields: false,
        };
        let identity = expected.identity(&row.about)?;
        let Some((name, taken)) = row.fields.into_iter().find(|(name, _)| name == path.top()) else {
            return Err(not_text);
        };
        let (field, blob) = view::field(name, taken);
        let place = match (blob, field.head) {
            (Some(blob), _) => Place::Remote { blob: Some(blob.id) },
            (None, Some(text)) if field.shape.windows => {
                Place::Held { grant: caller.grant().to_owned(), text }
            }
            _ => Place::Remote { blob: None },
        };
        Ok(Field { record: identity, path: path.clone(), shape: field.shape, place })
    }

    pub(super) async fn read_span(&self, caller: &Caller, field: &Field, span: Span) -> Result<String> {
        let total = readable(field)?;
        if let Place::Held { grant, text } = &field.place {
            if grant != caller.grant() {
                return Err(Failure::Store("a field was passed on to another caller".into()).into());
            }
            return Ok(unit::slice(text, span).to_owned());
        }
        let (mut at, end) = (span.start().min(total), span.end().min(total));
        let mut text = String::new();
        while at < end {
            let part = self.window(caller, field, at, (end - at).min(Chars(WINDOW))).await?;
            at = at + Chars::of(&part);
            text.push_str(&part);
        }
        Ok(text)
    }

    /// Reads one window that is not empty.
    pub(super) async fn window(
        &self,
        caller: &Caller,
        field: &Field,
        at: Chars,
        limit: Chars,
    ) -> Result<String> {
        let ask = window_of(&of(field), field.path.top()).with("offset_chars", at).with("limit_chars", limit);
        let part = self.part(caller, &ask, limit.get()).await?;
        if Some(part.total) != field.shape.chars {
            return Err(SourceError::Changed);
        }
        if part.start != at || part.text.is_empty() {
            return Err(invalid("the window is not where it was asked for").into());
        }
        Ok(part.text)
    }

    /// Asks for a part, and counts it.
    pub(super) async fn part(&self, caller: &Caller, ask: &Ask, limit: u64) -> Result<Part> {
        let response = self.get(caller, ask).await.map_err(without_route)?;
        let answer = self.client.value(response).await?;
        let window = &answer["window"];
        let number = |name: &str| window[name].as_u64().map(Chars);
        let (Some(text), Some(start), Some(total)) =
            (window["text"].as_str(), number("start_chars"), number("total_chars"))
        else {
            return Err(invalid("it is no window of a field").into());
        };
        let length = Chars::of(text);
        if length > Chars(limit) || start.saturating_add(length) > total {
            return Err(invalid("the window is longer than the field or than was asked for").into());
        }
        Ok(Part {
            text: text.to_owned(),
            start,
            total,
            match_start: number("match_start_chars"),
            connection: answer["connection_id"].as_str().map(str::to_owned),
        })
    }
}

/// The route of a field's windows.
pub(super) fn window_of(record: &RecordRef, field: &str) -> Ask {
    Ask::stream(record.stream.as_str(), &["records", record.record.as_str(), "field-window"])
        .with("field", field)
        .connection(record.connection.as_ref())
}

/// The record of a field that was found.
pub(super) fn of(field: &Field) -> RecordRef {
    field.record.id().into()
}

/// The length of a field that can be read in windows, or why it cannot.
pub(super) fn readable(field: &Field) -> Result<Chars> {
    if field.shape.windows
        && let Some(total) = field.shape.chars
    {
        return Ok(total);
    }
    let kind = field.shape.kind.as_str();
    let path = excerpt(field.path.as_str());
    let message = format!("the resource server reads no windows of the field {path}, a value of kind {kind}");
    let refusal = Refusal::new(Code::FieldNotText, message).param("field_path").with("kind", kind);
    Err(refusal
        .hint("fetch the record with fields to see the value, or its size and type if it is binary")
        .into())
}

pub(super) fn code_of(error: &SourceError) -> Option<Code> {
    error.refusal().map(|refusal| refusal.code)
}

/// Tells a server that has no such route from one that has no such record, which says so by a code of the interface.
fn without_route(error: SourceError) -> SourceError {
    let SourceError::Refused(refusal) = &error else { return error };
    let status = refusal.extras.get("http_status").and_then(Value::as_u64);
    let is_code = |code: &str| code.bytes().all(|byte| byte.is_ascii_lowercase() || b"_.".contains(&byte));
    let coded = match refusal.code {
        Code::RsRefused => refusal.extras.get("rs_code").and_then(Value::as_str).is_some_and(is_code),
        code => code != Code::SourceUnavailable,
    };
    match status {
        Some(405 | 501) => {}
        Some(404) if !coded => {}
        _ => return error,
    }
    let message = "the resource server has no way to read a part of a field";
    let status = status.unwrap_or_default();
    Refusal::new(Code::FieldWindowUnsupported, message)
        .with("http_status", json!(status))
        .hint("a whole record is never fetched to be cut; fetch shows the field's beginning")
        .into()
}

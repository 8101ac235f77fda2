//! What a record is called and where it can be cited.

use serde_json::{Value, json};
use stepwell_contract::quote::strip_control;
use stepwell_contract::unit::slice;
use stepwell_contract::{Chars, FieldPath, Span};
use stepwell_source::catalogue::GrantedScope;
use stepwell_source::shape::{FieldView, RecordIdentity};
use stepwell_source::{FieldKind, RecordView, time};

/// How long a title may be.
const TITLE: Chars = Chars(120);

/// The fields that are titles by custom, where no role says so.
const TITLES: [&str; 4] = ["title", "name", "subject", "summary"];

/// The fields that hold the text of a document by custom.
const BODIES: [&str; 5] = ["text", "content", "body", "body_text", "summary"];

/// Finds the scope that a record belongs to.
pub(crate) fn scope_of<'a>(
    scopes: &'a [GrantedScope],
    identity: &RecordIdentity,
) -> Option<&'a GrantedScope> {
    scopes.iter().find(|scope| scope.connection == identity.connection && scope.stream == identity.stream)
}

/// What a record is called: its title, or else where and when it is from. Never an excerpt of its text.
pub(crate) fn title(view: &RecordView, scope: Option<&GrantedScope>) -> String {
    let by_role = scope.and_then(|scope| scope.with_role("title")).map(|field| field.name.as_str());
    let named = by_role.into_iter().chain(TITLES).find_map(|name| {
        let field =
            view.fields.iter().find(|field| field.name == name && field.shape.kind == FieldKind::Text)?;
        field.head.as_deref().map(str::trim).filter(|title| !title.is_empty())
    });
    let title = match named {
        Some(title) => slice(title, Span::at(Chars::ZERO, TITLE)).to_owned(),
        None => {
            let label = view.label.as_deref().or(view.connector.as_deref());
            let label = label.unwrap_or(view.identity.connection.as_str());
            format!("{label} / {} / {}", view.identity.stream, time::print(view.time))
        }
    };
    strip_control(&title)
}

/// What a person calls the source of a record: the kind of source and the connection's own label, where there are any.
pub(crate) fn labels_of(view: &RecordView) -> impl Iterator<Item = (&'static str, &str)> {
    let labels = [("connector_key", &view.connector), ("display_name", &view.label)];
    labels
        .into_iter()
        .filter_map(|(name, label)| Some((name, slice(label.as_deref()?, Span::at(Chars::ZERO, TITLE)))))
}

/// The field that holds a record's main text: by role, by custom, or the longest.
pub(crate) fn body_field<'a>(view: &'a RecordView, scope: Option<&GrantedScope>) -> Option<&'a str> {
    let has = |name: &str| {
        view.fields
            .iter()
            .find(|field| field.name == name && field.shape.kind == FieldKind::Text)
            .map(|f| f.name.as_str())
    };
    let by_role = scope.and_then(|scope| scope.with_role("body")).and_then(|field| has(&field.name));
    by_role.or_else(|| BODIES.iter().find_map(|name| has(name)))
}

/// Where a record can be cited: its own address, or its place in the resource server's API.
pub(crate) fn url(view: &RecordView) -> String {
    let own = view.fields.iter().find(|field| ["url", "source_url"].contains(&field.name.as_str()));
    let own = own
        .and_then(|field| field.head.as_deref())
        .filter(|url| url.starts_with("https://") && url.len() < 500);
    own.map_or_else(|| citation(&view.identity), str::to_owned)
}

/// The place of a record in the resource server's API.
#[must_use]
pub fn citation(identity: &RecordIdentity) -> String {
    let [stream, record, connection] =
        [identity.stream.as_str(), identity.record.as_str(), identity.connection.as_str()].map(percent);
    format!("/v1/streams/{stream}/records/{record}?connection_id={connection}")
}

/// Writes a text as one segment of a path, or as one value of a query.
#[must_use]
pub fn percent(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(byte as char),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// A value as it stands in structured data: short ones whole, a long text by its beginning, the rest by a mark.
pub(crate) fn cut_value(field: &FieldView, most: Chars) -> (Value, bool) {
    let short = field.is_whole() && field.shape.chars.is_some_and(|chars| chars <= most);
    match (field.shape.kind, &field.head) {
        (FieldKind::Text, Some(head)) if short => (json!(head), false),
        (FieldKind::Text, Some(head)) => (json!(slice(head, Span::at(Chars::ZERO, most))), true),
        (FieldKind::Binary, _) | (_, None) => (cut_mark(field), true),
        (_, Some(head)) if short => (serde_json::from_str(head).unwrap_or_default(), false),
        _ => (cut_mark(field), true),
    }
}

/// Stands for a value that is not shown: its path, under which the ladder describes it.
fn cut_mark(field: &FieldView) -> Value {
    json!({ "$cut": FieldPath::top_level(&field.name).as_str() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_citation_survives_any_key() {
        assert_eq!(percent("re: büro/№2"), "re%3A%20b%C3%BCro%2F%E2%84%962");
    }
}

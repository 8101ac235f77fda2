//! What each kind of answer discloses, worked out from the answer itself.
//!
//! For a record that stands in a list or as a document, `bytes` is the length of the JSON that describes it. For a part of
//! a field it is the length of that text or of those bytes.

use crate::expand;
use crate::ladder::Ladder;
use serde_json::Value;
use stepwell_contract::json::json_bytes;
use stepwell_contract::{Bytes, Chars, FieldPath, Span};
use stepwell_source::query::{Expanded, RecordsPage, SearchHit};
use stepwell_source::shape::RecordIdentity;
use stepwell_source::{Disclosure, Extent};

impl Ladder {
    pub(crate) fn window_name(&self) -> Option<&'static str> {
        self.tiers.window().map(|_| "field-window")
    }

    pub(crate) fn resources_name(&self) -> Option<&'static str> {
        self.tiers.resources().map(|_| "resources")
    }

    pub(crate) fn export_name(&self) -> Option<&'static str> {
        self.tiers.export().map(|_| "binary-export")
    }
}

/// The hits of a page, one entry for each, and one more for a second field of which the ladder shows a part.
pub(crate) fn hits(hits: &[SearchHit], structured: &Value) -> Vec<Disclosure> {
    let mut disclosed = Vec::new();
    for (index, hit) in hits.iter().enumerate() {
        let (identity, result) = (&hit.record.identity, &structured["results"][index]);
        let mut entry = Disclosure::of_record(identity, json_bytes(result));
        if let Some(found) = hit.matches.first() {
            let shown = result["snippet"].as_str().map(Chars::of).unwrap_or_default();
            entry.field = Some(found.path.as_str().to_owned());
            entry.extent = Some(Extent::Chars(Span::at(found.snippet_at.start(), shown)));
        } else if let Some(excerpt) = hit.excerpts.first() {
            entry.field = Some(excerpt.path.as_str().to_owned());
        }
        let named = entry.field.clone();
        disclosed.push(entry);
        let fields = structured["content_ladder"]["records"][index]["fields"].as_array();
        let others = fields
            .into_iter()
            .flatten()
            .filter(|field| named.is_none() || field["path"].as_str() != named.as_deref());
        disclosed.extend(others.filter_map(|field| snippet(identity, field)));
    }
    disclosed
}

/// The part of a field that an entry of the content ladder quotes.
fn snippet(identity: &RecordIdentity, field: &Value) -> Option<Disclosure> {
    let (path, preview) = (field["path"].as_str()?, &field["preview"]);
    let text = preview["text"].as_str()?;
    let Some(start) = preview["start_chars"].as_u64() else {
        // A piece whose place only the source knows.
        let piece = Disclosure::of_record(identity, Bytes::of(text));
        return Some(Disclosure { field: Some(path.to_owned()), ..piece });
    };
    let extent = Extent::Chars(Span::at(Chars(start), Chars::of(text)));
    Some(Disclosure::of_part(identity, path, extent, Bytes::of(text)))
}

/// The rows of a page, one entry for each, for each record that a row leads to, and for each that is gone.
pub(crate) fn rows(
    page: &RecordsPage,
    expanded: &[Vec<Expanded>],
    structured: &Value,
    tiers: &[Option<String>],
) -> Vec<Disclosure> {
    let rows = &structured["data"]["data"];
    let mut disclosed = Vec::new();
    for (index, view) in page.records.iter().enumerate() {
        let (row, tier) = (&rows[index], tiers.get(index).cloned().flatten());
        let Some(expanded) = expanded.get(index) else {
            disclosed.push(Disclosure::of_record(&view.identity, json_bytes(row)).shaped_by(tier));
            continue;
        };
        let own = json_bytes(row).saturating_sub(json_bytes(&row["expanded"]));
        disclosed.push(Disclosure::of_record(&view.identity, own).shaped_by(tier));
        disclosed.extend(expand::disclosed(expanded, &row["expanded"]));
    }
    let gone = page.removed.iter().enumerate();
    disclosed.extend(gone.map(|(index, identity)| {
        Disclosure::of_record(identity, json_bytes(&rows[page.records.len() + index]))
    }));
    disclosed
}

/// A document: the record, and the part of its main field that stands in the document's text.
pub(crate) fn document(
    identity: &RecordIdentity,
    document: &Value,
    body_field: Option<&str>,
    tier: Option<String>,
) -> Vec<Disclosure> {
    let others = json_bytes(&document["metadata"]["expanded"]);
    let (whole, text) =
        (json_bytes(document).saturating_sub(others), document["text"].as_str().unwrap_or_default());
    let Some(field) = body_field else { return vec![Disclosure::of_record(identity, whole).shaped_by(tier)] };
    let rest = whole.saturating_sub(json_bytes(&document["text"]));
    let extent = Extent::Chars(Span::at(Chars::ZERO, Chars::of(text)));
    let path = FieldPath::top_level(field);
    vec![
        Disclosure::of_record(identity, rest).shaped_by(tier),
        Disclosure::of_part(identity, path.as_str(), extent, Bytes::of(text)),
    ]
}

/// Names, measures or numbers about a stream, or about all streams.
pub(crate) fn about(args: &Value, answer: &Value) -> Vec<Disclosure> {
    let name = |key: &str| args.get(key).and_then(Value::as_str);
    vec![Disclosure {
        // Both were parsed before the answer was made.
        connection: name("connection_id").and_then(|id| id.parse().ok()),
        stream: name("stream").and_then(|name| name.parse().ok()),
        bytes: json_bytes(answer),
        ..Disclosure::default()
    }]
}

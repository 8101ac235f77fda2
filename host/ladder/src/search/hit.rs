//! One hit, as the parts of a result show it.

use super::short;
use crate::describe::{labels_of, scope_of, title, url};
use crate::rung::{Preview, Rung, in_order, of_match, rungs};
use serde_json::{Value, json};
use stepwell_contract::{Chars, Span};
use stepwell_source::catalogue::GrantedScope;
use stepwell_source::query::SearchHit;
use stepwell_source::{FieldKind, time};

/// The places of a hit: the fields where words were found, with as much as was shown of them, and then the long ones.
pub(super) fn hit_rungs(hit: &SearchHit, snippet: Chars) -> Vec<Rung<'_>> {
    let of_top = |name: &str| {
        hit.matches.iter().find(move |found| found.path.below_top().is_empty() && found.path.top() == name)
    };
    let mut places = rungs(&hit.record, |field| of_top(&field.name).map_or(Preview::Unavailable, of_match));
    // A JSON field matters only through what was found inside it.
    places.retain(|rung| rung.preview != Preview::Unavailable || rung.kind != FieldKind::Json);
    let inside = hit.matches.iter().filter(|found| !found.path.below_top().is_empty());
    places.extend(inside.map(Rung::inside));
    places.extend(hit.excerpts.iter().map(Rung::unmeasured));
    for place in &mut places {
        if let Preview::Snippet { at, text } = &mut place.preview {
            *text = short(text, snippet).to_owned();
            *at = Span::at(at.start(), Chars::of(text));
        }
        if let Preview::Excerpt(text) = &mut place.preview {
            *text = short(text, snippet).to_owned();
        }
    }
    in_order(places)
}

/// The hit as a row of the resource server's answer.
pub(super) fn row(hit: &SearchHit, snippet: Chars) -> Value {
    let view = &hit.record;
    let mut fields: Vec<&str> = hit.matches.iter().map(|found| found.path.as_str()).collect();
    fields.extend(hit.excerpts.iter().map(|excerpt| excerpt.path.as_str()));
    fields.dedup();
    let mut row = json!({
        "object": "search_result",
        "stream": view.identity.stream.as_str(),
        "record_key": view.identity.record.as_str(),
        "connection_id": view.identity.connection.as_str(),
        "emitted_at": time::print(view.emitted_at),
        "matched_fields": fields,
    });
    if let Some(found) = hit.matches.first() {
        row["snippet"] = json!({
            "field": found.path.as_str(),
            "text": short(&found.snippet, snippet),
            "start_chars": found.snippet_at.start(),
            "match": { "start_chars": found.at.start(), "end_chars": found.at.end() },
        });
    } else if let Some(excerpt) = hit.excerpts.first() {
        let marks = excerpt.marks.iter().take_while(|mark| mark.end() <= snippet);
        let marks: Vec<Value> = marks.map(|mark| json!([mark.start(), mark.end()])).collect();
        let text = short(&excerpt.text, snippet);
        row["snippet"] = json!({ "field": excerpt.path.as_str(), "text": text, "marks_chars": marks });
    }
    row
}

/// The hit as search clients know it.
pub(super) fn result(hit: &SearchHit, scopes: &[GrantedScope], snippet: Chars) -> Value {
    let view = &hit.record;
    let identity = &view.identity;
    let mut result = json!({
        "id": identity.id().to_string(),
        "title": title(view, scope_of(scopes, identity)),
        "url": url(view),
        "connection_id": identity.connection.as_str(),
        "stream": identity.stream.as_str(),
        "record_id": identity.record.as_str(),
    });
    for (name, label) in labels_of(view) {
        result[name] = json!(label);
    }
    if let Some(text) = self::snippet(hit) {
        result["snippet"] = json!(short(text, snippet));
    }
    result
}

/// The text that shows best why a record was found.
pub(super) fn snippet(hit: &SearchHit) -> Option<&str> {
    let found = hit.matches.first().map(|found| found.snippet.as_str());
    found.or_else(|| hit.excerpts.first().map(|excerpt| excerpt.text.as_str()))
}

//! `GET /v1/search`: records that contain words.

use super::answer::Answer;
use super::fault::Fault;
use super::{Call, typed};
use serde_json::{Value, json};
use stepwell_contract::unit::slice;
use stepwell_contract::{Bytes, Chars, Span};
use stepwell_ladder::{asked, citation, unsupported_mode};
use stepwell_source::query::{FieldMatch, SearchHit};
use stepwell_source::shape::RecordIdentity;
use stepwell_source::{Caller, Disclosure, time};

pub(super) async fn search(call: &Call<'_>, caller: &Caller) -> Result<Answer, Fault> {
    let (mut arguments, source) = (call.arguments(), call.source());
    typed::filters(&mut arguments, &*source, caller).await?;
    let query = asked::search(&arguments)?;
    let page = source.search(caller, &query).await;
    let page = page.map_err(|error| Fault::from(error).renamed("stream", "streams"))?;
    let rows: Vec<Value> = page.hits.iter().map(row).collect();
    let entries: Vec<Disclosure> = page
        .hits
        .iter()
        .zip(&rows)
        .map(|(hit, row)| Disclosure::of_record(&hit.record.identity, Bytes::of(&row.to_string())))
        .collect();
    let mut list = call.list(
        page.next_cursor.as_deref(),
        json!({
            "count": null,
            "count_accuracy": "not_counted",
            "recall": {
                "complete": page.recall.complete,
                "truncated": page.recall.truncated,
                "ranking_scope": "all_matches",
                "sources_searched_count": page.recall.streams,
            },
            "ignored_words": page.ignored_words,
        }),
    );
    list.insert("data".to_owned(), json!(rows));
    call.json(caller, Value::Object(list), &entries).await
}

/// A way of searching that this source lacks.
pub(super) fn unsupported(mode: &str) -> Fault {
    unsupported_mode(mode).hint("search at /v1/search").into()
}

fn row(hit: &SearchHit) -> Value {
    let (view, identity) = (&hit.record, &hit.record.identity);
    let mut fields: Vec<&str> = hit.matches.iter().map(|found| found.path.as_str()).collect();
    fields.dedup();
    let mut row = json!({
        "object": "search_result",
        "stream": identity.stream.as_str(),
        "record_key": identity.record.as_str(),
        "record_url": citation(identity),
        "connection_id": identity.connection.as_str(),
        "connector_instance_id": identity.connection.as_str(),
        "emitted_at": time::print(view.emitted_at),
        "authored_at": time::print(view.time),
        "matched_fields": fields,
        "evidence_excerpts": hit.matches.iter().map(|found| excerpt(identity, found)).collect::<Vec<_>>(),
    });
    for (name, label) in
        [("connector_id", &view.connector), ("connector_key", &view.connector), ("display_name", &view.label)]
    {
        if let Some(label) = label {
            row[name] = json!(label);
        }
    }
    if let Some(found) = hit.matches.first() {
        row["snippet"] = json!({
            "field": found.path.as_str(),
            "text": marked(found),
            "start_chars": found.snippet_at.start(),
            "match": { "start_chars": found.at.start(), "end_chars": found.at.end() },
        });
    }
    row
}

/// A place where something was found, and the call that reads on there.
fn excerpt(identity: &RecordIdentity, found: &FieldMatch) -> Value {
    let route = citation(identity);
    let route = route.split('?').next().unwrap_or_default();
    json!({
        "object": "evidence_excerpt",
        "field_path": found.path.as_str(),
        "preview_text": found.snippet,
        "start_chars": found.snippet_at.start(),
        "total_chars": found.total,
        "provenance": "lexical_match",
        "truncated": found.snippet_at.len() < found.total,
        "read": {
            "object": "field_window_read",
            "method": "GET",
            "route": format!("{route}/field-window"),
            "stream": identity.stream.as_str(),
            "record_id": identity.record.as_str(),
            "field": found.path.as_str(),
            "connection_id": identity.connection.as_str(),
        },
    })
}

/// The snippet with the match between marks, as far as it lies in the snippet.
fn marked(found: &FieldMatch) -> String {
    let (text, at) = (&found.snippet, found.snippet_at);
    let end = found.at.end().min(at.end()).saturating_sub(at.start());
    let start = found.at.start().saturating_sub(at.start()).min(end);
    let part = |start: Chars, end: Chars| slice(text, Span::at(start, end.saturating_sub(start)));
    let (before, inside, after) = (part(Chars::ZERO, start), part(start, end), part(end, Chars(u64::MAX)));
    if inside.is_empty() { text.clone() } else { format!("{before}<mark>{inside}</mark>{after}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwell_contract::FieldPath;

    #[test]
    fn marks_stand_around_the_match_in_code_points() {
        let found = |start: u64, end: u64| FieldMatch {
            path: FieldPath::top_level("body"),
            at: Span::new(Chars(start), Chars(end)).unwrap(),
            snippet: "🦢 Zürich 日本".to_owned(),
            snippet_at: Span::at(Chars(100), Chars(11)),
            total: Chars(500),
        };
        assert_eq!(marked(&found(102, 108)), "🦢 <mark>Zürich</mark> 日本");
        assert_eq!(marked(&found(109, 400)), "🦢 Zürich <mark>日本</mark>");
        assert_eq!(marked(&found(300, 310)), "🦢 Zürich 日本");
    }
}

//! What the routes answer.

use super::window::window;
use super::{Asked, Bearer, Habits, Shared, Shelf, ShelfRecord, decoded, error, json_response, lock};
use axum::body::Body;
use axum::http::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

type Answer = Response<Body>;
/// Boxed, because an answer is large beside what stands there when all is well.
type Refused = Box<Answer>;

pub(super) fn answer(shared: &Shared, asked: &Asked) -> Answer {
    let Some(path) = asked.path.strip_prefix(&shared.prefix) else { return no_route() };
    let segments: Vec<String> = path.split('/').skip(1).map(decoded).collect();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let Some(token) = asked.bearer() else { return error(401, "authentication_error", Value::Null) };
    let grant = match lock(&shared.tokens).get(token).cloned() {
        None => return error(401, "context.active_false", Value::Null),
        Some(Bearer::Revoked) => return error(403, "grant_revoked", Value::Null),
        Some(Bearer::Owner) => None,
        Some(Bearer::Client(grant)) => Some(grant),
    };
    if asked.header("pdpp-version").is_some_and(|version| version != "2026-04-06") {
        return error(400, "unsupported_version", Value::Null);
    }
    let habits = *lock(&shared.habits);
    let is_client = grant.is_some();
    let of_owners = |(name, _): &(String, String)| {
        name.starts_with("filter[") && !habits.filters || name.starts_with("expand") || name == "view"
    };
    let shelf = &shared.shelf;
    let known = |names: &[&str]| {
        let is_known = |(name, _): &(String, String)| {
            names.contains(&name.as_str()) || name.starts_with("filter[") && habits.filters
        };
        asked.query.iter().all(is_known)
    };
    if segments != ["v1", "schema"] && is_client && asked.query.iter().any(of_owners) {
        return error(400, "invalid_request", json!({ "param": "filter" }));
    }
    let strange = || error(400, "invalid_request", Value::Null);
    match segments.as_slice() {
        ["v1", "schema"] if !known(&["view", "stream", "connection_id", "detail"]) => strange(),
        ["v1", "schema"] => schema(shelf, asked, grant.as_deref()),
        ["v1", "streams", stream, "records"] => {
            let names = ["limit", "cursor", "order", "fields", "changes_since", "count", "connection_id"];
            if known(&names) { records(shelf, asked, stream) } else { strange() }
        }
        ["v1", "streams", stream, "records", key] => {
            if !known(&["fields", "connection_id"]) {
                return strange();
            }
            match one(shelf, asked, stream, key) {
                Ok(found) => match row(shelf, asked, found) {
                    Ok(row) => json_response(200, &row),
                    Err(refusal) => *refusal,
                },
                Err(refusal) => *refusal,
            }
        }
        ["v1", "streams", stream, "records", key, "field-window"] if habits.field_windows => {
            let names =
                ["field", "offset_chars", "limit_chars", "q", "before_chars", "after_chars", "connection_id"];
            if !known(&names) {
                return strange();
            }
            field_window(shelf, asked, habits, stream, key)
        }
        ["v1", "streams", stream, "aggregate"] => aggregate(shelf, asked, stream),
        ["v1", "search"] => search(shelf, asked),
        ["v1", "search", "semantic"] if habits.semantic => search(shelf, asked),
        ["v1", "blobs", id] => blob(shelf, asked, habits, id),
        _ => no_route(),
    }
}

/// What a server says that knows no such route: no error of the interface.
fn no_route() -> Answer {
    let response = Response::builder().status(404).header("content-type", "text/html");
    response.body(Body::from("<html>Cannot GET</html>")).expect("a response")
}

fn schema(shelf: &Shelf, asked: &Asked, grant: Option<&str>) -> Answer {
    let mut streams: BTreeMap<&str, (BTreeSet<&str>, BTreeMap<&str, &str>)> = BTreeMap::new();
    for record in &shelf.records {
        let (fields, connections) = streams.entry(&record.stream).or_default();
        fields.extend(shelf.granted(record).map(|(name, _)| name.as_str()));
        connections.insert(&record.connection, &record.label);
    }
    let is_compact = asked.param("view") == Some("compact");
    let stream = |(name, (fields, connections)): (&str, (BTreeSet<&str>, BTreeMap<&str, &str>))| {
        // A client is told the names of fields and nothing about them.
        let said = |field: &str| match is_compact {
            true => json!("declared"),
            false => json!({ "granted": true, "schema": {}, "field": field }),
        };
        let fields: Map<String, Value> =
            fields.into_iter().map(|field| (field.to_owned(), said(field))).collect();
        let connections: Vec<Value> = connections
            .into_iter()
            .map(|(id, label)| json!({ "connection_id": id, "display_name": label }))
            .collect();
        json!({ "object": "stream_metadata", "name": name, "primary_key": [], "query": {}, "schema": {},
            "granted_connections": connections, "field_capabilities": fields })
    };
    let streams: Vec<Value> = streams.into_iter().map(stream).collect();
    let bearer = match grant {
        Some(grant) => json!({ "token_kind": "client", "grant_id": grant, "client_id": "a client" }),
        None => json!({ "token_kind": "owner" }),
    };
    let connector = json!({ "object": "connector", "connector_key": "mail", "connector_id": "mail",
        "stream_count": streams.len(), "streams": streams });
    json_response(
        200,
        &json!({ "data": { "object": "schema", "bearer": bearer, "connectors": [connector] } }),
    )
}

/// The records of a stream, in the connection that was asked for.
fn of_stream<'a>(shelf: &'a Shelf, asked: &Asked, stream: &str) -> Result<Vec<&'a ShelfRecord>, Refused> {
    let all: Vec<&ShelfRecord> = shelf.records.iter().filter(|record| record.stream == stream).collect();
    if all.is_empty() {
        return Err(error(401, "context.stream_not_allowed", Value::Null).into());
    }
    let Some(connection) = asked.param("connection_id") else { return Ok(all) };
    let own: Vec<&ShelfRecord> = all.into_iter().filter(|record| record.connection == connection).collect();
    if own.is_empty() { Err(error(401, "context.instance_mismatch", Value::Null).into()) } else { Ok(own) }
}

fn one<'a>(shelf: &'a Shelf, asked: &Asked, stream: &str, key: &str) -> Result<&'a ShelfRecord, Refused> {
    let found: Vec<&ShelfRecord> =
        of_stream(shelf, asked, stream)?.into_iter().filter(|record| record.key == key).collect();
    match found.as_slice() {
        [] => Err(error(404, "not_found", Value::Null).into()),
        [one] => Ok(one),
        many => {
            let connection = |record: &&ShelfRecord| json!({ "connection_id": record.connection, "display_name": record.label });
            let available: Vec<Value> = many.iter().map(connection).collect();
            let more = json!({ "available_connections": available, "retry_with": "connection_id" });
            Err(error(409, "ambiguous_connection", more).into())
        }
    }
}

fn row(shelf: &Shelf, asked: &Asked, record: &ShelfRecord) -> Result<Value, Refused> {
    let wanted: Option<Vec<&str>> = asked.param("fields").map(|fields| fields.split(',').collect());
    let is_granted = |name: &&str| shelf.granted(record).any(|(known, _)| known == name);
    if let Some(wanted) = &wanted
        && !wanted.iter().all(is_granted)
    {
        return Err(error(403, "field_not_granted", json!({ "param": "fields" })).into());
    }
    let shown = |name: &str| wanted.as_ref().is_none_or(|wanted| wanted.contains(&name));
    let data: Map<String, Value> = shelf
        .granted(record)
        .filter(|(name, _)| shown(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    Ok(json!({ "object": "record", "id": record.key, "stream": record.stream, "data": data,
        "emitted_at": record.emitted_at, "connection_id": record.connection,
        "connector_instance_id": record.connection, "connector_key": record.connector,
        "display_name": record.label }))
}

fn records(shelf: &Shelf, asked: &Asked, stream: &str) -> Answer {
    let mut found = match of_stream(shelf, asked, stream) {
        Ok(found) => found,
        Err(refusal) => return *refusal,
    };
    if asked.param("changes_since").is_some_and(|since| since != "beginning" && since != "now") {
        return error(410, "cursor_expired", Value::Null);
    }
    if asked.param("order") != Some("asc") {
        found.reverse();
    }
    let from = match asked.param("cursor").map(|cursor| URL_SAFE_NO_PAD.decode(cursor)) {
        None => 0,
        Some(bytes) => match bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok()?.parse().ok()) {
            Some(from) => from,
            None => return error(400, "invalid_cursor", Value::Null),
        },
    };
    let limit = asked.param("limit").and_then(|limit| limit.parse().ok()).unwrap_or(25_usize);
    // The limit counts in each connection, as the public server does it.
    let connections: BTreeSet<&str> = found.iter().map(|record| record.connection.as_str()).collect();
    let page: Vec<&ShelfRecord> = connections
        .iter()
        .flat_map(|id| found.iter().filter(move |record| record.connection == *id).skip(from).take(limit))
        .copied()
        .collect();
    let longest =
        connections.iter().map(|id| found.iter().filter(|record| record.connection == *id).count()).max();
    let has_more = longest.unwrap_or(0) > from + limit;
    let rows: Result<Vec<Value>, Refused> =
        page.into_iter().map(|record| row(shelf, asked, record)).collect();
    let rows = match rows {
        Ok(rows) => rows,
        Err(refusal) => return *refusal,
    };
    let mut answer = json!({ "object": "list", "data": rows, "has_more": has_more,
        "links": {}, "meta": { "count": { "kind": "none" }, "warnings": [] } });
    if has_more {
        answer["next_cursor"] = json!(URL_SAFE_NO_PAD.encode((from + limit).to_string()));
    } else if asked.param("changes_since").is_some() {
        answer["next_changes_since"] = json!("now");
    }
    json_response(200, &answer)
}

fn field_window(shelf: &Shelf, asked: &Asked, habits: Habits, stream: &str, key: &str) -> Answer {
    let Some(field) = asked.param("field") else { return error(400, "invalid_field_path", Value::Null) };
    if shelf.withheld.iter().any(|name| name == field) {
        return error(403, "field_not_granted", json!({ "param": "field" }));
    }
    match one(shelf, asked, stream, key) {
        Ok(record) => window(asked, habits, record, field),
        Err(refusal) => *refusal,
    }
}

fn aggregate(shelf: &Shelf, asked: &Asked, stream: &str) -> Answer {
    let found = match of_stream(shelf, asked, stream) {
        Ok(found) => found,
        Err(refusal) => return *refusal,
    };
    if asked.param("metric") != Some("count") {
        return error(400, "invalid_request", json!({ "param": "metric" }));
    }
    let mut answer = json!({ "object": "aggregation", "stream": stream, "metric": "count", "field": null,
        "approximate": false, "filtered_record_count": found.len() });
    match asked.param("group_by") {
        None => answer["value"] = json!(found.len()),
        Some(field) => {
            let mut counts: BTreeMap<String, (Value, usize)> = BTreeMap::new();
            for record in found {
                let key = record.data.get(field).cloned().unwrap_or_default();
                counts.entry(key.to_string()).or_insert((key, 0)).1 += 1;
            }
            let groups: Vec<Value> =
                counts.into_values().map(|(key, count)| json!({ "key": key, "count": count })).collect();
            answer["groups"] = json!(groups);
            answer["other_count"] = json!(0);
        }
    }
    json_response(200, &answer)
}

fn search(shelf: &Shelf, asked: &Asked) -> Answer {
    let Some(q) = asked.param("q") else { return error(400, "invalid_request", json!({ "param": "q" })) };
    let streams: Vec<&str> =
        asked.query.iter().filter(|(name, _)| name == "streams").map(|(_, value)| value.as_str()).collect();
    if streams.iter().any(|stream| shelf.records.iter().all(|record| record.stream != *stream)) {
        return error(403, "grant_stream_not_allowed", Value::Null);
    }
    let limit = asked.param("limit").and_then(|limit| limit.parse().ok()).unwrap_or(25);
    let words: Vec<String> = q.split_whitespace().map(str::to_lowercase).collect();
    let mut rows = Vec::new();
    for record in &shelf.records {
        let is_asked = streams.is_empty() || streams.contains(&record.stream.as_str());
        let is_near = asked.param("connection_id").is_none_or(|id| id == record.connection);
        if let Some(row) = (is_asked && is_near).then(|| hit(shelf, record, &words)).flatten() {
            rows.push(row);
        }
    }
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    let meta = json!({ "count": rows.len(), "count_accuracy": "exact",
        "recall": { "complete": true, "truncated": has_more, "ranking_scope": "all_matches", "sources_searched_count": 1 } });
    let mut answer = json!({ "object": "list", "has_more": has_more, "data": rows, "meta": meta });
    if has_more {
        answer["next_cursor"] = json!("the-next-hits");
    }
    json_response(200, &answer)
}

/// A record that has all the words in one field, with the stretch around the first of them marked.
fn hit(shelf: &Shelf, record: &ShelfRecord, words: &[String]) -> Option<Value> {
    let (name, text) = shelf.granted(record).find_map(|(name, value)| {
        let text = value.as_str()?;
        let folded = text.to_lowercase();
        words.iter().all(|word| folded.contains(word.as_str())).then_some((name, text))
    })?;
    let first = words.first()?;
    // Folding may change lengths, so the place is looked for without it where that finds it.
    let at = text.find(first.as_str()).or_else(|| text.to_ascii_lowercase().find(first.as_str()))?;
    let inside = text.get(at..at + first.len())?;
    let before: String = text[..at].chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
    let after: String = text[at + first.len()..].chars().take(120).collect();
    let marked = format!("{before}<mark>{inside}</mark>{after}");
    Some(json!({ "object": "search_result", "stream": record.stream, "record_key": record.key,
        "connector_id": record.connector, "connection_id": record.connection, "display_name": record.label,
        "emitted_at": record.emitted_at, "matched_fields": [name],
        "record_url": format!("/v1/streams/{}/records/{}", record.stream, record.key),
        "snippet": { "field": name, "text": marked },
        "evidence_excerpts": [{ "object": "evidence_excerpt", "field_path": name, "preview_text": format!("{before}{inside}{after}"),
            "truncated": true, "provenance": "lexical_match" }],
        "score": { "kind": "bm25", "value": -1.0, "order": "lower_is_better" } }))
}

fn blob(shelf: &Shelf, asked: &Asked, habits: Habits, id: &str) -> Answer {
    let Some((mime, bytes)) = shelf.blobs.get(id) else { return error(404, "blob_not_found", Value::Null) };
    let whole = || {
        Response::builder().header("content-type", mime).body(Body::from(bytes.clone())).expect("a response")
    };
    let range = asked.header("range").filter(|_| habits.ranges).and_then(|range| {
        let (start, end) = range.strip_prefix("bytes=")?.split_once('-')?;
        Some((start.parse::<usize>().ok()?, end.parse::<usize>().ok()? + 1))
    });
    let Some((start, end)) = range else { return whole() };
    if start >= bytes.len() {
        return Response::builder().status(416).body(Body::empty()).expect("a response");
    }
    let end = end.min(bytes.len());
    Response::builder()
        .status(206)
        .header("content-type", mime)
        .header("content-range", format!("bytes {start}-{}/{}", end - 1, bytes.len()))
        .body(Body::from(bytes[start..end].to_vec()))
        .expect("a response")
}

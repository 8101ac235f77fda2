//! The window of a field, with the units of the public server: offsets in code points, ends in UTF-16.

use super::{Asked, Habits, ShelfRecord, error, json_response};
use axum::body::Body;
use axum::http::Response;
use serde_json::{Value, json};

/// Answers for a field that is granted.
pub(super) fn window(asked: &Asked, habits: Habits, record: &ShelfRecord, field: &str) -> Response<Body> {
    let text = match record.data.get(field) {
        None => return error(404, "field_not_found", Value::Null),
        Some(Value::String(text)) => text.as_str(),
        Some(_) => return error(422, "field_not_text", Value::Null),
    };
    let text = if habits.ends_at_nul { text.split('\0').next().unwrap_or_default() } else { text };
    let number = |name: &str| asked.param(name).and_then(|value| value.parse::<usize>().ok());
    let chars: Vec<char> = text.chars().collect();
    let limit = number("limit_chars").unwrap_or(4_096).min(16_384);
    let (mut start, mut found) = (number("offset_chars").unwrap_or(0).min(chars.len()), None);
    if let Some(q) = asked.param("q") {
        if asked.param("offset_chars").is_some() || q.is_empty() {
            return error(400, "invalid_window", json!({ "param": "q" }));
        }
        let fold = |c: &char| c.to_ascii_lowercase();
        let (text, wanted): (Vec<char>, Vec<char>) =
            (chars.iter().map(fold).collect(), q.chars().map(|c| fold(&c)).collect());
        let Some(at) = text.windows(wanted.len()).position(|window| window == wanted) else {
            return error(404, "query_not_found", Value::Null);
        };
        start = at.saturating_sub(number("before_chars").unwrap_or(0));
        found = Some((at, at + utf16(q)));
    }
    let shown: String = chars[start..].iter().take(limit).collect();
    let length = if habits.utf16_ends { utf16(&shown) } else { shown.chars().count() };
    let (total, end) = (chars.len(), (start + length).min(chars.len()));
    json_response(
        200,
        &json!({
            "object": "field_window", "stream": record.stream, "record_id": record.key,
            "field": { "path": field, "type": "string" },
            "window": {
                "text": shown, "start_chars": start, "end_chars": end, "total_chars": total,
                "limit_chars": limit, "complete": start == 0 && end >= total, "has_more": end < total,
                "next_offset_chars": (end < total).then_some(end),
                "previous_offset_chars": (start > 0).then(|| start.saturating_sub(limit)),
                "match_start_chars": found.map(|(at, _)| at), "match_end_chars": found.map(|(_, end)| end),
            },
            "meta": { "warnings": [] },
        }),
    )
}

fn utf16(text: &str) -> usize {
    text.encode_utf16().count()
}

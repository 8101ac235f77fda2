//! Grants in words and in JSON.

use crate::output::{BOLD, DIM};
use serde_json::{Value, json};
use stepwell_contract::quote::strip_control;
use stepwell_source::grant::{Grant, GrantState, GrantedStream};
use stepwell_source::time::{self, Millis};

/// A grant for scripts, with moments in RFC 3339.
pub(super) fn to_json(grant: &Grant) -> Value {
    let moment = |at: Option<Millis>| at.map(time::print);
    let streams: Vec<Value> = grant.streams.iter().map(stream_to_json).collect();
    json!({
        "grant_id": grant.grant_id,
        "client": grant.client,
        "subject": grant.subject,
        "purpose": grant.purpose,
        "access_mode": grant.access_mode,
        "state": grant.state(time::now()),
        "issued_at": time::print(grant.issued_at),
        "expires_at": moment(grant.expires_at),
        "revoked_at": moment(grant.revoked_at),
        "streams": streams,
    })
}

fn stream_to_json(stream: &GrantedStream) -> Value {
    let mut value = json!(stream);
    if let Some(range) = &stream.time_constraint {
        value["time_constraint"] = json!({
            "field": range.field,
            "since": range.since.map(time::print),
            "until": range.until.map(time::print),
        });
    }
    value
}

/// A grant on one line.
pub(super) fn one_line(grant: &Grant, now: Millis) -> String {
    let state = match (grant.state(now), grant.expires_at) {
        (GrantState::Active, None) => "active, no end".to_owned(),
        (GrantState::Active, Some(at)) => format!("active until {}", time::print(at)),
        (GrantState::Expired, at) => format!("expired {}", at.map(time::print).unwrap_or_default()),
        (GrantState::Revoked, _) => "revoked".to_owned(),
    };
    let (id, client) = (&grant.grant_id, strip_control(&grant.client));
    format!("{BOLD}{id}{BOLD:#}  {client}  {DIM}{state}; {} streams{DIM:#}", grant.streams.len())
}

/// What a grant covers, a line for each connection and stream.
pub(super) fn coverage(streams: &[GrantedStream]) -> String {
    let lines: Vec<String> = streams.iter().map(stream_line).collect();
    lines.join("\n")
}

fn stream_line(stream: &GrantedStream) -> String {
    let connection = match &stream.display_name {
        Some(label) => format!("{} ({})", stream.connection_id, label),
        None => stream.connection_id.clone(),
    };
    let mut text = format!("  {} of {}: {}", stream.name, connection, stream.fields.join(", "));
    if let Some(range) = &stream.time_constraint {
        let bound = |word: &str, at: Option<Millis>| at.map(|at| format!(" {word} {}", time::print(at)));
        text.push_str(&format!("; {}", range.field));
        text.extend([bound("from", range.since), bound("before", range.until)].into_iter().flatten());
    }
    if let Some(records) = &stream.resources {
        text.push_str(&format!("; only {} listed records", records.len()));
    }
    strip_control(&text)
}

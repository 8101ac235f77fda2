//! Grants in words and in JSON.

use crate::output::{BOLD, DIM};
use serde_json::{Value, json};
use stepwell_contract::quote::strip_control;
use stepwell_source::grant::{AccessMode, Grant, GrantState, GrantedStream, Package};
use stepwell_source::time::{self, Millis};

/// The version of PDPP's grants whose shape it is.
const SHAPE: &str = "0.1.0";

/// A grant for scripts, in PDPP's shape, with moments in RFC 3339. `grant create --from` takes it.
pub(super) fn to_json(grant: &Grant) -> Value {
    let moment = |at: Option<Millis>| at.map(time::print);
    let streams: Vec<Value> = grant.streams.iter().map(stream_to_json).collect();
    let mut value = json!({
        "version": SHAPE,
        "grant_id": grant.grant_id,
        "client": { "client_id": grant.client },
        "subject": { "id": grant.subject },
        "access_mode": grant.access_mode,
        "state": grant.state(time::now()),
        "issued_at": time::print(grant.issued_at),
        "expires_at": moment(grant.expires_at),
        "revoked_at": moment(grant.revoked_at),
        "streams": streams,
    });
    let labels = [
        ("purpose_code", grant.purpose_code.clone().map(Value::from)),
        ("purpose_description", grant.purpose.clone().map(Value::from)),
        ("retention", grant.retention.clone()),
        ("source", grant.source.clone()),
        ("consumed_at", grant.consumed_at.map(|at| time::print(at).into())),
    ];
    for (name, label) in labels {
        if let Some(label) = label {
            value[name] = label;
        }
    }
    value
}

/// A package for scripts.
pub(super) fn package_to_json(package: &Package) -> Value {
    let mut value = json!(package);
    value["state"] = json!(package.state(time::now()));
    value["issued_at"] = time::print(package.issued_at).into();
    value["expires_at"] = json!(package.expires_at.map(time::print));
    value["revoked_at"] = json!(package.revoked_at.map(time::print));
    value
}

fn stream_to_json(stream: &GrantedStream) -> Value {
    let GrantedStream { name, connection_id, display_name, fields, time_constraint: _, resources } = stream;
    let mut value = json!({ "name": name, "instance_ids": [connection_id], "fields": fields });
    if let Some(label) = display_name {
        value["display_name"] = label.as_str().into();
    }
    if let Some(records) = resources {
        value["resources"] = json!(records);
    }
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
    let state = in_words(grant.state(now), grant.expires_at);
    let (id, client) = (&grant.grant_id, strip_control(&grant.client));
    let once = if grant.access_mode == AccessMode::SingleUse { "; single use" } else { "" };
    format!("{BOLD}{id}{BOLD:#}  {client}  {DIM}{state}; {} streams{once}{DIM:#}", grant.streams.len())
}

/// A package on one line.
pub(super) fn package_line(package: &Package, now: Millis) -> String {
    let state = in_words(package.state(now), package.expires_at);
    let (id, client) = (&package.package_id, strip_control(&package.client));
    format!("{BOLD}{id}{BOLD:#}  {client}  {DIM}{state}; package of {}{DIM:#}", package.grants.join(", "))
}

fn in_words(state: GrantState, expires_at: Option<Millis>) -> String {
    match (state, expires_at) {
        (GrantState::Active, None) => "active, no end".to_owned(),
        (GrantState::Active, Some(at)) => format!("active until {}", time::print(at)),
        (GrantState::Expired, at) => format!("expired {}", at.map(time::print).unwrap_or_default()),
        (GrantState::Revoked, _) => "revoked".to_owned(),
    }
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

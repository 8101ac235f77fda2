//! `POST /v1/ingest/{stream}`: an owner fills a stream, a line a record. Nothing is read here.

mod report;

use super::Call;
use super::answer::Answer;
use super::fault::Fault;
use axum::body::Body;
use axum::http::header::CONTENT_LENGTH;
use axum::http::{HeaderMap, StatusCode};
use futures_util::StreamExt as _;
use report::Report;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::time::Duration;
use stepwell_contract::{ConnectionId, StreamName};
use stepwell_ladder::LadderError;
use stepwell_source::Failure;
use stepwell_source::embedded::{Ingest, IngestTarget, Owner};
use stepwell_source::prepare::{Manifest, PreparedRecord, Rejection, prepare};

/// The largest request.
const REQUEST_MAX: u64 = 50 * 1024 * 1024;

/// From here on a line is prepared on a thread of its own, so that other requests do not wait for it.
const LONG_LINE: usize = 256 * 1024;

pub(super) async fn ingest(
    call: &Call<'_>,
    _: Owner,
    headers: &HeaderMap,
    body: Body,
) -> Result<Answer, Fault> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > REQUEST_MAX) {
        return Err(too_large());
    }
    let target = target(call)?;
    // Whoever comes while others are at it waits; the permit ends with the request.
    let _turn = call.v1.ingests.acquire().await;
    let mut ingest = call.v1.store.ingest(&target).await.map_err(failed)?;
    let mut report = Report::default();
    match fill(&mut ingest, body, call.v1.pause, &mut report).await {
        Ok(()) => Ok(Answer::json(&report.json(&target))),
        // What was stored stays stored, and the answer says how much that is.
        Err(fault) => Err(report
            .members(&target)
            .into_iter()
            .fold(fault, |fault, (name, value)| fault.with(&name, value))),
    }
}

async fn fill(
    ingest: &mut Ingest<'_>,
    body: Body,
    pause: Duration,
    report: &mut Report,
) -> Result<(), Fault> {
    let (mut pieces, mut line, mut total) = (body.into_data_stream(), Vec::new(), 0);
    let outcome = loop {
        let Ok(piece) = tokio::time::timeout(pause, pieces.next()).await else { break Err(stalled()) };
        let Some(piece) = piece else { break Ok(()) };
        let Ok(piece) = piece else { break Err(cut_off()) };
        total += piece.len() as u64;
        if total > REQUEST_MAX {
            break Err(too_large());
        }
        let mut rest = &piece[..];
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            line.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            take(ingest, std::mem::take(&mut line), report).await?;
        }
        line.extend_from_slice(rest);
    };
    // A last line may end with the body; one that was cut off is none.
    if outcome.is_ok() {
        take(ingest, line, report).await?;
    }
    let stored = ingest.flush().await.map_err(failed)?;
    report.stored(stored);
    outcome
}

async fn take(ingest: &mut Ingest<'_>, line: Vec<u8>, report: &mut Report) -> Result<(), Fault> {
    if line.trim_ascii().is_empty() {
        return Ok(());
    }
    match prepared(line, ingest.manifest()).await? {
        Err(rejection) => report.rejected(&rejection),
        Ok(record) => {
            report.waits();
            if let Some(stored) = ingest.push(record).await.map_err(failed)? {
                report.stored(stored);
            }
        }
    }
    Ok(())
}

async fn prepared(line: Vec<u8>, manifest: &Manifest) -> Result<Result<PreparedRecord, Rejection>, Fault> {
    if line.len() < LONG_LINE {
        return Ok(prepare(line.trim_ascii(), manifest));
    }
    let manifest = manifest.clone();
    let preparing = tokio::task::spawn_blocking(move || prepare(line.trim_ascii(), &manifest));
    preparing.await.map_err(|_| failed(Failure::Gone))
}

/// Where the records go. Without a connection it is the connector's own, always the same one.
fn target(call: &Call<'_>) -> Result<IngestTarget, Fault> {
    let text = |name: &str| call.asked.arguments.get(name).and_then(Value::as_str);
    let connector = text("connector_id");
    let connection = match (text("connection_id"), connector) {
        (Some(id), _) => id.to_owned(),
        (None, Some(connector)) => default_connection(connector),
        (None, None) => {
            return Err(Fault::invalid("connector_id", "connector_id or connection_id is required"));
        }
    };
    let connection = ConnectionId::new(connection)
        .map_err(|rule| Fault::invalid("connection_id", format!("connection_id {rule}")))?;
    let stream = StreamName::new(call.in_path("stream"))
        .map_err(|rule| Fault::invalid("stream", format!("the stream's name {rule}")))?;
    let connector = connector.map(str::to_owned);
    Ok(IngestTarget { connection, connector, label: None, stream, manifest: Manifest::default() })
}

fn default_connection(connector: &str) -> String {
    let digest: [u8; 32] = Sha256::digest(format!("default connection of {connector}")).into();
    let digits: String = digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    format!("cin_{digits}")
}

fn failed(failure: Failure) -> Fault {
    let reason = LadderError::Failed(failure.to_string());
    tracing::error!(%reason, "an ingest failed");
    let message = "the store did not take the records; send again what was not accepted";
    Fault::new(StatusCode::SERVICE_UNAVAILABLE, "ingest_batch_storage_error", message)
}

fn too_large() -> Fault {
    let message = format!("a request has {REQUEST_MAX} bytes at most; send the rest in another");
    Fault::new(StatusCode::PAYLOAD_TOO_LARGE, "request_too_large", message)
}

fn stalled() -> Fault {
    let message = "the rest of the body did not arrive in time; send again what was not accepted";
    Fault::new(StatusCode::REQUEST_TIMEOUT, "request_timeout", message)
}

fn cut_off() -> Fault {
    Fault::new(StatusCode::BAD_REQUEST, "invalid_request", "the body ended before its end")
}

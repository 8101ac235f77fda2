//! Asks a resource server over HTTP: bounded in time, without redirects, and again only where that is safe.

use super::address::RemoteUrl;
use super::ask::Ask;
use super::authorities::{self, Authorities};
use super::json::{Broken, Sink, Tokenizer};
use super::limits::{ERROR, Limits};
use super::refusal::{self, Refused};
use crate::error::{Failure, Result, SourceError};
use crate::token::Token;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, RANGE, RETRY_AFTER,
};
use reqwest::{Response, StatusCode};
use serde_json::Value;
use std::time::Duration;
use stepwell_contract::{Code, Refusal};

/// The version of the interface that is spoken.
const VERSION: &str = "2026-04-06";

/// A way to a resource server.
#[derive(Clone, Debug)]
pub(super) struct Client {
    http: reqwest::Client,
    base: RemoteUrl,
    limits: Limits,
}

impl Client {
    pub(super) fn new(base: RemoteUrl, limits: Limits, authorities: &Authorities) -> Result<Self, Failure> {
        Ok(Self { http: http(&base, &limits, authorities)?, base, limits })
    }

    pub(super) const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Asks, and gives an answer that the server calls a success. Everything else is a refusal.
    pub(super) async fn get(&self, bearer: &Token, ask: &Ask) -> Result<Response> {
        let mut wait = self.limits.back_off;
        for attempt in 1.. {
            let pause = match self.once(bearer, ask).await {
                Ok(response) if response.status().is_success() => return accepted(response),
                Ok(response) => {
                    let again = matches!(
                        response.status(),
                        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
                    );
                    let asked = retry_after(response.headers());
                    if !again
                        || attempt >= self.limits.attempts
                        || asked.is_some_and(|asked| asked > self.limits.retry_after)
                    {
                        return Err(refused(response, bearer).await);
                    }
                    asked.unwrap_or(wait)
                }
                Err(error) => match authorities::fault(&error).filter(|_| error.is_connect()) {
                    Some(fault) => return Err(untrusted(fault).into()),
                    // Only a connection that never stood is tried again; what was sent may have been counted.
                    None if error.is_connect() && attempt < self.limits.attempts => wait,
                    None => return Err(unanswered(&error)),
                },
            };
            tokio::time::sleep(pause).await;
            wait *= 2;
        }
        Err(unavailable("did not answer").into())
    }

    async fn once(&self, bearer: &Token, ask: &Ask) -> reqwest::Result<Response> {
        let segments: Vec<&str> = ask.segments.iter().map(String::as_str).collect();
        let mut request = self.http.get(self.base.route(&segments, &ask.query)).bearer_auth(bearer.reveal());
        if let Some((start, end)) = ask.range {
            request = request.header(RANGE, format!("bytes={start}-{}", end.saturating_sub(1)));
        }
        request.send().await
    }

    /// Reads an answer that is small enough to hold.
    pub(super) async fn value(&self, response: Response) -> Result<Value> {
        require_json(&response)?;
        let body = self.held(response).await?;
        serde_json::from_slice(&body).map_err(|_| invalid("it is no JSON").into())
    }

    async fn held(&self, mut response: Response) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| broke_off(&error))? {
            if body.len() + piece.len() > self.limits.held {
                return Err(too_large().into());
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    /// Reads an answer of any size as it comes, into what keeps little of it.
    pub(super) async fn stream(&self, mut response: Response, sink: &mut impl Sink) -> Result<()> {
        require_json(&response)?;
        let (mut tokens, mut read) = (Tokenizer::new(), 0_u64);
        while let Some(piece) = response.chunk().await.map_err(|error| broke_off(&error))? {
            read += piece.len() as u64;
            if read > self.limits.streamed {
                return Err(too_large().into());
            }
            tokens.feed(&piece, sink).map_err(broken)?;
        }
        tokens.end(sink).map_err(broken)
    }
}

pub(super) fn http(
    base: &RemoteUrl,
    limits: &Limits,
    authorities: &Authorities,
) -> Result<reqwest::Client, Failure> {
    let no_client = |reason: String| Failure::Store(format!("no HTTP client can be set up: {reason}"));
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    // What is packed could be a bomb, and a window is small enough as it is.
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers.insert("PDPP-Version", HeaderValue::from_static(VERSION));
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(authorities.tls().map_err(|error| no_client(error.to_string()))?)
        .user_agent(concat!("stepwell/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers)
        // A redirect would carry the question, and maybe the token, to a place that nobody chose.
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(limits.connect)
        .read_timeout(limits.silence)
        .timeout(limits.whole);
    // What is on this machine is not asked for by way of another.
    let builder = if base.is_loopback() { builder.no_proxy() } else { builder };
    builder.build().map_err(|error| no_client(error.to_string()))
}

/// Takes a success whose body is as it stands.
fn accepted(response: Response) -> Result<Response> {
    let packed = response.headers().get(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity");
    if packed { Err(invalid("it is packed, which was not asked for").into()) } else { Ok(response) }
}

fn require_json(response: &Response) -> Result<()> {
    let mime = response.headers().get(CONTENT_TYPE).and_then(|mime| mime.to_str().ok()).unwrap_or_default();
    let mime = mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if mime == "application/json" || mime.ends_with("+json") {
        return Ok(());
    }
    Err(invalid("it is not announced as JSON").into())
}

/// The wait that a server asks for, in whole seconds. A date is no wait that can be trusted between two clocks.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

/// Turns an answer that is no success into what the caller may know.
async fn refused(mut response: Response, bearer: &Token) -> SourceError {
    let status = response.status();
    if status.is_redirection() {
        return invalid("it is a redirect, and those are not followed").into();
    }
    let request_id = ["request-id", "x-request-id"].iter().find_map(|name| {
        let id = response.headers().get(*name)?.to_str().ok()?;
        Some(id.to_owned())
    });
    let retry_after = retry_after(response.headers());
    let mut body = Vec::new();
    while let Ok(Some(piece)) = response.chunk().await {
        if body.len() + piece.len() > ERROR {
            body.clear();
            break;
        }
        body.extend_from_slice(&piece);
    }
    let refused = Refused { status: status.as_u16(), body: &body, request_id, retry_after };
    refusal::of(&refused, bearer).into()
}

/// A question that got no answer at all. The library's own words may hold the address, so they stay here.
fn unanswered(error: &reqwest::Error) -> SourceError {
    let what = match error {
        error if error.is_timeout() => "took too long to answer",
        error if error.is_connect() => "cannot be reached",
        _ => "broke the connection off",
    };
    unavailable(what).into()
}

pub(super) fn broke_off(error: &reqwest::Error) -> SourceError {
    let what = if error.is_timeout() { "took too long to finish" } else { "broke off in the middle" };
    unavailable(what).into()
}

pub(super) fn broken(broken: Broken) -> SourceError {
    match broken {
        Broken::TooLarge => too_large().into(),
        other => invalid(&other.to_string()).into(),
    }
}

fn unavailable(what: &str) -> Refusal {
    let message = format!("the resource server {what}");
    Refusal::new(Code::SourceUnavailable, message).hint("try again in a moment")
}

/// A server that nothing is sent to, because nobody can tell whether it is the right one.
fn untrusted(fault: &str) -> Refusal {
    let message = format!("the resource server {fault}, so nothing was sent to it");
    Refusal::new(Code::SourceUnavailable, message)
        .hint("have its certificate put right, or name its authority in ca_file of [source]; trying again does not help")
}

/// An answer that cannot be understood.
pub(super) fn invalid(why: &str) -> Refusal {
    let message = format!("the answer of the resource server cannot be used: {why}");
    Refusal::new(Code::InvalidRsResponse, message)
}

pub(super) fn too_large() -> Refusal {
    let message = "the answer of the resource server is larger than is taken from it";
    Refusal::new(Code::RsResponseTooLarge, message).hint("ask for fewer records, or name the fields")
}

//! Plain calls of tools, answered without the protocol library.
//!
//! The library makes a service, two tasks and a channel for every message and tries each method that it knows on it. Nearly
//! all messages are calls of tools that need nothing of that, so a call that is as plain as can be goes to its tool at once.
//! Whatever is unusual about a message leaves it to the library, which knows what to say: this file refuses nothing. What is
//! answered here is, byte for byte, what the library would have sent; a test asks both.

use crate::answer::Outcome;
use crate::call::{Call, Manner};
use crate::note::Note;
use crate::server::Server;
use axum::body::Body;
use axum::http::header::{ACCEPT, CONTENT_TYPE, HeaderName};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::response::Response;
use rmcp::model::{ContentBlock, JsonObject, MetaObject, ProtocolVersion, RequestId, RequestMetaObject};
use serde::Deserialize;
use std::borrow::Cow;
use stepwell_contract::json::{write_json, write_string};
use stepwell_ladder::WrittenWindow;
use stepwell_source::Caller;

const METHOD: &str = "tools/call";
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const MCP_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const MCP_METHOD: HeaderName = HeaderName::from_static("mcp-method");
const MCP_NAME: HeaderName = HeaderName::from_static("mcp-name");
const MCP_ARGUMENT: &str = "mcp-param-";

/// A message with the members that every call has, and no other.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    id: RequestId,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    arguments: Option<JsonObject>,
    #[serde(rename = "_meta", default)]
    meta: Option<JsonObject>,
}

/// Answers a plain call. None if the message is anything else.
pub(super) async fn answer(
    server: &Server,
    note: &Note,
    caller: &Caller,
    parts: &Parts,
    body: &[u8],
) -> Option<Response> {
    if parts.method != Method::POST || !takes_json(&parts.headers) {
        return None;
    }
    let Message { jsonrpc, id, method, params: Params { name, arguments, meta } } =
        serde_json::from_slice(body).ok()?;
    if jsonrpc != "2.0" || method != METHOD {
        return None;
    }
    let meta = RequestMetaObject(MetaObject(meta.unwrap_or_default()));
    let says_version = says_version(&parts.headers, &name, &meta)?;
    let (offer, manner) = (server.offer(), Manner::new(says_version, meta.client_info().as_ref()));
    let call = Call::new(&offer, &name, arguments.unwrap_or_default(), manner)?;
    let mut outcome = Box::pin(server.called(&offer, note, call, async { Ok(caller.clone()) })).await;
    if !says_version {
        // Earlier versions do not know that a result can be anything else.
        outcome.result.result_type = None;
    }
    let mut response = Response::new(Body::from(written(&id, &outcome)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    Some(response)
}

/// Whether the client sends JSON and takes what the protocol lets a server answer with.
fn takes_json(headers: &HeaderMap) -> bool {
    let sends = only(headers, &CONTENT_TYPE).flatten();
    let takes = only(headers, &ACCEPT).flatten();
    sends.is_some_and(|kind| kind.starts_with(JSON))
        && takes.is_some_and(|kinds| kinds.contains(JSON) && kinds.contains(EVENTS))
}

/// Whether the call says its version by itself, as the protocol has it since 2026-07-28. None if it is not clear by which
/// rules it was made.
fn says_version(headers: &HeaderMap, name: &str, meta: &RequestMetaObject) -> Option<bool> {
    let (version, since) = (only(headers, &MCP_VERSION)?, ProtocolVersion::V_2026_07_28);
    if version == Some(since.as_str()) {
        let agrees = meta.protocol_version()? == since
            && meta.client_capabilities().is_some()
            && only(headers, &MCP_METHOD)? == Some(METHOD)
            && only(headers, &MCP_NAME)? == Some(name)
            && !headers.keys().any(|key| key.as_str().starts_with(MCP_ARGUMENT));
        return agrees.then_some(true);
    }
    let is_earlier = version.is_none_or(|version| {
        version < since.as_str()
            && ProtocolVersion::KNOWN_VERSIONS.iter().any(|known| known.as_str() == version)
    });
    (is_earlier && meta.protocol_version().is_none()).then_some(false)
}

/// The value of a header that is there once, or not at all. None if it is there twice or is no text.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<Option<&'a str>> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Some(None),
        (Some(value), None) => value.to_str().ok().map(Some),
        (Some(_), Some(_)) => None,
    }
}

/// The whole answer. Its text is most of it, and is copied rather than looked at a character at a time.
fn written(id: &RequestId, Outcome { result, window }: &Outcome) -> Vec<u8> {
    let texts = result.content.iter().filter_map(ContentBlock::as_text).map(|text| text.text.len());
    let about = texts.sum::<usize>() * 5 / 2 + window.as_ref().map_or(0, WrittenWindow::about);
    let mut out = Vec::with_capacity(about + 2_048);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    write(id, &mut out);
    out.extend_from_slice(br#","result":{"#);
    if let Some(kind) = &result.result_type {
        out.extend_from_slice(br#""resultType":"#);
        write(kind, &mut out);
        out.push(b',');
    }
    out.extend_from_slice(br#""content":["#);
    if let Some(window) = window {
        write_text(&mut out, |out| window.write_text(out));
    }
    for block in &result.content {
        if out.last() != Some(&b'[') {
            out.push(b',');
        }
        match block {
            ContentBlock::Text(text) if text.meta.is_none() && text.annotations.is_none() => {
                write_text(&mut out, |out| write_string(&text.text, out));
            }
            other => write(other, &mut out),
        }
    }
    out.push(b']');
    if window.is_some() || result.structured_content.is_some() {
        out.extend_from_slice(br#","structuredContent":"#);
    }
    if let Some(window) = window {
        window.write_structured(&mut out);
    } else if let Some(structured) = &result.structured_content {
        write_json(structured, &mut out);
    }
    if let Some(is_error) = &result.is_error {
        out.extend_from_slice(br#","isError":"#);
        write(is_error, &mut out);
    }
    if let Some(meta) = &result.meta {
        out.extend_from_slice(br#","_meta":"#);
        write(meta, &mut out);
    }
    out.extend_from_slice(b"}}");
    out
}

/// A block of text around its text.
fn write_text(out: &mut Vec<u8>, text: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(br#"{"type":"text","text":"#);
    text(out);
    out.push(b'}');
}

fn write(value: &impl serde::Serialize, out: &mut Vec<u8>) {
    // A vector takes whatever is written, and every key here is a text.
    let _ = serde_json::to_writer(out, value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn headers(all: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in all {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    fn meta(value: serde_json::Value) -> RequestMetaObject {
        let serde_json::Value::Object(meta) = value else { panic!("{value}") };
        RequestMetaObject(MetaObject(meta))
    }

    #[test]
    fn only_who_takes_all_that_may_be_sent_is_answered_here() {
        let both = ("accept", "application/json, text/event-stream");
        let json = ("content-type", "application/json");
        assert!(takes_json(&headers(&[both, json])));
        assert!(takes_json(&headers(&[both, ("content-type", "application/json; charset=utf-8")])));
        for unusual in [
            &[both][..],
            &[json],
            &[both, json, ("accept", "*/*")],
            &[both, json, json],
            &[("accept", "application/json"), json],
            &[both, ("content-type", "text/json")],
        ] {
            assert!(!takes_json(&headers(unusual)), "{unusual:?}");
        }
    }

    #[test]
    fn head_and_body_say_the_same_or_nothing_is_answered_here() {
        let current = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let (current, nothing) = (meta(current), meta(json!({ "progressToken": 1 })));
        let version = ("mcp-protocol-version", "2026-07-28");
        let (method, name) = (("mcp-method", "tools/call"), ("mcp-name", "fetch"));
        assert_eq!(says_version(&headers(&[version, method, name]), "fetch", &current), Some(true));
        for wrong in [
            &[version, name][..],
            &[version, method],
            &[method, name],
            &[version, method, name, name],
            &[version, version, method, name],
            &[version, method, ("mcp-name", "search")],
            &[version, ("mcp-method", "tools/list"), name],
            &[version, method, name, ("mcp-param-id", "x")],
            &[("mcp-protocol-version", "2025-11-25"), method, name],
        ] {
            assert_eq!(says_version(&headers(wrong), "fetch", &current), None, "{wrong:?}");
        }
        assert_eq!(says_version(&headers(&[version, method, name]), "fetch", &nothing), None);
        for earlier in [&[][..], &[("mcp-protocol-version", "2024-11-05")]] {
            assert_eq!(says_version(&headers(earlier), "fetch", &nothing), Some(false), "{earlier:?}");
        }
        for unknown in ["2025-01-01", "2027-01-01", "x", ""] {
            let unknown = headers(&[("mcp-protocol-version", unknown)]);
            assert_eq!(says_version(&unknown, "fetch", &nothing), None, "{unknown:?}");
        }
    }
}

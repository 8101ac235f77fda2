//! The shape of results and refusals on the wire.

use rmcp::ErrorData;
use rmcp::model::{Annotations, CallToolResult, ContentBlock, MetaObject, Resource};
use serde_json::{Value, json};
use stepwell_contract::{Class, Code, Refusal};
use stepwell_ladder::{Link, Recorded, Reply, WrittenWindow};

/// The answer to a call that succeeded and is in the ledger.
pub(crate) enum Answer {
    /// As all tools give it.
    Reply(Recorded<Reply>),
    /// A window, which is written already.
    Window(Recorded<WrittenWindow>),
}

impl From<Recorded<Reply>> for Answer {
    fn from(reply: Recorded<Reply>) -> Self {
        Self::Reply(reply)
    }
}

impl From<Recorded<WrittenWindow>> for Answer {
    fn from(window: Recorded<WrittenWindow>) -> Self {
        Self::Window(window)
    }
}

/// The result of a call, on its way to a client.
pub(crate) struct Outcome {
    /// The result, but for both channels of a window.
    pub(crate) result: CallToolResult,
    /// Both channels of a window.
    pub(crate) window: Option<WrittenWindow>,
}

impl Outcome {
    /// The result of a call that succeeded: both channels, then the links.
    pub(crate) fn of(answer: Answer, request_id: &str) -> Self {
        match answer {
            Answer::Reply(reply) => {
                let mut reply = reply.into_inner();
                if let Some(member) = reply.structured.get_mut("request_id") {
                    *member = json!(request_id);
                }
                let text = reply.text.into_iter().map(ContentBlock::text).collect();
                let mut result = result(text, reply.links, reply.meta);
                result.structured_content = Some(reply.structured);
                Self { result, window: None }
            }
            Answer::Window(window) => {
                let mut window = window.into_inner();
                let (links, meta) = (std::mem::take(&mut window.links), window.meta.take());
                Self { result: result(Vec::new(), links, meta), window: Some(window) }
            }
        }
    }

    /// All of it, as the protocol library takes it.
    pub(crate) fn into_result(self) -> CallToolResult {
        let Self { mut result, window } = self;
        if let Some(window) = window {
            let Reply { text, structured, .. } = window.into_reply();
            result.content.splice(..0, text.into_iter().map(ContentBlock::text));
            result.structured_content = Some(structured);
        }
        result
    }
}

fn result(mut content: Vec<ContentBlock>, links: Vec<Link>, meta: Option<Value>) -> CallToolResult {
    content.extend(links.into_iter().map(|link| ContentBlock::resource_link(resource(link))));
    CallToolResult::success(content).with_meta(match meta {
        Some(Value::Object(meta)) => Some(MetaObject(meta)),
        _ => None,
    })
}

/// A link, as a block of a result or as an entry of a list.
pub(crate) fn resource(link: Link) -> Resource {
    let mut resource = Resource::new(link.uri, link.name);
    resource.title = link.title;
    resource.mime_type = link.mime;
    resource.size = link.size;
    resource.with_annotations(Annotations::default().with_priority(link.priority))
}

/// The result of a call that was refused. It has no structured content, because hosts hold that against the output
/// schema and then hide the refusal, and its text is not JSON alone, because one host takes that for structured content.
pub(crate) fn refused(refusal: &Refusal, request_id: &str) -> Outcome {
    let mut error = refusal.to_json();
    error["error"]["request_id"] = json!(request_id);
    let text = format!("{}: {}\n{error}", refusal.code, one_line(&refusal.message));
    Outcome { result: CallToolResult::error(vec![ContentBlock::text(text)]), window: None }
}

/// A refusal where the protocol has no other form for it, such as a resource read.
pub(crate) fn error(refusal: &Refusal, request_id: &str) -> ErrorData {
    let mut data = refusal.to_json()["error"].take();
    data["request_id"] = json!(request_id);
    let message = format!("{}: {}", refusal.code, one_line(&refusal.message));
    let data = Some(data);
    match (refusal.code, refusal.code.class()) {
        (Code::NotFound | Code::ConnectionNotFound | Code::FieldNotFound, _) => {
            ErrorData::resource_not_found(message, data)
        }
        (Code::SourceUnavailable | Code::LedgerUnavailable, _) | (_, Class::Tier) => {
            ErrorData::internal_error(message, data)
        }
        (_, Class::Adapter) => ErrorData::invalid_params(message, data),
        _ => ErrorData::invalid_request(message, data),
    }
}

/// Keeps the first line one line, whatever a message quotes.
fn one_line(message: &str) -> String {
    message.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::ErrorCode;

    #[test]
    fn a_refusal_is_a_sentence_and_then_json() {
        let refusal = Refusal::new(Code::FieldNotGranted, "no\nway").param("field_path");
        let result = serde_json::to_value(refused(&refusal, "req_1").into_result()).unwrap();
        assert_eq!(result["isError"], true);
        assert!(result.get("structuredContent").is_none());
        assert_eq!(result["content"].as_array().unwrap().len(), 1);
        let text = result["content"][0]["text"].as_str().unwrap();
        let (sentence, object) = text.split_once('\n').unwrap();
        assert_eq!(sentence, "field_not_granted: no way");
        let error = serde_json::from_str::<Value>(object).unwrap()["error"].take();
        assert_eq!((&error["type"], &error["http_status"]), (&json!("authorization_error"), &json!(403)));
        assert_eq!((&error["request_id"], &error["param"]), (&json!("req_1"), &json!("field_path")));
    }

    #[test]
    fn every_code_has_its_protocol_error() {
        for &code in Code::ALL {
            let error = error(&Refusal::new(code, "sentence"), "req_1");
            let expected = match code.as_str() {
                "not_found" | "connection_not_found" | "field_not_found" => ErrorCode::RESOURCE_NOT_FOUND,
                "source_unavailable" | "ledger_unavailable" => ErrorCode::INTERNAL_ERROR,
                _ if code.class() == Class::Tier => ErrorCode::INTERNAL_ERROR,
                _ if code.class() == Class::Adapter => ErrorCode::INVALID_PARAMS,
                _ => ErrorCode::INVALID_REQUEST,
            };
            assert_eq!(error.code, expected, "{code}");
            assert_eq!(error.data.unwrap()["code"], code.as_str());
        }
    }
}

//! `claude`: a list of conversations, each with its messages and what was pasted or uploaded into them.

use super::export::{Export, each};
use super::shape;
use crate::draft::{Fields, StreamIndex};
use crate::error::ImportError;
use crate::intake::{Intake, Stopped};
use crate::json;
use crate::kind::Kind;
use crate::shape::{Field, FieldType, Relation, Shape};
use crate::skip::{Place, Reason};
use crate::{key, moment};
use serde_json::Value;
use std::path::PathBuf;

/// What a conversation begins from, in the export's own spelling of "nothing".
const NO_PARENT: &str = "00000000-0000-4000-8000-000000000000";

#[derive(Clone, Copy)]
struct Streams {
    conversations: StreamIndex,
    messages: StreamIndex,
    attachments: StreamIndex,
}

pub(crate) fn import(paths: &[PathBuf], intake: &mut Intake<'_>) -> Result<(), ImportError> {
    let about = "Conversations with Claude.";
    let streams = Streams {
        conversations: intake
            .stream(&shape::conversations(about, vec![Field::text("summary").role("body").searched()]))?,
        messages: intake.stream(&shape::messages(
            "What was said to and by Claude.",
            vec![
                Field::new("tools", FieldType::List),
                Field::new("tool_calls", FieldType::List),
                Field::text("tool_results").searched(),
                Field::text("thinking"),
                Field::time("edited_at"),
            ],
        ))?,
        attachments: intake.stream(&attachments())?,
    };
    for path in paths {
        let mut export = Export::open(path, intake)?;
        let wanted = export
            .wanted(Kind::Claude, path, "conversations.json", |part| part.base() == "conversations.json");
        for part in wanted? {
            export.json(&part, intake, |pull, intake| {
                each(pull, (&part.label, "conversation"), &mut 0, intake, |value, place, intake| {
                    conversation(value, streams, place, intake)
                })
            })?;
        }
    }
    Ok(())
}

fn attachments() -> Shape {
    Shape {
        name: "attachments".into(),
        label: "Attachments".into(),
        about: "Texts that were pasted or uploaded into conversations.".into(),
        key: Some("id".into()),
        time: Some("sent_at".into()),
        fields: vec![
            Field::text("id"),
            Field::text("message_id"),
            Field::text("file_name").role("title").searched(),
            Field::text("mime_type").grouped(),
            Field::new("size_bytes", FieldType::Integer),
            Field::time("sent_at").role("time"),
            Field::text("content_text").role("body").searched(),
        ],
        views: &[("names", "Names and sizes", &["id", "message_id", "file_name", "size_bytes", "sent_at"])],
        relations: vec![Relation::one("message", shape::MESSAGES, "message_id")],
    }
}

fn conversation(
    value: &Value,
    streams: Streams,
    place: Place,
    intake: &mut Intake<'_>,
) -> Result<(), Stopped> {
    let Some(id) = json::text(value, "uuid").filter(|_| value["chat_messages"].is_array()) else {
        return intake.skip(place, Reason::Malformed, "it has no uuid or no chat_messages");
    };
    let (key, title, messages) = (key::of(id), json::text(value, "name"), json::list(value, "chat_messages"));
    let mut fields = Fields::default();
    fields.set("title", title);
    fields.set("created_at", value.get("created_at").and_then(moment::of_json));
    fields.set("updated_at", value.get("updated_at").and_then(moment::of_json));
    fields.set("message_count", messages.len());
    fields.set("summary", json::text(value, "summary"));
    intake.put(streams.conversations, &key, fields, place.clone())?;
    let mut before = None;
    for message in messages {
        let Some(uuid) = json::text(message, "uuid") else {
            intake.skip(place.clone(), Reason::Malformed, "a message in it has no uuid")?;
            continue;
        };
        let message_key = key::of(uuid);
        // Older exports name no parent: a message answers the one before it.
        let parent = match json::text(message, "parent_message_uuid") {
            Some(NO_PARENT) => None,
            Some(parent) => Some(key::of(parent)),
            None => before.take(),
        };
        let sent_at = message.get("created_at").and_then(moment::of_json);
        let mut fields = Fields::default();
        fields.set("conversation_id", key.as_str());
        fields.set("conversation", title);
        fields.set("parent_id", parent);
        fields.set("author", json::text(message, "sender"));
        fields.set("sent_at", sent_at.as_deref());
        let edited_at = message.get("updated_at").and_then(moment::of_json);
        fields.set("edited_at", edited_at.filter(|at| Some(at) != sent_at.as_ref()));
        said(message, &mut fields);
        let files: Vec<&Value> =
            json::list(message, "attachments").iter().chain(json::list(message, "files")).collect();
        let names: Vec<&str> = files.iter().filter_map(|file| json::text(file, "file_name")).collect();
        fields.set("file_names", names.join("\n"));
        let told = [("name", "file_name"), ("id", "file_uuid"), ("type", "file_type"), ("size", "file_size")];
        let shown = |file: &&Value| json::picked(file, &told);
        fields.set("files", files.iter().map(shown).collect::<Vec<_>>());
        intake.put(streams.messages, &message_key, fields, place.clone())?;
        for (index, file) in json::list(message, "attachments").iter().enumerate() {
            let mut fields = Fields::default();
            fields.set("message_id", message_key.as_str());
            fields.set("file_name", json::text(file, "file_name"));
            // It is a media type or only an ending, as whoever uploaded it had it.
            fields.set("mime_type", json::text(file, "file_type").filter(|of| of.contains('/')));
            fields.set("size_bytes", file["file_size"].as_u64());
            fields.set("sent_at", sent_at.as_deref());
            fields.set("content_text", json::text(file, "extracted_content"));
            intake.put(streams.attachments, &key::part(&message_key, index + 1), fields, place.clone())?;
        }
        before = Some(message_key);
    }
    Ok(())
}

/// What a message says. Newer exports have it in blocks, among those of tools and thoughts.
fn said(message: &Value, fields: &mut Fields) {
    let blocks = json::list(message, "content");
    let of = |kind: &str, member: &str| -> Vec<&str> {
        let is = |block: &&Value| json::text(block, "type") == Some(kind);
        blocks.iter().filter(is).filter_map(|block| json::text(block, member)).collect()
    };
    let texts = of("text", "text");
    let text = if texts.is_empty() {
        json::text(message, "text").unwrap_or_default().to_owned()
    } else {
        texts.join("\n\n")
    };
    fields.set("text", text);
    fields.set("thinking", of("thinking", "thinking").join("\n\n"));
    fields.set("tools", of("tool_use", "name"));
    // What was asked of a tool is often what the conversation was about: the document or program that it made.
    let is = |kind: &str, block: &&Value| json::text(block, "type") == Some(kind);
    let calls = blocks.iter().filter(|block| is("tool_use", block));
    fields.set(
        "tool_calls",
        calls.map(|call| json::picked(call, &[("name", "name"), ("input", "input")])).collect::<Vec<_>>(),
    );
    let results = blocks.iter().filter(|block| is("tool_result", block)).map(result);
    fields.set("tool_results", results.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n"));
}

/// The text of what a tool gave back: one text, or blocks.
fn result(block: &Value) -> String {
    match &block["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let told = |part: &Value| {
                let lines = ["title", "url", "text"].iter().filter_map(|member| json::text(part, member));
                lines.collect::<Vec<_>>().join("\n")
            };
            parts.iter().map(told).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

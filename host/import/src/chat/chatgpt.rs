//! `chatgpt`: a list of conversations, each a tree of messages. Every branch is kept, with what each message answers.

use super::export::{Export, each};
use super::shape;
use crate::draft::{Fields, StreamIndex};
use crate::error::ImportError;
use crate::intake::{Intake, Stopped};
use crate::json;
use crate::kind::Kind;
use crate::shape::{Field, FieldType};
use crate::skip::{Place, Reason};
use crate::{key, moment};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::path::PathBuf;

/// The two streams that are filled.
#[derive(Clone, Copy)]
struct Streams {
    conversations: StreamIndex,
    messages: StreamIndex,
}

pub(crate) fn import(paths: &[PathBuf], intake: &mut Intake<'_>) -> Result<(), ImportError> {
    let conversations = vec![
        Field::text("model").grouped(),
        Field::new("is_archived", FieldType::Boolean).grouped(),
        Field::text("current_message"),
    ];
    let messages = vec![
        Field::text("role").grouped(),
        Field::text("content_type").grouped(),
        Field::text("model").grouped(),
        Field::new("on_current_path", FieldType::Boolean).grouped(),
        Field::new("is_hidden", FieldType::Boolean).grouped(),
        Field::text("recipient"),
    ];
    let streams = Streams {
        conversations: intake.stream(&shape::conversations("Conversations with ChatGPT.", conversations))?,
        messages: intake
            .stream(&shape::messages("What was said to and by ChatGPT, all branches.", messages))?,
    };
    for path in paths {
        let mut export = Export::open(path, intake)?;
        let is_wanted = |base: &str| base.starts_with("conversations") && base.ends_with(".json");
        for part in export.wanted(Kind::Chatgpt, path, "conversations.json", |part| is_wanted(part.base()))? {
            export.json(&part, intake, |pull, intake| {
                each(pull, (&part.label, "conversation"), &mut 0, intake, |value, place, intake| {
                    conversation(value, streams, place, intake)
                })
            })?;
        }
    }
    Ok(())
}

fn conversation(
    value: &Value,
    streams: Streams,
    place: Place,
    intake: &mut Intake<'_>,
) -> Result<(), Stopped> {
    let id = json::text(value, "conversation_id").or_else(|| json::text(value, "id"));
    let (Some(id), Some(mapping)) = (id, value.get("mapping").and_then(Value::as_object)) else {
        return intake.skip(place, Reason::Malformed, "it has no conversation_id or no mapping");
    };
    let tree = Tree::new(mapping, json::text(value, "current_node"));
    let (key, title) = (key::of(id), json::text(value, "title"));
    let said: Vec<(&String, &Value)> = mapping.iter().filter(|(_, node)| is_said(node)).collect();
    let mut fields = Fields::default();
    fields.set("title", title);
    fields.set("created_at", value.get("create_time").and_then(moment::of_json));
    fields.set("updated_at", value.get("update_time").or(value.get("create_time")).and_then(moment::of_json));
    fields.set("message_count", said.len());
    fields.set("model", json::text(value, "default_model_slug"));
    fields.set("is_archived", value.get("is_archived").and_then(Value::as_bool));
    let current = tree.current.filter(|node| mapping.get(*node).is_some_and(is_said));
    fields.set("current_message", current.map(|node| node_key(id, node)));
    intake.put(streams.conversations, &key, fields, place.clone())?;
    for (node_id, node) in said {
        let mut fields = Fields::default();
        fields.set("conversation_id", key.as_str());
        fields.set("conversation", title);
        fields.set("parent_id", tree.said_before(node_id).map(|parent| node_key(id, parent)));
        message(&node["message"], &mut fields);
        fields.set("on_current_path", tree.on_path.contains(node_id.as_str()));
        intake.put(streams.messages, &node_key(id, node_id), fields, place.clone())?;
    }
    Ok(())
}

/// The same node can stand in two conversations, if one was continued from the other.
fn node_key(conversation: &str, node: &str) -> String {
    key::of(&format!("{conversation}:{node}"))
}

fn is_said(node: &Value) -> bool {
    node["message"].is_object()
}

fn message(message: &Value, fields: &mut Fields) {
    let role = json::text(&message["author"], "role");
    fields.set("author", json::text(&message["author"], "name").or(role));
    fields.set("role", role);
    fields.set("sent_at", message.get("create_time").and_then(moment::of_json));
    let content = &message["content"];
    fields.set("text", cited(text(content), &message["metadata"]));
    let files = files(message);
    let names: Vec<&str> = files.iter().filter_map(|file| json::text(file, "name")).collect();
    fields.set("file_names", names.join("\n"));
    fields.set("files", files);
    fields.set("content_type", json::text(content, "content_type"));
    let metadata = &message["metadata"];
    fields.set("model", json::text(metadata, "model_slug"));
    fields.set("is_hidden", metadata["is_visually_hidden_from_conversation"].as_bool());
    fields.set("recipient", json::text(message, "recipient").filter(|to| *to != "all"));
}

/// What a message says: its parts that are text, or the text of code, of a result, of a quotation, of thoughts, or of what
/// somebody told the program about themselves.
fn text(content: &Value) -> String {
    let part = |part: &Value| match part {
        Value::String(text) => Some(text.clone()),
        part => json::text(part, "text").map(str::to_owned),
    };
    let mut texts: Vec<String> = json::list(content, "parts").iter().filter_map(part).collect();
    let quoted =
        ["title", "url"].iter().filter(|_| json::text(content, "content_type") == Some("tether_quote"));
    texts.extend(quoted.filter_map(|member| json::text(content, member)).map(str::to_owned));
    texts.extend(
        ["text", "result", "content"]
            .iter()
            .find_map(|member| json::text(content, member))
            .map(str::to_owned),
    );
    let about = ["user_profile", "user_instructions"];
    texts.extend(about.iter().filter_map(|member| json::text(content, member)).map(str::to_owned));
    for thought in json::list(content, "thoughts") {
        let said = ["summary", "content"].iter().filter_map(|member| json::text(thought, member));
        texts.push(said.collect::<Vec<_>>().join(": "));
    }
    texts.retain(|text| !text.is_empty());
    texts.join("\n")
}

/// Writes out what a text refers to: it has marks of its own there, such as `\u{e200}cite\u{e202}turn0search1\u{e201}`.
fn cited(mut text: String, metadata: &Value) -> String {
    if !text.contains('\u{e200}') {
        return text;
    }
    for reference in json::list(metadata, "content_references") {
        if let Some(mark) = json::text(reference, "matched_text").filter(|mark| mark.contains('\u{e200}')) {
            text = text.replace(mark, json::text(reference, "alt").unwrap_or_default());
        }
    }
    text
}

/// The files that a message came with or shows, each once. The export has them beside, under names of its own.
fn files(message: &Value) -> Vec<Value> {
    let told = [("id", "id"), ("name", "name"), ("mime_type", "mime_type"), ("size", "size")];
    let attached = json::list(&message["metadata"], "attachments");
    let mut files: Vec<Value> = attached.iter().map(|file| json::picked(file, &told)).collect();
    for part in json::list(&message["content"], "parts") {
        // What was said aloud has its sound one level deeper.
        let inside = ["audio_asset_pointer", "video_container_asset_pointer"].map(|member| &part[member]);
        for pointer in inside.into_iter().chain([part]).filter_map(|part| json::text(part, "asset_pointer")) {
            let id = pointer.rsplit('/').next().unwrap_or(pointer);
            if files.iter().all(|file| json::text(file, "id") != Some(id)) {
                files.push(json!({ "id": id }));
            }
        }
    }
    files.retain(|file| file.as_object().is_some_and(|file| !file.is_empty()));
    files
}

/// How the messages of a conversation hang together.
struct Tree<'a> {
    mapping: &'a Map<String, Value>,
    current: Option<&'a str>,
    /// The messages that the program shows: from the current one up to the first.
    on_path: HashSet<&'a str>,
}

impl<'a> Tree<'a> {
    fn new(mapping: &'a Map<String, Value>, current: Option<&'a str>) -> Self {
        let mut on_path = HashSet::new();
        let mut node = current;
        // A tree that bites its own tail ends where it was before.
        while let Some(id) = node.filter(|id| on_path.insert(*id)) {
            node = mapping.get(id).and_then(|node| json::text(node, "parent"));
        }
        Self { mapping, current, on_path }
    }

    /// The nearest message before a node: some nodes hold none.
    fn said_before(&self, node: &str) -> Option<&'a str> {
        let mut seen = HashSet::new();
        let mut at = self.mapping.get(node).and_then(|node| json::text(node, "parent"));
        while let Some(id) = at.filter(|id| seen.insert(*id)) {
            let node = self.mapping.get(id)?;
            if is_said(node) {
                return Some(id);
            }
            at = json::text(node, "parent");
        }
        None
    }
}

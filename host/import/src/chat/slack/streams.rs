//! The streams that a workspace fills.

use crate::chat::shape;
use crate::draft::{Fields, StreamIndex};
use crate::intake::{Intake, Stopped};
use crate::shape::{Field, FieldType, Relation, Shape};
use crate::skip::Place;
use crate::{json, key};
use serde_json::Value;

pub(super) struct Streams {
    pub(super) people: StreamIndex,
    pub(super) conversations: StreamIndex,
    pub(super) messages: StreamIndex,
    files: StreamIndex,
}

impl Streams {
    pub(super) fn announce(intake: &mut Intake<'_>) -> Result<Self, Stopped> {
        let conversations = vec![
            Field::text("topic").searched(),
            Field::text("purpose").role("body").searched(),
            Field::new("is_archived", FieldType::Boolean).grouped(),
            Field::new("members", FieldType::List),
        ];
        let messages = vec![
            Field::text("thread_id").grouped(),
            Field::text("author_id").grouped(),
            Field::text("kind").grouped(),
            Field::text("attached_text").searched(),
            Field::time("edited_at"),
            Field::new("reply_count", FieldType::Integer),
            Field::new("reactions", FieldType::List),
        ];
        let mut said = shape::messages("What was said in Slack.", messages);
        said.relations.push(Relation::many("attached", "files", "message_id"));
        Ok(Self {
            people: intake.stream(&people())?,
            conversations: intake
                .stream(&shape::conversations("Channels and direct messages of Slack.", conversations))?,
            messages: intake.stream(&said)?,
            files: intake.stream(&files())?,
        })
    }

    /// Lists a file. Its bytes are not in the export, only where they can be had.
    pub(super) fn file(
        &self,
        file: &Value,
        message: &str,
        sent_at: Option<&str>,
        place: Place,
        intake: &mut Intake<'_>,
    ) -> Result<(), Stopped> {
        let mut fields = Fields::default();
        fields.set("message_id", message);
        fields.set("name", json::text(file, "name"));
        fields.set("title", json::text(file, "title"));
        fields.set("mime_type", json::text(file, "mimetype"));
        fields.set("size_bytes", file["size"].as_u64());
        fields.set("sent_at", sent_at);
        fields.set("text", json::text(file, "preview_plain_text").or_else(|| json::text(file, "preview")));
        let id = json::text(file, "id").unwrap_or_default();
        intake.put(self.files, &key::of(&format!("{message}:{id}")), fields, place)
    }
}

fn people() -> Shape {
    Shape {
        name: "people".into(),
        label: "People".into(),
        about: "Members of the Slack workspace.".into(),
        key: Some("id".into()),
        time: None,
        fields: vec![
            Field::text("id"),
            Field::text("name").role("title").searched(),
            Field::text("handle").searched(),
            Field::text("full_name").searched(),
            Field::text("email").searched(),
            Field::text("title").searched(),
            Field::new("is_bot", FieldType::Boolean).grouped(),
            Field::new("is_deleted", FieldType::Boolean).grouped(),
        ],
        views: &[("names", "Names", &["id", "name", "handle", "full_name"])],
        relations: vec![Relation::many("messages", shape::MESSAGES, "author_id")],
    }
}

fn files() -> Shape {
    Shape {
        name: "files".into(),
        label: "Files".into(),
        about: "Files that were shared in Slack, without their bytes.".into(),
        key: Some("id".into()),
        time: Some("sent_at".into()),
        fields: vec![
            Field::text("id"),
            Field::text("message_id"),
            Field::text("name").role("title").searched(),
            Field::text("title").searched(),
            Field::text("mime_type").grouped(),
            Field::new("size_bytes", FieldType::Integer),
            Field::time("sent_at").role("time"),
            Field::text("text").role("body").searched(),
        ],
        views: &[(
            "names",
            "Names and sizes",
            &["id", "message_id", "name", "mime_type", "size_bytes", "sent_at"],
        )],
        relations: vec![Relation::one("message", shape::MESSAGES, "message_id")],
    }
}

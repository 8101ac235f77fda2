//! What the streams of mail declare.

use crate::shape::{Field, FieldType, Relation, Shape};

pub(super) const MESSAGES: &str = "messages";
pub(super) const ATTACHMENTS: &str = "attachments";

pub(super) fn messages() -> Shape {
    Shape {
        name: MESSAGES.into(),
        label: "Messages".into(),
        about: "Mail, one record a message.".into(),
        key: Some("id".into()),
        time: Some("sent_at".into()),
        fields: vec![
            Field::text("id"),
            Field::text("thread_id").grouped(),
            Field::text("in_reply_to"),
            Field::text("subject").role("title").searched(),
            Field::text("from").role("author").searched(),
            Field::text("from_address").grouped().searched(),
            Field::text("recipients").searched(),
            Field::new("to", FieldType::List),
            Field::new("cc", FieldType::List),
            Field::new("bcc", FieldType::List),
            Field::text("reply_to"),
            Field::time("sent_at").role("time"),
            Field::text("folder").grouped(),
            Field::new("labels", FieldType::List),
            Field::new("is_read", FieldType::Boolean).grouped(),
            Field::new("is_starred", FieldType::Boolean).grouped(),
            Field::text("body_text").role("body").searched(),
            Field::text("body_html").media_type("text/html"),
            Field::new("attachment_count", FieldType::Integer),
            Field::text("attachment_names").searched(),
            Field::text("list_id").grouped(),
            Field::new("size_bytes", FieldType::Integer),
            Field::text("message_id"),
            Field::new("headers", FieldType::Object),
        ],
        views: &[
            (
                "envelope",
                "Who wrote when about what",
                &["id", "thread_id", "subject", "from", "from_address", "recipients", "sent_at", "folder"],
            ),
            (
                "reading",
                "The text of the mail",
                &[
                    "id",
                    "thread_id",
                    "in_reply_to",
                    "subject",
                    "from",
                    "recipients",
                    "sent_at",
                    "body_text",
                    "attachment_names",
                ],
            ),
        ],
        relations: vec![
            Relation::many("attachments", ATTACHMENTS, "message_id"),
            Relation::many("replies", MESSAGES, "in_reply_to"),
            Relation::one("answered", MESSAGES, "in_reply_to"),
        ],
    }
}

pub(super) fn attachments() -> Shape {
    Shape {
        name: ATTACHMENTS.into(),
        label: "Attachments".into(),
        about: "Files that came with mail, one record a file.".into(),
        key: Some("id".into()),
        time: Some("sent_at".into()),
        fields: vec![
            Field::text("id"),
            Field::text("message_id"),
            Field::text("file_name").role("title").searched(),
            Field::text("mime_type").grouped(),
            Field::new("size_bytes", FieldType::Integer),
            Field::time("sent_at").role("time"),
            Field::new("is_inline", FieldType::Boolean).grouped(),
            Field::text("content_text").role("body").searched(),
            Field::new("content", FieldType::Blob),
        ],
        views: &[(
            "names",
            "Names, types and sizes",
            &["id", "message_id", "file_name", "mime_type", "size_bytes", "sent_at"],
        )],
        relations: vec![Relation::one("message", MESSAGES, "message_id")],
    }
}

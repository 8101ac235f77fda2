//! What the streams of conversations declare: the same for every program, so that a question about one works for another.

use crate::shape::{Field, FieldType, Relation, Shape};

pub(super) const CONVERSATIONS: &str = "conversations";
pub(super) const MESSAGES: &str = "chat_messages";

/// Conversations, channels and chats, with some fields that only one program has.
pub(super) fn conversations(about: &'static str, own: Vec<Field>) -> Shape {
    let mut fields = vec![
        Field::text("id"),
        Field::text("title").role("title").searched(),
        Field::text("kind").grouped(),
        Field::time("created_at"),
        Field::time("updated_at").role("time"),
        Field::new("message_count", FieldType::Integer),
    ];
    fields.extend(own);
    Shape {
        name: CONVERSATIONS.into(),
        label: "Conversations".into(),
        about: about.into(),
        key: Some("id".into()),
        time: Some("updated_at".into()),
        fields,
        views: &[("titles", "Names and times", &["id", "title", "kind", "updated_at", "message_count"])],
        relations: vec![Relation::many("messages", MESSAGES, "conversation_id")],
    }
}

/// What was said.
pub(super) fn messages(about: &'static str, own: Vec<Field>) -> Shape {
    let mut fields = vec![
        Field::text("id"),
        Field::text("conversation_id").grouped(),
        Field::text("conversation").searched(),
        Field::text("parent_id"),
        Field::text("author").role("author").searched().grouped(),
        Field::time("sent_at").role("time"),
        Field::text("text").role("body").searched(),
        Field::new("files", FieldType::List),
        Field::text("file_names").searched(),
    ];
    fields.extend(own);
    Shape {
        name: MESSAGES.into(),
        label: "Chat messages".into(),
        about: about.into(),
        key: Some("id".into()),
        time: Some("sent_at".into()),
        fields,
        views: &[(
            "talk",
            "What was said",
            &["id", "conversation_id", "conversation", "author", "sent_at", "text"],
        )],
        relations: vec![
            Relation::one("in", CONVERSATIONS, "conversation_id"),
            Relation::one("answered", MESSAGES, "parent_id"),
            Relation::many("replies", MESSAGES, "parent_id"),
        ],
    }
}

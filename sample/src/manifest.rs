//! What each stream declares about itself, in PDPP's shape.

use crate::known::{CHAT_MESSAGES, CONVERSATIONS, MESSAGES};
use serde_json::{Value, json};

/// Declares the stream that both mail accounts have.
pub(crate) fn mail() -> Value {
    let person = json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "address": { "type": "string", "format": "email" } }
    });
    json!({
        "name": MESSAGES,
        "description": "Mail, one record a message.",
        "display": { "label": "Messages", "detail": "Sent and received mail, with attachments" },
        "semantics": "append_only",
        "primary_key": ["id"],
        "cursor_field": "sent_at",
        "consent_time_field": "sent_at",
        "selection": { "fields": true, "resources": true },
        "schema": {
            "type": "object",
            "required": ["id"],
            "properties": {
                "id": { "type": "string" },
                "thread_id": { "type": "string" },
                "in_reply_to": { "type": ["string", "null"] },
                "subject": { "type": "string", "x_pdpp_type": "text", "x_pdpp_role": "title" },
                "from": { "type": "string", "x_pdpp_type": "person", "x_pdpp_role": "author" },
                "from_address": { "type": "string", "format": "email" },
                "to": { "type": "array", "items": person },
                "cc": { "type": "array", "items": person },
                "sent_at": {
                    "type": "string", "format": "date-time", "x_pdpp_type": "timestamp", "x_pdpp_role": "time"
                },
                "folder": { "type": "string" },
                "labels": { "type": "array", "items": { "type": "string" } },
                "is_read": { "type": "boolean" },
                "is_starred": { "type": "boolean" },
                "body": { "type": ["string", "null"], "x_pdpp_type": "text", "x_pdpp_role": "body" },
                "body_html": {
                    "type": ["string", "null"], "contentMediaType": "text/html", "x_pdpp_type": "text"
                },
                "size_bytes": { "type": "integer", "description": "Length of the plain body in UTF-8." },
                "spam_score": { "type": "number" },
                "amount": {
                    "type": ["number", "null"],
                    "description": "Euros that the message asks for, offers or confirms.",
                    "x_pdpp_role": "amount"
                },
                "attachment_name": { "type": ["string", "null"] },
                "attachment": { "type": ["object", "null"], "x_pdpp_type": "blob" },
                "headers": { "type": "object" }
            }
        },
        "views": [
            {
                "id": "envelope", "label": "Who wrote when about what",
                "fields": ["id", "thread_id", "subject", "from", "to", "sent_at", "folder"]
            },
            {
                "id": "reading", "label": "The text of the mail",
                "fields": ["id", "thread_id", "in_reply_to", "subject", "from", "sent_at", "body"]
            },
            { "id": "money", "label": "Amounts only", "fields": ["id", "subject", "from", "sent_at", "amount"] }
        ],
        "relationships": [
            { "name": "replies", "stream": MESSAGES, "foreign_key": "in_reply_to", "cardinality": "has_many" }
        ],
        "query": {
            "search": { "lexical_fields": ["subject", "from", "body", "attachment_name"] },
            "range_filters": {
                "sent_at": ["gte", "gt", "lte", "lt"],
                "amount": ["gte", "gt", "lte", "lt"],
                "size_bytes": ["gte", "lt"]
            },
            "aggregations": {
                "count": true,
                "sum": ["amount", "size_bytes"],
                "min": ["sent_at", "amount"],
                "max": ["sent_at", "amount"],
                "count_distinct": ["thread_id", "from_address"],
                "group_by": ["from_address", "folder", "thread_id", "is_read"],
                "group_by_time": ["sent_at"]
            },
            "expand": [{ "name": "replies", "default_limit": 5, "max_limit": 25 }]
        }
    })
}

/// Declares the rooms of the chat export.
pub(crate) fn conversations() -> Value {
    json!({
        "name": CONVERSATIONS,
        "description": "Rooms of the chat program, one record a room.",
        "display": { "label": "Conversations", "detail": "Who is in which room" },
        "semantics": "mutable_state",
        "primary_key": ["id"],
        "cursor_field": "updated_at",
        "consent_time_field": "updated_at",
        "selection": { "fields": true, "resources": true },
        "schema": {
            "type": "object",
            "required": ["id"],
            "properties": {
                "id": { "type": "string" },
                "title": { "type": "string", "x_pdpp_type": "text", "x_pdpp_role": "title" },
                "topic": { "type": ["string", "null"], "x_pdpp_type": "text", "x_pdpp_role": "body" },
                "kind": { "type": "string", "enum": ["direct", "group"] },
                "participants": { "type": "array", "items": {
                    "type": "object",
                    "properties": {
                        "name": { "type": "string" },
                        "handle": { "type": "string" },
                        "admin": { "type": "boolean" },
                        "pronouns": { "type": ["string", "null"] }
                    }
                } },
                "settings": { "type": "object" },
                "message_count": { "type": "integer" },
                "updated_at": {
                    "type": "string", "format": "date-time", "x_pdpp_type": "timestamp", "x_pdpp_role": "time"
                }
            }
        },
        "views": [{ "id": "rooms", "label": "Names of rooms", "fields": ["id", "title", "kind", "updated_at"] }],
        "relationships": [{
            "name": "messages", "stream": CHAT_MESSAGES, "foreign_key": "conversation_id", "cardinality": "has_many"
        }],
        "query": {
            "search": { "lexical_fields": ["title", "topic"] },
            "range_filters": { "updated_at": ["gte", "lt"], "message_count": ["gte", "lte"] },
            "aggregations": { "count": true, "sum": ["message_count"], "group_by": ["kind"] },
            "expand": [{ "name": "messages", "default_limit": 10, "max_limit": 50 }]
        }
    })
}

/// Declares the messages of the chat export.
pub(crate) fn chat_messages() -> Value {
    json!({
        "name": CHAT_MESSAGES,
        "description": "Messages of the chat program.",
        "display": { "label": "Chat messages", "detail": "What was said in the rooms" },
        "semantics": "append_only",
        "primary_key": ["id"],
        "cursor_field": "sent_at",
        "consent_time_field": "sent_at",
        "selection": { "fields": true, "resources": true },
        "schema": {
            "type": "object",
            "required": ["id"],
            "properties": {
                "id": { "type": "string" },
                "conversation_id": { "type": "string" },
                "reply_to": { "type": ["string", "null"] },
                "author": { "type": "string", "x_pdpp_type": "person", "x_pdpp_role": "author" },
                "sent_at": {
                    "type": "string", "format": "date-time", "x_pdpp_type": "timestamp", "x_pdpp_role": "time"
                },
                "text": { "type": "string", "x_pdpp_type": "text", "x_pdpp_role": "body" },
                "edited": { "type": "boolean" },
                "reactions": { "type": "array", "items": {
                    "type": "object",
                    "properties": {
                        "emoji": { "type": "string" },
                        "by": { "type": "array", "items": { "type": "string" } }
                    }
                } },
                "place": { "type": ["object", "null"], "properties": {
                    "name": { "type": "string" },
                    "latitude": { "type": "number" },
                    "longitude": { "type": "number" }
                } }
            }
        },
        "views": [
            { "id": "talk", "label": "What was said", "fields": ["id", "conversation_id", "author", "sent_at", "text"] }
        ],
        "relationships": [{
            "name": "conversation", "stream": CONVERSATIONS, "foreign_key": "conversation_id",
            "cardinality": "has_one"
        }],
        "query": {
            "search": { "lexical_fields": ["text", "author"] },
            "range_filters": { "sent_at": ["gte", "gt", "lte", "lt"] },
            "aggregations": {
                "count": true,
                "count_distinct": ["author", "conversation_id"],
                "group_by": ["author", "conversation_id", "edited"],
                "group_by_time": ["sent_at"]
            },
            "expand": [{ "name": "conversation" }]
        }
    })
}

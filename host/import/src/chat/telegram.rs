//! `telegram`: result.json of Telegram Desktop, of one chat or of everything.

use super::export::{Export, Halt, each};
use super::shape;
use crate::draft::{Fields, StreamIndex};
use crate::error::ImportError;
use crate::intake::{Intake, Stopped};
use crate::json::{self, Pull, Raw};
use crate::kind::Kind;
use crate::limits::FILE_MAX;
use crate::shape::Field;
use crate::skip::{Place, Reason};
use crate::{key, moment};
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use std::io::BufRead;
use std::path::PathBuf;
use std::sync::Arc;

/// Where messages go, and how their clock stood.
struct Telegram<'a> {
    conversations: StreamIndex,
    messages: StreamIndex,
    zone: &'a TimeZone,
    file: Arc<str>,
    /// How many messages were read, for reports.
    number: u64,
    /// How many objects were opened that could be chats.
    chats: u64,
    is_telegram: bool,
}

/// What is known of a chat so far.
#[derive(Default)]
struct Chat {
    name: Option<String>,
    kind: Option<String>,
    id: Option<String>,
    count: u64,
    first: Option<String>,
    last: Option<String>,
    is_chat: bool,
}

pub(crate) fn import(paths: &[PathBuf], zone: &TimeZone, intake: &mut Intake<'_>) -> Result<(), ImportError> {
    let conversations = intake.stream(&shape::conversations("Chats of Telegram.", Vec::new()))?;
    let messages = intake.stream(&shape::messages(
        "What was said in chats of Telegram.",
        vec![
            Field::text("kind").grouped(),
            Field::text("action").grouped(),
            Field::text("author_id").grouped(),
            Field::text("forwarded_from"),
            Field::text("media_type").grouped(),
            Field::time("edited_at"),
        ],
    ))?;
    for path in paths {
        let mut export = Export::open(path, intake)?;
        for part in export.wanted(Kind::Telegram, path, "result.json", |part| part.base() == "result.json")? {
            let file = Arc::clone(&part.label);
            let mut telegram =
                Telegram { conversations, messages, zone, file, number: 0, chats: 0, is_telegram: false };
            export.json(&part, intake, |pull, intake| telegram.chat(pull, 0, intake))?;
            if !telegram.is_telegram {
                return Err(ImportError::not(Kind::Telegram, path, "it has neither chats nor messages"));
            }
        }
    }
    Ok(())
}

impl Telegram<'_> {
    /// Reads an object that is a chat, or that has a list of chats in it.
    fn chat<R: BufRead>(
        &mut self,
        pull: &mut Pull<R>,
        depth: u8,
        intake: &mut Intake<'_>,
    ) -> Result<(), Halt> {
        self.chats += 1;
        let unnamed = format!("chat{}", self.chats);
        let mut chat = Chat::default();
        pull.members::<Halt>(|pull, member| {
            match member {
                "name" => chat.name = small(pull, member)?,
                "type" => chat.kind = small(pull, member)?,
                "id" => chat.id = small(pull, member)?,
                "messages" => {
                    (self.is_telegram, chat.is_chat) = (true, true);
                    let id = chat.id.get_or_insert_with(|| unnamed.clone()).clone();
                    let (file, mut number) = (Arc::clone(&self.file), self.number);
                    each(pull, (&file, "message"), &mut number, intake, |value, place, intake| {
                        self.message(value, &id, &mut chat, place, intake)
                    })?;
                    self.number = number;
                }
                "chats" | "left_chats" if depth == 0 => {
                    self.is_telegram = true;
                    pull.members::<Halt>(|pull, member| match member {
                        "list" => pull.items(|pull| self.chat(pull, depth + 1, intake)),
                        _ => Ok(pull.skip()?),
                    })?;
                }
                _ => pull.skip()?,
            }
            Ok(())
        })?;
        if chat.is_chat { Ok(self.conversation(chat, intake)?) } else { Ok(()) }
    }

    fn conversation(&self, chat: Chat, intake: &mut Intake<'_>) -> Result<(), Stopped> {
        let key = key::of(&chat.id.unwrap_or_default());
        let mut fields = Fields::default();
        // The chat with oneself has no name.
        fields.set("title", chat.name.or_else(|| chat.kind.clone()));
        fields.set("kind", chat.kind);
        fields.set("created_at", chat.first);
        fields.set("updated_at", chat.last);
        fields.set("message_count", chat.count);
        intake.put(self.conversations, &key, fields, Place::file(&self.file))
    }

    fn message(
        &self,
        value: &Value,
        chat_id: &str,
        chat: &mut Chat,
        place: Place,
        intake: &mut Intake<'_>,
    ) -> Result<(), Stopped> {
        let Some(id) = json::name(value, "id") else {
            return intake.skip(place, Reason::Malformed, "it has no id");
        };
        let key_of = |id: &str| key::of(&format!("{chat_id}:{id}"));
        let sent_at = self.time(value, "date_unixtime", "date");
        chat.count += 1;
        if chat.first.is_none() {
            chat.first.clone_from(&sent_at);
        }
        if sent_at.is_some() {
            chat.last.clone_from(&sent_at);
        }
        let mut fields = Fields::default();
        fields.set("conversation_id", key::of(chat_id));
        fields.set("conversation", chat.name.as_deref());
        fields.set("parent_id", json::name(value, "reply_to_message_id").map(|id| key_of(&id)));
        fields.set("author", json::text(value, "from").or_else(|| json::text(value, "actor")));
        fields.set("author_id", json::text(value, "from_id").or_else(|| json::text(value, "actor_id")));
        fields.set("sent_at", sent_at);
        fields.set("edited_at", self.time(value, "edited_unixtime", "edited"));
        fields.set("text", text(value));
        fields.set("kind", json::text(value, "type"));
        fields.set("action", json::text(value, "action"));
        fields.set("forwarded_from", json::text(value, "forwarded_from"));
        fields.set("media_type", media_type(value));
        let files: Vec<&str> = ["photo", "file"]
            .iter()
            .filter_map(|member| json::text(value, member))
            // What was not exported stands there in words.
            .filter(|file| !file.starts_with('('))
            .collect();
        fields.set(
            "file_names",
            json::text(value, "file_name").map(str::to_owned).unwrap_or_else(|| files.join("\n")),
        );
        fields.set(
            "files",
            files
                .iter()
                .map(|file| json!({ "path": file, "mime_type": value["mime_type"] }))
                .collect::<Vec<_>>(),
        );
        intake.put(self.messages, &key_of(&id), fields, place)
    }

    /// The second, where the export has it; else what the clock showed.
    fn time(&self, value: &Value, second: &str, shown: &str) -> Option<String> {
        value
            .get(second)
            .and_then(moment::of_json)
            .or_else(|| moment::local(json::text(value, shown)?.parse().ok()?, self.zone))
    }
}

fn media_type(value: &Value) -> Option<&str> {
    let other = || {
        ["photo", "poll", "contact_information", "location_information"]
            .into_iter()
            .find(|member| value.get(*member).is_some())
    };
    json::text(value, "media_type").or_else(other)
}

/// The text of a message: a string, or pieces of which some are marked; a link keeps what it leads to.
fn text(value: &Value) -> String {
    let piece = |piece: &Value| match (piece, json::text(piece, "text"), json::text(piece, "href")) {
        (Value::String(text), ..) => text.clone(),
        (_, Some(text), Some(href)) if text != href => format!("{text} ({href})"),
        (_, Some(text), _) => text.to_owned(),
        _ => String::new(),
    };
    let said = match &value["text"] {
        Value::Array(pieces) => pieces.iter().map(piece).collect(),
        other => piece(other),
    };
    match said.is_empty() {
        false => said,
        true => json::text(value, "sticker_emoji")
            .or_else(|| json::text(&value["poll"], "question"))
            .unwrap_or_default()
            .to_owned(),
    }
}

/// A text or a number.
fn small<R: BufRead>(pull: &mut Pull<R>, member: &str) -> Result<Option<String>, Halt> {
    match pull.value(FILE_MAX as usize)? {
        Raw::TooLarge => Ok(None),
        Raw::Value(raw) => {
            Ok(json::parse(&raw).ok().and_then(|value| json::name(&json!({ member: value }), member)))
        }
    }
}

//! `telegram`: result.json of Telegram Desktop, of one chat or of everything.

mod said;

use super::export::{Export, Halt, each};
use super::shape;
use crate::draft::{Fields, StreamIndex};
use crate::error::ImportError;
use crate::intake::{Intake, Stopped};
use crate::json::{self, Pull, Raw};
use crate::kind::Kind;
use crate::limits::FILE_MAX;
use crate::shape::{Field, FieldType};
use crate::skip::{Place, Reason};
use crate::{key, moment};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use std::io::BufRead;
use std::path::PathBuf;
use std::sync::Arc;

/// Where messages go, and how their clock stood.
struct Telegram<'a> {
    conversations: StreamIndex,
    messages: StreamIndex,
    /// Where the clock stood, if somebody said.
    zone: Option<&'a TimeZone>,
    file: Arc<str>,
    /// How many messages were read, for reports.
    number: u64,
    /// How many objects were opened that could be chats.
    chats: u64,
    is_telegram: bool,
    /// How many messages show a clock of which nobody said where it stood.
    unplaced: u64,
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
    /// Whether the time of a message is not known, so that from when to when the chat goes is not either.
    is_unplaced: bool,
}

pub(crate) fn import(
    paths: &[PathBuf],
    zone: Option<&TimeZone>,
    intake: &mut Intake<'_>,
) -> Result<(), ImportError> {
    let conversations = intake.stream(&shape::conversations("Chats of Telegram.", Vec::new()))?;
    let messages = intake.stream(&shape::messages(
        "What was said in chats of Telegram.",
        vec![
            Field::text("kind").grouped(),
            Field::text("action").grouped(),
            Field::text("author_id").grouped(),
            Field::text("forwarded_from").searched(),
            Field::text("saved_from"),
            Field::text("via_bot").grouped(),
            Field::text("signed_by"),
            Field::text("media_type").grouped(),
            Field::new("duration_seconds", FieldType::Integer),
            Field::time("edited_at"),
            Field::new("reactions", FieldType::List),
            Field::new("buttons", FieldType::List),
        ],
    ))?;
    for path in paths {
        let mut export = Export::open(path, intake)?;
        for part in export.wanted(Kind::Telegram, path, "result.json", |part| part.base() == "result.json")? {
            let file = Arc::clone(&part.label);
            let mut telegram = Telegram {
                conversations,
                messages,
                zone,
                file,
                number: 0,
                chats: 0,
                is_telegram: false,
                unplaced: 0,
            };
            export.json(&part, intake, |pull, intake| telegram.chat(pull, 0, intake))?;
            if !telegram.is_telegram {
                return Err(ImportError::not(Kind::Telegram, path, "it has neither chats nor messages"));
            }
            if telegram.unplaced > 0 {
                let detail = format!(
                    "no time for {} of {} messages, for which this old export shows a clock without its zone; say where that was: --time-zone Europe/Berlin",
                    telegram.unplaced, telegram.number
                );
                intake.skip(Place::file(&telegram.file), Reason::NoTime, detail)?;
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
        fields.set("created_at", chat.first.filter(|_| !chat.is_unplaced));
        fields.set("updated_at", chat.last.filter(|_| !chat.is_unplaced));
        fields.set("message_count", chat.count);
        intake.put(self.conversations, &key, fields, Place::file(&self.file))
    }

    fn message(
        &mut self,
        value: &Value,
        chat_id: &str,
        chat: &mut Chat,
        place: Place,
        intake: &mut Intake<'_>,
    ) -> Result<(), Stopped> {
        let Some(id) = json::name(value, "id") else {
            return intake.skip(place, Reason::Malformed, "it has no id");
        };
        let sent_at = self.time(value, "date_unixtime", "date");
        let is_unplaced = sent_at.is_none() && self.zone.is_none() && shown(value, "date").is_some();
        self.unplaced += u64::from(is_unplaced);
        chat.is_unplaced |= is_unplaced;
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
        fields.set("parent_id", answered(value, chat_id));
        fields.set("author", json::text(value, "from").or_else(|| json::text(value, "actor")));
        fields.set("author_id", json::name(value, "from_id").or_else(|| json::name(value, "actor_id")));
        fields.set("sent_at", sent_at);
        fields.set("edited_at", self.time(value, "edited_unixtime", "edited"));
        fields.set("text", said::text(value));
        fields.set("kind", json::text(value, "type"));
        fields.set("action", json::text(value, "action"));
        fields.set("forwarded_from", forwarded(value));
        fields.set("saved_from", json::text(value, "saved_from"));
        fields.set("via_bot", json::text(value, "via_bot"));
        fields.set("signed_by", json::text(value, "author"));
        fields.set("media_type", said::media_type(value));
        fields.set("duration_seconds", value["duration_seconds"].as_u64());
        let files = said::files(value);
        let names: Vec<&str> = files.iter().filter_map(|file| json::text(file, "name")).collect();
        fields.set("file_names", names.join("\n"));
        fields.set("files", files);
        fields.set("reactions", said::reactions(value));
        fields.set("buttons", said::buttons(value));
        intake.put(self.messages, &message_key(chat_id, &id), fields, place)
    }

    /// The second, where the export has it; else what the clock showed, if it is known where that stood.
    fn time(&self, value: &Value, second: &str, clock: &str) -> Option<String> {
        let seconds = value.get(second).and_then(moment::of_json);
        seconds.or_else(|| moment::local(shown(value, clock)?, self.zone?))
    }
}

/// What a clock showed.
fn shown(value: &Value, member: &str) -> Option<DateTime> {
    json::text(value, member)?.parse().ok()
}

fn message_key(chat: &str, message: &str) -> String {
    key::of(&format!("{chat}:{message}"))
}

/// The key of the message that this one answers or pins. It may stand in another chat, which is named with what it is:
/// `channel42`.
fn answered(value: &Value, chat_id: &str) -> Option<String> {
    let id = ["reply_to_message_id", "message_id", "game_message_id", "invoice_message_id"]
        .iter()
        .find_map(|member| json::name(value, member))?;
    let peer = json::name(value, "reply_to_peer_id");
    let chat =
        peer.as_deref().map_or(chat_id, |peer| peer.trim_start_matches(|c: char| c.is_ascii_alphabetic()));
    Some(message_key(chat, &id))
}

/// Who wrote what was passed on. Somebody who is gone has no name, and that it was passed on is still worth knowing.
fn forwarded(value: &Value) -> Option<&str> {
    match value.get("forwarded_from")? {
        Value::Null => Some("(unknown)"),
        _ => json::text(value, "forwarded_from"),
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

//! The chat export: six rooms and what was said in them.

mod rooms;
mod talk;

use crate::{Record, Stream, known, manifest};
use serde_json::{Value, json};

/// An export is made at one moment, so that is when all of it was seen.
const EXPORTED_AT: &str = "2025-09-01T06:00:00Z";

/// One message in a room.
#[derive(Clone, Debug)]
struct Line {
    id: String,
    room: &'static str,
    at: &'static str,
    author: &'static str,
    text: &'static str,
    reply_to: Option<&'static str>,
    edited: bool,
    reactions: Vec<(&'static str, &'static [&'static str])>,
    place: Option<Value>,
}

impl Line {
    fn re(mut self, parent: &'static str) -> Self {
        self.reply_to = Some(parent);
        self
    }

    fn edited(mut self) -> Self {
        self.edited = true;
        self
    }

    fn reacted(mut self, emoji: &'static str, by: &'static [&'static str]) -> Self {
        self.reactions.push((emoji, by));
        self
    }

    fn at_place(mut self, name: &str, latitude: f64, longitude: f64) -> Self {
        self.place = Some(json!({ "name": name, "latitude": latitude, "longitude": longitude }));
        self
    }

    fn record(self) -> Record {
        let reactions: Vec<_> =
            self.reactions.iter().map(|(emoji, by)| json!({ "emoji": emoji, "by": by })).collect();
        let data = json!({
            "id": self.id,
            "conversation_id": self.room,
            "reply_to": self.reply_to,
            "author": self.author,
            "sent_at": self.at,
            "text": self.text,
            "edited": self.edited,
            "reactions": reactions,
            "place": self.place,
        });
        Record { key: self.id, emitted_at: EXPORTED_AT.to_owned(), data }
    }
}

/// The messages of all rooms, oldest first.
pub(crate) fn messages() -> Stream {
    let mut lines = talk::all();
    lines.sort_by_key(|line| line.at);
    let records = lines.into_iter().map(Line::record).collect();
    Stream { name: known::CHAT_MESSAGES, manifest: manifest::chat_messages(), records }
}

/// The rooms, each with what the messages say about it.
pub(crate) fn conversations() -> Stream {
    let lines = talk::all();
    let records = rooms::all().into_iter().map(|room| room.record(&lines)).collect();
    Stream { name: known::CONVERSATIONS, manifest: manifest::conversations(), records }
}

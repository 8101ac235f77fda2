//! `whatsapp`: the text of one chat, as phones export it.

mod line;
mod order;

use super::export::{Export, Halt, Part};
use super::shape;
use crate::draft::{Fields, StreamIndex};
use crate::error::ImportError;
use crate::intake::{Intake, Stopped};
use crate::kind::Kind;
use crate::limits::ROW_MAX;
use crate::shape::{Field, FieldType};
use crate::skip::{Place, Reason};
use crate::table::Tally;
use crate::{input, key, moment, text};
use jiff::tz::TimeZone;
use line::Head;
use order::{DateOrder, Guess};
use serde_json::json;
use std::io::{BufRead, Read as _};
use std::path::{Path, PathBuf};

#[derive(Clone, Copy)]
struct Streams {
    conversations: StreamIndex,
    messages: StreamIndex,
}

/// A chat while it is read.
struct Chat<'a> {
    streams: Streams,
    zone: &'a TimeZone,
    order: DateOrder,
    key: String,
    title: String,
    part: Part,
    /// The message that further lines may belong to, with the line that it begins in.
    open: Option<(Head, String, u64)>,
    tally: Tally,
    count: u64,
    first: Option<String>,
    last: Option<String>,
}

pub(crate) fn import(paths: &[PathBuf], zone: &TimeZone, intake: &mut Intake<'_>) -> Result<(), ImportError> {
    let own = vec![
        Field::new("is_system", FieldType::Boolean).grouped(),
        Field::new("is_media_omitted", FieldType::Boolean).grouped(),
    ];
    let streams = Streams {
        conversations: intake.stream(&shape::conversations("Chats of WhatsApp.", Vec::new()))?,
        messages: intake.stream(&shape::messages("What was said in chats of WhatsApp.", own))?,
    };
    paths.iter().try_for_each(|path| chats(path, streams, zone, intake))
}

fn chats(path: &Path, streams: Streams, zone: &TimeZone, intake: &mut Intake<'_>) -> Result<(), ImportError> {
    let mut export = Export::open(path, intake)?;
    let wanted =
        export.wanted(Kind::Whatsapp, path, "chat in a .txt file", |part| part.base().ends_with(".txt"))?;
    for part in wanted {
        let mut guess = Guess::default();
        export.read(&part, intake, |input, _| {
            lines(input, |_, line| {
                guess.look(line);
                Ok(())
            })
        })?;
        let Some(order) = guess.order() else {
            return Err(ImportError::not(
                Kind::Whatsapp,
                path,
                "no line of it begins with a date and a time",
            ));
        };
        let title = title(&part, path);
        let mut chat = Chat {
            streams,
            zone,
            order,
            key: key::of(&title),
            title,
            part: part.clone(),
            open: None,
            tally: Tally::default(),
            count: 0,
            first: None,
            last: None,
        };
        export.read(&part, intake, |input, intake| {
            lines(input, |number, line| Ok(chat.line(number, line, intake)?))
        })?;
        chat.finish(intake)?;
    }
    Ok(())
}

/// What the chat is called: by its file, or, on iOS, where that is always `_chat.txt`, by its archive.
fn title(part: &Part, path: &Path) -> String {
    let stem = part.base().trim_end_matches(".txt");
    let name = if stem == "_chat" { input::stem(path) } else { stem.to_owned() };
    ["WhatsApp Chat with ", "WhatsApp Chat - ", "WhatsApp-Chat mit "]
        .iter()
        .find_map(|before| name.strip_prefix(before))
        .unwrap_or(&name)
        .to_owned()
}

/// Calls for each line, with its number. Of a line without an end only the beginning is taken.
fn lines(input: &mut dyn BufRead, mut each: impl FnMut(u64, &str) -> Result<(), Halt>) -> Result<(), Halt> {
    let mut raw = Vec::new();
    for number in 1.. {
        raw.clear();
        if (&mut *input).take(ROW_MAX as u64).read_until(b'\n', &mut raw)? == 0 {
            break;
        }
        if !raw.ends_with(b"\n") && raw.len() == ROW_MAX {
            input.skip_until(b'\n')?;
        }
        let line = text::decode(&raw);
        each(number, line.trim_end_matches(['\n', '\r']))?;
    }
    Ok(())
}

impl Chat<'_> {
    fn line(&mut self, number: u64, line: &str, intake: &mut Intake<'_>) -> Result<(), Stopped> {
        intake.advance(line.len() as u64 + 1);
        if let Some((head, rest)) = Head::parse(line) {
            self.close(intake)?;
            self.open = Some((head, rest.to_owned(), number));
            return Ok(());
        }
        match &mut self.open {
            Some((_, text, _)) if text.len() < ROW_MAX => {
                text.push('\n');
                text.push_str(line);
                Ok(())
            }
            Some(_) => Ok(()),
            None if line.trim().is_empty() => Ok(()),
            None => intake.skip(
                Place::part(&self.part.label, "line", number),
                Reason::Malformed,
                "it belongs to no message",
            ),
        }
    }

    /// Hands over the message that is complete now.
    fn close(&mut self, intake: &mut Intake<'_>) -> Result<(), Stopped> {
        let Some((head, rest, number)) = self.open.take() else { return Ok(()) };
        let place = Place::part(&self.part.label, "line", number);
        let Some(shown) = head.shown(self.order) else {
            return intake.skip(place, Reason::Malformed, "there is no such day or hour");
        };
        let sent_at = moment::local(shown, self.zone);
        let (author, said) = line::author(&rest);
        // On iOS the group itself speaks for the program.
        let author = author.filter(|author| *author != self.title);
        let media = line::media(said);
        // A message has no id. What it says and when makes one, and the same again in the same minute is the next.
        let said_when = format!("{shown}\n{rest}");
        let occurrence = self.tally.count(said_when.as_bytes());
        let mut message_key =
            key::unnamed(&shown.to_string(), format!("{}\n{said_when}", self.key).as_bytes());
        if occurrence > 1 {
            message_key = key::part(&message_key, occurrence);
        }
        let mut fields = Fields::default();
        fields.set("conversation_id", self.key.as_str());
        fields.set("conversation", self.title.as_str());
        fields.set("author", author);
        fields.set("sent_at", sent_at.as_deref());
        fields.set("text", line::visible(said));
        fields.set("is_system", author.is_none());
        if let Some(media) = media {
            fields.set("is_media_omitted", media.is_omitted());
            fields.set("file_names", media.name());
            fields.set("files", media.name().map(|name| vec![json!({ "name": name })]).unwrap_or_default());
        }
        self.count += 1;
        self.first = self.first.take().or_else(|| sent_at.clone());
        self.last = sent_at.or_else(|| self.last.take());
        intake.put(self.streams.messages, &message_key, fields, place)
    }

    fn finish(mut self, intake: &mut Intake<'_>) -> Result<(), Stopped> {
        self.close(intake)?;
        let mut fields = Fields::default();
        fields.set("title", self.title.as_str());
        fields.set("created_at", self.first);
        fields.set("updated_at", self.last);
        fields.set("message_count", self.count);
        intake.put(self.streams.conversations, &self.key, fields, Place::file(&self.part.label))
    }
}

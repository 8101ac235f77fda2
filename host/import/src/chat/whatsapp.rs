//! `whatsapp`: the text of one chat, as phones export it.

mod line;
mod order;

pub use order::{DateOrder, UnknownDateOrder};

use super::export::{Export, Halt, Part};
use super::shape;
use crate::Options;
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
use order::{Evidence, Orders, Shown};
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
    orders: Orders,
    key: String,
    title: String,
    /// Whether somebody of the chat's name takes part in it, as in a chat of two. Otherwise it is the name of a group.
    is_person: bool,
    part: Part,
    /// The message that further lines may belong to, with the line that it begins in.
    open: Option<(Head, String, u64)>,
    tally: Tally,
    count: u64,
    /// How many messages have a date that may be one day or another.
    unclear: u64,
    first: Option<String>,
    last: Option<String>,
}

pub(crate) fn import(
    paths: &[PathBuf],
    options: &Options,
    intake: &mut Intake<'_>,
) -> Result<(), ImportError> {
    // When a message was sent decides which grants cover it, so where its clock stood is not for us to guess.
    let Some(zone) = &options.zone else {
        return Err(ImportError::Option(
            "an exported chat shows a clock without its zone; say where the phone was: --time-zone Europe/Berlin, or UTC"
                .to_owned(),
        ));
    };
    let own = vec![
        Field::new("is_system", FieldType::Boolean).grouped(),
        Field::new("is_edited", FieldType::Boolean).grouped(),
        Field::new("is_media_omitted", FieldType::Boolean).grouped(),
        Field::text("date_as_written"),
    ];
    let streams = Streams {
        conversations: intake.stream(&shape::conversations("Chats of WhatsApp.", Vec::new()))?,
        messages: intake.stream(&shape::messages("What was said in chats of WhatsApp.", own))?,
    };
    paths.iter().try_for_each(|path| chats(path, streams, zone, options, intake))
}

fn chats(
    path: &Path,
    streams: Streams,
    zone: &TimeZone,
    options: &Options,
    intake: &mut Intake<'_>,
) -> Result<(), ImportError> {
    let mut export = Export::open(path, intake)?;
    let wanted =
        export.wanted(Kind::Whatsapp, path, "chat in a .txt file", |part| part.base().ends_with(".txt"))?;
    for part in wanted {
        let title = title(&part, path);
        let (mut evidence, mut is_person) = (Evidence::default(), false);
        export.read(&part, intake, |input, _| {
            lines(input, |_, line| {
                if let Some((head, rest)) = Head::parse(line) {
                    evidence.look(&head);
                    let (author, said) = line::author(rest);
                    let is_written = || !line::is_marked(said) || line::media(said).is_some();
                    is_person |= author == Some(title.as_str()) && is_written();
                }
                Ok(())
            })
        })?;
        let Some(orders) = evidence.orders() else {
            return Err(ImportError::not(
                Kind::Whatsapp,
                path,
                "no line of it begins with a date and a time",
            ));
        };
        let mut chat = Chat {
            streams,
            zone,
            orders: options.date_order.map_or(orders, Orders::named),
            key: key::of(&title),
            title,
            is_person,
            part: part.clone(),
            open: None,
            tally: Tally::default(),
            count: 0,
            unclear: 0,
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
        let sent_at = match self.orders.shown(&head) {
            Shown::At(shown) => moment::local(shown, self.zone),
            Shown::Unclear => {
                self.unclear += 1;
                None
            }
            Shown::Impossible => {
                return intake.skip(place, Reason::Malformed, "there is no such day or hour");
            }
        };
        let (author, said) = line::author(&rest);
        let media = line::media(said);
        // On iOS the program speaks in the name of the chat. If that is a person's, only its own words have a mark.
        let is_notice = author == Some(self.title.as_str()) && line::is_marked(said) && media.is_none();
        let author = author.filter(|_| !is_notice || self.is_person);
        // A message has no id. What it says and when makes one, and the same again in the same minute is the next. The date
        // goes in as it is written, so that the key stays when its order becomes clear.
        let said_when = format!("{}\n{rest}", head.unordered());
        let occurrence = self.tally.count(said_when.as_bytes());
        let mut message_key =
            key::unnamed(&head.unordered(), format!("{}\n{said_when}", self.key).as_bytes());
        if occurrence > 1 {
            message_key = key::part(&message_key, occurrence);
        }
        let (text, is_edited) = line::visible(said);
        let mut fields = Fields::default();
        fields.set("conversation_id", self.key.as_str());
        fields.set("conversation", self.title.as_str());
        fields.set("author", author);
        fields.set("sent_at", sent_at.as_deref());
        fields.set("date_as_written", sent_at.is_none().then(|| head.written()));
        fields.set("text", text);
        fields.set("is_system", author.is_none() || is_notice);
        fields.set("is_edited", is_edited.then_some(true));
        if let Some(media) = media {
            fields.set("is_media_omitted", media.is_omitted);
            fields.set("file_names", media.name);
            fields.set("files", media.name.map(|name| vec![json!({ "name": name })]).unwrap_or_default());
        }
        self.count += 1;
        self.first = self.first.take().or_else(|| sent_at.clone());
        self.last = sent_at.or_else(|| self.last.take());
        intake.put(self.streams.messages, &message_key, fields, place)
    }

    fn finish(mut self, intake: &mut Intake<'_>) -> Result<(), Stopped> {
        self.close(intake)?;
        if self.unclear > 0 {
            let detail = format!(
                "no time for {} of {} messages, whose dates may have the day or the month first; say which: --date-order dmy, or mdy, ymd",
                self.unclear, self.count
            );
            intake.skip(Place::file(&self.part.label), Reason::NoTime, detail)?;
            // From when to when it goes is as unclear.
            (self.first, self.last) = (None, None);
        }
        let mut fields = Fields::default();
        fields.set("title", self.title.as_str());
        fields.set("created_at", self.first);
        fields.set("updated_at", self.last);
        fields.set("message_count", self.count);
        intake.put(self.streams.conversations, &self.key, fields, Place::file(&self.part.label))
    }
}

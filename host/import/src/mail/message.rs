//! One message, as the fields of its records.

use super::{Envelope, flowed};
use crate::draft::Fields;
use crate::extract::Format;
use crate::limits::{ATTACHMENTS, HEADER_NAME, HEADERS};
use crate::{key, moment, text};
use jiff::Timestamp;
use jiff::civil;
use mail_parser::{
    Addr, Address, DateTime, HeaderForm, HeaderValue, Message, MessageParser, MessagePart, MimeHeaders as _,
    PartType,
};
use serde_json::{Map, Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A file that came with a message.
pub(super) struct Attached<'a> {
    pub(super) key: String,
    pub(super) fields: Fields,
    /// The file, if it has a text that has to be taken out of it.
    pub(super) hidden_text: Option<(Format, &'a [u8])>,
}

/// A message that was understood.
pub(super) struct Mail<'a> {
    raw: &'a [u8],
    message: Message<'a>,
}

impl<'a> Mail<'a> {
    /// Reads a message; none if it has not one header of a mail.
    pub(super) fn parse(raw: &'a [u8]) -> Option<Self> {
        // The parser means never to panic. If it does on some archive from 1994, one message is lost and not the import.
        let message = catch_unwind(AssertUnwindSafe(|| MessageParser::default().parse(raw))).ok()??;
        let has_header = message.headers().iter().any(|header| !header.name.is_other());
        has_header.then_some(Self { raw, message })
    }

    pub(super) fn message_id(&self) -> Option<&str> {
        self.message.message_id().filter(|id| !id.is_empty())
    }

    /// The key of its record: its Message-ID, which is made to be the same wherever the message is.
    pub(super) fn key(&self) -> String {
        match self.message_id() {
            Some(id) => key::of(id),
            None => key::unnamed("message", self.raw),
        }
    }

    /// The messages before it in the thread, the eldest first.
    pub(super) fn ancestors(&self) -> Vec<String> {
        let references = ids(self.message.references());
        if references.is_empty() { ids(self.message.in_reply_to()) } else { references }
    }

    /// When it was sent, as it says itself, else when the first server saw it.
    pub(super) fn sent_at(&self) -> Option<String> {
        let received = || self.message.received_all().filter_map(|received| spell(&received.date()?)).last();
        self.message.date().and_then(spell).or_else(received)
    }

    pub(super) fn fields(
        &self,
        key: &str,
        thread: Option<&str>,
        sent_at: Option<&str>,
        envelope: &Envelope,
    ) -> Fields {
        let Self { raw, message } = self;
        let mut fields = Fields::default();
        fields.set("thread_id", thread.map_or_else(|| key.to_owned(), key::of));
        let answered = ids(message.in_reply_to()).pop().or_else(|| self.ancestors().pop());
        fields.set("in_reply_to", answered.as_deref().map(key::of));
        fields.set("subject", message.subject().map(one_line));
        let from = message.from().or(message.sender()).and_then(Address::first);
        fields.set("from", from.and_then(|from| from.name().or(from.address())).map(one_line));
        fields.set("from_address", from.and_then(Addr::address));
        let recipients = [message.to(), message.cc(), message.bcc()];
        let named: Vec<String> = recipients.iter().flatten().flat_map(|to| to.iter()).map(spelled).collect();
        fields.set("recipients", named.join(", "));
        for (name, people) in ["to", "cc", "bcc"].into_iter().zip(recipients) {
            fields.set(name, people.map(list).unwrap_or_default());
        }
        fields.set("reply_to", message.reply_to().and_then(Address::first).map(spelled));
        fields.set("sent_at", sent_at);
        fields.set("folder", envelope.folder.as_str());
        fields.set("labels", self.labels());
        fields.set("is_read", envelope.is_read);
        fields.set("is_starred", envelope.is_starred);
        let html = self.html();
        let body = self.plain().or_else(|| html.as_deref().map(text::of_html));
        fields.set("body_text", body.map(unix_lines));
        fields.set("body_html", html);
        let attached: Vec<&MessagePart<'_>> = self.attached().collect();
        fields.set("attachment_count", (!attached.is_empty()).then_some(attached.len()));
        let names: Vec<&str> = attached.iter().filter_map(|part| part.attachment_name()).collect();
        fields.set("attachment_names", names.join("\n"));
        fields.set("list_id", self.header_text("List-Id").map(|id| one_line(&id)));
        fields.set("size_bytes", raw.len());
        fields.set("message_id", self.message_id());
        fields.set("headers", self.headers());
        fields
    }

    /// The files that came with it.
    pub(super) fn attachments(&self, key: &str, sent_at: Option<&str>) -> impl Iterator<Item = Attached<'_>> {
        self.attached().take(ATTACHMENTS).enumerate().map(move |(index, part)| {
            let (mime, file) = (mime(part), part.contents());
            let name = part.attachment_name().map(one_line).filter(|name| !name.is_empty());
            let mut fields = Fields::default();
            fields.set("message_id", key);
            fields.set("file_name", name.as_deref());
            fields.set("mime_type", mime.as_str());
            fields.set("size_bytes", file.len());
            fields.set("sent_at", sent_at);
            fields.set("is_inline", part.content_disposition().is_none_or(|how| !how.is_attachment()));
            fields.set("content_text", attached_text(part));
            fields.set_bytes("content", &mime, name.as_deref(), file);
            let hidden_text = Format::of(file, &mime, name.as_deref()).map(|format| (format, file));
            Attached { key: key::part(key, index + 1), fields, hidden_text }
        })
    }

    fn attached(&self) -> impl Iterator<Item = &MessagePart<'a>> {
        let parts = self.message.attachments.iter();
        parts.filter_map(|&part| self.message.part(part)).filter(|part| !part.contents().is_empty())
    }

    /// What was written as plain text.
    fn plain(&self) -> Option<String> {
        let texts = self.message.text_body.iter().filter_map(|&index| {
            let part = self.message.part(index)?;
            match &part.body {
                PartType::Text(text) => Some(as_written(part, text.trim_end())),
                _ => None,
            }
        });
        let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
        (!texts.is_empty()).then(|| texts.join("\n\n"))
    }

    fn html(&self) -> Option<String> {
        let pages = self.message.html_body.iter().filter_map(|&part| match &self.message.part(part)?.body {
            PartType::Html(html) => Some(html.as_ref()),
            _ => None,
        });
        let pages: Vec<&str> = pages.collect();
        (!pages.is_empty()).then(|| pages.join("\n"))
    }

    /// What Gmail calls labels.
    fn labels(&self) -> Vec<String> {
        let labels = self.header_text("X-Gmail-Labels").unwrap_or_default();
        labels.split(',').map(one_line).filter(|label| !label.is_empty()).collect()
    }

    fn header_text(&self, name: &'static str) -> Option<String> {
        let values = self.message.header_as(name, HeaderForm::Text);
        values.first().and_then(HeaderValue::as_text).map(str::to_owned)
    }

    /// The headers as they were sent, by their names in lower case; those that occur more than once as a list.
    fn headers(&self) -> Value {
        let mut headers = Map::new();
        for header in self.message.headers().iter().take(HEADERS) {
            let name = header.name().to_ascii_lowercase();
            if name.len() > HEADER_NAME || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
                continue;
            }
            let (start, end) = (header.offset_start() as usize, header.offset_end() as usize);
            let value: Value = one_line(&text::decode(self.raw.get(start..end).unwrap_or_default())).into();
            match headers.get_mut(&name) {
                None => {
                    headers.insert(name, value);
                }
                Some(Value::Array(values)) => values.push(value),
                Some(one) => *one = json!([one.take(), value]),
            }
        }
        Value::Object(headers)
    }
}

/// A text with the lines that it was written in, if it says that they were broken for the journey.
fn as_written(part: &MessagePart<'_>, text: &str) -> String {
    let says = |name: &str, value: &str| {
        let attribute = part.content_type().and_then(|of| of.attribute(name));
        attribute.is_some_and(|said| said.eq_ignore_ascii_case(value))
    };
    match says("format", "flowed") {
        true => flowed::joined(text, !says("delsp", "yes")),
        false => text.to_owned(),
    }
}

/// The text of a file that is text itself.
fn attached_text(part: &MessagePart<'_>) -> Option<String> {
    match &part.body {
        PartType::Text(text) => Some(text.to_string()),
        PartType::Html(html) => Some(text::of_html(html)),
        _ => None,
    }
}

fn mime(part: &MessagePart<'_>) -> String {
    let declared = part.content_type().map(|of| match of.subtype() {
        Some(subtype) => format!("{}/{subtype}", of.ctype()).to_ascii_lowercase(),
        None => String::new(),
    });
    let is_type = |mime: &String| mime.len() > 2 && mime.bytes().all(|byte| byte.is_ascii_graphic());
    declared.filter(is_type).unwrap_or_else(|| match part.body {
        PartType::Message(_) => "message/rfc822".to_owned(),
        PartType::Text(_) => "text/plain".to_owned(),
        PartType::Html(_) => "text/html".to_owned(),
        _ => "application/octet-stream".to_owned(),
    })
}

fn ids(value: &HeaderValue<'_>) -> Vec<String> {
    let ids: Vec<&str> = match value {
        HeaderValue::Text(id) => vec![id.as_ref()],
        HeaderValue::TextList(ids) => ids.iter().map(AsRef::as_ref).collect(),
        _ => Vec::new(),
    };
    ids.into_iter().map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned).collect()
}

fn list(people: &Address<'_>) -> Vec<Value> {
    let person = |person: &Addr<'_>| match (person.name(), person.address()) {
        (Some(name), Some(address)) => json!({ "name": one_line(name), "address": address }),
        (None, Some(address)) => json!({ "address": address }),
        (name, None) => json!({ "name": name.map(one_line) }),
    };
    people.iter().map(person).collect()
}

fn spelled(person: &Addr<'_>) -> String {
    match (person.name().map(one_line), person.address()) {
        (Some(name), Some(address)) => format!("{name} <{address}>"),
        (None, Some(address)) => address.to_owned(),
        (name, None) => name.unwrap_or_default(),
    }
}

/// A header's value on one line: folds and runs of white space become a space.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn unix_lines(text: String) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n") } else { text }
}

/// Spells a date, unless there is no such day or hour.
pub(super) fn spell(date: &DateTime) -> Option<String> {
    let number = |n: u8| i8::try_from(n).ok();
    let shown = civil::DateTime::new(
        i16::try_from(date.year).ok()?,
        number(date.month)?,
        number(date.day)?,
        number(date.hour)?,
        number(date.minute)?,
        // Some clocks show the leap second.
        number(date.second.min(59))?,
        0,
    );
    let away = i32::from(date.tz_hour) * 3_600 + i32::from(date.tz_minute) * 60;
    let offset = jiff::tz::Offset::from_seconds(if date.tz_before_gmt { -away } else { away }).ok()?;
    let moment: Timestamp = offset.to_timestamp(shown.ok()?).ok()?;
    moment::spell(moment)
}

//! Mail: one record a message, and one for each file that came with it.

mod flowed;
pub(crate) mod maildir;
pub(crate) mod mbox;
mod message;
mod separator;
mod shape;
mod split;
mod threads;

use crate::draft::StreamIndex;
use crate::extract::Extractor;
use crate::intake::{Intake, Stopped};
use crate::skip::{Place, Reason};
use message::{Attached, Mail};
use threads::Threads;

/// What an archive says about a message besides the message.
#[derive(Debug, Default)]
struct Envelope {
    folder: String,
    /// When it arrived, for messages that say no time themselves.
    arrived: Option<String>,
    is_read: Option<bool>,
    is_starred: Option<bool>,
}

/// Hands messages over, whatever archive they come from.
struct Post<'a, 'b> {
    intake: &'a mut Intake<'b>,
    messages: StreamIndex,
    attachments: StreamIndex,
    threads: Threads,
    extractor: Option<&'a Extractor>,
}

impl<'a, 'b> Post<'a, 'b> {
    fn new(extractor: Option<&'a Extractor>, intake: &'a mut Intake<'b>) -> Result<Self, Stopped> {
        let messages = intake.stream(&shape::messages())?;
        let attachments = intake.stream(&shape::attachments())?;
        Ok(Self { intake, messages, attachments, threads: Threads::default(), extractor })
    }

    /// Hands one message over, with its files. The same message in two folders is one record, of the first folder.
    fn deliver(&mut self, raw: &[u8], envelope: &Envelope, place: Place) -> Result<(), Stopped> {
        let Some(mail) = Mail::parse(raw) else {
            return self.intake.skip(place, Reason::Malformed, "it has no header that mail has");
        };
        let thread = self.threads.root(mail.message_id(), &mail.ancestors());
        let Some(key) = self.intake.distinct(self.messages, &mail.key(), raw) else {
            return self.intake.duplicate(place);
        };
        let sent_at = mail.sent_at().or_else(|| envelope.arrived.clone());
        let fields = mail.fields(&key, thread.as_deref(), sent_at.as_deref(), envelope);
        self.intake.put_settled(self.messages, key.clone(), fields, place.clone())?;
        for Attached { key, mut fields, hidden_text } in mail.attachments(&key, sent_at.as_deref()) {
            if let (Some(extractor), Some((format, file))) = (self.extractor, hidden_text) {
                match extractor.text(format, file) {
                    Ok(text) => fields.set("content_text", text),
                    Err(why) => self.intake.skip(
                        place.clone(),
                        Reason::NoText,
                        format!("a file that came with it: {why}"),
                    )?,
                }
            }
            self.intake.put_settled(self.attachments, key, fields, place.clone())?;
        }
        Ok(())
    }
}

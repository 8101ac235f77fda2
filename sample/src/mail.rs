//! The two mail accounts.

mod choir;
mod circle;
mod household;
mod invoice;
mod office;
mod people;
mod plover;
mod roof;
mod trip;

use crate::attachments::Attachment;
use crate::generator::Generator;
use crate::{Record, Stream, hostile, known, manifest, prose};
pub(crate) use people::{ILSE, Person};
use serde_json::{Value, json};

/// The private account.
pub(crate) fn home() -> Stream {
    let letters = [
        roof::home(),
        invoice::home(),
        choir::home(),
        trip::home(),
        circle::home(),
        household::home(),
        hostile::letters(),
    ];
    stream(letters.into_iter().flatten().collect(), &ILSE)
}

/// The account at work.
pub(crate) fn work() -> Stream {
    let letters = [roof::work(), invoice::work(), choir::work(), plover::work(), office::work()];
    stream(letters.into_iter().flatten().collect(), &people::ILSE_AT_WORK)
}

fn stream(mut letters: Vec<Letter>, owner: &Person) -> Stream {
    letters.sort_by(|a, b| a.at.cmp(&b.at));
    let records = letters.into_iter().map(|letter| letter.record(owner)).collect();
    Stream { name: known::MESSAGES, manifest: manifest::mail(), records }
}

/// One message, before the account that holds it is known.
#[derive(Clone, Debug)]
pub(crate) struct Letter {
    id: String,
    thread: &'static str,
    in_reply_to: Option<&'static str>,
    at: String,
    local_time: Option<&'static str>,
    from: &'static Person,
    to: Vec<&'static Person>,
    cc: Vec<&'static Person>,
    subject: String,
    body: Option<String>,
    html: Option<String>,
    folder: Option<&'static str>,
    labels: &'static [&'static str],
    unread: bool,
    starred: bool,
    cents: Option<u64>,
    attachment: Option<Attachment>,
    extra_headers: Vec<(&'static str, Value)>,
}

impl Letter {
    /// Starts a message; the body is a literal that is re-flowed, the time is UTC.
    pub(crate) fn new(
        id: impl Into<String>,
        thread: &'static str,
        at: impl Into<String>,
        from: &'static Person,
        subject: impl Into<String>,
        body: &str,
    ) -> Self {
        Self::verbatim(id, thread, at, from, subject, prose::reflow(body))
    }

    /// Starts a message whose body stays as it is, to the character.
    pub(crate) fn verbatim(
        id: impl Into<String>,
        thread: &'static str,
        at: impl Into<String>,
        from: &'static Person,
        subject: impl Into<String>,
        body: String,
    ) -> Self {
        let html = from.writes_html.then(|| prose::html(&body));
        Self {
            id: id.into(),
            thread,
            in_reply_to: None,
            at: at.into(),
            local_time: None,
            from,
            to: Vec::new(),
            cc: Vec::new(),
            subject: subject.into(),
            body: Some(body),
            html,
            folder: None,
            labels: &[],
            unread: false,
            starred: false,
            cents: None,
            attachment: None,
            extra_headers: Vec::new(),
        }
    }

    pub(crate) fn re(mut self, parent: &'static str) -> Self {
        self.in_reply_to = Some(parent);
        self
    }

    /// Names the recipients; without this the message went to the account's owner.
    fn to(mut self, people: &[&'static Person]) -> Self {
        self.to = people.to_vec();
        self
    }

    fn cc(mut self, people: &[&'static Person]) -> Self {
        self.cc = people.to_vec();
        self
    }

    /// Spells the same moment with the sender's offset, as many mail programs do.
    fn local_time(mut self, spelled: &'static str) -> Self {
        self.local_time = Some(spelled);
        self
    }

    pub(crate) fn html(mut self, page: Option<String>) -> Self {
        self.html = page;
        self
    }

    /// Leaves the plain body out: the field is there and null.
    pub(crate) fn without_body(mut self) -> Self {
        self.body = None;
        self
    }

    pub(crate) fn folder(mut self, folder: &'static str) -> Self {
        self.folder = Some(folder);
        self
    }

    pub(crate) fn labels(mut self, labels: &'static [&'static str]) -> Self {
        self.labels = labels;
        self
    }

    pub(crate) fn unread(mut self) -> Self {
        self.unread = true;
        self
    }

    fn starred(mut self) -> Self {
        self.starred = true;
        self
    }

    fn cents(mut self, cents: u64) -> Self {
        self.cents = Some(cents);
        self
    }

    pub(crate) fn attach(mut self, attachment: Attachment) -> Self {
        self.attachment = Some(attachment);
        self
    }

    pub(crate) fn header(mut self, name: &'static str, value: Value) -> Self {
        self.extra_headers.push((name, value));
        self
    }

    fn record(self, owner: &Person) -> Record {
        let outgoing = self.from.address == owner.address;
        let folder = self.folder.unwrap_or(if outgoing { "sent" } else { "inbox" });
        let to: Vec<_> = if self.to.is_empty() { vec![owner.value()] } else { values(&self.to) };
        let mut variety = Generator::named(&self.id);
        let spam = if folder == "junk" { 70 + variety.below(30) } else { variety.below(9) };
        let data = json!({
            "id": self.id,
            "thread_id": self.thread,
            "in_reply_to": self.in_reply_to,
            "subject": self.subject,
            "from": self.from.name,
            "from_address": self.from.address,
            "to": to,
            "cc": values(&self.cc),
            "sent_at": self.local_time.unwrap_or(&self.at),
            "folder": folder,
            "labels": self.labels,
            "is_read": !self.unread,
            "is_starred": self.starred,
            "size_bytes": self.body.as_deref().map_or(0, str::len),
            "body": self.body,
            "body_html": self.html,
            "spam_score": spam as f64 / 100.0,
            // A hundredth is exact to the cent here: the amounts are far below 2^53 cents.
            "amount": self.cents.map(|cents| cents as f64 / 100.0),
            "attachment_name": self.attachment.as_ref().map(|file| file.name),
            "attachment": self.attachment.as_ref().map(Attachment::value),
            "headers": headers(&self.at, self.from, self.extra_headers, &mut variety),
        });
        Record { key: self.id, emitted_at: self.at, data }
    }
}

fn values(people: &[&Person]) -> Vec<Value> {
    people.iter().map(|person| person.value()).collect()
}

/// The lines above a letter that nobody reads, as nested JSON.
fn headers(at: &str, from: &Person, extra: Vec<(&'static str, Value)>, variety: &mut Generator) -> Value {
    let host = from.address.rsplit('@').next().unwrap_or_default();
    let hops: Vec<_> = (1..=1 + variety.below(3))
        .map(|hop| json!({ "hop": hop, "by": format!("mx{hop}.{host}"), "tls": hop != 3, "delay_ms": variety.below(900) }))
        .collect();
    let mut headers = json!({
        "message_id": format!("<{:08x}.{}@{host}>", variety.below(1 << 32), at.get(..10).unwrap_or_default()),
        "received": hops,
        "authentication": { "spf": "pass", "dkim": { "result": "pass", "domain": host, "selector": null } },
        "list": null,
    });
    for (name, value) in extra {
        headers[name] = value;
    }
    headers
}

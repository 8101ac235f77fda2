//! Turns mails as they were sent into records: headers as JSON, the body as text, a base64 part as a file.

use serde_json::{Map, Value, json};
use std::path::Path;

/// The key of the record that joins the bodies of many mails.
pub(super) const DIGEST_KEY: &str = "all-of-them";

/// A folder of the corpus as a connection.
pub(super) struct Account {
    pub(super) connection: &'static str,
    pub(super) mails: Vec<Mail>,
    /// The joined bodies of all mails of the folder.
    pub(super) digest: Value,
}

pub(super) struct Mail {
    pub(super) key: String,
    pub(super) data: Value,
}

impl Mail {
    pub(super) fn body(&self) -> &str {
        self.data["body"].as_str().expect("a body")
    }

    pub(super) fn subject(&self) -> &str {
        self.data["subject"].as_str().expect("a subject")
    }

    /// Reads a mail of the form that the package has: `{"id", "text"}`.
    fn parse(file: &str) -> Self {
        let file: Value = serde_json::from_str(file).expect("JSON");
        let text = file["text"].as_str().expect("the mail").replace("\r\n", "\n");
        let (head, body) = text.split_once("\n\n").unwrap_or((&text, ""));
        let headers = headers(head);
        let subject = headers["subject"].as_str().unwrap_or_default().to_owned();
        let mut data =
            json!({ "subject": subject, "from": headers["from"], "body": body, "headers": headers });
        if let Some(part) = Part::find(&text) {
            let blob = json!({ "mime_type": part.mime, "base64": part.base64 });
            data["attachment"] = json!({ "$blob": blob });
            data["body"] = json!(part.around);
        }
        Self { key: file["id"].as_str().expect("an id").to_owned(), data }
    }
}

impl Account {
    /// Takes the first mails of a folder as records, and all of them for the joined one.
    pub(super) fn from_folder(connection: &'static str, folder: &Path, count: usize) -> Self {
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .collect();
        files.sort();
        let mut mails: Vec<Mail> =
            files.iter().map(|path| Mail::parse(&std::fs::read_to_string(path).expect("a mail"))).collect();
        // A folder may use a number twice; the first one keeps it.
        mails.dedup_by(|later, earlier| later.key == earlier.key);
        let joined: Vec<&str> = mails.iter().map(Mail::body).collect();
        let digest = json!({ "subject": "All of them", "body": joined.join("\n\n* * *\n\n") });
        mails.truncate(count);
        Self { connection, mails, digest }
    }

    pub(super) fn records(&self) -> impl Iterator<Item = (&str, &Value)> {
        let mails = self.mails.iter().map(|mail| (mail.key.as_str(), &mail.data));
        mails.chain([(DIGEST_KEY, &self.digest)])
    }

    pub(super) fn ndjson(&self) -> String {
        self.records().map(|(key, data)| format!("{}\n", json!({ "key": key, "data": data }))).collect()
    }
}

/// The headers by their names in lower case; those that occur more than once as a list.
fn headers(head: &str) -> Value {
    let mut headers = Map::new();
    let unfolded = head.replace("\n\t", " ").replace("\n ", " ");
    for line in unfolded.lines() {
        let Some((name, value)) = line.split_once(':').filter(|(name, _)| !name.contains(' ')) else {
            continue;
        };
        let value = json!(value.trim());
        match headers.entry(name.to_ascii_lowercase()) {
            serde_json::map::Entry::Vacant(entry) => {
                entry.insert(value);
            }
            serde_json::map::Entry::Occupied(mut entry) => match entry.get_mut() {
                Value::Array(values) => values.push(value),
                one => *one = json!([one.take(), value]),
            },
        }
    }
    Value::Object(headers)
}

/// A part of a mail that is base64.
struct Part<'a> {
    mime: &'a str,
    base64: String,
    /// The mail without it.
    around: String,
}

impl<'a> Part<'a> {
    fn find(mail: &'a str) -> Option<Self> {
        let at = mail.find("\nContent-Transfer-Encoding: base64")?;
        let begins = at + mail[at..].find("\n\n")? + 2;
        let is_base64 = |line: &&str| {
            !line.is_empty() && line.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(&b))
        };
        let lines: Vec<&str> = mail[begins..].lines().take_while(is_base64).collect();
        let mut base64 = lines.concat();
        // What a mail program cut off, or put after the padding, is no file.
        if base64.trim_end_matches('=').contains('=') {
            return None;
        }
        base64.truncate(base64.len() / 4 * 4);
        let ends = begins + lines.iter().map(|line| line.len() + 1).sum::<usize>();
        let head_at = mail[..at].rfind("\n\n").map_or(0, |at| at + 2);
        let type_line = mail[head_at..begins].lines().find_map(|line| line.strip_prefix("Content-Type: "));
        let mime =
            type_line.and_then(|line| line.split([';', ' ']).next()).unwrap_or("application/octet-stream");
        let around = format!("{}{}", &mail[head_at..begins], mail.get(ends..).unwrap_or_default());
        (!base64.is_empty()).then_some(Self { mime, base64, around })
    }
}

/// Whether a text has a line that can be searched for as it stands.
pub(super) fn has_plain_line(text: &str) -> bool {
    text.lines().skip(1).any(is_plain)
}

/// Whether a line is nothing but words, and enough of them to be found by.
pub(super) fn is_plain(line: &str) -> bool {
    let mut words = line.split(' ');
    line.len() > 40
        && words.all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

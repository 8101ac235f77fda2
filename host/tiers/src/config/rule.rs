//! Which records a custom preview is for.

use crate::shape::RecordShape;
use std::fmt;
use wildmatch::WildMatch;

/// A rule over what is known of a record. All of its parts must hold; one that is left out holds for every record.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub struct Rule {
    /// The record's stream has one of these names.
    pub streams: Option<Vec<Glob>>,
    /// The record came in through one of these connectors.
    pub connectors: Option<Vec<Glob>>,
    /// A field of the record has one of these MIME types.
    pub mime: Option<Vec<Glob>>,
    /// The record has one of these fields.
    pub fields: Option<Vec<Glob>>,
}

impl Rule {
    /// Whether the rule holds for a record, as far as the caller may see it.
    #[must_use]
    pub fn matches(&self, record: &RecordShape) -> bool {
        let one_of = |globs: &Option<Vec<Glob>>, name: Option<&str>| match (globs, name) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(globs), Some(name)) => globs.iter().any(|glob| glob.matches(name)),
        };
        let mimes = || record.fields.iter().filter_map(|field| field.mime.as_deref()).map(essence);
        one_of(&self.streams, Some(&record.stream))
            && one_of(&self.connectors, record.connector.as_deref())
            && (self.mime.is_none() || mimes().any(|mime| one_of(&self.mime, Some(&mime))))
            && (self.fields.is_none() || record.fields.iter().any(|f| one_of(&self.fields, Some(&f.path))))
    }

    /// Whether the rule holds for every record there can be. A record need not have a connector, a type or a field.
    #[must_use]
    pub fn is_for_all(&self) -> bool {
        let every_stream =
            self.streams.as_ref().is_none_or(|globs| globs.iter().any(|glob| glob.is_for_all()));
        every_stream && self.connectors.is_none() && self.mime.is_none() && self.fields.is_none()
    }

    /// The parts that were given, with the names that plugins.toml has for them.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, &[Glob])> {
        let parts = [
            ("streams", &self.streams),
            ("connectors", &self.connectors),
            ("mime", &self.mime),
            ("fields", &self.fields),
        ];
        parts.into_iter().filter_map(|(name, globs)| Some((name, globs.as_deref()?)))
    }
}

/// A MIME type without its parameters, which are about its spelling.
fn essence(mime: &str) -> String {
    mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self
            .parts()
            .map(|(name, globs)| {
                let globs: Vec<&str> = globs.iter().map(Glob::as_str).collect();
                format!("{name} {}", globs.join(" | "))
            })
            .collect();
        if parts.is_empty() { f.write_str("every record") } else { f.write_str(&parts.join(", ")) }
    }
}

/// A name in which `*` stands for any characters and `?` for one.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(from = "String")]
pub struct Glob {
    text: String,
    compiled: WildMatch,
}

impl Glob {
    /// The glob as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    fn matches(&self, name: &str) -> bool {
        self.compiled.matches(name)
    }

    fn is_for_all(&self) -> bool {
        !self.text.is_empty() && self.text.chars().all(|c| c == '*')
    }
}

impl From<String> for Glob {
    fn from(text: String) -> Self {
        Self { compiled: WildMatch::new(&text), text }
    }
}

impl PartialEq for Glob {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Glob {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{FieldKind, FieldShape, Slot};

    fn rule(text: &str) -> Rule {
        toml::from_str(text).unwrap()
    }

    fn mail() -> RecordShape {
        let mut html = FieldShape::new("body_html", FieldKind::Text);
        html.mime = Some("Text/HTML; charset=utf-8".into());
        let subject = FieldShape::new("subject", FieldKind::Text);
        let mut mail = RecordShape::new(Slot(0), "mail_archive", vec![subject, html]);
        mail.connector = Some("gmail".into());
        mail
    }

    #[test]
    fn a_rule_holds_if_all_its_parts_do() {
        for (text, holds) in [
            ("", true),
            ("streams = ['mail*']", true),
            ("streams = ['notes', 'mail_archiv?']", true),
            ("streams = ['mail']", false),
            ("streams = ['MAIL*']", false),
            ("connectors = ['g*l']", true),
            ("connectors = ['imap']", false),
            ("mime = ['text/html']", true),
            ("mime = ['text/*']", true),
            ("mime = ['image/*']", false),
            ("fields = ['*_html']", true),
            ("fields = ['body']", false),
            ("streams = ['mail*']\nconnectors = ['gmail']\nmime = ['text/html']\nfields = ['subject']", true),
            ("streams = ['mail*']\nfields = ['attachment']", false),
        ] {
            assert_eq!(rule(text).matches(&mail()), holds, "{text}");
        }
    }

    #[test]
    fn what_a_record_lacks_matches_no_glob() {
        let bare = RecordShape::new(Slot(0), "notes", Vec::new());
        for part in ["connectors", "mime", "fields"] {
            let any = rule(&format!("{part} = ['*']"));
            assert!(!any.matches(&bare) && !any.is_for_all(), "{part}");
        }
        assert!(rule("streams = ['*']").matches(&bare));
        assert!(rule("streams = ['x', '**']").is_for_all() && rule("").is_for_all());
        assert!(!rule("streams = ['?']").is_for_all());
    }

    #[test]
    fn a_rule_says_what_it_was_given() {
        assert_eq!(
            rule("streams = ['mail*', 'chat']\nmime = ['text/html']").to_string(),
            "streams mail* | chat, mime text/html"
        );
        assert_eq!(rule("").to_string(), "every record");
    }
}

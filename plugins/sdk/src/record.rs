//! Questions that every tier asks of a shape.

use crate::{FieldKind, FieldShape, RecordShape};

/// What a field is to its record. A manifest declares it; well-known names stand in where it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What the record is called.
    Title,
    /// What the record says.
    Body,
    /// Who made it.
    Author,
    /// When it happened.
    Time,
}

impl Part {
    /// The words that declare it in a role. `primary-title` and `author_name` count, because a role is split into words.
    const fn roles(self) -> &'static [&'static str] {
        match self {
            Self::Title => &["title", "subject", "headline", "name"],
            Self::Body => &["body", "content", "text", "message", "description"],
            Self::Author => &["author", "sender", "creator", "from", "actor", "speaker"],
            Self::Time => &["time", "timestamp", "date", "datetime"],
        }
    }

    /// The names that it goes by where nothing is declared, the clearest first.
    const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Title => {
                &["title", "subject", "headline", "name", "display_name", "file_name", "filename", "summary"]
            }
            Self::Body => &[
                "body",
                "body_text",
                "text",
                "content",
                "message",
                "transcript",
                "description",
                "notes",
                "note",
                "excerpt",
                "snippet",
            ],
            Self::Author => {
                &["author", "from", "sender", "author_name", "from_name", "user", "username", "creator"]
            }
            Self::Time => &[
                "time",
                "date",
                "timestamp",
                "sent_at",
                "received_at",
                "created_at",
                "occurred_at",
                "start",
                "ts",
            ],
        }
    }
}

/// Questions about one field.
pub trait FieldExt {
    /// Whether it can be read in windows.
    fn is_readable(&self) -> bool;
    /// Whether its head is all of it.
    fn is_whole(&self) -> bool;
    /// Its head, or nothing.
    fn head_text(&self) -> &str;
    /// Its size in code points, as far as it is known.
    fn size(&self) -> u32;
    /// Whether its declared role says that it is this part.
    fn plays(&self, part: Part) -> bool;
}

impl FieldExt for FieldShape {
    fn is_readable(&self) -> bool {
        matches!(self.kind, FieldKind::Text | FieldKind::Json)
    }

    fn is_whole(&self) -> bool {
        self.chars.is_some_and(|all| all <= crate::text::chars(self.head_text()))
    }

    fn head_text(&self) -> &str {
        self.head.as_deref().unwrap_or_default()
    }

    fn size(&self) -> u32 {
        self.chars.unwrap_or_else(|| self.bytes.unwrap_or_else(|| crate::text::chars(self.head_text())))
    }

    fn plays(&self, part: Part) -> bool {
        self.role.as_deref().is_some_and(|role| {
            role.split(|c: char| !c.is_alphanumeric())
                .any(|word| part.roles().iter().any(|known| word.eq_ignore_ascii_case(known)))
        })
    }
}

/// Questions about one record.
pub trait RecordExt {
    /// The field with this path.
    fn field(&self, path: &str) -> Option<&FieldShape>;
    /// The field that is this part, by its declared role, else by a well-known name.
    fn part(&self, part: Part) -> Option<&FieldShape>;
    /// The longest text.
    fn longest(&self) -> Option<&FieldShape>;
}

impl RecordExt for RecordShape {
    fn field(&self, path: &str) -> Option<&FieldShape> {
        self.fields.iter().find(|field| field.path == path)
    }

    fn part(&self, part: Part) -> Option<&FieldShape> {
        let usable =
            || self.fields.iter().filter(|field| !matches!(field.kind, FieldKind::Empty | FieldKind::Binary));
        usable().find(|field| field.plays(part)).or_else(|| {
            // A field that declares another role is not this part, whatever it is called.
            let named = |name: &str| {
                usable().find(|field| field.role.is_none() && field.path.eq_ignore_ascii_case(name))
            };
            part.names().iter().find_map(|name| named(name))
        })
    }

    fn longest(&self) -> Option<&FieldShape> {
        self.fields.iter().filter(|field| field.kind == FieldKind::Text).max_by_key(|field| field.size())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{record, text};

    #[test]
    fn a_declared_role_wins_over_a_name_and_a_name_over_nothing() {
        let declared =
            record("messages", vec![text("title", "x"), text("heading", "y").with_role("primary-title")]);
        assert_eq!(declared.part(Part::Title).map(|f| f.path.as_str()), Some("heading"));
        let named = record("messages", vec![text("foo", "x"), text("Subject", "y")]);
        assert_eq!(named.part(Part::Title).map(|f| f.path.as_str()), Some("Subject"));
        let other = record("messages", vec![text("from", "x").with_role("place")]);
        assert_eq!(other.part(Part::Author), None);
    }

    #[test]
    fn the_longest_text_counts_what_is_not_in_the_head() {
        let long = record("notes", vec![text("a", "some words"), text("b", &"x".repeat(2_000))]);
        assert_eq!(long.longest().map(|f| f.path.as_str()), Some("b"));
        assert!(!long.fields[1].is_whole());
        assert!(long.fields[0].is_whole());
    }
}

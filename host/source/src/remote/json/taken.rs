//! One value out of a stream of tokens: a text as it reads, anything else as compact JSON.

use super::{Broken, Measured, Sink, Token};
use crate::shape::FieldKind;

/// Takes the tokens of one value and keeps its beginning.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    kind: Option<FieldKind>,
    text: Measured,
    depth: usize,
    /// Whether something stands before the next member or element, which then needs a comma.
    has_before: bool,
    in_text: bool,
}

impl Taken {
    /// Keeps so many code points of the beginning.
    pub(crate) fn new(most: u64) -> Self {
        Self { kind: None, text: Measured::new(most), depth: 0, has_before: false, in_text: false }
    }

    /// Whether the value is complete.
    pub(crate) fn is_done(&self) -> bool {
        self.kind.is_some() && self.depth == 0 && !self.in_text
    }

    pub(crate) fn kind(&self) -> FieldKind {
        self.kind.unwrap_or(FieldKind::Empty)
    }

    pub(crate) const fn measured(&self) -> &Measured {
        &self.text
    }

    pub(crate) fn into_measured(self) -> Measured {
        self.text
    }

    /// The value as JSON, if all of it was kept.
    pub(crate) fn json(&self) -> Option<String> {
        let text = self.text.is_whole().then(|| self.text.head())?;
        Some(match self.kind() {
            FieldKind::Text => serde_json::Value::from(text).to_string(),
            _ => text.to_owned(),
        })
    }

    fn comma(&mut self) {
        if self.has_before {
            self.text.push(",");
        }
    }

    fn begin(&mut self, bracket: &str) {
        self.comma();
        self.text.push(bracket);
        self.depth += 1;
        self.has_before = false;
    }

    fn end(&mut self, bracket: &str) {
        self.text.push(bracket);
        self.depth = self.depth.saturating_sub(1);
        self.has_before = true;
    }

    /// A piece of a text inside JSON, spelled as JSON does.
    fn quoted(&mut self, piece: &str) {
        let spelled = serde_json::Value::from(piece).to_string();
        self.text.push(spelled.get(1..spelled.len() - 1).unwrap_or_default());
    }
}

impl Sink for Taken {
    fn take(&mut self, token: Token<'_>) -> Result<(), Broken> {
        let kind = *self.kind.get_or_insert(match token {
            Token::BeginText => FieldKind::Text,
            Token::Scalar("null") => FieldKind::Empty,
            Token::Scalar("true" | "false") => FieldKind::Boolean,
            Token::Scalar(_) => FieldKind::Number,
            _ => FieldKind::Json,
        });
        let is_inside = kind == FieldKind::Json;
        match token {
            Token::BeginObject => self.begin("{"),
            Token::BeginArray => self.begin("["),
            Token::EndObject => self.end("}"),
            Token::EndArray => self.end("]"),
            Token::Key(key) => {
                self.comma();
                self.text.push(&serde_json::Value::from(key).to_string());
                self.text.push(":");
                self.has_before = false;
            }
            Token::BeginText => {
                self.in_text = true;
                if is_inside {
                    self.comma();
                    self.text.push("\"");
                }
            }
            Token::Text(piece) if is_inside => self.quoted(piece),
            Token::Text(piece) => self.text.push(piece),
            Token::EndText => {
                self.in_text = false;
                if is_inside {
                    self.text.push("\"");
                    self.has_before = true;
                }
            }
            Token::Scalar(spelled) => {
                self.comma();
                self.text.push(spelled);
                self.has_before = true;
            }
        }
        Ok(())
    }
}

//! Canonical JSON: how an object or a list is kept as text.
//!
//! Keys sorted by code point, no white space, the shortest escapes, numbers exactly as they were written: reading them
//! into a machine number would lose digits. Equal values have equal text, and so equal digests.

use crate::prepare::chunk::INLINE_MAX;
use crate::prepare::line::{self, Rejection, RejectionCode};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use stepwell_contract::field_path::{self, MAX_DEPTH};
use stepwell_contract::{Chars, Span};

/// A value's canonical text, and the long values inside it.
#[derive(Debug, Default)]
pub struct Canonical {
    /// The text.
    pub text: String,
    /// Its length.
    pub chars: Chars,
    /// What is long enough inside it to be read by windows of its own.
    pub inside: Vec<Inside>,
}

/// A long value inside a JSON value.
#[derive(Debug)]
pub struct Inside {
    /// Its JSON pointer from the record's root.
    pub pointer: String,
    /// What it is.
    pub value: InsideValue,
}

/// An object or list is a part of the enclosing text; a string is escaped there, so its real text is kept beside.
#[derive(Debug)]
pub enum InsideValue {
    /// Where the object or list stands in the enclosing text.
    Part {
        /// In code points.
        at: Span,
        /// In bytes.
        bytes: std::ops::Range<usize>,
    },
    /// The string itself.
    Text(String),
}

/// Writes a value canonically. `top` is the top-level key that it stands under.
pub fn canonical(raw: &RawValue, top: &str) -> Result<Canonical, Rejection> {
    let mut writer = Writer { out: Canonical::default(), pointer: field_path::pointer([top]), depth: 1 };
    writer.value(raw.get())?;
    Ok(writer.out)
}

struct Writer {
    out: Canonical,
    pointer: String,
    depth: usize,
}

impl Writer {
    fn push(&mut self, piece: &str) {
        self.out.text.push_str(piece);
        self.out.chars = self.out.chars + Chars::of(piece);
    }

    /// A key with a NUL cannot be part of a stored pointer; its value stays readable through the enclosing field.
    fn pointer_is_storable(&self) -> bool {
        !self.pointer.contains('\0')
    }

    fn value(&mut self, raw: &str) -> Result<(), Rejection> {
        match raw.as_bytes().first() {
            Some(b'{') => self.container(raw, Self::object),
            Some(b'[') => self.container(raw, Self::list),
            Some(b'"') => self.string(raw),
            _ => {
                self.push(raw);
                Ok(())
            }
        }
    }

    fn container(
        &mut self,
        raw: &str,
        inner: fn(&mut Self, &str) -> Result<(), Rejection>,
    ) -> Result<(), Rejection> {
        if self.depth >= MAX_DEPTH {
            return Err(Rejection::new(
                RejectionCode::TooDeep,
                format!("nested deeper than {MAX_DEPTH} levels"),
            ));
        }
        let (start, from) = (self.out.chars, self.out.text.len());
        self.depth += 1;
        inner(self, raw)?;
        self.depth -= 1;
        let at = Span::at(start, self.out.chars - start);
        // The outermost value is the field itself and needs no second entry.
        if self.depth > 1 && at.len() > INLINE_MAX && self.pointer_is_storable() {
            let value = InsideValue::Part { at, bytes: from..self.out.text.len() };
            self.out.inside.push(Inside { pointer: self.pointer.clone(), value });
        }
        Ok(())
    }

    fn object(&mut self, raw: &str) -> Result<(), Rejection> {
        let members: BTreeMap<String, &RawValue> =
            serde_json::from_str(raw).map_err(|e| line::malformed(&e))?;
        self.push("{");
        for (index, (key, value)) in members.into_iter().enumerate() {
            if index > 0 {
                self.push(",");
            }
            self.push(&literal(&key));
            self.push(":");
            self.below(&key, value)?;
        }
        self.push("}");
        Ok(())
    }

    fn list(&mut self, raw: &str) -> Result<(), Rejection> {
        let items: Vec<&RawValue> = serde_json::from_str(raw).map_err(|e| line::malformed(&e))?;
        self.push("[");
        for (index, value) in items.into_iter().enumerate() {
            if index > 0 {
                self.push(",");
            }
            self.below(&index.to_string(), value)?;
        }
        self.push("]");
        Ok(())
    }

    fn below(&mut self, key: &str, value: &RawValue) -> Result<(), Rejection> {
        let length = self.pointer.len();
        self.pointer.push('/');
        field_path::push_escaped(&mut self.pointer, key);
        self.value(value.get())?;
        self.pointer.truncate(length);
        Ok(())
    }

    fn string(&mut self, raw: &str) -> Result<(), Rejection> {
        let text = line::string(raw)?;
        self.push(&literal(&text));
        if Chars::of(&text) > INLINE_MAX && self.pointer_is_storable() {
            let value = InsideValue::Text(text.into_owned());
            self.out.inside.push(Inside { pointer: self.pointer.clone(), value });
        }
        Ok(())
    }
}

/// Writes a text as a JSON string literal.
fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(json: &str) -> Canonical {
        canonical(&serde_json::from_str::<Box<RawValue>>(json).unwrap(), "f").unwrap()
    }

    #[test]
    fn equal_values_have_equal_text_and_numbers_keep_their_digits() {
        let one = write(r#" { "b" : [ 1.10, 123456789012345678901234567890, -0 ] , "a" : "A\n😀" } "#);
        let two = write(r#"{"a":"\u0041\n\ud83d\ude00","b":[1.10,123456789012345678901234567890,-0]}"#);
        assert_eq!(one.text, r#"{"a":"A\n😀","b":[1.10,123456789012345678901234567890,-0]}"#);
        assert_eq!(one.text, two.text);
        assert_eq!(one.chars, Chars::of(&one.text));
    }

    #[test]
    fn long_values_inside_are_listed_with_their_place() {
        let body = "é".repeat(5_000);
        let out = write(&format!(r#"{{"a":[{{"x~/y":"{body}"}}],"z":1}}"#));
        let pointers: Vec<&str> = out.inside.iter().map(|inside| inside.pointer.as_str()).collect();
        assert_eq!(pointers, ["/f/a/0/x~0~1y", "/f/a/0", "/f/a"]);
        assert!(matches!(&out.inside[0].value, InsideValue::Text(text) if *text == body));
        let InsideValue::Part { at, bytes } = &out.inside[2].value else { panic!("a part") };
        assert_eq!(stepwell_contract::unit::slice(&out.text, *at), &out.text[bytes.clone()]);
        assert!(out.text[bytes.clone()].starts_with("[{"));
    }

    #[test]
    fn refuses_lone_surrogates_and_bottomless_nesting() {
        let reject = |json: &str| {
            canonical(&serde_json::from_str::<Box<RawValue>>(json).unwrap(), "f")
                .map(|_| ())
                .unwrap_err()
                .code
        };
        assert_eq!(reject(r#"["\ud800"]"#), RejectionCode::LoneSurrogate);
        assert_eq!(reject(r#"{"\udc00":1}"#), RejectionCode::LoneSurrogate);
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        assert_eq!(reject(&deep), RejectionCode::TooDeep);
    }
}

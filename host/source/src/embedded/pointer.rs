//! Finds a short value inside a JSON field, in constant memory whatever the field's size.
//!
//! Long values inside a JSON field have rows of their own. What has none is short, and lies in the text of the nearest
//! enclosing value that has one: that text is streamed through a parser which skips everything off the path.

use crate::embedded::Embedded;
use crate::embedded::locate::{FoundRecord, StoredShape, field_not_found};
use crate::embedded::text::PIECE;
use crate::error::{Failure, Result};
use crate::shape::{Digest, Field, FieldKind, FieldShape, Place};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use std::io::Read;
use stepwell_contract::{Bytes, Chars, FieldPath, Span};
use tokio::sync::mpsc;

impl Embedded {
    /// Finds a value below the top-level field that has no row of its own.
    pub(super) async fn field_inside(&self, found: FoundRecord, path: &FieldPath) -> Result<Field> {
        let (outer_path, outer) = self.nearest_enclosing(&found, path).await?;
        if outer.shape.kind != FieldKind::Json {
            return Err(field_not_found(path).into());
        }
        let keys = path.keys()[outer_path.keys().len()..].to_vec();
        let identity = found.identity.clone();
        let outer = self.stored_field(found, &outer_path, outer).await?;
        let raw = self.walk(&outer, keys).await?.ok_or_else(|| field_not_found(path))?;
        let (kind, text) = match raw.get().as_bytes().first() {
            Some(b'"') => (FieldKind::Text, serde_json::from_str(raw.get()).map_err(broken)?),
            Some(b'{' | b'[') => (FieldKind::Json, raw.get().to_owned()),
            Some(b't' | b'f') => (FieldKind::Boolean, raw.get().to_owned()),
            Some(b'n') => (FieldKind::Empty, raw.get().to_owned()),
            _ => (FieldKind::Number, raw.get().to_owned()),
        };
        let mime = match kind {
            FieldKind::Text => Some("text/plain".to_owned()),
            FieldKind::Json => Some("application/json".to_owned()),
            _ => None,
        };
        let shape = FieldShape {
            kind,
            mime,
            file_name: None,
            chars: Some(Chars::of(&text)),
            bytes: Bytes::of(&text),
            digest: Digest::of(text.as_bytes()),
        };
        let place = Place::Held { grant: outer.place.grant().to_owned(), text };
        Ok(Field { record: identity, path: path.clone(), shape, place })
    }

    /// Climbs from the path towards its top-level field, to the first value that has a row.
    async fn nearest_enclosing(
        &self,
        found: &FoundRecord,
        path: &FieldPath,
    ) -> Result<(FieldPath, StoredShape)> {
        let mut at = path.parent();
        while let Some(outer) = at {
            if let Some(shape) = self.shape_at(found, path.top(), &outer.pointer()).await? {
                return Ok((outer, shape));
            }
            at = outer.parent();
        }
        Err(field_not_found(path).into())
    }

    /// Streams a JSON field's text to a parser that stops at the end of the path.
    async fn walk(&self, outer: &Field, keys: Vec<String>) -> Result<Option<Box<RawValue>>> {
        let (pieces, receiver) = mpsc::channel(1);
        let parser =
            tokio::task::spawn_blocking(move || find(Pieces { receiver, piece: Vec::new(), read: 0 }, &keys));
        let total = outer.shape.chars.unwrap_or_default();
        let mut at = Chars::ZERO;
        while at < total {
            let piece = self.read_under(outer.place.grant(), outer, Span::at(at, PIECE)).await?;
            if pieces.send(piece.into_bytes()).await.is_err() {
                break; // The parser has what it looked for.
            }
            at = at + PIECE;
        }
        drop(pieces);
        parser.await.map_err(|_| Failure::Gone)?.map_err(|error| broken(error).into())
    }
}

fn broken(error: serde_json::Error) -> Failure {
    Failure::Store(format!("stored JSON is damaged near column {}", error.column()))
}

/// Follows the keys through a JSON text and takes the value at their end.
fn find(text: impl Read, keys: &[String]) -> serde_json::Result<Option<Box<RawValue>>> {
    let mut found = None;
    let mut parser = serde_json::Deserializer::from_reader(text);
    match (Walk { keys, found: &mut found }).deserialize(&mut parser) {
        Err(_) if found.is_some() => Ok(found),
        // A number too large for the machine is a scalar like any other: there is nothing below it.
        Err(error) if error.to_string().starts_with("number out of range") => Ok(None),
        Err(error) => Err(error),
        Ok(()) => Ok(found),
    }
}

struct Walk<'a> {
    keys: &'a [String],
    found: &'a mut Option<Box<RawValue>>,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<(), D::Error> {
        match self.keys {
            [] => {
                *self.found = Some(serde::Deserialize::deserialize(parser)?);
                // An error is the only way to make the parser stop before the end of the text.
                Err(D::Error::custom("found"))
            }
            _ => parser.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == self.keys[0] {
                map.next_value_seed(Walk { keys: &self.keys[1..], found: &mut *self.found })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        // Only the plain spelling of an index counts: "01" and "-" name nothing.
        let wanted = self.keys[0].parse::<u64>().ok().filter(|index| index.to_string() == self.keys[0]);
        let mut index = 0;
        loop {
            let more = if Some(index) == wanted {
                list.next_element_seed(Walk { keys: &self.keys[1..], found: &mut *self.found })?.is_some()
            } else {
                list.next_element::<IgnoredAny>()?.is_some()
            };
            if !more {
                return Ok(());
            }
            index += 1;
        }
    }

    // A scalar in the middle of the path has nothing below it.
    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Pieces of text that arrive over a channel, as a reader.
struct Pieces {
    receiver: mpsc::Receiver<Vec<u8>>,
    piece: Vec<u8>,
    read: usize,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.read == self.piece.len() {
            match self.receiver.blocking_recv() {
                None => return Ok(0),
                Some(piece) => (self.piece, self.read) = (piece, 0),
            }
        }
        let count = buffer.len().min(self.piece.len() - self.read);
        buffer[..count].copy_from_slice(&self.piece[self.read..self.read + count]);
        self.read += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(json: &str, keys: &[&str]) -> Option<String> {
        let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        find(json.as_bytes(), &keys).unwrap().map(|raw| raw.get().to_owned())
    }

    #[test]
    fn follows_keys_and_plain_indices() {
        let json = r#"{"a":[{"b":1.10},[],"x"],"0":{"":{"c":null}},"n":123456789012345678901}"#;
        assert_eq!(at(json, &["a", "0", "b"]).as_deref(), Some("1.10"));
        assert_eq!(at(json, &["a", "2"]).as_deref(), Some("\"x\""));
        assert_eq!(at(json, &["0", "", "c"]).as_deref(), Some("null"));
        assert_eq!(at(json, &["n"]).as_deref(), Some("123456789012345678901"));
        for nowhere in
            [&["a", "3"][..], &["a", "01"], &["a", "-"], &["a", "0", "b", "c"], &["z"], &["a", "x"]]
        {
            assert_eq!(at(json, nowhere), None, "{nowhere:?}");
        }
    }
}

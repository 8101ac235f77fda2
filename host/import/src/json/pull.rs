//! Reads JSON as it comes: whoever knows the outer shape walks it, and takes the values inside as they stand.
//!
//! A parser that ends at the first fault would lose the rest of a gigabyte for one broken conversation. Here a value is only
//! measured (quotes and brackets) before it is parsed, so the next one can be read whatever is in it.

use std::io::{self, BufRead};

/// A value as it stands in the input.
#[derive(Debug)]
pub(crate) enum Raw {
    Value(Vec<u8>),
    /// It is longer than was allowed, and was passed over.
    TooLarge,
}

/// The input is no JSON from here on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PullError {
    #[error("it ends in the middle of a value")]
    Truncated,
    #[error("no JSON at byte {0}")]
    Syntax(u64),
    #[error(transparent)]
    Io(#[from] io::Error),
}

type Result<T> = std::result::Result<T, PullError>;

/// A place in JSON input.
pub(crate) struct Pull<R> {
    input: R,
    at: u64,
}

impl<R: BufRead> Pull<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, at: 0 }
    }

    /// How many bytes were read.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// The first byte of what comes next, after white space; none at the end of the input.
    pub(crate) fn peek(&mut self) -> Result<Option<u8>> {
        loop {
            let buffer = self.input.fill_buf()?;
            let Some(&byte) = buffer.first() else { return Ok(None) };
            // A byte order mark is no JSON, and some programs write one.
            let is_mark = self.at < 3 && b"\xef\xbb\xbf".contains(&byte);
            if !byte.is_ascii_whitespace() && !is_mark {
                return Ok(Some(byte));
            }
            self.consume(1);
        }
    }

    fn consume(&mut self, bytes: usize) {
        self.input.consume(bytes);
        self.at += bytes as u64;
    }

    /// Steps over one byte of punctuation.
    fn step(&mut self, wanted: u8) -> Result<()> {
        match self.peek()? {
            Some(byte) if byte == wanted => {
                self.consume(1);
                Ok(())
            }
            Some(_) => Err(PullError::Syntax(self.at)),
            None => Err(PullError::Truncated),
        }
    }

    /// Calls for each item of a list that begins here; the call reads the item.
    pub(crate) fn items<E: From<PullError>>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        self.step(b'[')?;
        let mut is_first = true;
        while self.goes_on(b']', &mut is_first)? {
            item(self)?;
        }
        Ok(())
    }

    /// Calls for each member of an object that begins here; the call reads the value.
    pub(crate) fn members<E: From<PullError>>(
        &mut self,
        mut member: impl FnMut(&mut Self, &str) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        self.step(b'{')?;
        let mut is_first = true;
        while self.goes_on(b'}', &mut is_first)? {
            let name = self.name()?;
            self.step(b':')?;
            member(self, &name)?;
        }
        Ok(())
    }

    /// Whether something follows inside of a list or object.
    fn goes_on(&mut self, close: u8, is_first: &mut bool) -> Result<bool> {
        if self.peek()? == Some(close) {
            self.consume(1);
            return Ok(false);
        }
        if !std::mem::replace(is_first, false) {
            self.step(b',')?;
        }
        Ok(true)
    }

    fn name(&mut self) -> Result<String> {
        let at = self.at;
        match self.value(64 * 1024)? {
            Raw::Value(raw) => match super::parse(&raw) {
                Ok(serde_json::Value::String(name)) => Ok(name),
                _ => Err(PullError::Syntax(at)),
            },
            Raw::TooLarge => Err(PullError::Syntax(at)),
        }
    }

    /// Passes over the value that begins here.
    pub(crate) fn skip(&mut self) -> Result<()> {
        self.value(0).map(drop)
    }

    /// Takes the value that begins here, if it has no more than so many bytes.
    pub(crate) fn value(&mut self, most: usize) -> Result<Raw> {
        let (mut raw, mut measure, mut is_too_large) = (Vec::new(), Measure::default(), false);
        if self.peek()?.is_none() {
            return Err(PullError::Truncated);
        }
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                // A number at the very end has no other mark of its end.
                return if measure.may_end() {
                    Ok(taken(raw, is_too_large))
                } else {
                    Err(PullError::Truncated)
                };
            }
            let end = measure.end_in(buffer).map_err(|offset| PullError::Syntax(self.at + offset as u64))?;
            let length = end.unwrap_or(buffer.len());
            if is_too_large || raw.len() + length > most {
                is_too_large = true;
                raw = Vec::new();
            } else {
                raw.extend_from_slice(&buffer[..length]);
            }
            self.consume(length);
            if end.is_some() {
                return Ok(taken(raw, is_too_large));
            }
        }
    }
}

fn taken(raw: Vec<u8>, is_too_large: bool) -> Raw {
    if is_too_large { Raw::TooLarge } else { Raw::Value(raw) }
}

/// Finds the end of a value by its quotes and brackets.
#[derive(Default)]
struct Measure {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// Inside of a number or a word at the top.
    in_word: bool,
}

impl Measure {
    /// The length of the value in this buffer, if it ends in it; the place of a byte that begins no value, if there is one.
    fn end_in(&mut self, buffer: &[u8]) -> std::result::Result<Option<usize>, usize> {
        for (at, &byte) in buffer.iter().enumerate() {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => {
                        self.in_string = false;
                        if self.depth == 0 {
                            return Ok(Some(at + 1));
                        }
                    }
                    _ => {}
                }
                continue;
            }
            match byte {
                _ if self.in_word
                    && (matches!(byte, b',' | b']' | b'}' | b':') || byte.is_ascii_whitespace()) =>
                {
                    return Ok(Some(at));
                }
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth == 0 => return Err(at),
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Ok(Some(at + 1));
                    }
                }
                b',' | b':' if self.depth == 0 => return Err(at),
                _ if self.depth == 0 => self.in_word = true,
                _ => {}
            }
        }
        Ok(None)
    }

    fn may_end(&self) -> bool {
        self.in_word
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn items(json: &str, most: usize, capacity: usize) -> (Vec<String>, Option<String>) {
        let mut pull = Pull::new(BufReader::with_capacity(capacity, json.as_bytes()));
        let mut found = Vec::new();
        let outcome = pull.items::<PullError>(|pull| {
            found.push(match pull.value(most)? {
                Raw::Value(raw) => String::from_utf8(raw).unwrap(),
                Raw::TooLarge => "too large".to_owned(),
            });
            Ok(())
        });
        (found, outcome.err().map(|error| error.to_string()))
    }

    #[test]
    fn takes_values_as_they_stand_whatever_the_buffer() {
        let json = "\u{feff} [ {\"a\":[1,\"]}\\\"\",{}]} , -1.5e3,\"x,]\" ,null,[], {\"é\": \"\\\\\"}\n]";
        let whole = [r#"{"a":[1,"]}\"",{}]}"#, "-1.5e3", r#""x,]""#, "null", "[]", "{\"é\": \"\\\\\"}"];
        for capacity in [1, 2, 3, 7, 1_000] {
            assert_eq!(items(json, 1_000, capacity), (whole.iter().map(ToString::to_string).collect(), None));
        }
    }

    #[test]
    fn a_long_value_is_passed_over_and_the_next_is_read() {
        assert_eq!(items(r#"["0123456789",1]"#, 5, 4).0, ["too large", "1"]);
    }

    #[test]
    fn says_where_it_is_no_json() {
        for (json, error) in [
            ("", "it ends in the middle of a value"),
            ("[1,", "it ends in the middle of a value"),
            ("[\"a", "it ends in the middle of a value"),
            ("[{\"a\":", "it ends in the middle of a value"),
            ("[1 2]", "no JSON at byte 3"),
            ("[}", "no JSON at byte 1"),
            ("x", "no JSON at byte 0"),
        ] {
            assert_eq!(items(json, 100, 16).1.as_deref(), Some(error), "{json}");
        }
    }
}

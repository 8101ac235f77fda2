//! Cuts JSON into tokens, fed by pieces of any size. A text is passed on as it comes and never held.

use super::Broken;
use serde_json::value::RawValue;

/// How deep values may lie in each other.
const DEPTH: usize = 128;
/// The longest name of a member.
const KEY: usize = 4_096;
/// The longest number.
const SCALAR: usize = 4_096;

/// A part of a JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    BeginObject,
    EndObject,
    BeginArray,
    EndArray,
    /// The name of a member, whole.
    Key(&'a str),
    BeginText,
    /// A piece of a text, decoded.
    Text(&'a str),
    EndText,
    /// A number, `true`, `false` or `null`, as it is spelled.
    Scalar(&'a str),
}

/// Takes tokens.
pub(crate) trait Sink {
    fn take(&mut self, token: Token<'_>) -> Result<(), Broken>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    /// Between lexemes.
    Space,
    /// Inside a text; the name of a member is one too.
    Text {
        is_key: bool,
    },
    /// After a backslash.
    Escape {
        is_key: bool,
    },
    /// Inside `\uXXXX`.
    Hex {
        is_key: bool,
        digits: u8,
        value: u16,
    },
    Scalar,
}

/// A reader of JSON that keeps no more than a name, a number and where it is.
#[derive(Debug)]
pub(crate) struct Tokenizer {
    /// True for an object, false for a list.
    stack: Vec<bool>,
    expect: Expect,
    within: Within,
    lexeme: String,
    /// The beginning of a character whose rest is in the next piece.
    pending: Vec<u8>,
    /// The first half of a surrogate pair.
    high: Option<u16>,
}

impl Tokenizer {
    pub(crate) fn new() -> Self {
        Self {
            stack: Vec::new(),
            expect: Expect::Value,
            within: Within::Space,
            lexeme: String::new(),
            pending: Vec::new(),
            high: None,
        }
    }

    /// Reads the next piece.
    pub(crate) fn feed(&mut self, mut piece: &[u8], sink: &mut impl Sink) -> Result<(), Broken> {
        while let Some(&byte) = piece.first() {
            let used = match self.within {
                Within::Space => self.between(byte, sink)?,
                Within::Text { is_key } => self.text(piece, is_key, sink)?,
                Within::Escape { is_key } => {
                    self.escape(byte, is_key, sink)?;
                    1
                }
                Within::Hex { is_key, digits, value } => {
                    self.hex(byte, is_key, digits, value, sink)?;
                    1
                }
                Within::Scalar => self.scalar(byte, sink)?,
            };
            piece = &piece[used..];
        }
        Ok(())
    }

    /// Says that there is no further piece.
    pub(crate) fn end(mut self, sink: &mut impl Sink) -> Result<(), Broken> {
        if self.within == Within::Scalar && self.stack.is_empty() {
            self.close_scalar(sink)?;
        }
        match (self.within, self.expect) {
            (Within::Space, Expect::Nothing) => Ok(()),
            _ => Err(Broken::Cut),
        }
    }

    fn between(&mut self, byte: u8, sink: &mut impl Sink) -> Result<usize, Broken> {
        use Expect::{Colon, CommaOrEnd, Key, KeyOrEnd, Value, ValueOrEnd};
        match (byte, self.expect) {
            (b' ' | b'\t' | b'\n' | b'\r', _) => {}
            (b'"', Key | KeyOrEnd) => self.within = Within::Text { is_key: true },
            (b'"', Value | ValueOrEnd) => {
                self.within = Within::Text { is_key: false };
                sink.take(Token::BeginText)?;
            }
            (b'{', Value | ValueOrEnd) => self.open(true, sink)?,
            (b'[', Value | ValueOrEnd) => self.open(false, sink)?,
            (b'}', KeyOrEnd | CommaOrEnd) if self.stack.last() == Some(&true) => self.close(sink)?,
            (b']', ValueOrEnd | CommaOrEnd) if self.stack.last() == Some(&false) => self.close(sink)?,
            (b':', Colon) => self.expect = Value,
            (b',', CommaOrEnd) => {
                self.expect = if self.stack.last() == Some(&true) { Key } else { Value };
            }
            (b'-' | b'0'..=b'9' | b't' | b'f' | b'n', Value | ValueOrEnd) => {
                self.within = Within::Scalar;
                return Ok(0);
            }
            _ => return Err(Broken::Syntax),
        }
        Ok(1)
    }

    fn open(&mut self, is_object: bool, sink: &mut impl Sink) -> Result<(), Broken> {
        if self.stack.len() == DEPTH {
            return Err(Broken::Shape("its values lie too deep in each other"));
        }
        self.stack.push(is_object);
        self.expect = if is_object { Expect::KeyOrEnd } else { Expect::ValueOrEnd };
        sink.take(if is_object { Token::BeginObject } else { Token::BeginArray })
    }

    fn close(&mut self, sink: &mut impl Sink) -> Result<(), Broken> {
        let was_object = self.stack.pop() == Some(true);
        self.after_value();
        sink.take(if was_object { Token::EndObject } else { Token::EndArray })
    }

    fn after_value(&mut self) {
        self.expect = if self.stack.is_empty() { Expect::Nothing } else { Expect::CommaOrEnd };
    }

    /// Reads as much of a text as stands in the piece without an escape.
    fn text(&mut self, piece: &[u8], is_key: bool, sink: &mut impl Sink) -> Result<usize, Broken> {
        if !self.pending.is_empty() {
            return self.complete_char(piece[0], is_key, sink);
        }
        let plain = piece.iter().position(|&byte| byte == b'"' || byte == b'\\' || byte < 0x20);
        let end = plain.unwrap_or(piece.len());
        if end > 0 {
            let (valid, rest) = valid_prefix(&piece[..end], plain.is_none())?;
            self.pending.extend_from_slice(rest);
            if !valid.is_empty() {
                self.lone_half(is_key, sink)?;
                self.pass(valid, is_key, sink)?;
            } else if !rest.is_empty() {
                self.lone_half(is_key, sink)?;
            }
            return Ok(end);
        }
        match piece[0] {
            b'"' => {
                self.lone_half(is_key, sink)?;
                self.within = Within::Space;
                if is_key {
                    self.expect = Expect::Colon;
                    sink.take(Token::Key(&self.lexeme))?;
                    self.lexeme.clear();
                } else {
                    self.after_value();
                    sink.take(Token::EndText)?;
                }
            }
            b'\\' => self.within = Within::Escape { is_key },
            _ => return Err(Broken::Syntax),
        }
        Ok(1)
    }

    /// Adds a byte to a character that began in an earlier piece.
    fn complete_char(&mut self, byte: u8, is_key: bool, sink: &mut impl Sink) -> Result<usize, Broken> {
        self.pending.push(byte);
        match std::str::from_utf8(&self.pending) {
            Ok(_) => {
                let bytes = std::mem::take(&mut self.pending);
                self.pass(std::str::from_utf8(&bytes).map_err(|_| Broken::Syntax)?, is_key, sink)?;
            }
            Err(error) if error.error_len().is_none() => {}
            Err(_) => return Err(Broken::Syntax),
        }
        Ok(1)
    }

    fn pass(&mut self, text: &str, is_key: bool, sink: &mut impl Sink) -> Result<(), Broken> {
        if !is_key {
            return sink.take(Token::Text(text));
        }
        if self.lexeme.len() + text.len() > KEY {
            return Err(Broken::Shape("a name in it is too long"));
        }
        self.lexeme.push_str(text);
        Ok(())
    }

    fn pass_char(&mut self, c: char, is_key: bool, sink: &mut impl Sink) -> Result<(), Broken> {
        self.lone_half(is_key, sink)?;
        self.pass(c.encode_utf8(&mut [0; 4]), is_key, sink)
    }

    /// Half of a surrogate pair is no character. A mark stands for it, so that everything else keeps its place.
    fn lone_half(&mut self, is_key: bool, sink: &mut impl Sink) -> Result<(), Broken> {
        match self.high.take() {
            Some(_) => self.pass("\u{fffd}", is_key, sink),
            None => Ok(()),
        }
    }

    fn escape(&mut self, byte: u8, is_key: bool, sink: &mut impl Sink) -> Result<(), Broken> {
        self.within = Within::Text { is_key };
        let c = match byte {
            b'u' => {
                self.within = Within::Hex { is_key, digits: 0, value: 0 };
                return Ok(());
            }
            b'"' | b'\\' | b'/' => byte as char,
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            _ => return Err(Broken::Syntax),
        };
        self.pass_char(c, is_key, sink)
    }

    fn hex(
        &mut self,
        byte: u8,
        is_key: bool,
        digits: u8,
        value: u16,
        sink: &mut impl Sink,
    ) -> Result<(), Broken> {
        let digit = char::from(byte).to_digit(16).ok_or(Broken::Syntax)?;
        let value = value << 4 | digit as u16;
        if digits < 3 {
            self.within = Within::Hex { is_key, digits: digits + 1, value };
            return Ok(());
        }
        self.within = Within::Text { is_key };
        match (value, self.high) {
            (0xd800..=0xdbff, _) => {
                self.lone_half(is_key, sink)?;
                self.high = Some(value);
                Ok(())
            }
            (0xdc00..=0xdfff, Some(high)) => {
                self.high = None;
                let code = 0x10000 + (u32::from(high - 0xd800) << 10) + u32::from(value - 0xdc00);
                self.pass_char(char::from_u32(code).unwrap_or('\u{fffd}'), is_key, sink)
            }
            (code, _) => self.pass_char(char::from_u32(code.into()).unwrap_or('\u{fffd}'), is_key, sink),
        }
    }

    fn scalar(&mut self, byte: u8, sink: &mut impl Sink) -> Result<usize, Broken> {
        if matches!(byte, b'+' | b'-' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'E') {
            if self.lexeme.len() == SCALAR {
                return Err(Broken::Shape("a number in it is too long"));
            }
            self.lexeme.push(byte as char);
            return Ok(1);
        }
        self.close_scalar(sink)?;
        Ok(0)
    }

    fn close_scalar(&mut self, sink: &mut impl Sink) -> Result<(), Broken> {
        serde_json::from_str::<&RawValue>(&self.lexeme).map_err(|_| Broken::Syntax)?;
        self.within = Within::Space;
        self.after_value();
        let lexeme = std::mem::take(&mut self.lexeme);
        sink.take(Token::Scalar(&lexeme))
    }
}

/// The characters of a piece, and the beginning of one that its end cuts in two where that may be.
fn valid_prefix(bytes: &[u8], may_be_cut: bool) -> Result<(&str, &[u8]), Broken> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok((text, &[])),
        Err(error) if error.error_len().is_none() && may_be_cut => {
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            Ok((std::str::from_utf8(valid).map_err(|_| Broken::Syntax)?, rest))
        }
        Err(_) => Err(Broken::Syntax),
    }
}

#[cfg(test)]
mod tests;

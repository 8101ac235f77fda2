//! Takes an mbox apart, one message at a time.
//!
//! Four dialects differ in what they do with a line of a text that begins with "From ": mboxo and mboxrd put a `>` before it
//! (mboxrd before `>From ` too), mboxcl does so and counts bytes in Content-Length, mboxcl2 only counts. A count is believed
//! only if a message begins, or the file ends, where it leads.

use super::separator::is_separator;
use crate::limits::MESSAGE_MAX;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};

/// The longest piece that is looked at as a line.
const PIECE: u64 = 64 * 1024;
/// The longest header of a message that is looked through for a count.
const HEAD_MAX: usize = 1024 * 1024;

/// A message as it stood.
#[derive(Debug)]
pub(super) struct Raw {
    /// The line before it.
    pub(super) separator: Vec<u8>,
    /// The message; none if it is too large.
    pub(super) message: Option<Vec<u8>>,
    /// How many bytes of the file it took.
    pub(super) bytes: u64,
}

/// The messages of a file.
pub(super) struct Messages {
    input: BufReader<File>,
    /// The same file, to look ahead in.
    ahead: File,
    at: u64,
    /// The separator that ended the message before.
    next: Option<Vec<u8>>,
}

impl Messages {
    /// Opens a file; none if it does not begin as an mbox.
    pub(super) fn open(file: File, ahead: File) -> io::Result<Option<Self>> {
        let mut messages = Self { input: BufReader::with_capacity(1 << 18, file), ahead, at: 0, next: None };
        let mut line = Vec::new();
        // Some programs begin with a blank line or a byte order mark.
        while messages.piece(&mut line)? > 0 {
            let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
            if text.starts_with(b"From ") || is_separator(text) {
                messages.next = Some(text.to_vec());
                return Ok(Some(messages));
            }
            if !text.trim_ascii().is_empty() {
                return Ok(None);
            }
            line.clear();
        }
        Ok(Some(messages))
    }

    /// Appends a line, or as much of it as is looked at; gives how much that was.
    fn piece(&mut self, line: &mut Vec<u8>) -> io::Result<usize> {
        let read = self.input.by_ref().take(PIECE).read_until(b'\n', line)?;
        self.at += read as u64;
        Ok(read)
    }

    /// The next message.
    pub(super) fn next(&mut self) -> io::Result<Option<Raw>> {
        let Some(separator) = self.next.take() else { return Ok(None) };
        let start = self.at - separator.len() as u64;
        let mut message = Held::default();
        self.head(&mut message)?;
        let counted = match content_length(&message.bytes) {
            Some(length) if self.leads_to_a_message(length)? => Some(length),
            _ => None,
        };
        match counted {
            Some(length) => self.counted_body(length, &mut message)?,
            None => self.body(&mut message)?,
        }
        let bytes = self.at - start - self.next.as_ref().map_or(0, |next| next.len() as u64);
        Ok(Some(Raw { separator, message: message.take(), bytes }))
    }

    /// Reads to the blank line after the headers.
    fn head(&mut self, message: &mut Held) -> io::Result<()> {
        let (mut line, mut at_start) = (Vec::new(), true);
        loop {
            line.clear();
            if self.piece(&mut line)? == 0 {
                return Ok(());
            }
            // A message without a blank line ends where the next one begins.
            if at_start && is_separator(&line) && line.len() > b"From \n".len() {
                self.next = Some(line);
                return Ok(());
            }
            let is_blank = at_start && line.trim_ascii().is_empty();
            at_start = line.ends_with(b"\n");
            message.push(&line);
            if is_blank || message.bytes.len() > HEAD_MAX {
                return Ok(());
            }
        }
    }

    /// Reads to the next separator, and takes a `>` away where it was put.
    fn body(&mut self, message: &mut Held) -> io::Result<()> {
        if self.next.is_some() {
            return Ok(());
        }
        let (mut line, mut at_start, mut after_blank) = (Vec::new(), true, true);
        loop {
            line.clear();
            if self.piece(&mut line)? == 0 {
                break;
            }
            if at_start && after_blank && is_separator(&line) {
                self.next = Some(std::mem::take(&mut line));
                break;
            }
            after_blank = at_start && line.trim_ascii().is_empty();
            let quoted = at_start && is_quoted(&line);
            at_start = line.ends_with(b"\n");
            message.push(&line[usize::from(quoted)..]);
        }
        message.drop_last_blank_line();
        Ok(())
    }

    /// Reads a body of a known length. If it has a line that should have been marked, nothing in it was.
    fn counted_body(&mut self, length: u64, message: &mut Held) -> io::Result<()> {
        let mut body = Held::default();
        let mut left = length;
        let mut line = Vec::new();
        let (mut at_start, mut is_unmarked) = (true, false);
        while left > 0 {
            line.clear();
            let read = self.input.by_ref().take(left.min(PIECE)).read_until(b'\n', &mut line)?;
            if read == 0 {
                break;
            }
            self.at += read as u64;
            left -= read as u64;
            is_unmarked |= at_start && line.starts_with(b"From ");
            at_start = line.ends_with(b"\n");
            body.push(&line);
        }
        message.is_too_large |= body.is_too_large;
        for line in body.bytes.split_inclusive(|&byte| byte == b'\n') {
            let quoted = !is_unmarked && is_quoted(line);
            message.push(&line[usize::from(quoted)..]);
        }
        // Only blank lines lie between this and the next separator.
        loop {
            line.clear();
            if self.piece(&mut line)? == 0 {
                return Ok(());
            }
            if is_separator(&line) {
                self.next = Some(line);
                return Ok(());
            }
        }
    }

    /// Whether a message begins, or the file ends, so many bytes further on.
    fn leads_to_a_message(&mut self, length: u64) -> io::Result<bool> {
        let Some(end) = self.at.checked_add(length) else { return Ok(false) };
        self.ahead.seek(SeekFrom::Start(end.saturating_sub(1)))?;
        let mut there = Vec::new();
        (&self.ahead).take(512).read_to_end(&mut there)?;
        if there.is_empty() {
            return Ok(false); // It leads behind the end: the file was cut, or the count is wrong.
        }
        let after = if length == 0 { &there[..] } else { &there[1..] };
        let blank = after.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let line = after[blank..].split(|&byte| byte == b'\n').next().unwrap_or_default();
        let fresh_line = blank > 0 || there[0] == b'\n' || length == 0;
        Ok(after[blank..].is_empty() || (fresh_line && is_separator(line)))
    }
}

/// A message while it is read: no more of it is held than a message may have.
#[derive(Default)]
struct Held {
    bytes: Vec<u8>,
    is_too_large: bool,
}

impl Held {
    fn push(&mut self, piece: &[u8]) {
        if self.is_too_large || self.bytes.len() + piece.len() > MESSAGE_MAX {
            self.is_too_large = true;
            self.bytes = Vec::new();
        } else {
            self.bytes.extend_from_slice(piece);
        }
    }

    /// The line before a separator belongs to it.
    fn drop_last_blank_line(&mut self) {
        for blank in [&b"\r\n\r\n"[..], b"\n\n"] {
            if self.bytes.ends_with(blank) {
                self.bytes.truncate(self.bytes.len() - blank.len() / 2);
                return;
            }
        }
    }

    fn take(self) -> Option<Vec<u8>> {
        (!self.is_too_large).then_some(self.bytes)
    }
}

fn is_quoted(line: &[u8]) -> bool {
    let marks = line.iter().take_while(|&&byte| byte == b'>').count();
    marks > 0 && line[marks..].starts_with(b"From ")
}

/// What a message says how long its body is.
fn content_length(head: &[u8]) -> Option<u64> {
    let mut lines = head.split(|&byte| byte == b'\n').take_while(|line| !line.trim_ascii().is_empty());
    let value = lines.find_map(|line| {
        let (name, value) = line.split_at_checked(b"Content-Length:".len())?;
        name.eq_ignore_ascii_case(b"Content-Length:").then_some(value)
    });
    std::str::from_utf8(value?.trim_ascii()).ok()?.parse().ok()
}

//! A mail archive of any length: threads, plain mail and HTML, and files with some of it. The same on every run.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

/// Every so many messages there is one with a file, and one in HTML.
const FILE_EVERY: usize = 12;
const HTML_EVERY: usize = 4;
/// How many messages a thread has.
const THREAD: usize = 5;
/// How many different words there are, the first of which are the most frequent, as in any language.
const WORDS: usize = 40_000;

const SYLLABLES: [&str; 32] = [
    "ra", "ti", "no", "ve", "lu", "ka", "mer", "sol", "den", "bri", "fa", "ost", "gel", "hin", "ju", "per",
    "qua", "ris", "ton", "ul", "wen", "xa", "yor", "zi", "blo", "cre", "dra", "est", "fu", "gri", "hal",
    "üm",
];

/// Writes an archive of so many messages; gives its size.
pub(super) fn write(path: &Path, messages: usize) -> anyhow::Result<u64> {
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let mut dice = Dice(17);
    for number in 0..messages {
        message(&mut file, number, &mut dice)?;
    }
    file.flush()?;
    Ok(path.metadata()?.len())
}

fn message(file: &mut impl std::io::Write, number: usize, dice: &mut Dice) -> std::io::Result<()> {
    let (day, hour, minute, second) =
        (number / 86_400 % 28 + 1, number / 3_600 % 24, number / 60 % 60, number % 60);
    let year = 2000 + number / 20_000 % 26;
    writeln!(
        file,
        "From p{}@mail.example Mon Mar {day:2} {hour:02}:{minute:02}:{second:02} {year}",
        number % 997
    )?;
    writeln!(file, "Message-ID: <{number}.{year}@mail.example>")?;
    writeln!(file, "Date: {day} Mar {year} {hour:02}:{minute:02}:{second:02} +0100")?;
    writeln!(file, "From: Person {0} <p{0}@mail.example>\nTo: Me <me@mail.example>", number % 997)?;
    writeln!(
        file,
        "Received: from a.example by b.example; {day} Mar {year} {hour:02}:{minute:02}:{second:02} +0100"
    )?;
    let first = number - number % THREAD;
    if number > first {
        writeln!(
            file,
            "In-Reply-To: <{}.{year}@mail.example>\nReferences: <{first}.{year}@mail.example>",
            number - 1
        )?;
    }
    writeln!(file, "Subject: {}{}", if number > first { "Re: " } else { "" }, dice.prose(5, 1_000))?;
    writeln!(file, "MIME-Version: 1.0")?;
    let words = 60 + dice.below(500);
    let body = dice.prose(words, 70);
    match number {
        _ if number.is_multiple_of(FILE_EVERY) => {
            let bytes: Vec<u8> = (0..6_000).map(|_| dice.below(256) as u8).collect();
            writeln!(file, "Content-Type: multipart/mixed; boundary=b{number}\n\n--b{number}")?;
            writeln!(file, "Content-Type: text/plain; charset=utf-8\n\n{body}\n--b{number}")?;
            writeln!(file, "Content-Type: image/png\nContent-Transfer-Encoding: base64")?;
            writeln!(file, "Content-Disposition: attachment; filename=\"picture-{number}.png\"\n")?;
            for line in STANDARD.encode(bytes).as_bytes().chunks(76) {
                file.write_all(line)?;
                file.write_all(b"\n")?;
            }
            writeln!(file, "--b{number}--\n")
        }
        _ if number.is_multiple_of(HTML_EVERY) => {
            writeln!(file, "Content-Type: text/html; charset=utf-8\n\n<html><body>")?;
            for paragraph in body.split('\n') {
                writeln!(file, "<p>{paragraph}</p>")?;
            }
            writeln!(file, "</body></html>\n")
        }
        _ => writeln!(file, "Content-Type: text/plain; charset=utf-8\n\n{body}\n"),
    }
}

/// A small generator (splitmix64); its seed is all of its state.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// So many words, on lines of about so many chars.
    fn prose(&mut self, words: usize, line: usize) -> String {
        let (mut text, mut length) = (String::new(), 0);
        for _ in 0..words {
            // A number that is small far more often than large: its cube falls towards nothing.
            let share = self.next() as f64 / u64::MAX as f64;
            let mut rank = (share.powi(3) * WORDS as f64) as usize;
            let before = text.len();
            if length > line {
                text.push('\n');
                length = 0;
            } else if !text.is_empty() {
                text.push(' ');
            }
            loop {
                text.push_str(SYLLABLES[rank % SYLLABLES.len()]);
                rank /= SYLLABLES.len();
                if rank == 0 {
                    break;
                }
            }
            length += text.len() - before;
        }
        text
    }
}

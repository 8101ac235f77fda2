//! A binary-export tier that hands out windows of images and plain tables only.
//!
//! An image must be one by its first bytes, and a text must read as one. Documents, sound and film leave as downloads.
//! Whatever can run or hide something (programs, pages, scripts, archives, and what nobody named) does not leave at all.
//! With `others = "refuse"` the documents, sound and film stay as well.

use stepwell_sdk::binary_export::{BlobShape, Card, Guest, Mode};
use stepwell_sdk::{Context, Fault};

/// Blobs above this size leave as a download, whatever they are.
const WINDOWED: u32 = 4 * 1024 * 1024;

/// How the first bytes of an image look.
const IMAGES: &[(&[u8], &str, &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "image/png", "png"),
    (b"\xff\xd8\xff", "image/jpeg", "jpg"),
    (b"GIF87a", "image/gif", "gif"),
    (b"GIF89a", "image/gif", "gif"),
];

/// Declared types that may leave as downloads, by how they begin.
const DOWNLOADS: &[&str] = &[
    "application/pdf",
    "application/msword",
    "application/rtf",
    "application/vnd.ms-",
    "application/vnd.oasis.opendocument.",
    "application/vnd.openxmlformats-officedocument.",
    "audio/",
    "video/",
    "image/",
    "text/calendar",
    "text/markdown",
    "text/vcard",
    "message/rfc822",
];

/// Describes a blob. `strict` keeps back what is neither an image nor a plain table.
#[must_use]
pub fn describe(blob: &BlobShape, strict: bool) -> Card {
    let declared = blob.mime.as_deref().unwrap_or_default().split(';').next().unwrap_or_default();
    let declared = declared.trim().to_ascii_lowercase();
    let (mime, ending, mode) = kind(&declared, &blob.head);
    let mode = match mode {
        Mode::Window if blob.bytes.is_none_or(|bytes| bytes > WINDOWED) => Mode::DownloadOnly,
        Mode::DownloadOnly if strict => Mode::Refuse,
        mode => mode,
    };
    let note = match mode {
        Mode::Window => None,
        Mode::DownloadOnly => Some("as a download only".to_owned()),
        Mode::Refuse => Some("this kind of file is kept back".to_owned()),
    };
    Card { file_name: format!("{}.{ending}", stem(blob)), mime, mode, note, options: Vec::new() }
}

fn kind(declared: &str, head: &[u8]) -> (String, &'static str, Mode) {
    if let Some((_, mime, ending)) = IMAGES.iter().find(|(start, ..)| head.starts_with(start)) {
        return ((*mime).to_owned(), ending, Mode::Window);
    }
    if head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP") {
        return ("image/webp".to_owned(), "webp", Mode::Window);
    }
    match declared {
        "text/plain" if is_plain(head) => (declared.to_owned(), "txt", Mode::Window),
        "text/csv" if is_plain(head) => (declared.to_owned(), "csv", Mode::Window),
        // A picture that can carry a script, and a lie about bytes that run.
        "image/svg+xml" => (declared.to_owned(), "svg", Mode::Refuse),
        _ if runs(head) => ("application/octet-stream".to_owned(), "bin", Mode::Refuse),
        // An office file is an archive by its bytes; any other archive hides what is in it.
        _ if head.starts_with(b"PK\x03\x04") && !declared.contains("document") => {
            ("application/octet-stream".to_owned(), "bin", Mode::Refuse)
        }
        _ if DOWNLOADS.iter().any(|known| declared.starts_with(known)) => {
            (declared.to_owned(), "bin", Mode::DownloadOnly)
        }
        _ => ("application/octet-stream".to_owned(), "bin", Mode::Refuse),
    }
}

/// Whether the first bytes are text without control codes and without the beginning of a page or a script.
fn is_plain(head: &[u8]) -> bool {
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        // The cut may have torn the last character.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    let control = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    !valid.chars().any(control) && !runs(head)
}

/// Whether the first bytes are those of a program, a script or a page.
fn runs(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    const STARTS: &[&[u8]] =
        &[b"MZ", b"\x7fELF", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"\0asm", b"#!", b"<"];
    STARTS.iter().any(|start| text.starts_with(start))
}

/// The declared name without its ending, in letters that mean the same everywhere.
fn stem(blob: &BlobShape) -> String {
    let name = blob.file_name.as_deref().unwrap_or(&blob.path);
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    let safe: String =
        stem.chars().take(60).map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    let safe = safe.trim_matches('_');
    if safe.is_empty() { "file".to_owned() } else { safe.to_owned() }
}

/// The component.
#[derive(Debug)]
pub struct ExportConservative;

impl Guest for ExportConservative {
    fn describe(blob: BlobShape, context: Context) -> Result<Card, Fault> {
        let others =
            context.options.iter().find(|(name, _)| name == "others").map(|(_, value)| value.as_str());
        match others {
            None | Some("download") => Ok(describe(&blob, false)),
            Some("refuse") => Ok(describe(&blob, true)),
            Some(other) => {
                Err(Fault::Invalid(format!("others is \"download\" or \"refuse\", not {other:?}")))
            }
        }
    }
}

stepwell_sdk::binary_export::export!(ExportConservative);

#[cfg(test)]
mod tests {
    use super::*;

    fn blob(mime: &str, name: &str, head: &[u8]) -> BlobShape {
        BlobShape {
            path: "content".into(),
            mime: Some(mime.into()),
            bytes: Some(1_000),
            file_name: Some(name.into()),
            head: head.to_vec(),
            options: Vec::new(),
        }
    }

    fn card(mime: &str, name: &str, head: &[u8]) -> (String, String, Mode) {
        let card = describe(&blob(mime, name, head), false);
        (card.file_name, card.mime, card.mode)
    }

    #[test]
    fn images_and_plain_tables_leave_in_windows() {
        let png = b"\x89PNG\r\n\x1a\n....";
        assert_eq!(card("image/jpeg", "cat.jpg", png), ("cat.png".into(), "image/png".into(), Mode::Window));
        assert_eq!(card("", "x", b"RIFF....WEBPVP8 ").2, Mode::Window);
        let table = card("Text/CSV; charset=utf-8", "a b.csv", "name;größe".as_bytes());
        assert_eq!(table, ("a_b.csv".into(), "text/csv".into(), Mode::Window));
        assert_eq!(card("text/plain", "n.txt", &"é".as_bytes()[..1]).2, Mode::Window);
    }

    #[test]
    fn documents_are_downloads_unless_the_operator_says_no() {
        let pdf = blob("application/pdf", "a.pdf", b"%PDF-1.7");
        assert_eq!(describe(&pdf, false).mode, Mode::DownloadOnly);
        assert_eq!(describe(&pdf, true).mode, Mode::Refuse);
        assert!(describe(&pdf, true).note.is_some());
        let letter = "application/vnd.oasis.opendocument.text";
        assert_eq!(card(letter, "a.odt", b"PK\x03\x04").2, Mode::DownloadOnly);
        let mut film = blob("image/png", "a.png", b"\x89PNG\r\n\x1a\n");
        film.bytes = Some(WINDOWED + 1);
        assert_eq!(describe(&film, false).mode, Mode::DownloadOnly);
        film.bytes = None;
        assert_eq!(describe(&film, true).mode, Mode::DownloadOnly);
    }

    #[test]
    fn what_runs_or_hides_something_stays() {
        for (mime, head) in [
            ("text/plain", &b"<script>"[..]),
            ("text/plain", b"a\0b\xff"),
            ("text/csv", b"#!/bin/sh"),
            ("image/png", b"MZ\x90"),
            ("image/svg+xml", b"<svg>"),
            ("application/zip", b"PK\x03\x04"),
            ("audio/mpeg", b"PK\x03\x04"),
            ("text/html", b"hello"),
            ("", b"words"),
            ("application/x-sh", b""),
        ] {
            assert_eq!(card(mime, "x", head).2, Mode::Refuse, "{mime}");
        }
    }

    #[test]
    fn names_are_plain() {
        for (name, stem) in
            [("../../etc/passwd", "passwd"), ("C:\\a\\b\u{202e}c.exe", "b_c"), ("...", "file"), ("", "file")]
        {
            assert_eq!(card("", name, b"").0, format!("{stem}.bin"));
        }
        assert!(card("", &"x".repeat(999), b"").0.len() <= 64);
    }
}

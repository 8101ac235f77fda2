//! The binary-export tier's answers.

use super::clean;
use crate::limits;
use crate::plan::Card;

/// What a blob is when nothing better may be said.
pub const OCTET_STREAM: &str = "application/octet-stream";

/// The MIME types that a blob may be announced as. None of them runs anything in a browser: no HTML, no SVG, no script.
pub const MIME_TYPES: &[&str] = &[
    OCTET_STREAM,
    "application/epub+zip",
    "application/gzip",
    "application/json",
    "application/msword",
    "application/pdf",
    "application/rtf",
    "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.oasis.opendocument.text",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/zip",
    "audio/amr",
    "audio/flac",
    "audio/mp4",
    "audio/mpeg",
    "audio/ogg",
    "audio/wav",
    "audio/webm",
    "image/avif",
    "image/bmp",
    "image/gif",
    "image/heic",
    "image/jpeg",
    "image/png",
    "image/tiff",
    "image/webp",
    "message/rfc822",
    "text/calendar",
    "text/csv",
    "text/markdown",
    "text/plain",
    "text/vcard",
    "video/3gpp",
    "video/mp4",
    "video/ogg",
    "video/quicktime",
    "video/webm",
];

/// Names that some systems take for devices, whatever their ending.
const DEVICES: &[&str] = &[
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
    "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// Makes a card safe: a MIME type from the allow-list, a name that is only a name, a clean remark.
#[must_use]
pub fn card(card: Card) -> Card {
    let mime = MIME_TYPES.iter().find(|known| card.mime.eq_ignore_ascii_case(known)).unwrap_or(&OCTET_STREAM);
    Card {
        file_name: file_name(&card.file_name),
        mime: (*mime).to_owned(),
        mode: card.mode,
        note: card.note.map(|note| clean(&note, limits::NOTE_BYTES)).filter(|note| !note.is_empty()),
    }
}

/// Makes a name that is safe on every file system and in a header: no folders, quotes or control characters, no
/// leading dot, no device.
#[must_use]
pub fn file_name(name: &str) -> String {
    let tail = &name[name.ceil_char_boundary(name.len().saturating_sub(4 * limits::FILE_NAME_BYTES))..];
    let last = tail.rsplit(['/', '\\']).next().unwrap_or_default();
    let safe: String = clean(last, 4 * limits::FILE_NAME_BYTES)
        .chars()
        .map(|c| if "<>:\"|?*%;`$'\\".contains(c) { '_' } else { c })
        .collect();
    let safe = safe.trim_matches(['.', ' ']);
    let stem = safe.split('.').next().unwrap_or_default();
    let device = if DEVICES.contains(&stem.trim_end().to_ascii_lowercase().as_str()) { "_" } else { "" };
    let short = shortened(safe, limits::FILE_NAME_BYTES - device.len());
    if short.is_empty() { "blob.bin".to_owned() } else { format!("{device}{short}") }
}

/// Cuts the stem and keeps the ending.
fn shortened(name: &str, bytes: usize) -> String {
    if name.len() <= bytes {
        return name.to_owned();
    }
    let (stem, ending) = match name.rfind('.') {
        Some(dot) if name.len() - dot <= 16 => name.split_at(dot),
        _ => (name, ""),
    };
    let stem = &stem[..stem.floor_char_boundary(bytes - ending.len())];
    format!("{}{ending}", stem.trim_end_matches(['.', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Mode;

    #[test]
    fn only_listed_types_pass() {
        let mime = |mime: &str| {
            card(Card {
                file_name: "a".into(),
                mime: mime.into(),
                mode: Mode::Window,
                note: Some("\u{202e}".into()),
            })
        };
        assert_eq!(mime("Image/PNG").mime, "image/png");
        for bad in ["text/html", "image/svg+xml", "application/javascript", "image/png; x=y", "a\r\nb: c", ""]
        {
            assert_eq!(mime(bad).mime, OCTET_STREAM);
        }
        assert_eq!(mime("x").note, None);
        assert!(MIME_TYPES.is_sorted_by(|a, b| *a == OCTET_STREAM || a < b));
    }

    #[test]
    fn names_are_only_names() {
        for (hostile, safe) in [
            ("../../etc/passwd", "passwd"),
            ("a\\b\\c.txt", "c.txt"),
            ("x\r\nSet-Cookie: a=b", "x  Set-Cookie_ a=b"),
            ("\u{202e}gpj.exe", "gpj.exe"),
            (".htaccess", "htaccess"),
            ("..", "blob.bin"),
            ("", "blob.bin"),
            ("a\"b'.txt", "a_b_.txt"),
            ("NUL.txt", "_NUL.txt"),
        ] {
            assert_eq!(file_name(hostile), safe);
        }
        let long = file_name(&format!("{}.pdf", "é".repeat(10_000)));
        assert!(long.len() <= limits::FILE_NAME_BYTES && long.ends_with("é.pdf"));
    }
}

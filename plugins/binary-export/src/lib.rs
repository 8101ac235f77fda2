//! The default binary-export tier: names, types and modes for blobs, from their first bytes.

mod name;
mod sniff;

use sniff::{Kind, ending_of, sniff};
use stepwell_sdk::binary_export::{BlobShape, Card, Guest, Mode};
use stepwell_sdk::{Context, Fault};

/// Blobs above this size leave as a download: windows of 64 KiB would take hundreds of calls.
const WINDOWED: u32 = 16 * 1024 * 1024;

/// Describes a blob. First bytes are believed over a declared type, because the data may come from anyone.
#[must_use]
pub fn describe(blob: &BlobShape) -> Card {
    let declared = blob.mime.as_deref().map(essence).filter(|mime| !mime.is_empty());
    let found = sniff(&blob.head);
    let (mime, ending, note) = match (found, declared) {
        (Some(found), Some(declared)) if agree(found, &declared) => {
            let ending = if declared == found.mime { found.ending } else { ending_of(&declared) };
            (declared, if ending == "bin" { found.ending } else { ending }, None)
        }
        (Some(found), Some(declared)) => (
            found.mime.to_owned(),
            found.ending,
            Some(format!("declared as {declared}, but the content is {}", found.mime)),
        ),
        (Some(found), None) => (found.mime.to_owned(), found.ending, None),
        (None, Some(declared)) => {
            let ending = ending_of(&declared);
            (declared, ending, None)
        }
        (None, None) if is_text(&blob.head) => ("text/plain".to_owned(), "txt", None),
        (None, None) => ("application/octet-stream".to_owned(), "bin", None),
    };
    let mode = mode_of(&mime, blob.bytes);
    Card {
        file_name: name::safe(blob.file_name.as_deref(), &blob.path, ending),
        mime,
        mode,
        note,
        options: Vec::new(),
    }
}

/// A MIME type without its parameters.
fn essence(mime: &str) -> String {
    mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether a declared type may stand for what the bytes say: containers hold many types.
fn agree(found: Kind, declared: &str) -> bool {
    if found.mime == declared {
        return true;
    }
    match found.mime {
        "application/zip" => {
            declared.contains("zip") || declared.contains("openxml") || declared.contains("opendocument")
        }
        "application/x-ole-storage" => {
            declared.starts_with("application/vnd.ms-") || declared == "application/msword"
        }
        "application/xml" | "image/svg+xml" => declared.ends_with("xml"),
        "video/mp4" | "audio/mp4" | "video/quicktime" => {
            ["video/mp4", "audio/mp4", "video/quicktime"].contains(&declared)
        }
        "video/webm" => declared == "video/x-matroska" || declared == "audio/webm",
        "audio/ogg" => declared == "video/ogg" || declared == "audio/opus" || declared == "application/ogg",
        "image/jpeg" => declared == "image/jpg",
        _ => false,
    }
}

/// Programs leave as downloads only, so that no client shows or runs a part of one; so do very large blobs.
fn mode_of(mime: &str, bytes: Option<u32>) -> Mode {
    let is_program = matches!(
        mime,
        "application/x-executable"
            | "application/x-msdownload"
            | "application/x-mach-binary"
            | "application/wasm"
            | "text/x-shellscript"
            | "text/html"
            | "image/svg+xml"
    );
    if is_program || bytes.is_some_and(|bytes| bytes > WINDOWED) { Mode::DownloadOnly } else { Mode::Window }
}

/// Whether the first bytes are text: valid UTF-8, up to a character that the cut may have torn, without control codes.
fn is_text(head: &[u8]) -> bool {
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    !valid.is_empty() && !valid.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
}

/// The component.
#[derive(Debug)]
pub struct BinaryExport;

impl Guest for BinaryExport {
    fn describe(blob: BlobShape, _context: Context) -> Result<Card, Fault> {
        Ok(describe(&blob))
    }
}

stepwell_sdk::binary_export::export!(BinaryExport);

#[cfg(test)]
mod tests {
    use super::*;

    fn card(mime: Option<&str>, name: Option<&str>, head: &[u8]) -> (String, String, Mode, bool) {
        let card = describe(&BlobShape {
            path: "content".into(),
            mime: mime.map(Into::into),
            bytes: Some(1_000),
            file_name: name.map(Into::into),
            head: head.to_vec(),
            options: Vec::new(),
        });
        (card.file_name, card.mime, card.mode, card.note.is_some())
    }

    #[test]
    fn the_bytes_win_over_a_lie_and_a_container_keeps_its_declared_type() {
        let lie = card(Some("image/png"), Some("cat.png"), b"MZ\x90\0");
        assert_eq!(lie, ("cat.exe".into(), "application/x-msdownload".into(), Mode::DownloadOnly, true));
        let sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
        let docx = card(Some(sheet), Some("a.xlsx"), b"PK\x03\x04 _rels/");
        assert_eq!(docx, ("a.xlsx".into(), sheet.into(), Mode::Window, false));
    }

    #[test]
    fn without_a_declared_type_the_bytes_decide() {
        assert_eq!(
            card(None, None, b"%PDF-1.4"),
            ("content.pdf".into(), "application/pdf".into(), Mode::Window, false)
        );
        assert_eq!(card(None, Some("x"), "caf\u{e9}".as_bytes()).1, "text/plain");
        assert_eq!(card(None, Some("x"), &"é".as_bytes()[..1]).1, "application/octet-stream");
        assert_eq!(card(None, None, b"\0\x01\x02").0, "content.bin");
    }

    #[test]
    fn parameters_and_case_of_a_declared_type_do_not_matter() {
        assert_eq!(card(Some("Text/CSV; charset=utf-8"), Some("t.csv"), b"a,b").1, "text/csv");
        assert_eq!(card(Some("image/jpg"), Some("p.jpg"), b"\xff\xd8\xff\xe0").1, "image/jpg");
    }

    #[test]
    fn a_very_large_blob_is_a_download() {
        assert_eq!(mode_of("image/png", Some(u32::MAX)), Mode::DownloadOnly);
        assert_eq!(mode_of("image/png", None), Mode::Window);
    }
}

//! MIME types by first bytes.

/// A type that the first bytes give away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// The MIME type.
    pub(crate) mime: &'static str,
    /// The usual ending of a file name.
    pub(crate) ending: &'static str,
}

const fn kind(mime: &'static str, ending: &'static str) -> Kind {
    Kind { mime, ending }
}

/// Types by what they start with. Longer, more telling beginnings stand first.
const STARTS: &[(&[u8], Kind)] = &[
    (b"\x89PNG\r\n\x1a\n", kind("image/png", "png")),
    (b"\xff\xd8\xff", kind("image/jpeg", "jpg")),
    (b"GIF87a", kind("image/gif", "gif")),
    (b"GIF89a", kind("image/gif", "gif")),
    (b"II*\0", kind("image/tiff", "tif")),
    (b"MM\0*", kind("image/tiff", "tif")),
    (b"%PDF-", kind("application/pdf", "pdf")),
    (b"{\\rtf", kind("application/rtf", "rtf")),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", kind("application/x-ole-storage", "doc")),
    (b"7z\xbc\xaf\x27\x1c", kind("application/x-7z-compressed", "7z")),
    (b"Rar!\x1a\x07", kind("application/vnd.rar", "rar")),
    (b"\x1f\x8b", kind("application/gzip", "gz")),
    (b"BZh", kind("application/x-bzip2", "bz2")),
    (b"\x28\xb5\x2f\xfd", kind("application/zstd", "zst")),
    (b"\xfd7zXZ\0", kind("application/x-xz", "xz")),
    (b"OggS", kind("audio/ogg", "ogg")),
    (b"fLaC", kind("audio/flac", "flac")),
    (b"ID3", kind("audio/mpeg", "mp3")),
    (b"\xff\xfb", kind("audio/mpeg", "mp3")),
    (b"\xff\xf3", kind("audio/mpeg", "mp3")),
    (b"#!AMR", kind("audio/amr", "amr")),
    (b"\x1aE\xdf\xa3", kind("video/webm", "webm")),
    (b"SQLite format 3\0", kind("application/vnd.sqlite3", "sqlite")),
    (b"\x7fELF", kind("application/x-executable", "bin")),
    (b"MZ", kind("application/x-msdownload", "exe")),
    (b"\xca\xfe\xba\xbe", kind("application/x-mach-binary", "bin")),
    (b"\xcf\xfa\xed\xfe", kind("application/x-mach-binary", "bin")),
    (b"\0asm", kind("application/wasm", "wasm")),
    (b"#!", kind("text/x-shellscript", "sh")),
];

/// Recognises a type by its first bytes.
#[must_use]
pub(crate) fn sniff(head: &[u8]) -> Option<Kind> {
    if let Some(found) = container(head) {
        return Some(found);
    }
    if let Some((_, found)) = STARTS.iter().find(|(start, _)| head.starts_with(start)) {
        return Some(*found);
    }
    markup(head)
}

/// Families that tell their type a few bytes in: RIFF, ISO media, ZIP, BMP.
fn container(head: &[u8]) -> Option<Kind> {
    let at = |from: usize, to: usize| head.get(from..to).unwrap_or_default();
    match (at(0, 4), at(8, 12)) {
        (b"RIFF", b"WEBP") => return Some(kind("image/webp", "webp")),
        (b"RIFF", b"WAVE") => return Some(kind("audio/wav", "wav")),
        (b"RIFF", b"AVI ") => return Some(kind("video/x-msvideo", "avi")),
        _ => {}
    }
    if at(4, 8) == b"ftyp" {
        return Some(match at(8, 12) {
            b"heic" | b"heix" | b"mif1" | b"hevc" => kind("image/heic", "heic"),
            b"avif" | b"avis" => kind("image/avif", "avif"),
            b"M4A " | b"M4B " => kind("audio/mp4", "m4a"),
            b"qt  " => kind("video/quicktime", "mov"),
            brand if brand.starts_with(b"3g") => kind("video/3gpp", "3gp"),
            _ => kind("video/mp4", "mp4"),
        });
    }
    if at(0, 2) == b"BM" && head.len() >= 14 && at(6, 10) == [0; 4] {
        return Some(kind("image/bmp", "bmp"));
    }
    head.starts_with(b"PK\x03\x04").then(|| zip(head))
}

/// What is in a ZIP: office files name their type in the first entries.
fn zip(head: &[u8]) -> Kind {
    let has = |needle: &[u8]| head.windows(needle.len()).any(|window| window == needle);
    if has(b"mimetypeapplication/epub+zip") {
        kind("application/epub+zip", "epub")
    } else if has(b"mimetypeapplication/vnd.oasis.opendocument.text") {
        kind("application/vnd.oasis.opendocument.text", "odt")
    } else if has(b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet") {
        kind("application/vnd.oasis.opendocument.spreadsheet", "ods")
    } else if has(b"word/") {
        kind("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx")
    } else if has(b"xl/") {
        kind("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx")
    } else if has(b"ppt/") {
        kind("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx")
    } else {
        kind("application/zip", "zip")
    }
}

/// Text formats with a tell-tale beginning.
fn markup(head: &[u8]) -> Option<Kind> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let start: Vec<u8> = head.iter().take(256).map(u8::to_ascii_lowercase).collect();
    let has = |needle: &[u8]| start.windows(needle.len()).any(|window| window == needle);
    if start.starts_with(b"<!doctype html") || start.starts_with(b"<html") || start.starts_with(b"<script") {
        return Some(kind("text/html", "html"));
    }
    if start.starts_with(b"<svg") || (start.starts_with(b"<?xml") && has(b"<svg")) {
        return Some(kind("image/svg+xml", "svg"));
    }
    if start.starts_with(b"<?xml") {
        return Some(kind("application/xml", "xml"));
    }
    if start.starts_with(b"begin:vcard") {
        return Some(kind("text/vcard", "vcf"));
    }
    if start.starts_with(b"begin:vcalendar") {
        return Some(kind("text/calendar", "ics"));
    }
    None
}

/// The usual ending for a declared type.
#[must_use]
pub(crate) fn ending_of(mime: &str) -> &'static str {
    match mime {
        "text/plain" => "txt",
        "text/csv" => "csv",
        "text/markdown" => "md",
        "application/json" => "json",
        "message/rfc822" => "eml",
        "application/msword" => "doc",
        "application/vnd.ms-excel" => "xls",
        "image/svg+xml" => "svg",
        "text/html" => "html",
        "application/zip" => "zip",
        _ => STARTS.iter().find(|(_, kind)| kind.mime == mime).map_or("bin", |(_, kind)| kind.ending),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_common_types() {
        for (head, mime) in [
            (&b"\x89PNG\r\n\x1a\nxxxx"[..], "image/png"),
            (b"\xff\xd8\xff\xe0", "image/jpeg"),
            (b"%PDF-1.7", "application/pdf"),
            (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
            (b"\0\0\0\x18ftypheic", "image/heic"),
            (b"\0\0\0\x18ftypisom", "video/mp4"),
            (
                b"PK\x03\x04 [Content_Types].xml word/document.xml",
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            ),
            (b"PK\x03\x04 a.txt", "application/zip"),
            (b"  <!DOCTYPE HTML>", "text/html"),
            (b"\xef\xbb\xbf<?xml version='1.0'?><svg>", "image/svg+xml"),
            (b"BEGIN:VCARD", "text/vcard"),
        ] {
            assert_eq!(sniff(head).map(|kind| kind.mime), Some(mime));
        }
        assert_eq!(sniff(b""), None);
        assert_eq!(sniff(b"just words"), None);
        assert_eq!(sniff(b"BM"), None);
    }

    #[test]
    fn endings_of_declared_types() {
        assert_eq!(
            [ending_of("application/pdf"), ending_of("text/csv"), ending_of("x/y")],
            ["pdf", "csv", "bin"]
        );
    }
}

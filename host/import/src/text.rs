//! Bytes as text, whatever they were written in.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Reads text: by its byte order mark if it has one, else as UTF-8, else as what old Windows and web pages wrote.
pub(crate) fn decode(bytes: &[u8]) -> String {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0.into_owned();
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        // One broken byte in a long UTF-8 text is damage; many are another encoding.
        Err(_) if is_mostly_utf8(bytes) => UTF_8.decode_without_bom_handling(bytes).0.into_owned(),
        Err(_) => WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
    }
}

/// Whether bytes are text at all, judged by their beginning.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    if Encoding::for_bom(bytes).is_some() {
        return true;
    }
    let head = &bytes[..bytes.len().min(8_192)];
    let odd = head.iter().filter(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31)).count();
    odd * 50 <= head.len()
}

/// Whether there are more whole characters beyond ASCII than broken ones.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut whole, mut broken) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        whole += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    whole > broken
}

/// The text of a page of HTML.
pub(crate) fn of_html(html: &str) -> String {
    mail_parser::decoders::html::html_to_text(html).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_encodings_that_files_have() {
        assert_eq!(decode("Zürich".as_bytes()), "Zürich");
        assert_eq!(decode(b"\xef\xbb\xbfZ\xc3\xbcrich"), "Zürich");
        assert_eq!(decode(b"Z\xfcrich \x96 \x80"), "Zürich – €");
        assert_eq!(decode(b"\xff\xfeZ\0\xfc\0"), "Zü");
        assert_eq!(decode(b"\xfe\xff\0Z\0\xfc"), "Zü");
        assert_eq!(
            decode("Zürich, Köln, Århus \u{fffd}".as_bytes().strip_suffix(b"\xbd").unwrap()),
            "Zürich, Köln, Århus \u{fffd}"
        );
        assert!(is_text(b"plain\ttext\r\n") && is_text("日本".as_bytes()) && is_text(b""));
        assert!(!is_text(b"\x7fELF\x02\x01\x01\0\0\0\0\0"));
    }
}

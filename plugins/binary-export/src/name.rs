//! File names that are safe to write anywhere.

use stepwell_sdk::text::prefix;

/// A name is at most this long, in bytes, ending included.
const LONGEST: usize = 120;

/// Names that some systems take for devices, whatever their ending.
const DEVICES: &[&str] =
    &["con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "lpt1", "lpt2", "lpt3"];

/// Makes a name out of a hostile one: no folders, no control or bidi characters, no leading dots, and the ending that
/// fits the type, so that a program is not called `photo.jpg`.
#[must_use]
pub(crate) fn safe(declared: Option<&str>, path: &str, ending: &str) -> String {
    let stem = declared.map(cleaned).filter(|name| !name.is_empty()).unwrap_or_else(|| cleaned(path));
    let stem = if stem.is_empty() { "blob".to_owned() } else { stem };
    let (stem, own) = match stem.rsplit_once('.') {
        Some((stem, own)) if !stem.is_empty() && (1..=5).contains(&own.len()) && is_plain(own) => {
            (stem, Some(own))
        }
        _ => (stem.as_str(), None),
    };
    let ending = match own {
        // Many types have several endings; only one that belongs to another type is replaced.
        Some(own) if ending == "bin" || alike(own, ending) => own.to_owned(),
        _ => ending.to_owned(),
    };
    let stem = prefix(stem, LONGEST - ending.len() - 1).trim_end_matches(['.', ' ']);
    let stem = if DEVICES.contains(&stem.to_ascii_lowercase().as_str()) {
        format!("_{stem}")
    } else {
        stem.to_owned()
    };
    format!("{stem}.{ending}")
}

fn is_plain(ending: &str) -> bool {
    ending.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Whether two endings are used for the same type.
fn alike(a: &str, b: &str) -> bool {
    const FAMILIES: &[&[&str]] = &[
        &["jpg", "jpeg", "jpe"],
        &["tif", "tiff"],
        &["htm", "html", "xhtml"],
        &["txt", "md", "log", "text", "csv", "eml"],
        &["doc", "xls", "ppt", "msg"],
        &["zip", "docx", "xlsx", "pptx", "odt", "ods", "epub", "jar"],
        &["mp4", "m4v", "mov"],
        &["webm", "mkv"],
        &["ogg", "oga", "opus"],
        &["gz", "tgz"],
        &["xml", "gpx", "kml", "rss"],
    ];
    let (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
    a == b || FAMILIES.iter().any(|family| family.contains(&a.as_str()) && family.contains(&b.as_str()))
}

/// The last part of a path without what no file system or terminal should see.
fn cleaned(name: &str) -> String {
    let last =
        name.rsplit(['/', '\\']).find(|part| !part.trim_matches(['.', ' ']).is_empty()).unwrap_or_default();
    let safe: String = last
        .chars()
        .filter(|c| !c.is_control() && !is_bidi(*c))
        .map(|c| if "<>:\"|?*%;`$".contains(c) { '_' } else { c })
        .collect();
    safe.trim_matches(['.', ' ']).to_owned()
}

fn is_bidi(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{61c}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_become_harmless() {
        for (declared, ending, expected) in [
            ("../../etc/passwd", "bin", "passwd.bin"),
            ("C:\\Users\\me\\cv.docx", "docx", "cv.docx"),
            ("photo\u{202e}gpj.exe", "exe", "photogpj.exe"),
            ("holiday.jpg", "exe", "holiday.exe"),
            ("scan.JPEG", "jpg", "scan.JPEG"),
            (".bashrc", "sh", "bashrc.sh"),
            ("con.txt", "txt", "_con.txt"),
            ("a<b>:c\u{0}.pdf", "pdf", "a_b__c.pdf"),
            ("", "pdf", "data.pdf"),
            ("...", "pdf", "data.pdf"),
        ] {
            assert_eq!(safe(Some(declared), "data", ending), expected);
        }
        assert_eq!(safe(None, "/files/0/content", "png"), "content.png");
        assert_eq!(safe(None, "/", "png"), "blob.png");
        assert!(safe(Some(&"é".repeat(500)), "x", "pdf").len() <= LONGEST);
    }
}

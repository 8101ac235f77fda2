//! Names inside an archive: safe on every file system, and no two of them alike.

use std::collections::HashSet;
use stepwell_tiers::check::file_name;

/// How much of a tag stands in a name: enough that nobody meets two by chance.
const SHORT: usize = 12;

/// The names that are taken. Some file systems take upper and lower case for the same, so they are compared without.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// A name for what has a name of its own, such as a stream: that name if every file system can hold it and it is free,
    /// else one with a part of the tag.
    pub(super) fn plain(&mut self, folder: &str, wanted: &str, ending: &str, tag: &str) -> String {
        let safe = file_name(wanted);
        let path = format!("{folder}{safe}{ending}");
        if safe == wanted && safe.is_ascii() && self.take(&path) {
            return path;
        }
        self.first_free(
            [SHORT, tag.len()].map(|length| format!("{folder}{safe}-{}{ending}", cut(tag, length))),
        )
    }

    /// A name for a file: what it was called, with a part of its tag. The whole tag if somebody made two files whose names
    /// would be alike.
    pub(super) fn tagged(&mut self, folder: &str, wanted: &str, tag: &str) -> String {
        let safe = file_name(wanted);
        let (stem, ending) = match safe.rfind('.') {
            Some(dot) if dot > 0 && safe.len() - dot <= 16 => safe.split_at(dot),
            _ => (safe.as_str(), ""),
        };
        // With a whole tag and the folder the name still fits into 255 bytes.
        let stem = stem[..stem.floor_char_boundary(150)].trim_end_matches(['.', ' ']);
        self.first_free(
            [SHORT, tag.len()].map(|length| format!("{folder}{stem}-{}{ending}", cut(tag, length))),
        )
    }

    /// Tags differ, so the name with the whole tag is free; if it is not, the tag is not one.
    fn first_free(&mut self, [short, whole]: [String; 2]) -> String {
        if self.take(&short) {
            return short;
        }
        self.take(&whole);
        whole
    }

    fn take(&mut self, path: &str) -> bool {
        self.taken.insert(path.to_lowercase())
    }
}

fn cut(tag: &str, length: usize) -> &str {
    &tag[..tag.floor_char_boundary(length)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAG: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[test]
    fn no_name_leaves_its_folder() {
        let mut names = Names::default();
        for wanted in [
            "../../etc/passwd",
            "..\\..\\boot.ini",
            "/etc/passwd",
            "a/../b",
            "C:\\x",
            "con",
            "",
            "..",
            ".hidden",
            "a\0b\n.txt",
        ] {
            for path in [names.tagged("files/", wanted, TAG), names.plain("records/", wanted, ".ndjson", TAG)]
            {
                let (folder, name) = path.split_once('/').unwrap();
                assert!(matches!(folder, "files" | "records"), "{path}");
                assert!(!name.contains(['/', '\\', ':', '\0', '\n']) && !name.starts_with('.'), "{path}");
                assert!(!name.contains(".."), "{path}");
            }
        }
    }

    #[test]
    fn a_file_keeps_its_name_and_ending() {
        let mut names = Names::default();
        assert_eq!(
            names.tagged("files/", "Plan of Zürich.pdf", TAG),
            "files/Plan of Zürich-0123456789ab.pdf"
        );
        assert_eq!(names.tagged("files/", "README", TAG), "files/README-0123456789ab");
        let long = names.tagged("files/", &format!("{}.docx", "ü".repeat(4_000)), TAG);
        assert!(long.len() < 250 && long.ends_with("-0123456789ab.docx"), "{long}");
    }

    #[test]
    fn names_that_would_be_alike_are_told_apart() {
        let mut names = Names::default();
        let other = format!("0123456789ab{}", "f".repeat(52));
        let [one, two] = [names.tagged("f/", "A.pdf", TAG), names.tagged("f/", "a.PDF", &other)];
        assert_eq!(one, "f/A-0123456789ab.pdf");
        assert_eq!(two, format!("f/a-{other}.PDF"));
        assert_eq!(names.plain("r/", "Mail", ".ndjson", TAG), "r/Mail.ndjson");
        assert_eq!(names.plain("r/", "mail", ".ndjson", TAG), "r/mail-0123456789ab.ndjson");
        assert_eq!(names.plain("r/", "naïve", ".ndjson", TAG), "r/naïve-0123456789ab.ndjson");
    }
}

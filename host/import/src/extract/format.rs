//! Which files have a text that does not lie open.

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Portable Document Format.
    Pdf,
    /// A document of Word, since 2007.
    Docx,
}

impl Format {
    /// Tells a file by how it begins and what it is said to be. Its beginning counts more: anybody can say anything.
    #[must_use]
    pub fn of(file: &[u8], mime: &str, name: Option<&str>) -> Option<Self> {
        let ends = |ending: &str| name.is_some_and(|name| name.to_ascii_lowercase().ends_with(ending));
        let is_word = mime.contains("wordprocessingml") || ends(".docx");
        // A PDF may have something before it.
        match file {
            _ if file[..file.len().min(1_024)].windows(5).any(|bytes| bytes == b"%PDF-") => Some(Self::Pdf),
            [b'P', b'K', 3, 4, ..] if is_word => Some(Self::Docx),
            _ => None,
        }
    }

    /// Its name between the two processes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Docx => "docx",
        }
    }

    /// Its media type.
    #[must_use]
    pub const fn mime(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        }
    }
}

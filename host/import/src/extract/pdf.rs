//! The text of a PDF, page by page.

/// The text; none if it is no PDF that can be read. A parser that panics ends its process, which is there for that.
pub(super) fn text(file: &[u8]) -> Option<String> {
    let pages = pdf_extract::extract_text_from_mem_by_pages(file).ok()?;
    let pages: Vec<String> = pages.iter().map(|page| tidy(page)).filter(|page| !page.is_empty()).collect();
    Some(pages.join("\n\n"))
}

/// Takes away the space around lines, and all but one of several blank ones: pages are full of both.
fn tidy(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    let mut blank = true;
    for line in page.lines().map(str::trim) {
        if line.is_empty() && blank {
            continue;
        }
        blank = line.is_empty();
        out.push_str(line);
        out.push('\n');
    }
    out.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_tidied() {
        assert_eq!(tidy("\n\n  A title \n\n\n\nText\nmore\n\n"), "A title\n\nText\nmore");
    }
}

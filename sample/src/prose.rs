//! Text as it stands in the source, turned into text as it stands in a letter.

/// Re-flows an indented literal: the lines of a paragraph are joined, a blank line parts two paragraphs, and a line that
/// starts with `-`, `>` or `|` keeps its place. A phrase is thus never broken where the source happens to wrap.
pub(crate) fn reflow(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut fresh = true;
    for line in source.trim().lines().map(str::trim) {
        if line.is_empty() {
            text.push_str("\n\n");
            fresh = true;
            continue;
        }
        if !fresh {
            text.push(if line.starts_with(['-', '>', '|']) { '\n' } else { ' ' });
        }
        text.push_str(line);
        fresh = false;
    }
    text
}

/// Says the same in HTML, as a mail program would send it beside the plain text.
pub(crate) fn html(text: &str) -> String {
    let mut page = String::from("<html><body>");
    for paragraph in text.split("\n\n") {
        page.push_str("<p>");
        for piece in paragraph.chars() {
            match piece {
                '&' => page.push_str("&amp;"),
                '<' => page.push_str("&lt;"),
                '>' => page.push_str("&gt;"),
                '\n' => page.push_str("<br>"),
                other => page.push(other),
            }
        }
        page.push_str("</p>");
    }
    page.push_str("</body></html>");
    page
}

/// Writes whole cents as people write euros: `1486000` as `14,860.00`.
pub(crate) fn euros(cents: u64) -> String {
    let (whole, rest) = (cents / 100, cents % 100);
    if whole < 1000 {
        format!("{whole}.{rest:02}")
    } else {
        format!("{},{:03}.{rest:02}", whole / 1000, whole % 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reflows_paragraphs_and_keeps_lists() {
        let text = reflow("\n    Dear you,\n\n    one\n    two\n    - three\n    - four\n");
        assert_eq!(text, "Dear you,\n\none two\n- three\n- four");
    }

    #[test]
    fn escapes_what_html_would_swallow() {
        assert_eq!(html("a <b>\n\n& c"), "<html><body><p>a &lt;b&gt;</p><p>&amp; c</p></body></html>");
    }
}

//! Plain text whose lines were broken for the journey (`format=flowed`, RFC 3676), as it was written.

/// Joins the lines that a space at their end joins. A space is put away that was put before a line to protect it.
pub(super) fn joined(text: &str, is_space_kept: bool) -> String {
    let mut out = String::with_capacity(text.len());
    // How deep the line before was quoted, if this one may go on with it.
    let mut open: Option<usize> = None;
    for line in text.lines() {
        let depth = line.bytes().take_while(|byte| *byte == b'>').count();
        let said = &line[depth..];
        let said = said.strip_prefix(' ').unwrap_or(said);
        // The line before a signature ends with a space and is no other line's beginning.
        let is_signature = said == "-- ";
        // An empty line ends a paragraph, also after one that some programs leave open.
        let goes_on = open == Some(depth) && !is_signature && !said.is_empty();
        if !goes_on {
            if !out.is_empty() {
                out.push('\n');
            }
            out.extend(std::iter::repeat_n('>', depth));
            if depth > 0 && !said.is_empty() {
                out.push(' ');
            }
        }
        let is_open = said.ends_with(' ') && !is_signature;
        out.push_str(if is_open && !is_space_kept { &said[..said.len() - 1] } else { said });
        open = is_open.then_some(depth);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_breaks_go_and_hard_ones_stay() {
        for (sent, written) in [
            ("one \ntwo\nthree", "one two\nthree"),
            ("> quoted \n> on\n>> deeper \n> back\nown", "> quoted on\n>> deeper \n> back\nown"),
            ("a \n-- \nIlse", "a \n-- \nIlse"),
            (" From here\n >no quote", "From here\n>no quote"),
            ("a\n\nb", "a\n\nb"),
            ("", ""),
        ] {
            assert_eq!(joined(sent, true), written, "{sent:?}");
        }
        assert_eq!(joined("日本 \n語", false), "日本語");
    }
}

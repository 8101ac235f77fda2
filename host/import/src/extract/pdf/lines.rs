//! Puts glyphs together to words and lines, by where they stand.

/// How far apart glyphs stand that are two words, in parts of the font's size; and two columns.
const WORD_GAP: f64 = 0.17;
const COLUMN_GAP: f64 = 3.0;
/// How far above or below the last glyph another line begins, and a paragraph.
const LINE_GAP: f64 = 0.5;
const PARAGRAPH_GAP: f64 = 1.9;

/// The text so far.
#[derive(Debug, Default)]
pub(super) struct Lines {
    text: String,
    last: Option<Last>,
}

/// Where the last glyph ended.
#[derive(Clone, Copy, Debug)]
struct Last {
    end: (f64, f64),
    /// Where its line leads, as a step of length 1.
    along: (f64, f64),
    size: f64,
}

impl Lines {
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Adds a glyph that stands at a place and leads so far, of a font that is so high there.
    pub(super) fn put(&mut self, glyph: &str, at: (f64, f64), step: (f64, f64), size: f64) {
        let length = step.0.hypot(step.1);
        let along = if length > 0.0 { (step.0 / length, step.1 / length) } else { (1.0, 0.0) };
        if glyph.trim().is_empty() {
            // Spaces are told from the gap that they leave; those at the end of a line are none.
            if let Some(last) = &mut self.last
                && glyph.contains(char::is_whitespace)
                && !self.text.ends_with(char::is_whitespace)
                && is_on_line(last, at, size)
            {
                self.text.push(' ');
                last.end = (at.0 + step.0, at.1 + step.1);
            }
            return;
        }
        if let Some(last) = self.last {
            self.separate(last, at, along, size);
        }
        self.text.push_str(glyph);
        self.last = Some(Last { end: (at.0 + step.0, at.1 + step.1), along, size });
    }

    /// What stands between the last glyph and the next.
    fn separate(&mut self, last: Last, at: (f64, f64), along: (f64, f64), size: f64) {
        let turned = last.along.0 * along.0 + last.along.1 * along.1 < 0.9;
        let (on, off) = apart(&last, at);
        let size = size.min(last.size).max(1e-6);
        if turned || off > LINE_GAP * size {
            let is_paragraph = turned || off > PARAGRAPH_GAP * last.size.max(size);
            self.end_line(is_paragraph);
        } else if on < -COLUMN_GAP * size {
            // Back on the same line: another cell of a table, or another column.
            self.end_line(false);
        } else if on > COLUMN_GAP * size {
            self.gap('\t');
        } else if on > WORD_GAP * size {
            self.gap(' ');
        }
    }

    fn gap(&mut self, with: char) {
        let has_space = self.text.ends_with(' ');
        if has_space && with == '\t' {
            self.text.pop();
        }
        if !self.text.ends_with(char::is_whitespace) {
            self.text.push(with);
        }
    }

    fn end_line(&mut self, is_paragraph: bool) {
        self.text.truncate(self.text.trim_end_matches([' ', '\t']).len());
        let wanted = if is_paragraph { "\n\n" } else { "\n" };
        if !self.text.is_empty() && !self.text.ends_with(wanted) {
            self.text.push('\n');
            if is_paragraph && !self.text.ends_with(wanted) {
                self.text.push('\n');
            }
        }
    }

    pub(super) fn end_page(&mut self) {
        self.end_line(true);
        self.last = None;
    }

    pub(super) fn finish(self) -> String {
        self.text.trim().to_owned()
    }
}

/// How far a place is from the end of the last glyph: along its line, and away from it.
fn apart(last: &Last, at: (f64, f64)) -> (f64, f64) {
    let (x, y) = (at.0 - last.end.0, at.1 - last.end.1);
    let on = x * last.along.0 + y * last.along.1;
    let off = (x * last.along.1 - y * last.along.0).abs();
    (on, off)
}

fn is_on_line(last: &Last, at: (f64, f64), size: f64) -> bool {
    let (on, off) = apart(last, at);
    off <= LINE_GAP * size && on > -COLUMN_GAP * size
}

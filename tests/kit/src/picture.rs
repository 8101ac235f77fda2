//! A picture of a terminal: what a program printed, colours included, as SVG made of text.

use std::fmt::Write as _;

/// The width of a character's cell and the height of a line.
const CELL: (f64, f64) = (8.4, 18.0);
/// The room around the text, and the height of the bar above it.
const EDGE: (f64, f64) = (16.0, 34.0);

/// How characters look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Look {
    bold: bool,
    dim: bool,
    colour: Option<u8>,
}

impl Look {
    /// Takes up what an escape sequence for looks says.
    fn take(&mut self, codes: &str) {
        for code in codes.split(';') {
            match code.parse::<u8>() {
                Err(_) | Ok(0) => *self = Self::default(),
                Ok(1) => self.bold = true,
                Ok(2) => self.dim = true,
                Ok(22) => (self.bold, self.dim) = (false, false),
                Ok(39) => self.colour = None,
                Ok(colour @ (30..=37 | 90..=97)) => self.colour = Some(colour % 10),
                Ok(_) => {}
            }
        }
    }

    fn fill(self) -> &'static str {
        match (self.colour, self.dim, self.bold) {
            (Some(1), ..) => "#f07178",
            (Some(2), ..) => "#a5d67b",
            (Some(3), ..) => "#ffcb6b",
            (Some(4), ..) => "#82aaff",
            (Some(6), ..) => "#89ddff",
            (_, true, _) => "#8a93a6",
            (_, _, true) => "#ffffff",
            _ => "#d5d9e2",
        }
    }
}

/// A stretch of characters that look alike, and the cell that it starts in.
#[derive(Debug, PartialEq)]
struct Stretch {
    at: usize,
    cells: usize,
    text: String,
    look: Look,
}

/// Draws what a terminal of so many columns shows of a text. A longer line is cut, and so are lines after the last row.
#[must_use]
pub fn draw(text: &str, columns: usize, rows: usize) -> String {
    let mut look = Look::default();
    let mut lines: Vec<Vec<Stretch>> =
        text.trim_end().lines().map(|line| stretches(line, columns, &mut look)).collect();
    if lines.len() > rows {
        lines.truncate(rows.saturating_sub(1));
        let dim = Look { dim: true, ..Look::default() };
        lines.push(vec![Stretch { at: 0, cells: 1, text: "…".to_owned(), look: dim }]);
    }
    let (width, height) =
        (columns as f64 * CELL.0 + 2.0 * EDGE.0, lines.len() as f64 * CELL.1 + EDGE.0 + EDGE.1);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#1b1e28\"/>\n"
    );
    for (dot, colour) in ["#f07178", "#ffcb6b", "#a5d67b"].iter().enumerate() {
        let _ = writeln!(svg, "<circle cx=\"{}\" cy=\"17\" r=\"5.5\" fill=\"{colour}\"/>", 20 + 18 * dot);
    }
    for (row, line) in lines.iter().enumerate() {
        let y = EDGE.1 + (row as f64 + 0.75) * CELL.1;
        for Stretch { at, cells, text, look } in line.iter().filter(|stretch| !stretch.text.trim().is_empty())
        {
            let (x, length) = (EDGE.0 + *at as f64 * CELL.0, *cells as f64 * CELL.0);
            let weight = if look.bold { " font-weight=\"bold\"" } else { "" };
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{length:.1}\" lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\" fill=\"{}\"{weight}>{}</text>",
                look.fill(),
                escaped(text)
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn stretches(line: &str, columns: usize, look: &mut Look) -> Vec<Stretch> {
    let (mut all, mut at): (Vec<Stretch>, usize) = (Vec::new(), 0);
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            let sequence: String = rest.by_ref().take_while(|c| !c.is_ascii_alphabetic()).collect();
            look.take(sequence.trim_start_matches('['));
            continue;
        }
        let cells = if is_wide(c) { 2 } else { 1 };
        let c = if at + cells >= columns { '…' } else { c };
        match all.last_mut().filter(|last| last.look == *look) {
            Some(last) => {
                last.text.push(c);
                last.cells += cells;
            }
            None => all.push(Stretch { at, cells, text: c.to_string(), look: *look }),
        }
        at += cells;
        if at >= columns {
            // The looks of what is cut off still count for the lines below.
            while rest.by_ref().any(|c| c == '\u{1b}') {
                let sequence: String = rest.by_ref().take_while(|c| !c.is_ascii_alphabetic()).collect();
                look.take(sequence.trim_start_matches('['));
            }
            break;
        }
    }
    all
}

/// Whether a character takes two cells: the scripts of East Asia, and pictures.
fn is_wide(c: char) -> bool {
    matches!(u32::from(c), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xff00..=0xff60 | 0x1f300..)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_cells_are_kept() {
        let mut look = Look::default();
        let line = stretches("a \u{1b}[1mbold\u{1b}[0m \u{1b}[2m\u{1b}[32mx", 80, &mut look);
        let seen: Vec<(usize, &str)> =
            line.iter().map(|stretch| (stretch.at, stretch.text.as_str())).collect();
        assert_eq!(seen, [(0, "a "), (2, "bold"), (6, " "), (7, "x")]);
        assert!(line[1].look.bold && line[3].look == Look { bold: false, dim: true, colour: Some(2) });
    }

    #[test]
    fn what_does_not_fit_is_cut_and_nothing_is_markup() {
        let svg = draw("<script>&\nlong line here\nthree\nfour", 6, 3);
        assert!(svg.contains(">&lt;scri…<"), "{svg}");
        assert!(!svg.contains("<script") && !svg.contains("four") && svg.contains(">…</text>"), "{svg}");
        let mut look = Look::default();
        stretches("\u{1b}[1mabcdef\u{1b}[0m", 3, &mut look);
        assert_eq!(look, Look::default(), "a look that was cut off has ended");
    }
}

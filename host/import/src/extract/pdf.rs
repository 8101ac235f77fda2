//! The text of a PDF, in the order in which its pages draw it.
//!
//! A PDF holds no text but marks on a page: strings of codes of some font, each at a place. What a code means is looked up
//! in the font, and where a word or a line ends is told from the places.

mod encoding;
mod font;
mod glyphs;
mod lines;
mod matrix;
#[cfg(test)]
mod tests;

use super::NoText;
use crate::limits::TEXT_MAX;
use font::Font;
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction as Op;
use hayro_syntax::object::{Array, Dict, Name, Number, Object, ObjectIdentifier, Stream};
use hayro_syntax::page::Resources;
use hayro_syntax::{LoadPdfError, Pdf};
use lines::Lines;
use matrix::Matrix;
use std::collections::HashMap;
use std::rc::Rc;

/// How deep drawings may lie in drawings, and how many of them are followed: a page may draw one that draws ten others, and
/// so on.
const DEPTH: usize = 16;
const DRAWINGS: usize = 20_000;
/// How many states of the pen are kept for later.
const STATES: usize = 512;
/// Of how many chars there must be one that means something.
const MEANT: usize = 2;

/// The text of a file.
pub(super) fn text(file: Vec<u8>) -> Result<String, NoText> {
    let pdf = Pdf::new(file).map_err(|error| match error {
        LoadPdfError::Decryption(_) => NoText::Locked,
        LoadPdfError::Invalid => NoText::Broken,
    })?;
    let mut walk = Walk { lines: Lines::default(), fonts: HashMap::new(), drawings: 0 };
    for page in pdf.pages().iter() {
        let content = page.page_stream().unwrap_or_default();
        walk.draw(content, page.resources(), Matrix::IDENTITY, 0)?;
        walk.lines.end_page();
    }
    let text = walk.lines.finish();
    // Codes of which the fonts do not say what they mean are no text.
    let lost = text.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count();
    let meant = text.chars().filter(|c| !c.is_whitespace()).count() - lost;
    Ok(if lost * MEANT > meant { String::new() } else { text })
}

/// Goes through all that is drawn.
struct Walk {
    lines: Lines,
    fonts: HashMap<ObjectIdentifier, Rc<Font>>,
    drawings: usize,
}

/// How strings are set.
#[derive(Clone)]
struct Pen {
    /// From the page's own measure to the paper's.
    page: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    char_space: f64,
    word_space: f64,
    /// How wide glyphs are, where 1 is as they were drawn.
    stretch: f64,
    leading: f64,
    rise: f64,
}

impl Walk {
    /// Follows the operators of a page, or of a drawing in it.
    fn draw(
        &mut self,
        content: &[u8],
        resources: &Resources<'_>,
        page: Matrix,
        depth: usize,
    ) -> Result<(), NoText> {
        let mut pen = Pen {
            page,
            font: None,
            size: 0.0,
            char_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        let mut states: Vec<Pen> = Vec::new();
        let (mut at, mut line) = (Matrix::IDENTITY, Matrix::IDENTITY);
        let mut operators = TypedIter::new(content);
        while let Some(operator) = operators.next() {
            match operator {
                Op::SaveState(_) if states.len() < STATES => states.push(pen.clone()),
                Op::RestoreState(_) => pen = states.pop().unwrap_or(pen),
                Op::Transform(by) => {
                    pen.page = Matrix::of([by.0, by.1, by.2, by.3, by.4, by.5]).then(pen.page);
                }
                Op::BeginText(_) => (at, line) = (Matrix::IDENTITY, Matrix::IDENTITY),
                Op::TextFont(font) => {
                    pen.font = self.font(resources, font.0);
                    pen.size = font.1.as_f64();
                }
                Op::CharacterSpacing(by) => pen.char_space = by.0.as_f64(),
                Op::WordSpacing(by) => pen.word_space = by.0.as_f64(),
                Op::HorizontalScaling(by) => pen.stretch = by.0.as_f64() / 100.0,
                Op::TextLeading(by) => pen.leading = by.0.as_f64(),
                Op::TextRise(by) => pen.rise = by.0.as_f64(),
                Op::NextLine(by) => {
                    line = Matrix::moved(by.0.as_f64(), by.1.as_f64()).then(line);
                    at = line;
                }
                Op::NextLineAndSetLeading(by) => {
                    pen.leading = -by.1.as_f64();
                    line = Matrix::moved(by.0.as_f64(), by.1.as_f64()).then(line);
                    at = line;
                }
                Op::SetTextMatrix(to) => {
                    line = Matrix::of([to.0, to.1, to.2, to.3, to.4, to.5]);
                    at = line;
                }
                Op::NextLineUsingLeading(_) => {
                    line = Matrix::moved(0.0, -pen.leading).then(line);
                    at = line;
                }
                Op::ShowText(said) => self.show(said.0.as_bytes(), &pen, &mut at)?,
                Op::NextLineAndShowText(said) => {
                    line = Matrix::moved(0.0, -pen.leading).then(line);
                    at = line;
                    self.show(said.0.as_bytes(), &pen, &mut at)?;
                }
                Op::ShowTextWithParameters(said) => {
                    (pen.word_space, pen.char_space) = (said.0.as_f64(), said.1.as_f64());
                    line = Matrix::moved(0.0, -pen.leading).then(line);
                    at = line;
                    self.show(said.2.as_bytes(), &pen, &mut at)?;
                }
                Op::ShowTexts(said) => self.show_all(said.0, &pen, &mut at)?,
                Op::XObject(drawing) => self.drawing(resources, drawing.0, pen.page, depth)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Strings with steps between them, in thousandths of the font's size.
    fn show_all(&mut self, said: &Array<'_>, pen: &Pen, at: &mut Matrix) -> Result<(), NoText> {
        for item in said.iter::<Object<'_>>() {
            match item {
                Object::String(said) => self.show(said.as_bytes(), pen, at)?,
                Object::Number(back) => {
                    let step = -back.as_f64() / 1_000.0 * pen.size * pen.stretch;
                    *at = Matrix::moved(step, 0.0).then(*at);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn show(&mut self, codes: &[u8], pen: &Pen, at: &mut Matrix) -> Result<(), NoText> {
        let Some(font) = &pen.font else { return Ok(()) };
        for glyph in font.glyphs(codes) {
            let space = if glyph.is_space { pen.word_space } else { 0.0 };
            let step = (glyph.width * pen.size + pen.char_space + space) * pen.stretch;
            let drawn = (glyph.width * pen.size) * pen.stretch;
            let on_paper = Matrix::moved(0.0, pen.rise).then(*at).then(pen.page);
            let size = pen.size.abs() * on_paper.height();
            self.lines.put(&glyph.text, on_paper.origin(), on_paper.step(drawn), size);
            *at = Matrix::moved(step, 0.0).then(*at);
        }
        if self.lines.len() > TEXT_MAX { Err(NoText::Broken) } else { Ok(()) }
    }

    /// Follows a drawing that the page names. What it leads to is drawn where the pen stands.
    fn drawing(
        &mut self,
        resources: &Resources<'_>,
        name: &Name<'_>,
        page: Matrix,
        depth: usize,
    ) -> Result<(), NoText> {
        let Some(stream) = resources.get_x_object(name) else { return Ok(()) };
        let dict = stream.dict();
        if dict.get::<Name<'_>>("Subtype").is_none_or(|subtype| subtype.as_str() != "Form") {
            return Ok(());
        }
        self.drawings += 1;
        if depth == DEPTH || self.drawings > DRAWINGS {
            return Err(NoText::Broken);
        }
        let numbers: Vec<Number> = dict
            .get::<Array<'_>>("Matrix")
            .map(|list| list.iter::<Number>().take(6).collect())
            .unwrap_or_default();
        let own = <[Number; 6]>::try_from(numbers).map_or(Matrix::IDENTITY, Matrix::of);
        let Ok(content) = stream.decoded_data() else { return Ok(()) };
        match dict.get::<Dict<'_>>("Resources") {
            Some(inside) => self.draw(&content, &Resources::new(inside), own.then(page), depth + 1),
            None => self.draw(&content, resources, own.then(page), depth + 1),
        }
    }

    fn font(&mut self, resources: &Resources<'_>, name: &Name<'_>) -> Option<Rc<Font>> {
        let dict = resources.get_font(name)?;
        let Some(id) = dict.obj_id() else { return Some(Rc::new(Font::read(&dict))) };
        Some(Rc::clone(self.fonts.entry(id).or_insert_with(|| Rc::new(Font::read(&dict)))))
    }
}

/// The bytes of a stream that is no picture.
fn bytes(stream: &Stream<'_>) -> Option<Vec<u8>> {
    stream.decoded_data().ok().map(std::borrow::Cow::into_owned)
}

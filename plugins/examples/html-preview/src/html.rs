//! What an HTML text says.
//!
//! No parser, and none is needed: tags end at `>`, and a few elements hold no words. It looks at each character a fixed
//! number of times, whatever the text is like, because anybody may have written it.

use crate::entity;
use stepwell_sdk::Span;
use stepwell_sdk::text::chars;

/// Elements whose content is no text.
const SILENT: &[&str] =
    &["script", "style", "head", "template", "noscript", "svg", "math", "iframe", "object", "select"];
/// Elements that do not tear a word apart.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "big", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s", "small", "span",
    "strong", "sub", "sup", "tt", "u", "wbr",
];
/// Elements with which a text shows that it is HTML.
const TELLING: &[&str] =
    &["html", "head", "body", "div", "p", "table", "br", "span", "h1", "h2", "meta", "style", "script", "ul"];

/// Words, and the code point of the source up to which they go.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rendered {
    pub(crate) text: String,
    pub(crate) end: u32,
}

/// Whether a text begins as HTML does: with a declaration, or with a tag that only HTML has.
pub(crate) fn looks_like_it(head: &str) -> bool {
    let start = head.trim_start_matches('\u{feff}').trim_start();
    if !start.starts_with('<') {
        return false;
    }
    let is_declared = start.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("<!doctype"));
    is_declared || start.starts_with("<!--") || TELLING.contains(&&*name_of(start))
}

/// The words of a text, on one line, in at most `most` bytes, ending with a whole word.
pub(crate) fn render(source: &str, most: usize) -> Rendered {
    let mut words = Words { text: String::new(), most, is_due: false, whole: (0, 0), is_full: false };
    let mut scanner = Scanner { source, at: 0, quotes_are_broken: false };
    while let Some(token) = scanner.next() {
        match token {
            Token::Char(c) => words.push(c, scanner.at),
            Token::Gap => words.push(' ', scanner.at),
            Token::Nothing => {}
        }
        if words.is_full {
            break;
        }
    }
    words.finish(source)
}

/// What a page calls itself, and where it says so.
pub(crate) fn title(source: &str, most: usize) -> Option<(Span, String)> {
    let open = find_tag(source, 0, "<title")?;
    let from = open + source[open..].find('>')? + 1;
    let to = find_tag(source, from, "</title").unwrap_or(source.len());
    let said = render(&source[from..to], most).text;
    let start = chars(&source[..from]);
    (!said.is_empty()).then(|| (Span { start, end: start + chars(&source[from..to]) }, said))
}

/// Finds the beginning of a tag whatever its case, not that of a longer name.
fn find_tag(source: &str, from: usize, tag: &str) -> Option<usize> {
    let ends = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric());
    let bytes = source.as_bytes();
    let is_there = |at: &usize| {
        let end = at + tag.len();
        bytes.get(*at..end).is_some_and(|found| found.eq_ignore_ascii_case(tag.as_bytes()))
            && ends(bytes.get(end))
    };
    // A `<` is one byte and never part of another character.
    (from..bytes.len()).filter(|at| bytes[*at] == b'<').find(is_there)
}

/// The name of the tag that a text begins with, in lower case, without its slash.
fn name_of(tag: &str) -> String {
    let name = tag[1..].trim_start_matches('/');
    name.chars().take_while(char::is_ascii_alphanumeric).take(16).map(|c| c.to_ascii_lowercase()).collect()
}

enum Token {
    Char(char),
    /// Words before and after are not one.
    Gap,
    Nothing,
}

struct Scanner<'a> {
    source: &'a str,
    at: usize,
    /// Once a quote in a tag did not end, none is believed any more: else each tag could be read to the end in vain.
    quotes_are_broken: bool,
}

impl Scanner<'_> {
    fn next(&mut self) -> Option<Token> {
        let rest = &self.source[self.at..];
        let c = rest.chars().next()?;
        if c == '&'
            && let Some((decoded, bytes)) = entity::decode(rest)
        {
            self.at += bytes;
            return Some(Token::Char(decoded));
        }
        let second = rest[c.len_utf8()..].chars().next();
        let is_tag =
            c == '<' && second.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        if is_tag {
            return Some(self.tag());
        }
        self.at += c.len_utf8();
        Some(Token::Char(c))
    }

    /// Goes past a tag, and past the content of one that says nothing.
    fn tag(&mut self) -> Token {
        let rest = &self.source[self.at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            // A comment that does not end goes on to the end.
            self.at += comment.find("-->").map_or(rest.len(), |end| 4 + end + 3);
            return Token::Nothing;
        }
        let name = name_of(rest);
        let is_end = rest.starts_with("</");
        self.at += self.length_of_tag(rest);
        if !is_end && SILENT.contains(&&*name) {
            let close = format!("</{name}");
            self.at = match find_tag(self.source, self.at, &close) {
                Some(close) => {
                    close + self.source[close..].find('>').map_or(self.source.len() - close, |end| end + 1)
                }
                None => self.source.len(),
            };
        }
        if INLINE.contains(&&*name) { Token::Nothing } else { Token::Gap }
    }

    /// A `>` inside quotes is no end.
    fn length_of_tag(&mut self, tag: &str) -> usize {
        if !self.quotes_are_broken {
            let mut quote = None;
            for (at, byte) in tag.bytes().enumerate() {
                match (byte, quote) {
                    (b'"' | b'\'', None) => quote = Some(byte),
                    (_, Some(open)) if byte == open => quote = None,
                    (b'>', None) => return at + 1,
                    _ => {}
                }
            }
            self.quotes_are_broken = true;
        }
        tag.find('>').map_or(tag.len(), |end| end + 1)
    }
}

/// Words in the making: white space is one space, and what does not fit ends it.
struct Words {
    text: String,
    most: usize,
    /// Whether a space stands before the next word.
    is_due: bool,
    /// The bytes of `text` and of the source at which the last whole word ended.
    whole: (usize, usize),
    is_full: bool,
}

impl Words {
    fn push(&mut self, c: char, source: usize) {
        if c.is_whitespace() {
            self.is_due = !self.text.is_empty();
            self.whole = (self.text.len(), source);
            return;
        }
        if self.text.len() + usize::from(self.is_due) + c.len_utf8() > self.most {
            self.is_full = true;
            return;
        }
        if self.is_due {
            self.text.push(' ');
            self.is_due = false;
        }
        self.text.push(c);
    }

    fn finish(mut self, source: &str) -> Rendered {
        if !self.is_full {
            return Rendered { text: self.text, end: chars(source) };
        }
        let (text, end) = self.whole;
        self.text.truncate(text);
        Rendered { text: self.text, end: chars(&source[..end]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(source: &str) -> String {
        let rendered = render(source, 10_000);
        assert_eq!(rendered.end, chars(source));
        rendered.text
    }

    #[test]
    fn tags_scripts_and_styles_are_gone() {
        for (source, expected) in [
            ("<p>one</p><p>two</p>", "one two"),
            ("un<b>believ</b>able<br>yes", "unbelievable yes"),
            ("a<script>if (a < b) { x('</p>') }</script >b", "a b"),
            ("a<STYLE type='x'>p{}</Style>b", "a b"),
            ("<a href=\"x>y\" title='>'>link</a>", "link"),
            ("1 &lt; 2 &amp;amp; 3&nbsp;&#8364;", "1 < 2 &amp; 3 €"),
            ("a<!-- <p>no</p> -->b", "ab"),
            ("a < b, x <3, <>", "a < b, x <3, <>"),
            ("<?xml version='1.0'?><p>x", "x"),
            ("<scripture>kept</scripture>", "kept"),
        ] {
            assert_eq!(said(source), expected, "{source}");
        }
    }

    #[test]
    fn hostile_pages_end_and_say_no_script() {
        for (source, expected) in [
            ("a<script>evil", "a"),
            ("a<!-- evil", "a"),
            ("a<p title=\"evil", "a"),
            ("a<p title='x>b", "a b"),
            ("&lt;script&gt;x", "<script>x"),
            ("<scr<script>evil</script>ipt>x", "evil ipt>x"),
            ("<", "<"),
            ("</", ""),
            ("&#x202e;x&#0;", "\u{202e}x&#0;"),
            ("日<本>本", "日<本>本"),
        ] {
            assert_eq!(said(source), expected, "{source}");
        }
    }

    #[test]
    fn the_time_it_takes_grows_with_the_page_only() {
        for piece in ["<a '", "<a '>", "<script>", "<!--", "</", "&#", "<svg><p>", "<title", "<p \"'>"] {
            let page = piece.repeat(50_000);
            let started = std::time::Instant::now();
            render(&page, 1_000);
            title(&page, 100);
            assert!(started.elapsed().as_secs() < 2, "{piece}: {:?}", started.elapsed());
        }
    }

    #[test]
    fn what_is_cut_ends_with_a_word_and_knows_where() {
        let source = "<p>été <b>two</b> three</p>";
        for most in 0..20 {
            let rendered = render(source, most);
            assert!(rendered.text.len() <= most);
            assert!(["", "été", "été two", "été two three"].contains(&&*rendered.text), "{rendered:?}");
        }
        assert_eq!(render(source, 10), Rendered { text: "été two".into(), end: 18 });
    }

    #[test]
    fn a_page_is_known_by_its_beginning() {
        for page in ["\u{feff} <!DOCTYPE HTML>", "<html>", "  <div class='x'>", "<!-- x --><p>", "<BR/>"] {
            assert!(looks_like_it(page), "{page}");
        }
        for other in ["", "<", "<3", "<xml>", "words <p>", "<日本>", "<!doc", "< p>"] {
            assert!(!looks_like_it(other), "{other}");
        }
    }

    #[test]
    fn a_page_s_title_is_where_it_says() {
        let page = "<HEAD><Title lang=en>\n A &amp; B </TITLE>";
        let (at, said) = title(page, 100).unwrap();
        assert_eq!((at.start, at.end, said.as_str()), (21, 33, "A & B"));
        assert_eq!(title("<titles>x</titles>", 100), None);
        assert_eq!(title("<title></title>", 100), None);
    }
}

//! A line of a chat: `[02.03.26, 09:15:32] Ilse: text` on iOS, `02/03/2026, 09:15 - Ilse: text` on Android.

use super::order::DateOrder;
use jiff::civil::DateTime;

/// The date and time that a message begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// As the phone wrote it.
    written: String,
    /// The three numbers of the date, in an order that the whole chat tells, each with how many digits it has.
    date: [(u16, usize); 3],
    has_dots: bool,
    hour: u8,
    minute: u8,
    second: u8,
}

/// Nobody chatted before.
const FIRST_YEAR: i16 = 2009;
const LAST_YEAR: i16 = 2099;

impl Head {
    /// Reads the beginning of a message, and gives what follows; none if the line goes on with another message.
    pub(super) fn parse(line: &str) -> Option<(Self, &str)> {
        let line = line.trim_start_matches(is_mark);
        let (in_brackets, rest) = line.strip_prefix('[').map_or((false, line), |rest| (true, rest));
        let mut reader = Reader(rest);
        let first = reader.number(4)?;
        let separator = reader.separator()?;
        let second = reader.number(2)?;
        reader.separator().filter(|other| *other == separator)?;
        let third = reader.number(4)?;
        reader.one_of(".");
        reader.one_of(",،");
        reader.spaces();
        let before = reader.half_day();
        let (hour, _) = reader.number(2)?;
        reader.one_of(":.")?;
        let (minute, _) = reader.number(2)?;
        let (seconds, _) = match reader.one_of(":.") {
            Some(_) => reader.number(2)?,
            None => (0, 0),
        };
        let half = before.or_else(|| reader.half_day());
        let written = rest[..rest.len() - reader.0.len()].trim_end().to_owned();
        reader.spaces();
        let rest = match in_brackets {
            true => reader.0.strip_prefix(']')?,
            false => reader.0.strip_prefix("- ").or_else(|| reader.0.strip_prefix("– "))?,
        };
        let small = |number: u16| u8::try_from(number).ok();
        let hour = match (small(hour)?, half) {
            (12, Some(Half::Morning)) => 0,
            (hour, Some(Half::Evening)) if hour < 12 => hour + 12,
            (hour, _) => hour,
        };
        let head = Self {
            written,
            date: [first, second, third],
            has_dots: separator == '.',
            hour,
            minute: small(minute)?,
            second: small(seconds)?,
        };
        Some((head, rest.strip_prefix(' ').unwrap_or(rest)))
    }

    /// The date and time as the phone wrote them.
    pub(super) fn written(&self) -> &str {
        &self.written
    }

    /// The same for a date whatever its order turns out to be, and however many digits its year has.
    pub(super) fn unordered(&self) -> String {
        let [first, second, third] = self.date.map(|(number, _)| number % 2_000);
        let Self { hour, minute, second: seconds, .. } = self;
        format!("{first:02}-{second:02}-{third:02}T{hour:02}:{minute:02}:{seconds:02}")
    }

    /// What the clock showed; none if there is no such day or hour.
    pub(super) fn shown(&self, order: DateOrder) -> Option<DateTime> {
        let [first, second, third] = self.date;
        let (year, month, day) = match order {
            DateOrder::DayMonthYear => (third, second, first),
            // No language writes the month first and puts dots.
            DateOrder::MonthDayYear if self.has_dots => return None,
            DateOrder::MonthDayYear => (third, first, second),
            DateOrder::YearMonthDay => (first, second, third),
        };
        let year = match year {
            (year, 4) => year,
            (year, 2) => year + 2_000,
            _ => return None,
        };
        let year = i16::try_from(year).ok().filter(|year| (FIRST_YEAR..=LAST_YEAR).contains(year))?;
        let small = |(number, digits): (u16, usize)| i8::try_from(number).ok().filter(|_| digits <= 2);
        let clock = [self.hour, self.minute, self.second].map(|number| i8::try_from(number).unwrap_or(-1));
        DateTime::new(year, small(month)?, small(day)?, clock[0], clock[1], clock[2], 0).ok()
    }
}

#[derive(Clone, Copy)]
enum Half {
    Morning,
    Evening,
}

/// How clocks of twelve hours name their halves, before the time or after it. Those of letters are looked for after a space.
const HALVES: [(&str, Half); 8] = [
    ("오전", Half::Morning),
    ("오후", Half::Evening),
    ("上午", Half::Morning),
    ("下午", Half::Evening),
    ("午前", Half::Morning),
    ("午後", Half::Evening),
    ("ص", Half::Morning),
    ("م", Half::Evening),
];

struct Reader<'a>(&'a str);

impl Reader<'_> {
    /// A number of at most so many digits, in the digits of whatever script, with how many there are.
    fn number(&mut self, most: usize) -> Option<(u16, usize)> {
        let (mut number, mut digits) = (0, 0);
        while let Some((c, digit)) = self.0.chars().next().and_then(|c| Some((c, digit(c)?)))
            && digits < most
        {
            number = number * 10 + digit;
            digits += 1;
            self.0 = &self.0[c.len_utf8()..];
        }
        (digits > 0).then_some((number, digits))
    }

    fn one_of(&mut self, choice: &str) -> Option<char> {
        let first = self.0.chars().next().filter(|c| choice.contains(*c))?;
        self.0 = &self.0[first.len_utf8()..];
        Some(first)
    }

    /// What stands between the numbers of a date: some languages put a space after it.
    fn separator(&mut self) -> Option<char> {
        self.0 = self.0.trim_start_matches(is_mark);
        let separator = self.one_of("/.-")?;
        self.spaces();
        Some(separator)
    }

    fn spaces(&mut self) {
        self.0 = self.0.trim_start_matches(|c: char| c.is_whitespace() || is_mark(c));
    }

    /// `AM`, `pm`, `p. m.`, `a.m.`, after whatever space, or the word of another language.
    fn half_day(&mut self) -> Option<Half> {
        let before = self.0;
        self.spaces();
        let spelled = HALVES.iter().find_map(|(name, half)| Some((self.0.strip_prefix(name)?, *half)));
        let found = spelled.or_else(|| {
            let half = match self.0.chars().next()? {
                'a' | 'A' => Half::Morning,
                'p' | 'P' => Half::Evening,
                _ => return None,
            };
            let rest =
                self.0[1..].trim_start_matches(['.', ' ', '\u{a0}', '\u{202f}']).strip_prefix(['m', 'M'])?;
            Some((rest.strip_prefix('.').unwrap_or(rest), half))
        });
        let Some((rest, half)) = found else {
            self.0 = before;
            return None;
        };
        self.0 = rest;
        self.spaces();
        Some(half)
    }
}

/// The value of a decimal digit as Latin, Arabic, Persian, Hindi and Bengali write it.
fn digit(c: char) -> Option<u16> {
    let zeros = ['0', '\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}'];
    let value = |zero: char| (u32::from(c)).checked_sub(u32::from(zero)).filter(|value| *value < 10);
    zeros.into_iter().find_map(value).and_then(|value| u16::try_from(value).ok())
}

/// Marks of direction that phones put around what they insert.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Who wrote it; nobody if the program says something itself.
pub(super) fn author(rest: &str) -> (Option<&str>, &str) {
    let named = rest.split_once(": ").or_else(|| rest.strip_suffix(':').map(|name| (name, "")));
    match named.map(|(name, said)| (contact(name), said)) {
        // A notice may have a colon too, but no name is as long, has a line's end or half a quotation.
        Some((name, said)) if is_name(name) => (Some(name), said),
        _ => (None, rest),
    }
}

/// A name as the phone shows it: before that of somebody who is no contact it puts a tilde.
fn contact(name: &str) -> &str {
    let name = name.trim_matches(is_mark);
    name.strip_prefix('~').map_or(name, |name| name.trim_matches(|c: char| c.is_whitespace() || is_mark(c)))
}

fn is_name(name: &str) -> bool {
    let quotes = name.chars().filter(|c| "\"“”„«»".contains(*c)).count();
    let is_half_quoted = !quotes.is_multiple_of(2);
    !name.is_empty() && name.chars().count() <= 80 && !name.contains('\n') && !is_half_quoted
}

/// Whether the program wrote it: it puts a mark of direction before its own words, and people do not.
pub(super) fn is_marked(said: &str) -> bool {
    said.starts_with('\u{200e}')
}

/// What the program puts after a message that was changed, in some languages.
const EDITED: [&str; 5] = [
    "<This message was edited>",
    "<Diese Nachricht wurde bearbeitet.>",
    "<Se editó este mensaje.>",
    "<Ce message a été modifié>",
    "<Questo messaggio è stato modificato>",
];

/// The text without marks of direction at its ends and without the note that it was changed, and whether there was one.
pub(super) fn visible(said: &str) -> (&str, bool) {
    let said = said.trim_matches(is_mark);
    match EDITED.iter().find_map(|note| said.strip_suffix(note)) {
        Some(said) => (said.trim_end_matches(|c: char| c == ' ' || is_mark(c)), true),
        None => (said, false),
    }
}

/// What a message says about a picture, a sound or a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Media<'a> {
    /// Its name, if the export says it.
    pub(super) name: Option<&'a str>,
    /// Whether the export was made without it.
    pub(super) is_omitted: bool,
}

/// What stands for a file that was left out, and after the name of one that was not, on Android.
const OMITTED: [&str; 9] = [
    "<Media omitted>",
    "<Medien ausgeschlossen>",
    "<Multimedia omitido>",
    "<Médias omis>",
    "<Media omessi>",
    "<Media weggelaten>",
    "<Arquivo de mídia oculto>",
    "<Без медиафайлов>",
    "<Medya dahil edilmedi>",
];
const ATTACHED: [&str; 6] = [
    " (file attached)",
    " (Datei angehängt)",
    " (archivo adjunto)",
    " (fichier joint)",
    " (file allegato)",
    " (arquivo anexado)",
];
/// The last word about a file that was left out, on iOS.
const LEFT_OUT: [&str; 6] = [" omitted", " weggelassen", " ausgelassen", " omitido", " omise", " omessa"];

/// Finds media in a message. What only people could have written is none: the words of iOS have a mark of direction.
pub(super) fn media(said: &str) -> Option<Media<'_>> {
    let is_marked = said.contains('\u{200e}');
    let mut lines = said.lines().map(|line| line.trim_matches(is_mark));
    if is_marked && let Some(name) = lines.clone().find_map(in_brackets) {
        return Some(Media { name: Some(name), is_omitted: false });
    }
    let first = lines.next().unwrap_or_default();
    if let Some(name) = ATTACHED.iter().find_map(|after| first.strip_suffix(after)) {
        return Some(Media { name: Some(name.trim_matches(is_mark)), is_omitted: false });
    }
    if OMITTED.contains(&first) {
        return Some(Media { name: None, is_omitted: true });
    }
    // A document is named: `tides.pdf • 2 pages document omitted`.
    let is_left_out = is_marked && LEFT_OUT.iter().any(|end| first.ends_with(end));
    let name = first.split_once(" • ").map(|(name, _)| name.trim_matches(is_mark));
    is_left_out.then_some(Media { name, is_omitted: true })
}

/// The name in `<attached: name>`, which may stand after a text.
fn in_brackets(line: &str) -> Option<&str> {
    let (_, inside) = line.strip_suffix('>')?.rsplit_once('<')?;
    let (_, name) = inside.split_once(": ")?;
    Some(name.trim_matches(is_mark)).filter(|name| name.contains('.') && !name.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_beginnings_that_phones_write() {
        for (line, shown, rest) in [
            ("[02.03.26, 09:15:32] Ilse: hi", "2026-03-02T09:15:32", "Ilse: hi"),
            ("\u{200e}[02/03/2026, 9:15:32\u{202f}PM] Ilse: hi", "2026-03-02T21:15:32", "Ilse: hi"),
            ("02/03/2026, 09:15 - Ilse: hi", "2026-03-02T09:15:00", "Ilse: hi"),
            ("2/3/26, 12:05 a. m. - Ilse: hi", "2026-03-02T00:05:00", "Ilse: hi"),
            ("02.03.26, 12:05 pm - Ilse: - hi", "2026-03-02T12:05:00", "Ilse: - hi"),
            ("02-03-2026 09.15 - x", "2026-03-02T09:15:00", "x"),
            ("٢/٣/٢٠٢٦، ٩:١٥ م - Ilse: hi", "2026-03-02T21:15:00", "Ilse: hi"),
        ] {
            let (head, left) = Head::parse(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(
                (head.shown(DateOrder::DayMonthYear).unwrap().to_string().as_str(), left),
                (shown, rest),
                "{line}"
            );
        }
        for (line, shown) in [
            ("[2026. 3. 2. 오후 9:15:32] Ilse: hi", "2026-03-02T21:15:32"),
            ("[2026/3/2 上午9:15:32] Ilse: hi", "2026-03-02T09:15:32"),
            ("2026. 03. 02. 9:15 - Ilse: hi", "2026-03-02T09:15:00"),
            ("2026-03-02 09:15 - Ilse: hi", "2026-03-02T09:15:00"),
        ] {
            let (head, left) = Head::parse(line).unwrap_or_else(|| panic!("{line}"));
            let at = head.shown(DateOrder::YearMonthDay).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((at.to_string().as_str(), left), (shown, "Ilse: hi"), "{line}");
        }
        for line in [
            "",
            "hello",
            "[12] a list",
            "10:30 is late",
            "1/2 - a half",
            "[02/03/2026] no time",
            "02/03-2026, 09:15 - x",
        ] {
            assert_eq!(Head::parse(line), None, "{line}");
        }
        let head = Head::parse("[31.02.26, 25:61:61] x: y").unwrap().0;
        assert_eq!(head.shown(DateOrder::DayMonthYear), None);
        assert_eq!(
            Head::parse("[2.3.26, 9:15:32\u{202f}PM] x: y").unwrap().0.written(),
            "2.3.26, 9:15:32\u{202f}PM"
        );
    }

    #[test]
    fn a_date_has_one_key_however_its_year_is_written() {
        let key = |line: &str| Head::parse(line).unwrap().0.unordered();
        assert_eq!(key("02/03/2026, 09:15 - x"), "02-03-26T09:15:00");
        assert_eq!(key("2/3/26, 9:15 am - x"), "02-03-26T09:15:00");
        assert_eq!(key("2026-03-02 09:15 - x"), "26-03-02T09:15:00");
    }

    #[test]
    fn tells_names_from_notices() {
        for (rest, name) in [
            ("Ilse: hi", Some("Ilse")),
            ("\u{200e}\u{202a}+49 170 1234567\u{202c}: hi", Some("+49 170 1234567")),
            ("~\u{202f}Bo: hi", Some("Bo")),
            ("Bo \"Bear\" Ek: hi", Some("Bo \"Bear\" Ek")),
            ("Bo „Bär“ Ek: hi", Some("Bo „Bär“ Ek")),
            ("Ilse added Bo", None),
            ("Ilse changed the subject from \"Tides: old\" to \"Tides\"", None),
            ("Ilse changed the subject from “Tides: old” to “Tides”", None),
        ] {
            assert_eq!(author(rest).0, name, "{rest}");
        }
    }

    #[test]
    fn finds_media_and_changes() {
        let named = |name| Some(Media { name: Some(name), is_omitted: false });
        let omitted = |name| Some(Media { name, is_omitted: true });
        for (said, found) in [
            ("\u{200e}<attached: 12-PHOTO.jpg>", named("12-PHOTO.jpg")),
            ("<\u{200e}attached: 12-PHOTO.jpg>", named("12-PHOTO.jpg")),
            ("A caption \u{200e}<Anhang: 12-PHOTO.jpg>", named("12-PHOTO.jpg")),
            ("\u{200e}IMG-1.jpg (file attached)\nA caption", named("IMG-1.jpg")),
            ("\u{200e}image omitted", omitted(None)),
            ("\u{200e}tides.pdf • \u{200e}2 pages \u{200e}document omitted", omitted(Some("tides.pdf"))),
            ("<Media omitted>", omitted(None)),
            ("nothing was omitted", None),
            ("<note: a.b>", None),
        ] {
            assert_eq!(media(said), found, "{said}");
        }
        assert_eq!(visible("\u{200e}see you \u{200e}<This message was edited>"), ("see you", true));
        assert_eq!(visible("see you"), ("see you", false));
    }
}

//! A line of a chat: `[02.03.26, 09:15:32] Ilse: text` on iOS, `02/03/2026, 09:15 - Ilse: text` on Android.

use super::order::DateOrder;
use jiff::civil::DateTime;

/// The date and time that a message begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// Three numbers, in an order that the whole chat tells.
    pub(super) date: [u16; 3],
    /// What stands between them.
    pub(super) separator: char,
    hour: u8,
    minute: u8,
    second: u8,
    /// Whether the clock has twelve hours.
    pub(super) is_half_day: bool,
}

impl Head {
    /// Reads the beginning of a message, and gives what follows; none if the line goes on with another message.
    pub(super) fn parse(line: &str) -> Option<(Self, &str)> {
        let line = line.trim_start_matches(is_mark);
        let (in_brackets, rest) = line.strip_prefix('[').map_or((false, line), |rest| (true, rest));
        let mut reader = Reader(rest);
        let first = reader.number(4)?;
        let separator = reader.one_of("/.-")?;
        let second = reader.number(2)?;
        reader.one_of("/.-").filter(|other| *other == separator)?;
        let third = reader.number(4)?;
        reader.one_of(",.");
        reader.spaces();
        let hour = reader.number(2)?;
        reader.one_of(":.")?;
        let minute = reader.number(2)?;
        let seconds = match reader.one_of(":.") {
            Some(_) => reader.number(2)?,
            None => 0,
        };
        let half = reader.half_day();
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
            date: [first, second, third],
            separator,
            hour,
            minute: small(minute)?,
            second: small(seconds)?,
            is_half_day: half.is_some(),
        };
        Some((head, rest.strip_prefix(' ').unwrap_or(rest)))
    }

    /// What the clock showed; none if there is no such day or hour.
    pub(super) fn shown(&self, order: DateOrder) -> Option<DateTime> {
        let [first, second, third] = self.date;
        let (year, month, day) = match order {
            DateOrder::DayMonthYear => (third, second, first),
            DateOrder::MonthDayYear => (third, first, second),
            DateOrder::YearMonthDay => (first, second, third),
        };
        let year = if year < 100 { year + 2_000 } else { year };
        let small = |number: u16| i8::try_from(number).ok();
        let clock = [self.hour, self.minute, self.second].map(|number| i8::try_from(number).unwrap_or(-1));
        DateTime::new(i16::try_from(year).ok()?, small(month)?, small(day)?, clock[0], clock[1], clock[2], 0)
            .ok()
    }
}

#[derive(Clone, Copy)]
enum Half {
    Morning,
    Evening,
}

struct Reader<'a>(&'a str);

impl Reader<'_> {
    fn number(&mut self, digits: usize) -> Option<u16> {
        let length = self.0.bytes().take(digits).take_while(u8::is_ascii_digit).count();
        let (number, rest) = self.0.split_at(length);
        self.0 = rest;
        number.parse().ok()
    }

    fn one_of(&mut self, choice: &str) -> Option<char> {
        let first = self.0.chars().next().filter(|c| choice.contains(*c))?;
        self.0 = &self.0[first.len_utf8()..];
        Some(first)
    }

    fn spaces(&mut self) {
        self.0 = self.0.trim_start_matches(|c: char| c.is_whitespace() || is_mark(c));
    }

    /// `AM`, `pm`, `p. m.`, `a.m.`, after whatever space.
    fn half_day(&mut self) -> Option<Half> {
        let before = self.0;
        self.spaces();
        let half = match self.0.chars().next() {
            Some('a' | 'A') => Half::Morning,
            Some('p' | 'P') => Half::Evening,
            _ => {
                self.0 = before;
                return None;
            }
        };
        let rest = self.0[1..].trim_start_matches(['.', ' ', '\u{a0}', '\u{202f}']);
        let Some(rest) = rest.strip_prefix(['m', 'M']) else {
            self.0 = before;
            return None;
        };
        self.0 = rest.strip_prefix('.').unwrap_or(rest);
        Some(half)
    }
}

/// Marks of direction that phones put around what they insert.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Who wrote it; nobody if the program says something itself.
pub(super) fn author(rest: &str) -> (Option<&str>, &str) {
    let named = rest.split_once(": ").or_else(|| rest.strip_suffix(':').map(|name| (name, "")));
    match named.map(|(name, said)| (name.trim_matches(is_mark), said)) {
        // A notice may have a colon too, but no name is as long or has a line's end.
        Some((name, said)) if !name.is_empty() && name.chars().count() <= 80 && !name.contains('\n') => {
            (Some(name), said)
        }
        _ => (None, rest),
    }
}

/// The text without marks of direction at its ends.
pub(super) fn visible(said: &str) -> &str {
    said.trim_start_matches(is_mark)
}

/// What a message says about a picture, a sound or a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Media<'a> {
    Omitted,
    Named(&'a str),
}

impl<'a> Media<'a> {
    pub(super) fn is_omitted(self) -> bool {
        self == Self::Omitted
    }

    pub(super) fn name(self) -> Option<&'a str> {
        match self {
            Self::Omitted => None,
            Self::Named(name) => Some(name),
        }
    }
}

/// Finds media in a message, in the languages that people sent us exports in.
pub(super) fn media(said: &str) -> Option<Media<'_>> {
    let said = visible(said).trim_end_matches(is_mark);
    let first = said.lines().next().unwrap_or_default();
    let attached = first.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    if let Some((_, name)) = attached.and_then(|inside| inside.split_once(": ")) {
        return Some(Media::Named(name));
    }
    let named = [" (file attached)", " (Datei angehängt)", " (archivo adjunto)", " (fichier joint)"];
    if let Some(name) = named.iter().find_map(|after| first.strip_suffix(after)) {
        return Some(Media::Named(name.trim_matches(is_mark)));
    }
    let omitted = ["<Media omitted>", "<Medien ausgeschlossen>", "<Multimedia omitido>", "<Médias omis>"];
    let ends = [" omitted", " weggelassen", " ausgelassen"];
    let is_omitted = omitted.contains(&said)
        || (said.len() < 40 && !said.contains('\n') && ends.iter().any(|end| said.ends_with(end)));
    is_omitted.then_some(Media::Omitted)
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
        ] {
            let (head, left) = Head::parse(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(
                (head.shown(DateOrder::DayMonthYear).unwrap().to_string().as_str(), left),
                (shown, rest),
                "{line}"
            );
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
    }

    #[test]
    fn finds_media() {
        assert_eq!(media("\u{200e}<attached: 12-PHOTO.jpg>"), Some(Media::Named("12-PHOTO.jpg")));
        assert_eq!(media("IMG-1.jpg (file attached)\nA caption"), Some(Media::Named("IMG-1.jpg")));
        assert_eq!(media("\u{200e}image omitted"), Some(Media::Omitted));
        assert_eq!(media("<Media omitted>"), Some(Media::Omitted));
        assert_eq!(media("nothing was said"), None);
    }
}

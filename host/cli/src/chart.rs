//! Bars of characters.

use crate::output::DIM;

/// How many characters the longest bar has.
const LONGEST: u64 = 24;

/// What bars are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bars {
    /// Blocks, to an eighth of a character.
    Blocks,
    /// What every terminal has.
    Ascii,
    /// No bars: nobody looks at them.
    None,
}

impl Bars {
    /// What the terminal can show, as far as its environment says.
    pub(crate) fn of_environment() -> Self {
        let says = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(says);
        if cfg!(windows) || locale.is_some_and(|locale| is_utf8(&locale)) {
            Self::Blocks
        } else {
            Self::Ascii
        }
    }

    /// A bar as long as its part of the longest, and two blanks before it.
    pub(crate) fn bar(self, part: u64, longest: u64) -> String {
        if self == Self::None || longest == 0 {
            return String::new();
        }
        let eighths = u128::from(part) * u128::from(LONGEST * 8) / u128::from(longest);
        // What is there is seen, however little it is.
        let eighths = usize::try_from(eighths).unwrap_or(0).max(usize::from(part > 0));
        let bar = match self {
            Self::Blocks => {
                let tail = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
                format!("{}{tail}", "█".repeat(eighths / 8))
            }
            _ => "#".repeat(eighths.div_ceil(8)),
        };
        format!("  {DIM}{bar}{DIM:#}")
    }
}

fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(bars: Bars, part: u64, longest: u64) -> String {
        anstream::adapter::strip_str(&bars.bar(part, longest)).to_string()
    }

    #[test]
    fn a_bar_is_as_long_as_its_part() {
        let blocks = |part, longest| plain(Bars::Blocks, part, longest);
        assert_eq!(blocks(100, 100).chars().count(), 2 + LONGEST as usize);
        assert_eq!(blocks(50, 100), format!("  {}", "█".repeat(12)));
        assert_eq!((blocks(1, 192).as_str(), blocks(1, 1_000_000).as_str()), ("  ▏", "  ▏"));
        assert_eq!(blocks(0, 100), "  ");
        assert_eq!((blocks(0, 0), Bars::None.bar(1, 1)), (String::new(), String::new()));
        assert_eq!(blocks(u64::MAX, u64::MAX).chars().count(), 2 + LONGEST as usize);
    }

    #[test]
    fn without_utf8_bars_are_ascii() {
        assert_eq!(plain(Bars::Ascii, 50, 100), format!("  {}", "#".repeat(12)));
        assert_eq!((plain(Bars::Ascii, 1, 1_000).as_str(), plain(Bars::Ascii, 0, 9).as_str()), ("  #", "  "));
        assert!(is_utf8("de_CH.UTF-8") && is_utf8("C.utf8"));
        assert!(!is_utf8("C") && !is_utf8("de_CH.ISO-8859-1"));
    }
}

//! Prints the table: what, the ratio, and the raw figures behind it in brackets.

use anstyle::Style;
use std::fmt::Display;
use std::io::Write as _;
use std::time::Duration;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// Where results go. Each line appears as soon as it is known.
#[derive(Debug)]
pub struct Report;

impl Report {
    /// Starts a group of lines and says what its ratios relate to.
    pub fn heading(&self, title: impl Display, ratio_of: impl Display) -> anyhow::Result<()> {
        writeln!(anstream::stdout().lock(), "\n{BOLD}{title}{BOLD:#}\n{DIM}{ratio_of}{DIM:#}")?;
        Ok(())
    }

    /// Prints one result.
    pub fn line(&self, what: impl Display, ratio: f64, raw: impl Display) -> anyhow::Result<()> {
        let what = what.to_string();
        writeln!(anstream::stdout().lock(), "  {what:<34} {ratio:>7.2}×  {DIM}[{raw}]{DIM:#}")?;
        Ok(())
    }

    /// Prints a remark.
    pub fn note(&self, text: impl Display) -> anyhow::Result<()> {
        writeln!(anstream::stdout().lock(), "{DIM}{text}{DIM:#}")?;
        Ok(())
    }
}

/// A time with three digits, in the unit that suits it.
pub fn time(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    match micros {
        _ if micros < 1.0 => format!("{:.0} ns", micros * 1e3),
        _ if micros < 1e1 => format!("{micros:.1} µs"),
        _ if micros < 1e3 => format!("{micros:.0} µs"),
        _ if micros < 1e4 => format!("{:.2} ms", micros / 1e3),
        _ if micros < 1e6 => format!("{:.0} ms", micros / 1e3),
        _ => format!("{:.2} s", micros / 1e6),
    }
}

/// A size in the unit that suits it. Powers of ten, as disks count.
pub fn size(bytes: usize) -> String {
    match bytes {
        _ if bytes < 1_000 => format!("{bytes} B"),
        _ if bytes < 1_000_000 => format!("{} KB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// A count with its thousands set apart.
pub fn count(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        assert_eq!(time(Duration::from_nanos(41)), "41 ns");
        assert_eq!(time(Duration::from_nanos(4_120)), "4.1 µs");
        assert_eq!(time(Duration::from_micros(412)), "412 µs");
        assert_eq!(time(Duration::from_micros(4_120)), "4.12 ms");
        assert_eq!(time(Duration::from_millis(1_500)), "1.50 s");
        assert_eq!(size(10_000_000), "10 MB");
        assert_eq!(
            ["7", "4,096", "1,234,567"],
            [7, 4_096, 1_234_567].map(count).each_ref().map(String::as_str)
        );
    }
}

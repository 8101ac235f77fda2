//! Keeps NUL characters through engines that cannot store them.
//!
//! SQLite's `length` stops at a NUL and Postgres refuses it. Dropping it would lose data, and escaping it would move every
//! offset after it. So each NUL is stored as one *noncharacter* that the text does not use otherwise, and the field
//! remembers which: one code point for one code point, the same on both engines, undone on the way out.

/// The 66 code points that Unicode sets aside for internal use and never assigns.
fn noncharacters() -> impl Iterator<Item = char> {
    let planes = (0..=0x10).flat_map(|plane| [plane * 0x1_0000 + 0xFFFE, plane * 0x1_0000 + 0xFFFF]);
    (0xFDD0..=0xFDEF).chain(planes).filter_map(char::from_u32)
}

/// What a text needs so that it can be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NulPlan {
    /// It has no NUL.
    Nothing,
    /// Each NUL becomes this character.
    StandIn(char),
    /// It has a NUL and every one of the noncharacters too.
    Impossible,
}

/// Chooses the stand-in for a text's NULs.
#[must_use]
pub fn plan(text: &str) -> NulPlan {
    if !text.contains('\0') {
        return NulPlan::Nothing;
    }
    noncharacters().find(|&c| !text.contains(c)).map_or(NulPlan::Impossible, NulPlan::StandIn)
}

/// Puts the stand-in in.
#[must_use]
pub fn hide(text: &str, stand_in: char) -> String {
    text.replace('\0', stand_in.encode_utf8(&mut [0; 4]))
}

/// Takes the stand-in out again.
#[must_use]
pub fn restore(text: String, stand_in: Option<char>) -> String {
    match stand_in {
        Some(c) => text.replace(c, "\0"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nul_comes_back_and_nothing_else_changes() {
        assert_eq!(noncharacters().count(), 66);
        assert_eq!(plan("plain \u{fdd0}"), NulPlan::Nothing);
        let text = "a\0b\u{fdd0}\0";
        let NulPlan::StandIn(c) = plan(text) else { panic!("a stand-in exists") };
        assert_eq!(c, '\u{fdd1}');
        let hidden = hide(text, c);
        assert!(!hidden.contains('\0'));
        assert_eq!(hidden.chars().count(), text.chars().count());
        assert_eq!(restore(hidden, Some(c)), text);
        let all: String = noncharacters().chain(['\0']).collect();
        assert_eq!(plan(&all), NulPlan::Impossible);
    }
}

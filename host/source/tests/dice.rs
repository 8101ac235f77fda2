//! Chance that is the same on every run.

/// A small generator (splitmix64); its seed is all of its state.
#[derive(Debug)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below the limit.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.roll() % limit.max(1)
    }

    /// Whether one chance in so many came true.
    pub(crate) fn one_in(&mut self, chances: u64) -> bool {
        self.below(chances) == 0
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len() as u64) as usize]
    }

    /// A text of so many code points in many scripts, with spaces now and then.
    pub(crate) fn text(&mut self, chars: usize) -> String {
        const LETTERS: &str = "abcdefghij ABCDEFGHIJ klmnop qrstuv äöüÄÖÜßẞ ςσΣ Кк 日本語漢字 עברית العربية e\u{301}o\u{308} \u{200d}👩🦰😀🇨🇭 \u{202e}\n";
        let letters: Vec<char> = LETTERS.chars().collect();
        (0..chars).map(|_| letters[self.below(letters.len() as u64) as usize]).collect()
    }
}

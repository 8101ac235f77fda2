//! A tiny deterministic source of variety.

/// SplitMix64.
///
/// Written out here because the sample must be the same bytes for ever: a crate's generator may change its stream
/// between versions, and the standard library's hashers promise nothing about theirs. Only integers are drawn, since
/// `sin` and its kin may round differently from one machine to the next.
#[derive(Clone, Debug)]
pub(crate) struct Generator(u64);

impl Generator {
    /// Starts a sequence of its own for each name, so that adding a record does not reshuffle the others.
    pub(crate) fn named(name: &str) -> Self {
        // FNV-1a, for the same reason: fixed by its definition.
        let seed = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Draws a number below `bound`, or 0 if there is none below.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next().checked_rem(bound).unwrap_or(0)
    }

    /// Draws one of the choices, of which there must be at least one.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

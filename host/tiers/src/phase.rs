//! The way of a tier, from its file to its answer.

use std::fmt;

/// A step on that way. Every fault happens in one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The file is found and read.
    Resolve,
    /// It is the one that was named, and what it imports and exports fits the tier.
    Verify,
    /// It becomes machine code.
    Compile,
    /// An instance comes to life within its limits.
    Instantiate,
    /// It is asked and answers.
    Call,
    /// The answer is checked.
    Validate,
}

impl Phase {
    /// All phases in their order.
    pub const ALL: [Self; 6] =
        [Self::Resolve, Self::Verify, Self::Compile, Self::Instantiate, Self::Call, Self::Validate];

    /// The name in plugins.toml and in the log.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Resolve => "resolve",
            Self::Verify => "verify",
            Self::Compile => "compile",
            Self::Instantiate => "instantiate",
            Self::Call => "call",
            Self::Validate => "validate",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

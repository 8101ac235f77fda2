//! What is wrong with a `plugins.toml`, and what to write instead.

/// A mistake in a `plugins.toml`, with the line that it is on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("plugins.toml{}: {mistake}", line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct ConfigError {
    /// The line, counted from 1, where one can be named.
    pub line: Option<usize>,
    /// What is wrong.
    pub mistake: Mistake,
    /// Where in the text it is, in bytes.
    pub(super) at: Option<u32>,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mistake {
    /// No TOML, or a value of the wrong type.
    #[error("{0}")]
    Syntax(String),
    /// A key that nothing reads.
    #[error("unknown key `{key}` {place}; {}", match .suggestion { Some(known) => format!("did you mean `{known}`?"), None => format!("known here: {}", .known.join(", ")) })]
    UnknownKey {
        /// The key.
        key: String,
        /// Where it stands, such as `in [tiers.preview]`.
        place: String,
        /// The known key that looks most like it.
        suggestion: Option<String>,
        /// All known keys of that place.
        known: Vec<String>,
    },
    /// A value that cannot be.
    #[error("{key} {problem}")]
    Value {
        /// The key with the tables that it stands in.
        key: String,
        /// What is wrong with its value, and what would be right.
        problem: String,
    },
    /// A variable of the environment that is not there.
    #[error("the environment variable {0} is not set; set it, or write ${{{0}:-default}}")]
    Unset(String),
    /// A dollar sign that stands for nothing.
    #[error("a `$` in a value starts ${{NAME}} or ${{NAME:-default}}; write $$ for the sign itself")]
    Dollar,
}

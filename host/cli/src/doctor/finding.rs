//! What was found.

use serde_json::{Value, json};

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    /// What it is about.
    pub(super) area: &'static str,
    pub(super) state: State,
    pub(super) message: String,
    /// What to do about it.
    pub(super) fix: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Good,
    /// It works, and may not be what was meant.
    Warning,
    /// Something that is wanted does not work.
    Broken,
}

impl Finding {
    pub(super) fn good(area: &'static str, message: impl Into<String>) -> Self {
        Self { area, state: State::Good, message: message.into(), fix: None }
    }

    pub(super) fn warning(area: &'static str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { area, state: State::Warning, message: message.into(), fix: Some(fix.into()) }
    }

    pub(super) fn broken(area: &'static str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { area, state: State::Broken, message: message.into(), fix: Some(fix.into()) }
    }

    pub(super) fn to_json(&self) -> Value {
        let state = match self.state {
            State::Good => "good",
            State::Warning => "warning",
            State::Broken => "broken",
        };
        json!({ "area": self.area, "state": state, "message": self.message, "fix": self.fix })
    }
}

//! What is left of native tiers on systems where their processes cannot be limited: a clear refusal.

use crate::config::{Limits, TierConfig};
use crate::fault::TierFault;
use crate::fields::Hand;
use crate::runtime::{Cache, State, Stop};
use std::convert::Infallible;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Refuses to run a native tier.
#[must_use]
pub fn tier_host(_arguments: &[OsString]) -> ExitCode {
    ExitCode::FAILURE
}

/// A native tier, of which there is none.
pub(crate) struct Native(Infallible);

/// A call of a native tier, of which there is none.
pub(crate) struct Talk<'a>(Infallible, &'a ());

impl Native {
    pub(crate) fn load(
        _file: &Path,
        _config: &TierConfig,
        _program: Option<&Path>,
        _cache: Option<&Cache>,
        _digest: &mut Option<String>,
    ) -> Result<Arc<Self>, TierFault> {
        Err(TierFault::WrongWorld("native tiers run on Linux and macOS only; use a component".to_owned()))
    }

    pub(crate) fn call<T>(
        self: &Arc<Self>,
        _hand: Hand,
        _limits: Limits,
        _ask: impl FnOnce(&mut Talk<'_>) -> Result<T, Stop>,
    ) -> (Result<T, Stop>, State) {
        match self.0 {}
    }
}

impl Talk<'_> {
    pub(crate) fn ask<A: serde::Serialize, T: serde::de::DeserializeOwned>(
        &mut self,
        _function: &str,
        _arguments: &A,
    ) -> Result<T, Stop> {
        match self.0 {}
    }
}

//! The host's functions, as messages.

use crate::abi::tell;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use stepwell_sdk::{Allowance, FieldShape, Level, Reader, Refusal, Wanted};

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Question<'a> {
    Read(&'a [Wanted]),
    Children { slot: u32, pointer: &'a str },
    Left,
    Log { level: Level, message: &'a str },
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reply<T> {
    Given(T),
}

fn ask<T: DeserializeOwned>(question: &Question<'_>) -> Option<T> {
    let Reply::Given(given) = serde_json::from_slice(&tell(&serde_json::to_vec(question).ok()?)?).ok()?;
    Some(given)
}

fn silent() -> Refusal {
    Refusal::Other("the host did not answer".to_owned())
}

/// The host, in a native tier. It answers in the thread that the tier was called in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Host;

impl Reader for Host {
    fn read(&self, what: &[Wanted]) -> Vec<Result<String, Refusal>> {
        if what.is_empty() {
            return Vec::new();
        }
        ask(&Question::Read(what)).unwrap_or_else(|| what.iter().map(|_| Err(silent())).collect())
    }

    fn children(&self, slot: u32, pointer: &str) -> Result<Vec<FieldShape>, Refusal> {
        ask(&Question::Children { slot, pointer }).unwrap_or_else(|| Err(silent()))
    }

    fn left(&self) -> Allowance {
        ask(&Question::Left).unwrap_or(Allowance { reads: 0, bytes: 0 })
    }
}

/// Writes one message to the tier's author. A serving host counts and discards it.
pub fn log(level: Level, message: &str) {
    if let Ok(message) = serde_json::to_vec(&Question::Log { level, message }) {
        let _ = tell(&message);
    }
}

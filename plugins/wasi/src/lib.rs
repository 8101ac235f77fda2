//! Guests that know no better than to use their standard library, under `examples/`. They are built for wasm32-wasip2.

use stepwell_sdk::preview::{Derived, Sheet, Shown};

/// A sheet for slot 0 with one line of the tier's own.
#[must_use]
pub fn says(text: impl Into<String>) -> Vec<Sheet> {
    let line = Shown::Derived(Derived { text: text.into(), covers: None });
    vec![Sheet { slot: 0, title: None, lines: vec![line], anchors: Vec::new(), options: Vec::new() }]
}

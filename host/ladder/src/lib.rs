//! Composes results.
//!
//! The ladder asks the source what is there, decides what to show of it within the budget, and renders both channels of
//! a result: text for hosts that show the model text, and structured content for those that show that.

pub mod window;

pub use window::{FieldWindow, WindowRequest, read_window};

//! Results exactly as they are sent, for a program that shows or weighs them instead of sending them.

use crate::answer::Outcome;
use crate::request_id::request_id;
use crate::{answer, resource};
use serde_json::Value;
use stepwell_ladder::{Recorded, Resource, ToolResult};

/// The result of a tool call, be it an answer or a refusal.
pub fn tool_result(outcome: ToolResult) -> serde_json::Result<Value> {
    let id = request_id();
    let outcome = match outcome {
        Ok(reply) => Outcome::of(reply.into(), &id),
        Err(error) => answer::refused(&error.for_client(), &id),
    };
    serde_json::to_value(outcome.into_result())
}

/// The result of a resource read.
pub fn resource_result(found: Recorded<Resource>) -> serde_json::Result<Value> {
    serde_json::to_value(resource::contents(found))
}

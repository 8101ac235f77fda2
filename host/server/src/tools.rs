//! The tools that are listed, and the check of each one's arguments.

use crate::arguments::Check;
use crate::server::StartError;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use std::sync::Arc;
use stepwell_contract::tool::{Spelling, ToolDefinition, ToolSet, definitions};

/// The tools, sorted by name.
#[derive(Debug)]
pub(crate) struct Tools {
    listed: Vec<Tool>,
    checks: Vec<(&'static str, Check)>,
}

impl Tools {
    pub(crate) fn new(on: ToolSet, spelling: Spelling) -> Result<Self, StartError> {
        let definitions = definitions(on, spelling);
        let check = |tool: &ToolDefinition| match Check::new(&tool.accepts) {
            Ok(check) => Ok((tool.name, check)),
            Err(error) => Err(StartError::Schema { tool: tool.name, reason: error.to_string() }),
        };
        let checks = definitions.iter().map(check).collect::<Result<_, _>>()?;
        Ok(Self { listed: definitions.into_iter().map(listed).collect(), checks })
    }

    /// All tools as `tools/list` has them.
    pub(crate) fn list(&self) -> &[Tool] {
        &self.listed
    }

    /// One tool as `tools/list` has it.
    pub(crate) fn get(&self, name: &str) -> Option<&Tool> {
        self.listed.iter().find(|tool| tool.name == name)
    }

    /// The check of a tool's arguments, and the tool's name as a constant.
    pub(crate) fn check(&self, name: &str) -> Option<&(&'static str, Check)> {
        self.checks.iter().find(|(known, _)| *known == name)
    }
}

fn listed(tool: ToolDefinition) -> Tool {
    let annotations =
        ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
    Tool::new(tool.name, tool.description, object(tool.input))
        .with_title(tool.title)
        .with_raw_output_schema(object(tool.output))
        .with_annotations(annotations)
}

fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(object) => Arc::new(object),
        // Every schema of the contract is an object; its tests see to that.
        _ => Arc::default(),
    }
}

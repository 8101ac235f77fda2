//! The tools that are listed, and the check of each one's arguments.

mod plugins;

use crate::arguments::Check;
use crate::server::StartError;
use plugins::named;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use std::sync::Arc;
use stepwell_contract::tool::{Spelling, ToolDefinition, ToolSet, definitions, plugin_output};
use stepwell_ladder::PluginTool;
use stepwell_tiers::ToolTier;

/// The tools, sorted by name.
#[derive(Debug)]
pub(crate) struct Tools {
    listed: Vec<Tool>,
    checks: Vec<(String, Check)>,
    plugins: Vec<PluginTool>,
}

impl Tools {
    /// Lists the core tools that are on, and those of the plugins under names that keep `reserve` bytes free.
    pub(crate) fn new(
        on: ToolSet,
        spelling: Spelling,
        plugins: &[ToolTier],
        reserve: usize,
    ) -> Result<Self, StartError> {
        let plugins = named(plugins, reserve)?;
        let core = definitions(on, spelling);
        let accepted = core.iter().map(|tool| (tool.name, &tool.accepts));
        let accepted = accepted.chain(plugins.iter().map(|tool| (&*tool.display, &tool.definition.input)));
        let check = |(name, schema): (&str, &Value)| match Check::new(schema) {
            Ok(check) => Ok((name.to_owned(), check)),
            Err(error) => Err(StartError::Schema { tool: name.to_owned(), reason: error.to_string() }),
        };
        let checks = accepted.map(check).collect::<Result<_, _>>()?;
        let mut listed: Vec<Tool> = core.into_iter().map(listed).collect();
        listed.extend(plugins.iter().map(listed_plugin));
        listed.sort_by(|one, two| one.name.cmp(&two.name));
        Ok(Self { listed, checks, plugins })
    }

    /// All tools as `tools/list` has them.
    pub(crate) fn list(&self) -> &[Tool] {
        &self.listed
    }

    /// One tool as `tools/list` has it.
    pub(crate) fn get(&self, name: &str) -> Option<&Tool> {
        self.listed.iter().find(|tool| tool.name == name)
    }

    /// The check of a tool's arguments, and the tool's name as it is listed.
    pub(crate) fn check(&self, name: &str) -> Option<&(String, Check)> {
        self.checks.iter().find(|(known, _)| known == name)
    }

    /// The tool of a plugin that is listed under a name.
    pub(crate) fn plugin(&self, name: &str) -> Option<&PluginTool> {
        self.plugins.iter().find(|tool| tool.display == name)
    }
}

fn listed(tool: ToolDefinition) -> Tool {
    Tool::new(tool.name, tool.description, object(tool.input))
        .with_title(tool.title)
        .with_raw_output_schema(object(tool.output))
        .with_annotations(read_only())
}

fn listed_plugin(tool: &PluginTool) -> Tool {
    let definition = &tool.definition;
    Tool::new(tool.display.clone(), definition.description.clone(), object(definition.input.clone()))
        .with_title(definition.title.clone())
        .with_raw_output_schema(object(plugin_output()))
        .with_annotations(read_only())
}

/// No tool changes anything, whoever wrote it: there is nothing that it could change.
fn read_only() -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false)
}

fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(object) => Arc::new(object),
        // Every schema of the contract is an object; its tests see to that. So is every plugin's, or it is not loaded.
        _ => Arc::default(),
    }
}

//! Names for the tools of plugins, and the room that they may take in the list.

use crate::server::StartError;
use stepwell_contract::budget::{PLUGIN_TOOLS, PLUGIN_TOOLS_LIST};
use stepwell_contract::tool_name::Registry;
use stepwell_ladder::PluginTool;
use stepwell_tiers::ToolTier;

/// Gives each tool the name that it is listed under, in the order of those names.
pub(super) fn named(plugins: &[ToolTier], reserve: usize) -> Result<Vec<PluginTool>, StartError> {
    let tools: usize = plugins.iter().map(|plugin| plugin.definitions().len()).sum();
    let bytes: u64 = plugins.iter().flat_map(ToolTier::definitions).map(|tool| tool.bytes().get()).sum();
    if tools > PLUGIN_TOOLS || bytes > PLUGIN_TOOLS_LIST.get() {
        return Err(StartError::TooManyTools { tools, bytes });
    }
    let mut registry = Registry::with_reserve(reserve).map_err(|bad| StartError::Name(bad.to_string()))?;
    for plugin in plugins {
        let names = plugin.definitions().iter().map(|tool| tool.name.as_str());
        registry.register(plugin.name(), names).map_err(|bad| StartError::Name(bad.to_string()))?;
    }
    for fallback in registry.fallbacks() {
        tracing::warn!("{fallback}");
    }
    let tool = |(display, plugin, tool): (&str, &str, &str)| {
        let owner = plugins.iter().find(|owner| owner.name() == plugin)?;
        let definition = owner.definitions().iter().find(|definition| definition.name == tool)?.clone();
        Some(PluginTool { display: display.to_owned(), plugin: plugin.to_owned(), definition })
    };
    Ok(registry.list().filter_map(tool).collect())
}

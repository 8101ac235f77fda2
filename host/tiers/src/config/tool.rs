//! `[[tool]]`: plugins that add tools.

use super::file::File;
use super::parse::{TIERS, is_name, tier};
use super::{ConfigError, Limits, OnFault, Origin, PreviewConfig, TierConfig, ToolConfig};
use crate::limits::TOOL_PLUGINS;
use crate::phase::Phase;
use std::time::Duration;
use stepwell_contract::tool_name;

const TOOL: &[&str] = &["name", "enabled", "component", "sha256", "wasi", "limits", "on_fault", "options"];

/// What a tool may use unless the operator says otherwise. It does the work of one whole call, and may have to look
/// through a long field for it.
fn defaults() -> TierConfig {
    let deadline = Duration::from_secs(5);
    let limits = Limits { deadline, memory_mb: 64, output_kb: 256, reads: 256, read_kb: 4_096 };
    TierConfig { limits, on_fault: OnFault::Refuse.into(), ..TierConfig::default() }
}

/// Reads the plugins that add tools. Each has a name of its own, which may have to stand before those of its tools.
pub(super) fn tools(file: &File<'_>, previews: &[PreviewConfig]) -> Result<Vec<ToolConfig>, ConfigError> {
    let mut tools: Vec<ToolConfig> = Vec::new();
    for (index, section) in file.top().list("tool")?.iter().enumerate() {
        if index == TOOL_PLUGINS {
            let problem = format!("comes too late: there may be {TOOL_PLUGINS} plugins with tools");
            return Err(section.wrong("name", problem));
        }
        let (tier, raw) = tier(section, TOOL, defaults())?;
        let name = raw.name.unwrap_or_else(|| format!("tool-{}", index + 1));
        if !is_name(&name) {
            return Err(section.wrong("name", "must be 1 to 64 of a-z, 0-9, - and _"));
        }
        if let Err(bad) = tool_name::check_plugin(&name) {
            return Err(section.wrong("name", format!("is {name:?}, but {bad}")));
        }
        let is_taken = TIERS.contains(&name.as_str())
            || previews.iter().any(|other| other.name == name)
            || tools.iter().any(|other| other.name == name);
        if is_taken {
            return Err(section.wrong("name", format!("is {name:?}, which another tier has")));
        }
        if tier.component == Origin::Builtin {
            return Err(section.wrong("component", "must be the path of a file: no tool is built in"));
        }
        if Phase::ALL.into_iter().any(|phase| tier.on_fault.at(phase) == OnFault::Fallback) {
            return Err(section.wrong("on_fault", "must be \"refuse\": nothing can stand in for a tool"));
        }
        tools.push(ToolConfig { name, tier });
    }
    Ok(tools)
}

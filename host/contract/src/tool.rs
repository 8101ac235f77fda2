//! The six tools as a client sees them: names, descriptions and schemas.
//!
//! Everything here is constant. A definition depends on which tiers are on and on how schemas are spelled, never on
//! data, so `tools/list` has the same bytes on every call and for every caller.

mod aggregate;
mod fetch;
mod instructions;
mod ladder;
mod plugin;
mod query_records;
mod read_record_field;
mod schema;
mod search;
mod shape;

pub use instructions::instructions;
pub use plugin::output as plugin_output;

use serde_json::Value;

/// Which optional parts of the contract are on. What is off is not mentioned anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolSet {
    /// The field-window tier: `read_record_field` and every hint to it.
    pub field_window: bool,
    /// The resources tier: URIs in results.
    pub resources: bool,
    /// The binary-export tier: addresses in results from which bytes can be downloaded.
    pub export: bool,
}

impl ToolSet {
    /// Everything on.
    pub const ALL: Self = Self { field_window: true, resources: true, export: true };
}

/// How schemas are advertised. What is accepted is the same either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spelling {
    /// Without what hosts are known to trip over: no combinator at the root of an input schema, because one of them
    /// silently drops such a tool, and no list of types, because some rewrite it.
    #[default]
    Portable,
    /// `read_record_field` to the letter of the design that fixed it.
    Seed,
}

/// One tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    /// The name, which never changes.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What it does, when to use it, and its limits in words, because some hosts strip them from schemas.
    pub description: String,
    /// The arguments as they are advertised.
    pub input: Value,
    /// The arguments as they are checked: the same, and what `input` leaves out for the sake of hosts.
    pub accepts: Value,
    /// What the structured content of a result conforms to.
    pub output: Value,
}

/// The tools that are on, sorted by name.
#[must_use]
pub fn definitions(on: ToolSet, spelling: Spelling) -> Vec<ToolDefinition> {
    let mut tools = vec![
        aggregate::definition(),
        fetch::definition(on),
        query_records::definition(on),
        schema::definition(),
        search::definition(on),
    ];
    if on.field_window {
        tools.push(read_record_field::definition(on, spelling));
    }
    tools.sort_by_key(|tool| tool.name);
    tools
}

#[cfg(test)]
mod tests;

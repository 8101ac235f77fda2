//! Composes results.
//!
//! The ladder asks the source what is there and the tiers what to show of it, and renders both channels of a result within
//! its budget: text for hosts that show the model text, and structured content for those that show that.

mod aggregate;
mod arguments;
pub mod asked;
mod content_ladder;
mod describe;
mod disclosed;
mod expand;
mod export;
mod fetch;
mod filter;
mod fit;
mod keys;
mod ladder;
mod ledger;
mod links;
mod plugin_tool;
mod preview;
mod query_records;
mod read_record_field;
mod reply;
mod resources;
mod rung;
mod schema;
mod seal;
mod search;
mod shapes;
mod tier_fault;
mod tools;
pub mod whole;
pub mod window;
mod window_text;
mod written;

pub use describe::{citation, percent};
pub use export::Export;
pub use ladder::{Asker, Client, Ladder, ResourceResult, Settings, ToolArguments, ToolResult};
pub use ledger::{Discloses, LedgerFault, LedgerPolicy, Recorded, record, record_outcome};
pub use plugin_tool::PluginTool;
pub use reply::{Content, LadderError, Link, Reply, Resource, Template};
pub use search::unsupported_mode;
pub use window::{FieldWindow, WindowRequest, read_window};
pub use written::WrittenWindow;

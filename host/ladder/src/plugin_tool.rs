//! Tools of plugins: the host finds the records that the arguments name, the tool answers with lines and slots, and the
//! host prints them.

mod hand;
mod render;

use crate::arguments;
use crate::describe::scope_of;
use crate::ladder::{Asker, Draft, Ladder, ToolArguments, ToolResult};
use crate::reply::LadderError;
use crate::shapes;
use hand::ToolHand;
use serde_json::{Value, json};
use std::sync::Arc;
use stepwell_contract::budget::{TOOL_LINES, TOOL_TEXT};
use stepwell_contract::{Code, Refusal, ResultId};
use stepwell_source::{RecordRef, RecordView, SourceError};
use stepwell_tiers::{Definition, GuestRefusal, Purpose, TierFault, ToolCall};

/// A tool of a plugin, as it is listed.
#[derive(Clone, Debug)]
pub struct PluginTool {
    /// The name that it is listed under.
    pub display: String,
    /// The plugin's name.
    pub plugin: String,
    /// What it is.
    pub definition: Arc<Definition>,
}

impl Ladder {
    /// Runs a tool of a plugin.
    pub async fn plugin_tool(
        &self,
        asker: &Asker<'_>,
        tool: &PluginTool,
        args: ToolArguments<'_>,
    ) -> ToolResult {
        self.recorded(asker, &tool.display, self.draft_plugin_tool(asker, tool, args).await).await
    }

    async fn draft_plugin_tool(
        &self,
        asker: &Asker<'_>,
        tool: &PluginTool,
        args: ToolArguments<'_>,
    ) -> Draft {
        let plugins = self.tiers.tools();
        let Some(tier) = plugins.iter().find(|plugin| plugin.name() == tool.plugin) else {
            return Err(LadderError::Failed(format!("the plugin of {} is not loaded", tool.display)));
        };
        let (views, arguments) = self.named_records(asker, &tool.definition, args).await?;
        let scopes = self.source.catalogue(asker.caller).await?;
        let shape = |(slot, view): (usize, &RecordView)| {
            shapes::record(slot as u32, view, scope_of(&scopes, &view.identity), &[])
        };
        let records = views.iter().enumerate().map(shape).collect();
        let context = shapes::context(Purpose::Document, TOOL_TEXT.get(), TOOL_LINES as u32);
        let named = views.into_iter().map(|view| view.identity).collect();
        let hand = ToolHand::new(&self.source, asker.caller, scopes, named);
        let call = ToolCall { tool: &tool.definition, arguments: &arguments, records, context: &context };
        let answer = tier.run(call, hand.clone()).await.map_err(|fault| refusal(&tool.display, &fault))?;
        Ok(self.tool_reply(tool, &answer, &hand.used()))
    }

    /// Finds the records that the arguments name, and puts the number of each in the place of its id. A record that is
    /// named twice is one record.
    async fn named_records(
        &self,
        asker: &Asker<'_>,
        tool: &Definition,
        args: &Value,
    ) -> Result<(Vec<RecordView>, Value), LadderError> {
        let (mut views, mut arguments): (Vec<RecordView>, Value) = (Vec::new(), args.clone());
        for name in &tool.record_parameters {
            let Some(id) = arguments::text(args, name) else { continue };
            let record: RecordRef = ResultId::parse(id).map_err(|refusal| refusal.param(name))?.into();
            let view = self.source.record(asker.caller, &record, None).await;
            let view = view.map_err(|error| about_argument(error, name))?;
            let known = views.iter().position(|other| other.identity == view.identity);
            arguments[name] = json!(known.unwrap_or(views.len()));
            if known.is_none() {
                views.push(view);
            }
        }
        Ok((views, arguments))
    }
}

/// Blames the argument that the tool has. It need not have one for the connection, which an id can hold as well.
fn about_argument(error: SourceError, name: &str) -> LadderError {
    let SourceError::Refused(refusal) = error else { return error.into() };
    let mut refusal = refusal.param(name);
    if refusal.code == Code::AmbiguousConnection {
        refusal.extras.remove("retry_with");
        refusal = refusal.hint("put one of the available connection_ids and a \"/\" before the id");
    }
    refusal.into()
}

/// What the client is told when a tool fails. The fault's own words may hold record text, so it is told the kind alone.
fn refusal(display: &str, fault: &TierFault) -> Refusal {
    match fault {
        TierFault::Refused(GuestRefusal::Invalid) => {
            Refusal::new(Code::InvalidArguments, format!("the tool {display} does not take these arguments"))
                .hint("read the tool's description and call it again")
        }
        _ => {
            let hint = match fault {
                TierFault::Busy | TierFault::Resting(_) => "try again in a moment",
                _ => "the other tools still work; the operator's log says more",
            };
            Refusal::new(Code::TierError, format!("the tool {display} failed"))
                .with("fault", fault.code())
                .hint(hint)
        }
    }
}

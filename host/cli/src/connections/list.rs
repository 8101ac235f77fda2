//! `stepwell connections list`: what a store holds, by where it came from.

use super::{Connection, connections};
use crate::output::{BOLD, DIM, Output, visible};
use crate::store_args::StoreArguments;
use clap::Args;
use indicatif::HumanCount;
use serde_json::{Map, Value, json};
use stepwell_source::sqlite::Missing;

/// Lists connections with their streams
#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    store: StoreArguments,
}

impl List {
    pub(super) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let store = self.store.open(Missing::Refuse).await?;
        let connections = connections(&store).await?;
        if output.is_json() {
            return connections.iter().try_for_each(|connection| output.json(&to_json(connection)));
        }
        if connections.is_empty() {
            return output.line("no connections yet; fill the store with: stepwell import");
        }
        connections.iter().try_for_each(|connection| output.line(line(connection)))
    }
}

fn line(connection: &Connection) -> String {
    let Connection { id, connector, label, streams } = connection;
    let one_line = |text: &str| visible(text).replace('\n', "\u{240a}");
    let streams: Vec<String> = streams
        .iter()
        .map(|(stream, records)| format!("{} {}", HumanCount(*records), one_line(stream)))
        .collect();
    let label = label.as_deref().map(|label| format!("  {}", one_line(label))).unwrap_or_default();
    let connector = connector.as_deref().map(|key| format!(" ({})", one_line(key))).unwrap_or_default();
    format!("{BOLD}{}{BOLD:#}{label}{connector}  {DIM}{}{DIM:#}", one_line(id), streams.join(", "))
}

fn to_json(connection: &Connection) -> Value {
    let Connection { id, connector, label, streams } = connection;
    let streams: Map<String, Value> =
        streams.iter().map(|(stream, records)| (stream.clone(), json!(records))).collect();
    json!({ "connection": id, "connector": connector, "label": label, "streams": streams })
}

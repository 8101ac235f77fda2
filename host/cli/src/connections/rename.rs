//! `stepwell connections rename`: another name for people.

use crate::output::Output;
use crate::store_args::StoreArguments;
use anyhow::bail;
use clap::Args;
use serde_json::json;
use stepwell_contract::ConnectionId;
use stepwell_contract::quote::excerpt;
use stepwell_source::sqlite::Missing;

/// Gives a connection another name for people; its id, and the ids of its records, stay
#[derive(Debug, Args)]
pub(crate) struct Rename {
    #[command(flatten)]
    store: StoreArguments,
    /// The connection
    #[arg(value_name = "ID")]
    connection: ConnectionId,
    /// Its new name
    label: String,
}

impl Rename {
    pub(super) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let store = self.store.open(Missing::Refuse).await?;
        if !store.rename_connection(&self.connection, &self.label).await? {
            bail!("there is no connection {}", excerpt(self.connection.as_str()));
        }
        if output.is_json() {
            return output.json(&json!({ "connection": self.connection.as_str(), "label": self.label }));
        }
        output.line("renamed")
    }
}

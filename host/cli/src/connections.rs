//! `stepwell connections`: the accounts and exports that a store holds.

mod list;
mod remove;
mod rename;

use crate::output::Output;
use clap::Subcommand;
use stepwell_source::Embedded;

/// Lists, renames and removes the accounts and exports that a store holds
#[derive(Debug, Subcommand)]
pub(crate) enum ConnectionsVerb {
    List(list::List),
    Rename(rename::Rename),
    Remove(remove::Remove),
}

impl ConnectionsVerb {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        match self {
            Self::List(list) => list.run(output).await,
            Self::Rename(rename) => rename.run(output).await,
            Self::Remove(remove) => remove.run(output).await,
        }
    }
}

/// A connection with how many records each of its streams has.
struct Connection {
    id: String,
    connector: Option<String>,
    label: Option<String>,
    streams: Vec<(String, u64)>,
}

impl Connection {
    fn records(&self) -> u64 {
        self.streams.iter().map(|(_, records)| records).sum()
    }
}

/// All connections, in the order of their ids.
async fn connections(store: &Embedded) -> anyhow::Result<Vec<Connection>> {
    let mut connections: Vec<Connection> = Vec::new();
    let mut scopes = store.scopes().await?;
    scopes.sort_by(|a, b| (&a.connection, &a.stream).cmp(&(&b.connection, &b.stream)));
    for scope in scopes {
        let records = store.count_records(&scope).await?;
        match connections.last_mut().filter(|last| last.id == scope.connection) {
            Some(last) => last.streams.push((scope.stream, records)),
            None => connections.push(Connection {
                id: scope.connection,
                connector: scope.connector,
                label: scope.label,
                streams: vec![(scope.stream, records)],
            }),
        }
    }
    Ok(connections)
}

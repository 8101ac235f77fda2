//! Fills a store with the sample data.

use stepwell_contract::{ConnectionId, StreamName};
use stepwell_source::Embedded;
use stepwell_source::embedded::IngestTarget;
use stepwell_source::prepare::{Manifest, prepare};

/// Ingests all of it, and says how many records that was.
pub(crate) async fn fill(store: &Embedded) -> anyhow::Result<u64> {
    let mut records = 0;
    for connection in stepwell_sample::connections() {
        for stream in &connection.streams {
            let manifest = Manifest::parse(&stream.manifest.to_string(), stream.name)?;
            let mut ingest = store
                .ingest(&IngestTarget {
                    connection: ConnectionId::new(connection.id)?,
                    connector: Some(connection.connector.to_owned()),
                    label: Some(connection.label.to_owned()),
                    stream: StreamName::new(stream.name)?,
                    manifest: manifest.clone(),
                })
                .await?;
            for line in stream.ndjson().lines() {
                ingest.push(prepare(line.as_bytes(), &manifest)?).await?;
                records += 1;
            }
            ingest.flush().await?;
        }
    }
    Ok(records)
}

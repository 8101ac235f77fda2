//! `stepwell sample`: writes the sample data as files to look at and to ingest.

use crate::output::Output;
use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Writes the sample data (two mail accounts and a chat export, all invented) as NDJSON files with their manifests
#[derive(Debug, Args)]
pub(crate) struct Sample {
    /// The folder to write to; it is made if it does not exist
    folder: PathBuf,
}

impl Sample {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        for connection in stepwell_sample::connections() {
            let folder = self.folder.join(connection.id);
            std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
            for stream in &connection.streams {
                let records = folder.join(format!("{}.ndjson", stream.name));
                let manifest = folder.join(format!("{}.manifest.json", stream.name));
                std::fs::write(&records, stream.ndjson())?;
                std::fs::write(&manifest, format!("{:#}\n", stream.manifest))?;
                if output.is_json() {
                    output.json(&json!({
                        "connection": connection.id,
                        "connector": connection.connector,
                        "label": connection.label,
                        "stream": stream.name,
                        "records": records,
                        "manifest": manifest,
                    }))?;
                }
                output.line(format_args!(
                    "stepwell ingest --connection {} --connector {} --label '{}' --manifest {} {} {}",
                    connection.id,
                    connection.connector,
                    connection.label,
                    manifest.display(),
                    stream.name,
                    records.display()
                ))?;
            }
        }
        Ok(())
    }
}

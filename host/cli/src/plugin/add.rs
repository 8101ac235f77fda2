//! `stepwell plugin add`: puts a plugin into plugins.toml and plugins.lock.

use super::configured::{Configured, Entry};
use super::limits::LimitsArguments;
use super::name::PluginName;
use super::trial::tier_of;
use crate::config_args::ConfigArguments;
use crate::exit::UsageError;
use crate::output::{BOLD, Output};
use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use stepwell_tiers::Health;

/// Adds a plugin to plugins.toml and accepts it as it is
#[derive(Debug, Args)]
#[command(after_help = "\
A preview comes after those that are there: the first one whose rule holds shows a record. A plugin with tools adds them to
the six. A component of another tier takes the place of the built-in one. The file keeps its comments, and is only written if a server would take it.

  stepwell plugin add reading-time.wasm --streams messages --config plugins.toml
  stepwell plugin add html.wasm --name html-mail --mime text/html --fields 'body*' --config plugins.toml")]
pub(crate) struct Add {
    /// The component
    file: PathBuf,
    #[command(flatten)]
    config: ConfigArguments,
    /// What logs and the ledger call a preview or a plugin with tools [default: the name of the file]
    #[arg(long)]
    name: Option<PluginName>,
    /// Streams that a preview is for; in every name * stands for any characters and ? for one
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    streams: Vec<String>,
    /// Connectors that a preview is for
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    connectors: Vec<String>,
    /// MIME types, one of which a field of the record must have
    #[arg(long, value_name = "TYPE,…", value_delimiter = ',')]
    mime: Vec<String>,
    /// Fields, one of which the record must have
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    fields: Vec<String>,
    #[command(flatten)]
    limits: LimitsArguments,
}

impl Add {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let (_, tier) = tier_of(&self.file)?;
        let configured = Configured::read(&self.config)?;
        let mut document = configured.document()?;
        let entry = Entry {
            component: spelled(&self.file, configured.folder())?,
            rule: self.rule(),
            limits: self.limits.pairs()?,
        };
        let name = match tier {
            "preview" => {
                let name = self.name()?;
                document.add("preview", name.as_str(), &entry)?;
                name.as_str().to_owned()
            }
            "tool" if !entry.rule.is_empty() => {
                let message = "a plugin with tools is for no records in particular; leave the rule out";
                return Err(UsageError(message.into()).into());
            }
            "tool" => {
                let name = self.name()?;
                document.add("tool", name.as_str(), &entry)?;
                name.as_str().to_owned()
            }
            tier if !entry.rule.is_empty() || self.name.is_some() => {
                let message = format!("a {tier} tier is for all records and has no name of its own");
                return Err(UsageError(message).into());
            }
            tier => {
                document.replace(tier, &entry)?;
                tier.to_owned()
            }
        };
        let text = document.print();
        let loaded = configured.load(&text)?.into_iter().find(|tier| tier.name == name);
        let loaded = loaded.with_context(|| format!("{name} is not among the tiers"))?;
        if let Health::Broken(fault) = &loaded.health {
            anyhow::bail!("{name} is not added: {fault}");
        }
        let locked = loaded.locked.with_context(|| format!("{name} is switched off in plugins.toml"))?;
        // The lock goes first: an entry without a plugin does nothing.
        let mut lock = configured.sound_lock()?;
        lock.accept(&name, locked);
        configured.write_lock(&lock)?;
        configured.write(&text)?;
        if output.is_json() {
            return output.json(&json!({ "added": name, "tier": tier, "config": configured.path() }));
        }
        let path = configured.path().display();
        output.line(format_args!("{BOLD}{name}{BOLD:#} is in {path}, accepted as it is now"))
    }

    fn name(&self) -> anyhow::Result<PluginName> {
        if let Some(name) = &self.name {
            return Ok(name.clone());
        }
        let stem = self.file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let wrong = |why| UsageError(format!("the file's name does not do, {why}: choose one with --name"));
        Ok(stem.parse().map_err(wrong)?)
    }

    fn rule(&self) -> Vec<(&'static str, Vec<String>)> {
        let parts = [
            ("streams", &self.streams),
            ("connectors", &self.connectors),
            ("mime", &self.mime),
            ("fields", &self.fields),
        ];
        parts
            .into_iter()
            .filter(|(_, globs)| !globs.is_empty())
            .map(|(part, globs)| (part, globs.clone()))
            .collect()
    }
}

/// A component's path as plugins.toml has it: relative to that file's folder where it lies below it, else whole.
fn spelled(file: &Path, folder: &Path) -> anyhow::Result<String> {
    let file = file.canonicalize().with_context(|| format!("cannot find {}", file.display()))?;
    let folder = folder.canonicalize().with_context(|| format!("there is no folder {}", folder.display()))?;
    let path = file.strip_prefix(&folder).unwrap_or(&file);
    let path = path.to_str().with_context(|| format!("{} is not spelled in UTF-8", path.display()))?;
    // In the file, a dollar sign starts the name of a variable.
    Ok(path.replace('$', "$$"))
}

//! Names of the tools that plugins add.
//!
//! A tool is listed under its own name if it can be, behind its plugin's name if another tool wants the same, and cut
//! with a hash at the end if that is too long. None is dropped, and a name is looked up, never taken apart.

use crate::budget::{MAX_TOOL_NAME_RESERVE, TOOL_NAME, TOOL_NAME_RESERVE};
use crate::quote::json_string;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Stands between a plugin's name and its tool's: short, and allowed everywhere.
pub const DELIMITER: &str = "__";

/// The names that belong to the host, also while the tier behind one is off: an agent that learned a name must never
/// reach something else under it.
pub const CORE: [&str; 6] = ["aggregate", "fetch", "query_records", "read_record_field", "schema", "search"];

/// Says why a plugin cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPlugin {
    /// A plugin without a name.
    #[error("a plugin's name must not be empty")]
    Unnamed,
    /// The name would make the delimiter ambiguous.
    #[error("a plugin's name must not contain \"__\", which separates it from its tools")]
    Delimiter,
    /// The name would run into the delimiter.
    #[error("a plugin's name must neither start nor end with \"_\"")]
    Edge,
    /// One name for two tools of the same plugin: nothing could tell them apart.
    #[error("the plugin lists the tool {} twice", json_string(.0))]
    TwiceTheSameTool(String),
}

/// Says that so large a reserve leaves no name to speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a reserve of {0} bytes leaves too little of a tool's name; at most {MAX_TOOL_NAME_RESERVE} can be kept free"
)]
pub struct ReserveTooLarge(pub usize);

/// What had to be done to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// Characters that are not allowed everywhere were replaced.
    Sanitised,
    /// The plugin's name was put in front, because the bare name was taken.
    Qualified,
    /// The name was cut and got a hash.
    Shortened,
    /// The name got a hash, because the qualified one was taken too.
    Suffixed,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sanitised => "sanitised",
            Self::Qualified => "qualified",
            Self::Shortened => "shortened",
            Self::Suffixed => "suffixed",
        })
    }
}

/// A tool that is listed under another name than its own. It is a line for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fallback {
    /// The plugin's name.
    pub plugin: String,
    /// The tool's own name.
    pub tool: String,
    /// The name under which it is listed.
    pub display: String,
    /// What was done, each once.
    pub rules: Vec<Rule>,
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tool, plugin) = (json_string(&self.tool), json_string(&self.plugin));
        write!(f, "tool {tool} of plugin {plugin} is listed as {} (", self.display)?;
        for (n, rule) in self.rules.iter().enumerate() {
            write!(f, "{}{rule}", if n == 0 { "" } else { ", " })?;
        }
        f.write_str(")")
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    plugin: String,
    tool: String,
}

/// Knows which tool stands behind which listed name.
///
/// The names depend on what is registered, never on the order in which it was.
#[derive(Clone, Debug)]
pub struct Registry {
    longest: usize,
    plugins: BTreeMap<String, BTreeSet<String>>,
    listed: BTreeMap<String, Key>,
    fallbacks: Vec<Fallback>,
}

impl Default for Registry {
    fn default() -> Self {
        Self::with_longest(TOOL_NAME - TOOL_NAME_RESERVE)
    }
}

impl Registry {
    /// Starts a registry that keeps `reserve` of the 64 bytes free for the prefixes that hosts add.
    pub fn with_reserve(reserve: usize) -> Result<Self, ReserveTooLarge> {
        if reserve > MAX_TOOL_NAME_RESERVE {
            return Err(ReserveTooLarge(reserve));
        }
        Ok(Self::with_longest(TOOL_NAME - reserve))
    }

    const fn with_longest(longest: usize) -> Self {
        Self { longest, plugins: BTreeMap::new(), listed: BTreeMap::new(), fallbacks: Vec::new() }
    }

    /// Registers a plugin's tools in place of those that it had before. Other plugins' tools may get other names by
    /// it, if they now share one.
    pub fn register<T: Into<String>>(
        &mut self,
        plugin: &str,
        tools: impl IntoIterator<Item = T>,
    ) -> Result<(), BadPlugin> {
        check_plugin(plugin)?;
        let mut names = BTreeSet::new();
        for tool in tools.into_iter().map(Into::into) {
            if names.contains(&tool) {
                return Err(BadPlugin::TwiceTheSameTool(tool));
            }
            names.insert(tool);
        }
        self.plugins.insert(plugin.to_owned(), names);
        self.name_all();
        Ok(())
    }

    /// Takes a plugin's tools off the list.
    pub fn remove(&mut self, plugin: &str) {
        self.plugins.remove(plugin);
        self.name_all();
    }

    /// Finds the plugin and the tool behind a listed name.
    #[must_use]
    pub fn resolve(&self, display: &str) -> Option<(&str, &str)> {
        self.listed.get(display).map(|key| (key.plugin.as_str(), key.tool.as_str()))
    }

    /// Finds the name under which a plugin's tool is listed.
    #[must_use]
    pub fn display(&self, plugin: &str, tool: &str) -> Option<&str> {
        self.listed
            .iter()
            .find(|(_, key)| key.plugin == plugin && key.tool == tool)
            .map(|(name, _)| name.as_str())
    }

    /// All listed names in order, each with its plugin and tool.
    pub fn list(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.listed.iter().map(|(name, key)| (name.as_str(), key.plugin.as_str(), key.tool.as_str()))
    }

    /// The tools that are listed under another name than their own.
    #[must_use]
    pub fn fallbacks(&self) -> &[Fallback] {
        &self.fallbacks
    }

    /// Names all tools anew. Each starts with its bare name; all that share one go a step further, until none do.
    fn name_all(&mut self) {
        let keys: Vec<Key> = self
            .plugins
            .iter()
            .flat_map(|(plugin, tools)| {
                tools.iter().map(|tool| Key { plugin: plugin.clone(), tool: tool.clone() })
            })
            .collect();
        let core = CORE.map(fold);
        let mut steps = vec![0; keys.len()];
        // It ends: from the third step on every step draws a new hash, and nobody can make them all collide.
        let names = loop {
            let names: Vec<Name> =
                keys.iter().zip(&steps).map(|(key, &step)| spell(key, step, self.longest)).collect();
            let mut wanted: BTreeMap<&str, usize> = BTreeMap::new();
            for claim in core.iter().chain(names.iter().flat_map(|name| &name.claims)) {
                *wanted.entry(claim).or_default() += 1;
            }
            let is_shared = |claim: &String| wanted.get(claim.as_str()).is_some_and(|&count| count > 1);
            let mut settled = true;
            for (name, step) in names.iter().zip(&mut steps) {
                if name.claims.iter().any(is_shared) {
                    *step += 1;
                    settled = false;
                }
            }
            if settled {
                break names;
            }
        };
        self.listed.clear();
        self.fallbacks.clear();
        for (key, name) in keys.into_iter().zip(names) {
            if !name.rules.is_empty() {
                self.fallbacks.push(Fallback {
                    plugin: key.plugin.clone(),
                    tool: key.tool.clone(),
                    display: name.text.clone(),
                    rules: name.rules,
                });
            }
            self.listed.insert(name.text, key);
        }
    }
}

struct Name {
    text: String,
    rules: Vec<Rule>,
    /// What nobody else may claim: the name, and the bare name that it was cut from. Two tools of one long name would
    /// otherwise differ by their hashes alone, and nobody could tell whose is whose.
    claims: Vec<String>,
}

/// Spells a name: bare, then qualified, then qualified with a hash, then with other and longer hashes.
fn spell(key: &Key, step: u32, longest: usize) -> Name {
    let (plugin, tool) = (sanitise_plugin(&key.plugin), sanitise_tool(&key.tool));
    let is_qualified = step > 0;
    let whole = if is_qualified { format!("{plugin}{DELIMITER}{tool}") } else { tool.clone() };
    let is_too_long = whole.len() > longest;

    let mut rules = Vec::new();
    if tool != key.tool || (is_qualified && plugin != key.plugin) {
        rules.push(Rule::Sanitised);
    }
    if is_qualified {
        rules.push(Rule::Qualified);
    }
    if is_too_long {
        rules.push(Rule::Shortened);
    } else if step > 1 {
        rules.push(Rule::Suffixed);
    } else {
        return Name { claims: vec![fold(&whole)], text: whole, rules };
    }

    let suffix = hash(key, step.saturating_sub(2), if step > 2 { 16 } else { 8 });
    let room = longest - 1 - suffix.len();
    let text = if is_qualified {
        let room = room - DELIMITER.len();
        // Half for each; what one does not need goes to the other.
        let for_plugin = plugin.len().min((room / 2).max(room.saturating_sub(tool.len())));
        let plugin = plugin[..for_plugin].trim_end_matches('_');
        let tool = &tool[..tool.len().min(room - for_plugin)];
        format!("{plugin}{DELIMITER}{tool}-{suffix}")
    } else {
        format!("{}-{suffix}", &tool[..tool.len().min(room)])
    };
    let mut claims = vec![fold(&text)];
    if !is_qualified {
        claims.push(fold(&whole));
    }
    Name { text, rules, claims }
}

/// Hashes plugin and tool to hexadecimal digits that stay the same on every machine and in every version.
fn hash(key: &Key, salt: u32, digits: usize) -> String {
    let mut sha = Sha256::new();
    for part in [key.plugin.as_bytes(), key.tool.as_bytes(), &salt.to_be_bytes()] {
        sha.update((part.len() as u64).to_be_bytes());
        sha.update(part);
    }
    sha.finalize().iter().take(digits / 2).map(|byte| format!("{byte:02x}")).collect()
}

/// Makes two names equal that some host could take for the same: some lower-case, some have no hyphen.
fn fold(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

/// Checks the name of a plugin: it must be told from the names of its tools.
pub fn check_plugin(plugin: &str) -> Result<(), BadPlugin> {
    match plugin {
        "" => Err(BadPlugin::Unnamed),
        _ if plugin.contains(DELIMITER) => Err(BadPlugin::Delimiter),
        _ if plugin.starts_with('_') || plugin.ends_with('_') => Err(BadPlugin::Edge),
        _ => Ok(()),
    }
}

fn sanitise_tool(tool: &str) -> String {
    start_with_letter(replace_unusual(tool), "tool")
}

/// A sanitised plugin name obeys the rules of plugin names again.
fn sanitise_plugin(plugin: &str) -> String {
    let words: Vec<String> =
        replace_unusual(plugin).split('_').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    start_with_letter(words.join("_"), "plugin")
}

fn replace_unusual(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).collect()
}

/// Some model interfaces want a letter first.
fn start_with_letter(name: String, word: &str) -> String {
    match name.chars().next() {
        None => word.to_owned(),
        Some(c) if c.is_ascii_alphabetic() => name,
        Some('_') => format!("{word}{name}"),
        Some(_) => format!("{word}_{name}"),
    }
}

#[cfg(test)]
mod tests;

//! Edits of plugins.toml that leave everything else as its owner wrote it.

use crate::exit::UsageError;
use anyhow::Context as _;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, value};

/// The lists of plugins that have names of their own.
const LISTS: [&str; 2] = ["preview", "tool"];
/// The tiers that are always there.
const TIERS: [&str; 4] = ["preview", "field-window", "resources", "binary-export"];

/// A plugins.toml that can be changed.
#[derive(Debug)]
pub(in crate::plugin) struct Document(DocumentMut);

/// What a new plugin gets, in the file's words.
#[derive(Debug, Default)]
pub(in crate::plugin) struct Entry {
    pub(in crate::plugin) component: String,
    /// The parts of its rule.
    pub(in crate::plugin) rule: Vec<(&'static str, Vec<String>)>,
    pub(in crate::plugin) limits: Vec<(String, i64)>,
}

impl Document {
    pub(in crate::plugin) fn parse(text: &str) -> anyhow::Result<Self> {
        Ok(Self(text.parse().context("plugins.toml is no TOML")?))
    }

    pub(in crate::plugin) fn print(&self) -> String {
        self.0.to_string()
    }

    /// Adds a plugin at the end of a list.
    pub(in crate::plugin) fn add(&mut self, list: &str, name: &str, entry: &Entry) -> anyhow::Result<()> {
        if self.names().any(|other| other == name) {
            let message =
                format!("there is a plugin {name:?} already: choose another --name, or remove it first");
            return Err(UsageError(message).into());
        }
        let is_empty = self.0.is_empty() && self.0.trailing().as_str().is_none_or(str::is_empty);
        let tables = self.0.entry(list).or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        let tables = tables
            .as_array_of_tables_mut()
            .ok_or_else(|| UsageError(format!("{list} is no list of tables: write each under [[{list}]]")))?;
        let mut table = Table::new();
        if !is_empty {
            table.decor_mut().set_prefix("\n");
        }
        table.insert("name", value(name));
        entry.fill(&mut table);
        tables.push(table);
        Ok(())
    }

    /// Puts a component in the place of a built-in tier.
    pub(in crate::plugin) fn replace(&mut self, tier: &str, entry: &Entry) -> anyhow::Result<()> {
        let table = self.tier(tier)?;
        // A digest that was written for another file would refuse this one; the lock says which one is meant.
        table.remove("sha256");
        entry.fill(table);
        Ok(())
    }

    /// Removes a plugin, or gives a tier its built-in component back. What was written above it stays, but for the lines
    /// that touch it.
    pub(in crate::plugin) fn remove(&mut self, name: &str) -> anyhow::Result<()> {
        if TIERS.contains(&name) {
            let table = self.tier(name)?;
            for key in ["component", "sha256", "limits"] {
                table.remove(key);
            }
            return Ok(());
        }
        let (list, index) = self.place(name)?;
        let Some(tables) = self.0.get_mut(list).and_then(Item::as_array_of_tables_mut) else { return Ok(()) };
        let (position, kept) = match tables.get(index) {
            Some(table) => (table.position(), above(table)),
            None => return Ok(()),
        };
        tables.remove(index);
        if tables.is_empty() {
            self.0.remove(list);
        }
        if !kept.trim().is_empty() {
            self.keep(&kept, position);
        }
        Ok(())
    }

    /// Switches a plugin or a tier on or off.
    pub(in crate::plugin) fn enable(&mut self, name: &str, on: bool) -> anyhow::Result<()> {
        if TIERS.contains(&name) {
            set(self.tier(name)?, "enabled", on.into());
            return Ok(());
        }
        let (list, index) = self.place(name)?;
        let table =
            self.0.get_mut(list).and_then(Item::as_array_of_tables_mut).and_then(|all| all.get_mut(index));
        if let Some(table) = table {
            set(table, "enabled", on.into());
        }
        Ok(())
    }

    /// The names of the plugins. One without a name is called by its place.
    fn names(&self) -> impl Iterator<Item = String> {
        LISTS.into_iter().flat_map(|list| self.named(list))
    }

    fn named(&self, list: &str) -> Vec<String> {
        let tables = self.0.get(list).and_then(Item::as_array_of_tables).into_iter().flatten();
        let name = |(index, table): (usize, &Table)| {
            let name = table.get("name").and_then(Item::as_str).map(str::to_owned);
            name.unwrap_or_else(|| format!("{list}-{}", index + 1))
        };
        tables.enumerate().map(name).collect()
    }

    fn place(&self, name: &str) -> anyhow::Result<(&'static str, usize)> {
        let place = |list: &'static str| {
            self.named(list).iter().position(|other| other == name).map(|index| (list, index))
        };
        Ok(LISTS.into_iter().find_map(place).ok_or_else(|| {
            let known: Vec<String> = self.names().chain(TIERS.map(str::to_owned)).collect();
            UsageError(format!("there is no plugin {name:?}; there are: {}", known.join(", ")))
        })?)
    }

    /// The table of a tier, as `[tiers.name]`.
    fn tier(&mut self, name: &str) -> anyhow::Result<&mut dyn TableLike> {
        let wrong = || UsageError(format!("tiers.{name} is no table: write [tiers.{name}]"));
        let mut tiers = Table::new();
        tiers.set_implicit(true);
        let tiers = self.0.entry("tiers").or_insert(Item::Table(tiers));
        let tiers = tiers.as_table_like_mut().ok_or_else(wrong)?;
        let one = tiers.entry(name).or_insert(Item::Table(Table::new()));
        Ok(one.as_table_like_mut().ok_or_else(wrong)?)
    }

    /// Puts comments before the table that follows a place, or at the end.
    fn keep(&mut self, comments: &str, position: Option<isize>) {
        let mut next: Option<&mut Table> = None;
        for table in tables(self.0.as_table_mut()) {
            let is_after = table.position() > position;
            if is_after && next.as_ref().is_none_or(|other| table.position() < other.position()) {
                next = Some(table);
            }
        }
        match next {
            Some(table) => {
                let prefix = prefix(table);
                table.decor_mut().set_prefix(format!("{comments}{prefix}"));
            }
            None => {
                let trailing = self.0.trailing().as_str().unwrap_or_default().to_owned();
                self.0.set_trailing(format!("{comments}{trailing}"));
            }
        }
    }
}

impl Entry {
    fn fill(&self, table: &mut dyn TableLike) {
        set(table, "component", self.component.as_str().into());
        if !self.rule.is_empty() {
            let mut rule = InlineTable::new();
            for (part, globs) in &self.rule {
                rule.insert(*part, globs.iter().collect::<Array>().into());
            }
            set(table, "match", rule.into());
        }
        if !self.limits.is_empty() {
            let limits: InlineTable =
                self.limits.iter().map(|(key, number)| (key.as_str(), *number)).collect();
            set(table, "limits", limits.into());
        }
    }
}

/// Sets a value and keeps the comment behind it.
fn set(table: &mut dyn TableLike, key: &str, mut new: toml_edit::Value) {
    if let Some(old) = table.get(key).and_then(Item::as_value) {
        *new.decor_mut() = old.decor().clone();
    }
    table.insert(key, Item::Value(new));
}

/// All tables that have a header of their own.
fn tables(table: &mut Table) -> Vec<&mut Table> {
    let mut all = Vec::new();
    for (_, item) in table.iter_mut() {
        match item {
            Item::Table(inner) => {
                if inner.is_implicit() {
                    all.extend(tables(inner));
                } else {
                    all.push(inner);
                }
            }
            Item::ArrayOfTables(list) => all.extend(list.iter_mut()),
            _ => {}
        }
    }
    all
}

fn prefix(table: &Table) -> String {
    table.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default().to_owned()
}

/// What stands above a table, up to the last empty line: what touches the table is about it and nothing else.
fn above(table: &Table) -> String {
    let prefix = prefix(table);
    prefix.rfind("\n\n").map_or_else(String::new, |end| prefix[..=end].to_owned())
}

#[cfg(test)]
mod tests;

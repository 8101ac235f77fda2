//! A `plugins.toml` as it was written: every key and value with its line, variables filled in.

use super::expand::expand;
use super::{ConfigError, Mistake};
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error, ValueDeserializer};

/// A file whose TOML is right. Each part of the program reads the tables that are its own.
#[derive(Debug)]
pub struct File<'t> {
    text: &'t str,
    pub(super) root: Spanned<DeValue<'t>>,
    /// Values that came from the environment, and what stands in the file instead.
    filled: Vec<(String, String)>,
}

impl<'t> File<'t> {
    /// Reads a file. `variable` says what the environment holds.
    pub fn parse(text: &'t str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let (file, unset) = Self::filled(text, variable)?;
        unset.into_iter().min_by_key(|mistake| mistake.at).map_or(Ok(file), Err)
    }

    /// Reads a file, with the variables that cannot be filled in beside it.
    pub(super) fn filled(
        text: &'t str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(Self, Vec<ConfigError>), ConfigError> {
        let mut file =
            Self { text, root: Spanned::new(0..0, DeValue::Table(DeTable::new())), filled: Vec::new() };
        let root = DeTable::parse(text).map_err(|error| file.syntax(&error, ""))?;
        let mut root = Spanned::new(root.span(), DeValue::Table(root.into_inner()));
        let mut unset = Vec::new();
        file.fill(&mut root, variable, &mut unset);
        file.root = root;
        Ok((file, unset))
    }

    /// Fills in variables, in strings and nowhere else.
    fn fill(
        &mut self,
        value: &mut Spanned<DeValue<'t>>,
        variable: &dyn Fn(&str) -> Option<String>,
        unset: &mut Vec<ConfigError>,
    ) {
        let span = value.span();
        match value.get_mut() {
            DeValue::String(text) if text.contains('$') => match expand(text, variable) {
                Ok(filled) => {
                    self.filled.push((filled.clone(), text.clone().into_owned()));
                    *text = Cow::Owned(filled);
                }
                Err(mistake) => unset.push(self.at(span, mistake)),
            },
            DeValue::Array(values) => values.iter_mut().for_each(|value| self.fill(value, variable, unset)),
            DeValue::Table(table) => {
                table.iter_mut().for_each(|(_, value)| self.fill(value, variable, unset));
            }
            _ => {}
        }
    }

    /// Everything at the top level.
    #[must_use]
    pub fn top(&self) -> Section<'_> {
        Section { file: self, name: String::new(), is_listed: false, value: Some(&self.root), near: None }
    }

    fn at(&self, span: Range<usize>, mistake: Mistake) -> ConfigError {
        let before = &self.text[..span.start.min(self.text.len())];
        let (line, at) = (before.matches('\n').count() + 1, u32::try_from(span.start).ok());
        ConfigError { line: Some(line), mistake, at }
    }

    /// An error of the TOML library, in one line, and without what the environment holds.
    fn syntax(&self, error: &Error, place: &str) -> ConfigError {
        let mut message = format!("{place}{}", error.message().replace('\n', ", "));
        for (filled, written) in &self.filled {
            message = message.replace(&format!("`{filled}`"), &format!("`{written}`"));
            message = message.replace(&format!("{filled:?}"), &format!("{written:?}"));
        }
        match error.span() {
            Some(span) => self.at(span, Mistake::Syntax(message)),
            None => ConfigError { line: None, mistake: Mistake::Syntax(message), at: None },
        }
    }
}

/// A table of the file, or the want of one.
#[derive(Clone, Debug)]
pub struct Section<'f> {
    file: &'f File<'f>,
    /// The names of the tables down to this one, with dots between.
    name: String,
    /// Whether it is one of several of its name.
    is_listed: bool,
    value: Option<&'f Spanned<DeValue<'f>>>,
    /// Where its name stands.
    near: Option<Range<usize>>,
}

impl<'f> Section<'f> {
    fn table(&self) -> Option<&'f DeTable<'f>> {
        self.value.and_then(|value| value.get_ref().as_table())
    }

    /// A table inside this one. It may be left out.
    pub fn inner(&self, name: &str) -> Result<Section<'f>, ConfigError> {
        let found = self.table().and_then(|table| table.get_key_value(name));
        let section = Section {
            file: self.file,
            name: self.named(name),
            is_listed: false,
            value: found.map(|(_, value)| value),
            near: found.map(|(key, _)| key.span()),
        };
        match found {
            Some((_, value)) if !value.get_ref().is_table() => {
                let problem = format!("must be a table, not {}", value.get_ref().type_str());
                Err(self.wrong(name, problem))
            }
            _ => Ok(section),
        }
    }

    /// Whether a key holds a table.
    pub(super) fn has_table(&self, key: &str) -> bool {
        self.table().and_then(|table| table.get(key)).is_some_and(|value| value.get_ref().is_table())
    }

    /// The tables of a list, as `[[name]]` makes them, in their order.
    pub fn list(&self, name: &str) -> Result<Vec<Section<'f>>, ConfigError> {
        let Some(value) = self.table().and_then(|table| table.get(name)) else { return Ok(Vec::new()) };
        let wrong =
            || self.wrong(name, format!("must be a list of tables, each under [[{}]]", self.named(name)));
        let values = value.get_ref().as_array().ok_or_else(wrong)?;
        let section = |value: &'f Spanned<DeValue<'f>>| {
            let (name, near) = (self.named(name), Some(value.span()));
            let section = Section { file: self.file, name, is_listed: true, value: Some(value), near };
            section.table().is_some().then_some(section).ok_or_else(wrong)
        };
        values.iter().map(section).collect()
    }

    /// Refuses every key but these.
    pub fn only(&self, known: &[&str]) -> Result<(), ConfigError> {
        let keys = self.table().into_iter().flat_map(|table| table.keys());
        let unknown = keys.filter(|key| !known.contains(&&**key.get_ref()));
        let Some(key) = unknown.min_by_key(|key| key.span().start) else { return Ok(()) };
        let place = match self.name.as_str() {
            "" => "at the top level".to_owned(),
            name if self.is_listed => format!("in [[{name}]]"),
            name => format!("in [{name}]"),
        };
        let mistake = Mistake::UnknownKey {
            key: key.get_ref().to_string(),
            place,
            suggestion: nearest(key.get_ref(), known).map(str::to_owned),
            known: known.iter().map(|name| (*name).to_owned()).collect(),
        };
        Err(self.file.at(key.span(), mistake))
    }

    /// The table's values. One that is left out reads as an empty table.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        let value = match self.value {
            Some(value) => value.clone(),
            None => Spanned::new(0..0, DeValue::Table(DeTable::new())),
        };
        let read = T::deserialize(ValueDeserializer::from(value));
        read.map_err(|error| self.file.syntax(&error, &format!("{}: ", self.name)))
    }

    /// Says what is wrong with the value of a key.
    #[must_use]
    pub fn wrong(&self, key: &str, problem: impl Into<String>) -> ConfigError {
        let mistake = Mistake::Value { key: self.named(key), problem: problem.into() };
        let key = self.table().and_then(|table| table.get_key_value(key)).map(|(key, _)| key.span());
        match key.or_else(|| self.near.clone()) {
            Some(span) => self.file.at(span, mistake),
            None => ConfigError { line: None, mistake, at: None },
        }
    }

    fn named(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }
}

/// The known key that was probably meant.
fn nearest<'k>(key: &str, known: &[&'k str]) -> Option<&'k str> {
    // Dashes and underscores are mixed up more often than anything else.
    let plain = |name: &str| name.replace('-', "_").to_ascii_lowercase();
    let distance = |name: &str| strsim::damerau_levenshtein(&plain(key), &plain(name));
    let nearest = known.iter().copied().min_by_key(|name| (distance(name), name.len()))?;
    (distance(nearest) <= (nearest.len() / 2).clamp(1, 3)).then_some(nearest)
}

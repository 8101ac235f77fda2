//! All mistakes of a `plugins.toml` at once: an operator who repairs one should not meet the next one after it.

use super::{ConfigError, File};
use toml::Spanned;
use toml::de::DeValue;

/// What is wrong with a `plugins.toml`, a line each, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Mistakes(pub Vec<ConfigError>);

impl<'t> File<'t> {
    /// Reads a file by `read`. Whatever is wrong is set aside and the rest read again, until nothing else is wrong.
    pub fn read_all<T>(
        text: &'t str,
        variable: &dyn Fn(&str) -> Option<String>,
        read: impl Fn(&File<'_>) -> Result<T, ConfigError>,
    ) -> Result<T, Mistakes> {
        let (mut file, mut found) = Self::filled(text, variable).map_err(|syntax| Mistakes(vec![syntax]))?;
        for unset in &found {
            file.sets_aside(unset);
        }
        loop {
            match read(&file) {
                Ok(all) if found.is_empty() => return Ok(all),
                Ok(_) => break,
                Err(mistake) => {
                    let goes_on = file.sets_aside(&mistake);
                    found.push(mistake);
                    if !goes_on {
                        break;
                    }
                }
            }
        }
        found.sort_by_key(|mistake| mistake.line);
        Err(Mistakes(found))
    }

    /// Takes what a mistake is about out of the file. False if it cannot be told what that is.
    fn sets_aside(&mut self, mistake: &ConfigError) -> bool {
        mistake.at.is_some_and(|at| remove(&mut self.root, at as usize))
    }
}

/// Removes the innermost key that a place in the text belongs to.
fn remove(value: &mut Spanned<DeValue<'_>>, at: usize) -> bool {
    match value.get_mut() {
        DeValue::Table(table) => {
            if table.iter_mut().any(|(_, inner)| remove(inner, at)) {
                return true;
            }
            let here = |(key, value): &(&Spanned<_>, &Spanned<_>)| {
                key.span().contains(&at) || value.span().contains(&at)
            };
            let key = table.iter().find(here).map(|(key, _)| key.get_ref().to_string());
            key.is_some_and(|key| table.remove(key.as_str()).is_some())
        }
        DeValue::Array(values) => values.iter_mut().any(|inner| remove(inner, at)),
        _ => false,
    }
}

//! What is seen of a file from outside, to notice that it changed.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Files and how they looked; none where there was no file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamps {
    configuration: Option<Seen>,
    components: Vec<Seen>,
}

type Seen = (PathBuf, Option<Stamp>);

/// Size, time of the last change, and which file it is: one that takes another's place may look the same else.
type Stamp = (u64, Option<SystemTime>, u64);

fn see(path: PathBuf) -> Seen {
    let stamp = stamp(&path);
    (path, stamp)
}

fn stamp(path: &Path) -> Option<Stamp> {
    // A link is followed: what it leads to is what counts.
    let found = std::fs::metadata(path).ok()?;
    Some((found.len(), found.modified().ok(), number(&found)))
}

#[cfg(unix)]
fn number(found: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(found)
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> u64 {
    0
}

impl Stamps {
    /// Looks at the configuration.
    pub(crate) fn of(configuration: Option<PathBuf>) -> Self {
        Self { configuration: configuration.map(see), components: Vec::new() }
    }

    /// Looks at the configuration again, and at nothing else.
    pub(super) fn of_configuration(&self) -> Self {
        Self::of(self.configuration.as_ref().map(|(path, _)| path.clone()))
    }

    /// Looks at the files that the configuration names.
    pub(crate) fn add(&mut self, components: Vec<PathBuf>) {
        self.components.extend(components.into_iter().map(see));
    }

    /// Keeps the files that an earlier configuration named, as they were then.
    pub(super) fn keep_components(&mut self, before: &Self) {
        self.components.clone_from(&before.components);
    }

    /// Whether there is a configuration.
    pub(crate) fn has_configuration(&self) -> bool {
        matches!(self.configuration, Some((_, Some(_))))
    }

    /// Looks at the same files again. A drive that does not answer holds nobody up.
    pub(super) async fn again(&self) -> Self {
        let (before, same) = (self.clone(), self.clone());
        let looked = tokio::task::spawn_blocking(move || {
            let mut now = before.of_configuration();
            now.add(before.components.into_iter().map(|(path, _)| path).collect());
            now
        });
        looked.await.unwrap_or(same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_change_of_any_file_shows() {
        let folder = tempfile::tempdir().unwrap();
        let (config, component) = (folder.path().join("plugins.toml"), folder.path().join("a.wasm"));
        let mut stamps = Stamps::of(Some(config.clone()));
        assert!(!stamps.has_configuration());
        stamps.add(vec![component.clone()]);
        assert_eq!(stamps.again().await, stamps);
        for (file, text) in [(&config, "a"), (&component, "a"), (&component, "ab"), (&config, "")] {
            std::fs::write(file, text).unwrap();
            let now = stamps.again().await;
            assert_ne!(now, stamps, "{text:?}");
            stamps = now;
        }
        assert!(stamps.has_configuration());
        // The same size, but another time.
        let later = SystemTime::now() + std::time::Duration::from_secs(5);
        std::fs::File::options().append(true).open(&component).unwrap().set_modified(later).unwrap();
        assert_ne!(stamps.again().await, stamps);
        std::fs::remove_file(&config).unwrap();
        assert!(!stamps.again().await.has_configuration());
    }
}

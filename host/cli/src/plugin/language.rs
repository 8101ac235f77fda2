//! The languages that a plugin can be written in, and their ordinary tools.

use clap::ValueEnum;
use std::fmt;
use std::path::Path;

/// A language that a project of `stepwell plugin new` is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// cargo, and the target wasm32-unknown-unknown
    Rust,
    /// componentize-py, from PyPI
    Python,
    /// componentize-qjs, from npm
    Js,
}

impl Language {
    /// The language of the project in a folder, by the file that its tools look for.
    pub(super) fn of(folder: &Path) -> Option<Self> {
        let all = [Self::Rust, Self::Python, Self::Js];
        all.into_iter().find(|language| folder.join(language.file()).is_file())
    }

    /// The file by which a project of it is known.
    pub(super) const fn file(self) -> &'static str {
        match self {
            Self::Rust => "Cargo.toml",
            Self::Python => "pyproject.toml",
            Self::Js => "package.json",
        }
    }

    /// What installs its tools into a project; cargo needs nothing.
    pub(super) const fn before_build(self) -> Option<&'static str> {
        match self {
            Self::Rust => None,
            Self::Python => {
                Some("python3 -m venv .venv && .venv/bin/pip install --requirement requirements.txt")
            }
            Self::Js => Some("npm install"),
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rust => "Rust",
            Self::Python => "Python",
            Self::Js => "JavaScript",
        })
    }
}

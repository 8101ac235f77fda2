//! Where records are: in a store, or at a resource server.

use std::fmt;
use std::str::FromStr;
use stepwell_source::{RemoteUrl, SourceUrl};

/// What `--source` and `[source] url` name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SourcePlace {
    /// A store of one's own.
    Store(SourceUrl),
    /// A resource server that someone else runs.
    Remote(RemoteUrl),
}

impl FromStr for SourcePlace {
    /// What is wrong, without the text itself, which may hold a password.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if RemoteUrl::is_meant(text) {
            return text
                .parse()
                .map(Self::Remote)
                .map_err(|fault: stepwell_source::remote::BadRemoteUrl| fault.to_string());
        }
        text.parse().map(Self::Store).map_err(|fault: stepwell_source::url::BadUrl| fault.to_string())
    }
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(url) => url.fmt(f),
            Self::Remote(url) => url.fmt(f),
        }
    }
}

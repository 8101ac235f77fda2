//! Where a verb's token comes from.

use crate::exit::NoToken;
use anyhow::Context as _;
use clap::Args;
use std::path::{Path, PathBuf};
use stepwell_source::Token;

/// Names the token. It is never an argument itself: every user of a machine can see arguments.
#[derive(Debug, Args)]
pub(crate) struct TokenArguments {
    /// A file that holds the client token; without it, the variable STEPWELL_TOKEN
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

impl TokenArguments {
    /// The file that was named.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.token_file.as_deref()
    }

    /// Reads the token.
    pub(crate) fn token(&self) -> anyhow::Result<Token> {
        let text = match &self.token_file {
            Some(file) => std::fs::read_to_string(file)
                .with_context(|| format!("cannot read the token file {}", file.display()))?,
            None => std::env::var("STEPWELL_TOKEN").map_err(|_| NoToken)?,
        };
        match text.trim() {
            "" => Err(NoToken.into()),
            token => Ok(Token::new(token)),
        }
    }
}

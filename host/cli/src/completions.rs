//! `stepwell completions`: what a shell needs to complete the words of this program, and its manual.

use crate::output::Output;
use anyhow::Context as _;
use clap::{Args, Command};
use clap_complete::Shell;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Prints the completions of a shell, or writes the manual pages
#[derive(Debug, Args)]
#[command(after_help = "\
Where they go, for one user:
  stepwell completions bash > ~/.local/share/bash-completion/completions/stepwell
  stepwell completions zsh > ~/.zfunc/_stepwell    with ~/.zfunc in $fpath
  stepwell completions fish > ~/.config/fish/completions/stepwell.fish
  stepwell completions --man ~/.local/share/man/man1")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL", required_unless_present = "man")]
    shell: Option<Shell>,
    /// Writes a manual page for each verb into this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "shell")]
    man: Option<PathBuf>,
}

impl Completions {
    pub(crate) fn run(self, mut program: Command, output: &Output) -> anyhow::Result<()> {
        if let Some(folder) = &self.man {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
            program.build();
            return pages(&program, folder, output);
        }
        let mut text = Vec::new();
        if let Some(shell) = self.shell {
            clap_complete::generate(shell, &mut program, "stepwell", &mut text);
        }
        Ok(std::io::stdout().lock().write_all(&text)?)
    }
}

/// Writes the page of a command and those of its verbs.
fn pages(command: &Command, folder: &Path, output: &Output) -> anyhow::Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name()).replace(' ', "-");
    let path = folder.join(format!("{name}.1"));
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    std::fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    output.line(path.display())?;
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set() && verb.get_name() != "help");
    verbs.into_iter().try_for_each(|verb| pages(verb, folder, output))
}

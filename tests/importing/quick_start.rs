//! The quick start of the README, command by command, and then a client that searches what was imported.

use super::archive;
use crate::clients::climb_by_text;
use crate::mcp::world::World;
use crate::program::{Granted, Store, stepwell};
use std::path::Path;

const README: &str = include_str!("../../README.md");

/// The commands of the section, as a reader copies them.
fn commands() -> Vec<String> {
    let section = README.split("### From a mail archive to a client\n").nth(1).expect("the section");
    let section = section.split("\n### ").next().expect("its end");
    let console = section.split("```console\n").skip(1).filter_map(|block| block.split("```").next());
    let commands: Vec<String> =
        console.flat_map(str::lines).filter_map(|line| line.strip_prefix("$ ")).map(str::to_owned).collect();
    assert!(commands.len() >= 3, "{commands:?}");
    commands
}

/// Takes a command apart as a shell does with the quotes that the README uses.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in command.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            _ => words.last_mut().expect("a word").push(c),
        }
    }
    words
}

#[test]
fn the_readme_leads_from_a_mail_archive_to_a_client() {
    let store = Store::sqlite();
    let home = store.path("home");
    std::fs::create_dir(&home).expect("a folder");
    let long = "The ferry key lies under the heron.\n".repeat(3_000);
    let more = format!(
        "From a@b Mon Mar  2 09:00:00 2026\nMessage-ID: <long@b>\nDate: Tue, 3 Mar 2026 09:00:00 +0000\nSubject: The log of the ferry\n\n{long}"
    );
    std::fs::write(home.join("All mail.mbox"), archive(12) + &more).expect("a file");
    for command in commands() {
        let words = words(&command);
        assert_eq!(words[0], "stepwell", "{command}");
        let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let ran = stepwell(&home, &arguments).current_dir(&home).output().expect("the program runs");
        assert!(ran.status.success(), "{command}: {}", String::from_utf8_lossy(&ran.stderr));
    }
    let path = |name: &str| home.join(name).to_str().expect("UTF-8").to_owned();
    let url = format!("sqlite:{}", Path::new("data/stepwell/store.sqlite").display());
    let all = Granted { id: String::new(), token_file: path("token") };
    let world =
        World { store: Store::at(url.replace("sqlite:", &format!("sqlite:{}/", home.display()))), all };
    let outcome = climb_by_text(&world, "ferry key heron");
    assert_eq!(outcome["server"], "stepwell");
    assert_eq!(outcome["tools"].as_array().map(Vec::len), Some(6), "{outcome}");
    assert_eq!(outcome["chars"], long.trim_end().chars().count());
}

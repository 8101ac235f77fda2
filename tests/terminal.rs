//! What the program does where someone sits at a terminal: it asks, and shows long texts a screen at a time.

mod asking;
mod paging;

use crate::clients::find_python;
use crate::program::Store;
use serde_json::{Value, json};
use std::process::Command;

const DRIVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/terminal/drive.py");

/// What was on the terminal, without colours, and how the program ended.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) said: String,
    pub(crate) code: Option<i64>,
}

/// Runs the program on a terminal of 24 rows and 80 columns. Each step waits for words and then types keys.
pub(crate) fn on_terminal(store: &Store, arguments: &[&str], steps: &[(&str, &str)]) -> Session {
    let program = store.command(arguments);
    let argv: Vec<&str> = [program.get_program()]
        .into_iter()
        .chain(program.get_args())
        .map(|word| word.to_str().expect("UTF-8"))
        .collect();
    let task = json!({ "argv": argv, "rows": 24, "columns": 80, "steps": steps });
    let mut driver = Command::new(find_python());
    driver.arg(DRIVER).env("TASK", task.to_string()).env("TERM", "xterm-256color").env("LC_ALL", "C.UTF-8");
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => driver.env(name, value),
            None => driver.env_remove(name),
        };
    }
    driver.env_remove("COLUMNS");
    let output = driver.output().expect("the driver runs");
    let outcome: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let said = outcome["said"].as_str().expect("text");
    let said = anstream::adapter::strip_str(said).to_string().replace('\r', "");
    assert!(outcome["waits_for"] == json!([]), "it never said {}: {said}", outcome["waits_for"]);
    Session { said, code: outcome["code"].as_i64() }
}

//! An import that says at each step what is safe, so that a kill can fall at any moment.

use crate::program::{Ran, Store};
use serde_json::json;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// So many lines are stored together.
pub(super) const BATCH: usize = 20;
pub(super) const LINES: usize = 10 * BATCH;
/// This record comes again in every batch with another text, and so ends the batch before.
pub(super) const AGAIN: &str = "again";

/// One line of the import.
pub(super) struct Line {
    pub(super) key: String,
    pub(super) body: String,
    pub(super) note: String,
}

/// All lines: short texts, long ones in several chunks, and one record that keeps changing.
pub(super) fn lines() -> Vec<Line> {
    let line = |n: usize| {
        let key = if n.is_multiple_of(BATCH) { AGAIN.to_owned() } else { format!("r{n}") };
        let long = n % 5 == 2 || n.is_multiple_of(BATCH);
        let words = if long { 600 + n * 7 } else { n % 50 };
        let body: String = (0..words).map(|word| format!("{n}.{word} é日🦊 ")).collect();
        Line { key, body, note: format!("the note of line {n}") }
    };
    (0..LINES).map(line).collect()
}

/// The lines as a file.
pub(super) fn ndjson(lines: &[Line]) -> String {
    let spell = |line: &Line| json!({ "key": line.key, "data": { "body": line.body, "note": line.note } });
    lines.iter().map(|line| format!("{}\n", spell(line))).collect()
}

/// When to kill.
#[derive(Clone, Copy, Debug)]
pub(super) enum Moment {
    /// When so many batches were acknowledged.
    Acknowledged(usize),
    /// So long after the start.
    Elapsed(Duration),
}

fn arguments(file: &str) -> [&str; 6] {
    ["ingest", "--json", "--connection", "home", "messages", file]
}

/// Runs the import to its end.
pub(super) fn run(store: &Store, file: &str) -> Ran {
    store.run(&arguments(file))
}

/// Starts the import; what it says arrives line by line.
pub(super) fn start(store: &Store, file: &str) -> (Child, Receiver<String>) {
    let mut command = store.command(&arguments(file));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program runs");
    let out = BufReader::new(child.stdout.take().expect("a pipe"));
    let (sender, receiver) = channel();
    std::thread::spawn(move || out.lines().map_while(Result::ok).all(|line| sender.send(line).is_ok()));
    (child, receiver)
}

/// Waits for the moment; gives what was said until then.
pub(super) fn wait(said: &Receiver<String>, moment: Moment) -> Vec<String> {
    let started = Instant::now();
    let mut heard = Vec::new();
    loop {
        let patience = match moment {
            Moment::Acknowledged(batches) if heard.len() >= batches => return heard,
            Moment::Acknowledged(_) => Duration::from_secs(60),
            Moment::Elapsed(after) => after.saturating_sub(started.elapsed()),
        };
        match said.recv_timeout(patience) {
            Ok(line) => heard.push(line),
            Err(_) => return heard,
        }
    }
}

/// Starts the import, kills it at the moment, and gives through which line it acknowledged: what a pipe holds when
/// its writer dies was said all the same.
pub(super) fn run_and_kill(store: &Store, file: &str, moment: Moment) -> usize {
    let (mut child, said) = start(store, file);
    let mut heard = wait(&said, moment);
    child.kill().expect("a signal");
    child.wait().expect("an end");
    heard.extend(said.iter());
    acknowledged(&heard)
}

/// Through which line an import acknowledged.
pub(super) fn acknowledged(heard: &[String]) -> usize {
    // A line that was cut by the kill acknowledges nothing.
    let events = heard.iter().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let through = events.filter_map(|event| event["through_line"].as_u64()).max();
    through.unwrap_or_default() as usize
}

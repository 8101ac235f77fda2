//! Kill -9 in the middle of an import: the next one completes it.

use super::{archive, counts, done};
use crate::on_both_engines;
use crate::program::Store;
use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

on_both_engines!(an_import_that_was_killed_is_completed_by_the_next);

const MESSAGES: usize = 6_000;

fn an_import_that_was_killed_is_completed_by_the_next(store: &Store) {
    let file = store.file("mail.mbox", archive(MESSAGES));
    let mut command = store.command(&["import", "--json", "mbox", &file]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program runs");
    let mut said = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    // Two batches are safe, and most of the archive is not.
    let acknowledged: u64 = said
        .by_ref()
        .take(2)
        .map(|line| serde_json::from_str::<Value>(&line.expect("a line")).expect("JSON"))
        .filter_map(|event| event["records"].as_u64())
        .sum();
    child.kill().expect("a signal");
    child.wait().expect("an end");
    store.run(&["store", "check"]).assert_code(0);
    let report = done(store, &["mbox", &file]);
    let [messages, attachments] = ["messages", "attachments"].map(|stream| report["streams"][stream].clone());
    let of = |value: &Value, name: &str| value[name].as_u64().expect("a count");
    assert!(of(&messages, "unchanged") + of(&attachments, "unchanged") >= acknowledged, "{report}");
    assert!(of(&messages, "added") > 0, "the kill came too late: {report}");
    assert_eq!(of(&messages, "added") + of(&messages, "unchanged"), MESSAGES as u64);
    assert_eq!((of(&messages, "changed"), of(&attachments, "changed")), (0, 0));
    let again = done(store, &["mbox", &file]);
    assert_eq!(again["streams"]["messages"], counts(0, 0, MESSAGES as u64));
    assert_eq!(again["streams"]["attachments"], counts(0, 0, MESSAGES as u64 / 3));
    store.run(&["store", "check"]).assert_code(0);
}

//! What a time range of a grant goes by: never a guess about when something happened.

use super::done;
use crate::on_both_engines;
use crate::program::Store;
use serde_json::{Value, json};

on_both_engines!(
    a_column_that_nobody_named_puts_no_row_into_a_range,
    a_date_that_may_be_two_days_lies_in_no_range,
);

/// The keys of the records that a grant from a day on lets somebody find by a word.
fn found(store: &Store, stream: &str, since: &str, word: &str) -> Vec<String> {
    let token = store.grant(&["--stream", stream, "--since", since]).token_file;
    let found = store.run(&["--json", "search", word, "--token-file", &token]);
    found.assert_code(0);
    let hits = found.json()["hits"].as_array().expect("hits").clone();
    let id =
        |hit: &Value| hit["id"].as_str().expect("an id").rsplit(':').next().unwrap_or_default().to_owned();
    let mut keys: Vec<String> = hits.iter().map(id).collect();
    keys.sort_unstable();
    keys
}

fn a_column_that_nobody_named_puts_no_row_into_a_range(store: &Store) {
    let people =
        "id,name,born,joined\n1,Heron one,2010-05-01,2026-03-01\n2,Heron two,1980-01-01,2026-03-02\n";
    let file = store.file("people.csv", people);
    let report = done(store, &["csv", &file]);
    assert_eq!(report["left_out"], json!({ "no_time": 1 }));
    assert_eq!(
        found(store, "people", "2000-01-01", "heron"),
        [""; 0],
        "the first column of dates is a birthday"
    );
    // The owner says which one it is, and only then the range holds rows.
    done(store, &["csv", &file, "--time", "joined"]);
    assert_eq!(found(store, "people", "2026-03-02", "heron"), ["2"]);
    // Without the word of the owner, what was there before is gone again.
    let report = done(store, &["csv", &file]);
    assert_eq!(report["streams"]["people"]["added"], 0);
    assert_eq!(found(store, "people", "2000-01-01", "heron"), [""; 0]);
    store.run(&["store", "check"]).assert_code(0);
}

fn a_date_that_may_be_two_days_lies_in_no_range(store: &Store) {
    let chat = "02/03/2026, 9:15 am - Ilse: the heron of March, or of February\n05/05/2026, 9:15 am - Ilse: the heron of May\n";
    let file = store.file("WhatsApp Chat with Bo.txt", chat);
    let refused = store.run(&["import", "whatsapp", &file]);
    refused.assert_code(1);
    assert!(refused.err.contains("--time-zone"), "{}", refused.err);
    let said = store.run(&["import", "whatsapp", &file, "--time-zone", "UTC"]);
    said.assert_code(0);
    assert!(
        said.err.starts_with("note: WhatsApp Chat with Bo.txt: no_time: no time for 1 of 2 messages"),
        "{}",
        said.err
    );
    assert!(said.err.contains("--date-order dmy"), "{}", said.err);
    assert_eq!(found(store, "chat_messages", "2020-01-01", "heron").len(), 1, "only May is clear");
    let report = done(store, &["whatsapp", &file, "--time-zone", "UTC", "--date-order", "mdy"]);
    let messages = &report["streams"]["chat_messages"];
    assert_eq!((&messages["added"], &messages["changed"]), (&json!(0), &json!(1)), "{report}");
    assert_eq!(found(store, "chat_messages", "2026-02-03", "heron").len(), 2);
    assert_eq!(found(store, "chat_messages", "2026-02-04", "heron").len(), 1);
    store.run(&["import", "whatsapp", &file, "--time-zone", "UTC", "--date-order", "day"]).assert_code(64);
}

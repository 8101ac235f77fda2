//! `stepwell import`: what other programs let people download, in a store.

mod corpus;
mod extracting;
mod kill;
mod timing;

use crate::on_both_engines;
use crate::program::Store;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

on_both_engines!(
    mail_is_imported_once_and_again_changes_nothing,
    a_dry_run_says_what_would_happen_and_stores_nothing,
    what_is_left_out_is_named_and_counted,
    an_attachment_comes_out_as_it_went_in,
    a_newer_export_adds_what_is_new,
);

/// An archive of so many messages; every third has a file.
fn archive(messages: usize) -> String {
    let message = |n: usize| {
        let head = format!(
            "From ilse@home.example Mon Mar  2 09:00:00 2026\nMessage-ID: <{n}@home.example>\nDate: Mon, 2 Mar 2026 09:{:02}:{:02} +0000\nFrom: Ilse <ilse@home.example>\nTo: bo@home.example\nSubject: Letter {n}\n",
            n / 60 % 60,
            n % 60
        );
        let text = format!("The heron number {n} of Zürich.\n{}", "and again, ".repeat(n % 700));
        if n.is_multiple_of(3) {
            return format!(
                "{head}Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=utf-8\n\n{text}\n--b\nContent-Type: application/octet-stream\nContent-Disposition: attachment; filename=\"{n}.bin\"\n\nfile {n}\n--b--\n\n"
            );
        }
        format!("{head}Content-Type: text/plain; charset=utf-8\n\n{text}\n\n")
    };
    (0..messages).map(message).collect()
}

fn done(store: &Store, arguments: &[&str]) -> Value {
    let ran = store.run(&[&["import", "--json"], arguments].concat());
    ran.assert_code(0);
    ran.json_lines().pop().expect("a report")
}

fn counts(added: u64, changed: u64, unchanged: u64) -> Value {
    json!({ "added": added, "changed": changed, "unchanged": unchanged })
}

fn mail_is_imported_once_and_again_changes_nothing(store: &Store) {
    let file = store.file("All mail.mbox", archive(30));
    let first = done(store, &["mbox", &file, "--label", "Home mail"]);
    assert_eq!(first["connection"], "cin_mbox_all_mail");
    assert_eq!(first["streams"], json!({ "messages": counts(30, 0, 0), "attachments": counts(10, 0, 0) }));
    let again = done(store, &["mbox", &file, "--label", "Home mail"]);
    assert_eq!(again["streams"], json!({ "messages": counts(0, 0, 30), "attachments": counts(0, 0, 10) }));
    store.run(&["store", "check"]).assert_code(0);
    let token = store.grant(&["--stream", "messages"]).token_file;
    let read =
        store.run(&["read", "cin_mbox_all_mail/messages:7@home.example", "subject", "--token-file", &token]);
    assert_eq!(read.text(), "Letter 7");
}

fn a_dry_run_says_what_would_happen_and_stores_nothing(store: &Store) {
    let file = store.file("All mail.mbox", archive(30));
    let said = done(store, &["mbox", &file, "--dry-run"]);
    assert_eq!(said["streams"]["messages"]["records"], 30);
    assert_eq!(said["streams"]["messages"]["first"], "2026-03-02T09:00:00Z");
    let for_people = store.run(&["import", "mbox", &file, "--dry-run"]);
    let lines: Vec<&str> = for_people.text().lines().collect();
    assert_eq!(lines[0], "would go into cin_mbox_all_mail (All mail):");
    assert!(lines[1].starts_with("  messages: 30 records, "), "{lines:?}");
    assert!(lines[1].ends_with(", from 2026-03-02 to 2026-03-02; the first is 0@home.example"), "{lines:?}");
    if store.url.starts_with("sqlite:") {
        assert!(!store.exists(), "no store was opened");
    }
    let first = done(store, &["mbox", &file]);
    assert_eq!(first["streams"]["messages"], counts(30, 0, 0));
}

fn what_is_left_out_is_named_and_counted(store: &Store) {
    let rows: String = (0..40)
        .map(|n| if n % 2 == 0 { format!("{{\"id\":{n}}}\n") } else { "nonsense\u{1b}\n".to_owned() })
        .collect();
    let file = store.file("rows.jsonl", rows);
    let ran = store.run(&["import", "jsonl", &file]);
    ran.assert_code(0);
    assert_eq!(ran.err.lines().count(), 20);
    assert!(
        ran.err.starts_with("left out: rows.jsonl, line 2: malformed: it is no JSON object\n"),
        "{}",
        ran.err
    );
    assert!(ran.text().contains("left out: 20 malformed\n"), "{}", ran.text());
    assert!(ran.text().contains("  rows: 20 added, 0 changed, 0 unchanged\n"), "{}", ran.text());
    store.run(&["import", "jsonl", &file, "--strict"]).assert_code(1);
    let nowhere = store.run(&["import", "jsonl", "nowhere.jsonl"]);
    nowhere.assert_code(1);
    assert!(nowhere.err.contains("cannot read nowhere.jsonl"), "{}", nowhere.err);
    let wrong = store.run(&["import", "mbox", &file]);
    wrong.assert_code(1);
    assert_eq!(wrong.text(), "");
    assert!(
        !store.run(&["connections", "list"]).text().contains("cin_mbox"),
        "what is something else leaves no trace"
    );
    store.run(&["import", "floppy", &file]).assert_code(64);
}

fn an_attachment_comes_out_as_it_went_in(store: &Store) {
    let bytes: Vec<u8> = (0..200_000_u32).map(|n| (n * 7 % 251) as u8).collect();
    let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &bytes);
    let lines: Vec<&str> =
        encoded.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
    let mail = format!(
        "From a@b Mon Mar  2 09:00:00 2026\nMessage-ID: <a@b>\nSubject: file\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: image/png\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=x.png\n\n{}\n--b--\n",
        lines.join("\n")
    );
    let file = store.file("a.mbox", mail);
    done(store, &["mbox", &file]);
    let token = store.grant(&["--stream", "attachments"]).token_file;
    let shown = store.run(&["--json", "show", "cin_mbox_a/attachments:a@b:1", "--token-file", &token]);
    shown.assert_code(0);
    let fields = &shown.json()["fields"];
    let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(fields["size_bytes"]["value"], 200_000, "{fields}");
    assert_eq!(fields["content"]["digest"], format!("sha256:{digest}"), "{fields}");
}

fn a_newer_export_adds_what_is_new(store: &Store) {
    let chat = |more: &str| format!("02/03/2026, 09:15 - Ilse: hello\n{more}");
    let import = |more: &str| {
        let file = store.file("WhatsApp Chat with Bo.txt", chat(more));
        done(store, &["whatsapp", &file, "--time-zone", "Europe/Berlin"])
    };
    assert_eq!(import("")["streams"]["chat_messages"], counts(1, 0, 0));
    let newer = import("02/03/2026, 09:16 - Bo: hi\n");
    assert_eq!(
        newer["streams"],
        json!({ "conversations": counts(0, 1, 0), "chat_messages": counts(1, 0, 1) })
    );
}

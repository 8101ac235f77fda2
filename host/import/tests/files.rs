//! Folders of texts.

use crate::desk::{Desk, Room};
use serde_json::Value;
use stepwell_import::limits::{FILE_MAX, FOLDER_DEPTH};
use stepwell_import::{ImportError, Kind, Options};

#[test]
fn texts_become_records_and_the_rest_is_named() {
    let room = Room::new();
    room.file("notes/a plan.md", "intro\n# The *plan*\n\nGo.");
    room.file(
        "notes/sub/page.html",
        "<html><head><title>A &amp; B</title></head><body><p>Hello<br>there</p></body></html>",
    );
    room.file("notes/old.txt", b"Z\xfcrich");
    room.file("notes/README", "no ending");
    room.file("notes/picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0");
    room.file("notes/.secret", "hidden");
    room.file("notes/.git/config", "hidden");
    let desk = Desk::import(Kind::Files, &room.path("notes"));
    let shown: Vec<String> = desk
        .of("files")
        .iter()
        .map(|(key, data)| {
            assert!(data["modified_at"].is_string());
            let of = |name: &str| data[name].as_str().unwrap_or("-").replace('\n', "|");
            format!(
                "{} {} {} {} {}",
                key.split('~').next().unwrap(),
                of("title"),
                of("folder"),
                of("mime_type"),
                of("text")
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "README README - text/plain no ending",
            "a_plan.md The *plan* - text/markdown intro|# The *plan*||Go.",
            "old.txt old.txt - text/plain Zürich",
            "sub_page.html A & B sub text/html Hello|there",
        ]
    );
    assert_eq!(desk.reasons(), ["not_text"]);
    assert_eq!(desk.skips[0].place.to_string(), "picture.png");
    let html: Vec<Value> =
        desk.of("files").into_iter().filter_map(|(_, data)| data.get("html").cloned()).collect();
    assert_eq!(html.len(), 1);
}

#[cfg(unix)]
#[test]
fn links_lead_nowhere_and_circles_end() {
    use std::os::unix::fs::symlink;
    let room = Room::new();
    room.file("notes/a.txt", "a");
    let secret = room.file("elsewhere/secret.txt", "secret");
    symlink(secret, room.path("notes/link.txt")).unwrap();
    symlink(room.path("notes"), room.path("notes/circle")).unwrap();
    symlink("/nowhere", room.path("notes/dangling")).unwrap();
    let desk = Desk::import(Kind::Files, &room.path("notes"));
    assert_eq!((desk.drafts.len(), desk.reasons()), (1, vec!["link"; 3]));
}

#[cfg(unix)]
#[test]
fn a_pipe_is_no_file_and_nobody_waits_for_it() {
    let room = Room::new();
    room.file("notes/a.txt", "a");
    room.file("Mail/cur/1.a", "Subject: a\n\na");
    let pipes = [room.path("notes/pipe.txt"), room.path("Mail/cur/2.b")];
    for pipe in &pipes {
        assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    }
    assert_eq!(Desk::import(Kind::Files, &room.path("notes")).drafts.len(), 1);
    assert_eq!(Desk::import(Kind::Maildir, &room.path("Mail")).drafts.len(), 1);
    for kind in [Kind::Mbox, Kind::Chatgpt, Kind::Slack, Kind::Telegram, Kind::Jsonl, Kind::Csv, Kind::Sqlite]
    {
        let error = Desk::with(kind, &pipes[0], Options::default()).err().expect("a refusal");
        assert!(matches!(error, ImportError::Io { .. }), "{kind}: {error}");
    }
}

#[test]
fn a_file_beyond_the_limit_is_named_and_deep_folders_end() {
    let room = Room::new();
    let large = std::fs::File::create(room.file("notes/large.txt", "")).unwrap();
    large.set_len(FILE_MAX + 1).unwrap();
    room.file(&format!("notes/{}/deep.txt", vec!["d"; FOLDER_DEPTH + 2].join("/")), "deep");
    let desk = Desk::import(Kind::Files, &room.path("notes"));
    assert_eq!((desk.drafts.len(), desk.reasons()), (0, vec!["unreadable", "too_large"]));
}

#[test]
fn a_file_may_be_named_itself_and_one_that_is_not_there_is_refused() {
    let room = Room::new();
    assert_eq!(Desk::import(Kind::Files, &room.file("one.txt", "x")).one("files")["path"], "one.txt");
    assert!(Desk::with(Kind::Files, &room.path("nowhere"), Options::default()).is_err());
}

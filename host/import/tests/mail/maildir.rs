//! Folders of mail.

use crate::desk::{Desk, Room};
use stepwell_import::{ImportError, Kind, Options};

fn mail(id: &str) -> String {
    format!(
        "Message-ID: <{id}@x>\nDate: Mon, 2 Mar 2026 10:00:00 +0000\nSubject: {id}\n\nThe text of {id}.\n"
    )
}

#[test]
fn folders_flags_and_times_come_from_names() {
    let room = Room::new();
    room.file("Mail/cur/1772445600.M1P2.host:2,FS", mail("a"));
    room.file("Mail/new/1772445601.M1P2.host", mail("b").replace("Date:", "X-Date:"));
    room.file("Mail/tmp/1772445602.M1P2.host", mail("half"));
    room.file("Mail/.Archive.2026/cur/1772445603.M1P2.host:2,", mail("c"));
    room.file("Mail/.Archive.2026/cur/1772445604.M1P2.host:2,S", mail("a"));
    room.file("Mail/cur/.hidden", "no mail");
    room.file("Mail/dovecot.index", "no mail");
    let desk = Desk::import(Kind::Maildir, &room.path("Mail"));
    let shown: Vec<String> = desk
        .of("messages")
        .iter()
        .map(|(key, data)| {
            let of = |name: &str| data[name].to_string().replace('"', "");
            format!("{key} {} {} {} {}", of("folder"), of("sent_at"), of("is_read"), of("is_starred"))
        })
        .collect();
    assert_eq!(
        shown,
        [
            "a@x INBOX 2026-03-02T10:00:00Z true true",
            "b@x INBOX 2026-03-02T10:00:01Z false false",
            "c@x Archive/2026 2026-03-02T10:00:00Z false false",
        ]
    );
    assert_eq!(desk.reasons(), ["duplicate"]);
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed() {
    let room = Room::new();
    let elsewhere = room.file("secret", mail("secret"));
    room.file("Mail/cur/1.a", mail("a"));
    std::os::unix::fs::symlink(elsewhere, room.path("Mail/cur/2.b")).unwrap();
    let desk = Desk::import(Kind::Maildir, &room.path("Mail"));
    assert_eq!((desk.of("messages").len(), desk.reasons()), (1, vec!["link"]));
}

#[test]
fn another_folder_is_refused() {
    let room = Room::new();
    room.file("Mail/letter.txt", "no mail");
    for path in [room.path("Mail"), room.path("nowhere")] {
        let error = Desk::with(Kind::Maildir, &path, Options::default()).err().expect("a refusal");
        assert!(matches!(error, ImportError::NotOfKind { .. } | ImportError::Io { .. }), "{error}");
    }
}

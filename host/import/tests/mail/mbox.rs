//! Archives as mail programs write them.

use crate::desk::{Desk, Room};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::path::PathBuf;
use stepwell_import::Kind;

/// A thread of three, each in another way of writing mail.
const THREAD: &str = concat!(
    "From ilse@home.example Mon Mar  2 09:00:00 2026\n",
    "Message-ID: <one@home.example>\n",
    "Date: Mon, 2 Mar 2026 10:00:00 +0100\n",
    "From: =?utf-8?q?Ilse_Varnholt?= <ilse@home.example>\n",
    "To: Roofer <roof@ladder.example>, \"Choir, the\" <choir@song.example>\n",
    "Subject: =?iso-8859-1?q?Das_Dach_in_Z=FCrich?=\n",
    "Status: RO\n",
    "X-Gmail-Labels: Inbox,=?UTF-8?Q?W=C3=B6rk?=\n",
    "MIME-Version: 1.0\n",
    "Content-Type: text/plain; charset=iso-8859-1\n",
    "Content-Transfer-Encoding: quoted-printable\n",
    "\n",
    "Es tropft in der K=FCche.\n",
    ">From the attic you can see the sky.\n",
    ">>From here too.\n",
    "\n",
    "From roof@ladder.example Mon Mar  2 12:00:00 2026\n",
    "Message-ID: <two/with a slash@ladder.example>\n",
    "In-Reply-To: <one@home.example>\n",
    "References: <one@home.example>\n",
    "Date: Mon, 2 Mar 2026 12:00:00 +0000\n",
    "From: roof@ladder.example\n",
    "To: ilse@home.example\n",
    "Subject: Re: Das Dach\n",
    "Content-Type: text/html; charset=utf-8\n",
    "\n",
    "<html><head><style>p { color: red }</style></head><body><p>I&#39;ll come <b>tomorrow</b>.</p></body></html>\n",
    "\n",
    "From ilse@home.example Tue Mar  3 08:00:00 2026\n",
    "Message-ID: <three@home.example>\n",
    "In-Reply-To: <two/with a slash@ladder.example>\n",
    "Date: Tue, 3 Mar 2026 08:00:00 +0000\n",
    "From: Ilse <ilse@home.example>\n",
    "To: roof@ladder.example\n",
    "Subject: photo\n",
    "MIME-Version: 1.0\n",
    "Content-Type: multipart/mixed; boundary=\"mix\"\n",
    "\n",
    "--mix\n",
    "Content-Type: multipart/alternative; boundary=alt\n",
    "\n",
    "--alt\n",
    "Content-Type: text/plain; charset=utf-8\n",
    "\n",
    "See the photo.\n",
    "--alt\n",
    "Content-Type: text/html; charset=utf-8\n",
    "\n",
    "<p>See the <i>photo</i>.</p>\n",
    "--alt--\n",
    "--mix\n",
    "Content-Type: image/png; name=\"roof.png\"\n",
    "Content-Disposition: attachment; filename=\"roof.png\"\n",
    "Content-Transfer-Encoding: base64\n",
    "\n",
    "iVBORw0KGgo=\n",
    "--mix\n",
    "Content-Type: text/plain; name=notes.txt\n",
    "Content-Disposition: attachment; filename*=utf-8''%C3%BCbersicht.txt\n",
    "\n",
    "Seven tiles.\n",
    "--mix--\n",
);

fn thread(room: &Room) -> PathBuf {
    room.file("Home mail.mbox", THREAD)
}

#[test]
fn messages_and_files_become_records() {
    let room = Room::new();
    let path = thread(&room);
    let desk = Desk::import(Kind::Mbox, &path);
    assert_snapshot!(desk.golden());
    assert_eq!(desk.bytes, THREAD.len() as u64, "all of the file is accounted for");
}

#[test]
fn the_streams_declare_themselves() {
    let room = Room::new();
    let desk = Desk::import(Kind::Mbox, &thread(&room));
    let manifests: Vec<&Value> = desk.streams.iter().map(|stream| &stream.manifest).collect();
    assert_snapshot!(serde_json::to_string_pretty(&manifests).unwrap());
}

#[test]
fn a_thread_has_one_id_and_answers_lead_to_each_other() {
    let room = Room::new();
    let desk = Desk::import(Kind::Mbox, &thread(&room));
    let messages = desk.of("messages");
    assert!(messages.iter().all(|(_, data)| data["thread_id"] == "one@home.example"));
    assert_eq!(messages[1].1["in_reply_to"], messages[0].0);
    assert_eq!(messages[2].1["in_reply_to"], messages[1].0, "also where the id needs another spelling");
}

#[test]
fn the_same_archive_gives_the_same_records() {
    let room = Room::new();
    let path = thread(&room);
    assert_eq!(Desk::import(Kind::Mbox, &path).golden(), Desk::import(Kind::Mbox, &path).golden());
}

fn bodies(archive: &str) -> Vec<String> {
    let room = Room::new();
    let desk = Desk::import(Kind::Mbox, &room.file("a.mbox", archive));
    assert_eq!(desk.bytes, archive.len() as u64);
    desk.of("messages")
        .into_iter()
        .map(|(_, data)| data["body_text"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn a_sentence_that_begins_with_from_is_no_separator() {
    let archive = "From a@b Mon Mar  2 09:00:00 2026\nSubject: x\n\nOne.\n\nFrom now on we count.\n\nTwo.\n";
    assert_eq!(bodies(archive), ["One.\n\nFrom now on we count.\n\nTwo."]);
}

#[test]
fn a_count_that_leads_to_a_message_is_believed() {
    let body = "One.\n\nFrom a@b Mon Mar  2 09:00:00 2026\n>From me\n";
    let first = |length: usize| {
        format!("From a@b Mon Mar  2 09:00:00 2026\nSubject: x\nContent-Length: {length}\n\n{body}")
    };
    let second = "\nFrom c@d Mon Mar  2 10:00:00 2026\nSubject: y\n\nTwo.\n";
    // mboxcl2 marks nothing, so nothing is taken away.
    assert_eq!(bodies(&(first(body.len()) + second)), [body.trim_end(), "Two."]);
    // A wrong count is none: the text is taken apart at what looks like a separator, and what follows that is no mail.
    for wrong in [3, body.len() + 9, 1 << 40, usize::MAX] {
        assert_eq!(bodies(&(first(wrong) + second)), ["One.", "Two."], "{wrong}");
    }
    let marked = "One.\n>From me\n";
    let archive = format!(
        "From a@b Mon Mar  2 09:00:00 2026\nSubject: x\nContent-Length: {}\n\n{marked}{second}",
        marked.len()
    );
    assert_eq!(bodies(&archive), ["One.\nFrom me", "Two."], "mboxcl marks and counts");
}

#[test]
fn lines_may_end_as_windows_ends_them() {
    let archive = THREAD.replace('\n', "\r\n");
    let found = bodies(&archive);
    assert_eq!(found[0], "Es tropft in der Küche.\nFrom the attic you can see the sky.\n>From here too.");
    assert_eq!(found[2], "See the photo.");
}

#[test]
fn the_same_message_twice_is_one_record_and_another_under_its_id_is_kept() {
    let one = "From a@b Mon Mar  2 09:00:00 2026\nMessage-ID: <m@x>\nSubject: x\n\nOne.\n\n";
    let other = one.replace("One", "Two");
    let room = Room::new();
    let desk = Desk::import(Kind::Mbox, &room.file("a.mbox", [one, one, &other, &other].concat()));
    let messages = desk.of("messages");
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[0].0, "m@x");
    assert!(messages[1].0.starts_with("m@x~"), "{}", messages[1].0);
    assert_eq!(desk.reasons(), ["duplicate", "duplicate"]);
    assert_eq!(
        messages.iter().map(|(_, data)| &data["body_text"]).collect::<Vec<_>>(),
        [&json!("One."), &json!("Two.")]
    );
}

#[test]
fn broken_lines_are_joined_as_the_mail_says() {
    let flowed = |more: &str| {
        format!(
            "From a@b Mon Mar  2 09:00:00 2026\nSubject: x\nContent-Type: text/plain; charset=utf-8; format=flowed{more}\n\nWe go by \nferry. \n\n> And \n> you?\n-- \nIlse\n"
        )
    };
    assert_eq!(bodies(&flowed("")), ["We go by ferry. \n\n> And you?\n-- \nIlse"]);
    assert_eq!(bodies(&flowed("; delsp=yes")), ["We go byferry.\n\n> Andyou?\n-- \nIlse"]);
}

#[test]
fn names_of_files_are_read_however_they_are_encoded() {
    let name = |header: &str| {
        let mail = format!(
            "From a@b Mon Mar  2 09:00:00 2026\nSubject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: application/octet-stream\nContent-Disposition: attachment; {header}\n\nx\n--b--\n"
        );
        let room = Room::new();
        Desk::import(Kind::Mbox, &room.file("a.mbox", mail)).one("attachments")["file_name"].clone()
    };
    for header in [
        "filename*=utf-8''Z%C3%BCrich.txt",
        "filename*=iso-8859-1''Z%FCrich.txt",
        "filename*0*=utf-8''Z%C3%BC;\n filename*1=rich.txt",
        "filename=\"=?utf-8?q?Z=C3=BCrich.txt?=\"",
        "filename=\"=?utf-8?b?WsO8cmljaC50eHQ=?=\"",
    ] {
        assert_eq!(name(header), "Zürich.txt", "{header}");
    }
}

//! Mail that nobody should have sent.

use crate::desk::{Desk, Room};
use stepwell_import::limits::MESSAGE_MAX;
use stepwell_import::{ImportError, Kind, Options};

const SEPARATOR: &str = "From a@b Mon Mar  2 09:00:00 2026\n";

fn import(messages: &[&[u8]]) -> Desk {
    let room = Room::new();
    let archive: Vec<u8> =
        messages.iter().flat_map(|message| [SEPARATOR.as_bytes(), message, b"\n\n"].concat()).collect();
    Desk::import(Kind::Mbox, &room.file("a.mbox", archive))
}

#[test]
fn what_is_no_mbox_is_refused_and_an_empty_one_is_fine() {
    let room = Room::new();
    for content in ["PK\x03\x04", "{}", "Subject: a mail without a separator\n\nx"] {
        let error =
            Desk::with(Kind::Mbox, &room.file("x", content), Options::default()).err().expect("a refusal");
        assert!(matches!(error, ImportError::NotOfKind { kind: Kind::Mbox, .. }), "{error}");
    }
    assert_eq!(Desk::import(Kind::Mbox, &room.file("empty", "")).drafts.len(), 0);
}

#[test]
fn a_message_beyond_the_limit_is_left_out_and_the_next_is_read() {
    // Once in one line that never ends, once in many lines.
    let endless = [b"Subject: big\n\n".as_slice(), &vec![b'x'; MESSAGE_MAX + 1]].concat();
    let lines = [b"Subject: big\n\n".as_slice(), &b"0123456789\n".repeat(MESSAGE_MAX / 10)].concat();
    let desk = import(&[&endless, b"Subject: small\n\nhere", &lines, b"Subject: last\n\nhere"]);
    let subjects: Vec<String> =
        desk.of("messages").iter().map(|(_, data)| data["subject"].to_string()).collect();
    assert_eq!(subjects, ["\"small\"", "\"last\""]);
    assert_eq!(desk.reasons(), ["too_large", "too_large"]);
    assert_eq!(desk.skips[1].place.to_string(), "a.mbox, message 3");
}

#[test]
fn wrong_dates_fall_back_to_what_others_saw() {
    let sent = |message: &[u8]| import(&[message]).one("messages")["sent_at"].clone();
    for date in
        ["Mon, 99 Foo 20020 25:61:61 +9999", "", "yesterday", "Thu, 01 Jan 1000 00:00:00 +0000", "\u{1f980}"]
    {
        let message = format!("Date: {date}\nSubject: x\n\nx");
        assert_eq!(sent(message.as_bytes()), "2026-03-02T09:00:00Z", "{date}");
        let message = format!(
            "Received: by b.example; Fri, 1 May 2020 00:00:00 +0000\nReceived: by a.example; Fri, 1 May 2020 10:00:00 +0200\n{message}"
        );
        assert_eq!(sent(message.as_bytes()), "2020-05-01T08:00:00Z", "{date}");
    }
    let room = Room::new();
    let desk = Desk::import(Kind::Mbox, &room.file("a", "From \nDate: never\nSubject: x\n\nx\n"));
    assert!(desk.one("messages").get("sent_at").is_none(), "no time is better than a wrong one");
}

#[test]
fn huge_and_odd_headers_lose_no_message() {
    let mut message = b"Subject: odd\n".to_vec();
    message.extend(format!("X-Huge: {}\n", "a".repeat(5 << 20)).bytes());
    message.extend(format!("{}: {}\n", "N".repeat(5_000), "long ".repeat(2_000)).bytes());
    message.extend((0..5_000).flat_map(|n| format!("X-{n}: {n}\n").into_bytes()));
    message.extend(b"\x00\xff: nothing\nX-Nul: a\x00b\nTo: ");
    message.extend((0..5_000).flat_map(|n| format!("p{n}@x.example, ").into_bytes()));
    message.extend(b"\n\nthe body");
    let data = import(&[&message]).one("messages");
    assert_eq!((&data["subject"], &data["body_text"]), (&"odd".into(), &"the body".into()));
    let headers = data["headers"].as_object().unwrap();
    assert_eq!(headers["x-huge"].as_str().unwrap().len(), 5 << 20);
    assert!(headers.len() <= 500 && headers.keys().all(|name| name.len() <= 128));
}

#[test]
fn foreign_and_broken_encodings_are_read() {
    let body = |charset: &str, bytes: &[u8]| {
        let head = format!("Content-Type: text/plain; charset={charset}\n\n");
        let message = [b"Subject: x\n", head.as_bytes(), bytes].concat();
        import(&[&message]).one("messages")["body_text"].as_str().unwrap().to_owned()
    };
    assert_eq!(body("windows-1251", b"\xcf\xf0\xe8\xe2\xe5\xf2"), "Привет");
    assert_eq!(body("shift_jis", b"\x93\xfa\x96\x7b"), "日本");
    assert_eq!(body("gb2312", b"\xd6\xd0\xce\xc4"), "中文");
    assert_eq!(body("iso-2022-jp", b"\x1b$BF|K\\\x1b(B"), "日本");
    assert!(body("utf-8", b"half \xf0\x9f").starts_with("half "));
    assert!(body("no-such-charset", b"caf\xe9").starts_with("caf"));
    assert!(body("utf-8", b"nul \x00 here").contains('\0'), "a NUL is text like any other");
}

#[test]
fn broken_structure_ends_in_a_record_or_in_a_reason() {
    let deep: String =
        (0..2_000).map(|n| format!("Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n")).collect();
    let nested: String = "Content-Type: message/rfc822\n\n".repeat(3_000);
    for message in [
        b"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nnever closed".as_slice(),
        b"Subject: x\nContent-Type: multipart/mixed; boundary=\"\"\n\n----\n",
        b"Subject: x\nContent-Type: application/pdf\nContent-Transfer-Encoding: base64\n\n!!!! no base64 !!!!",
        b"Subject: =?utf-8?b?////?= =?x?q?\n\nx",
        b"Subject",
        deep.as_bytes(),
        nested.as_bytes(),
        b"\x00\x01\x02",
        b"",
    ] {
        let desk = import(&[message, b"Subject: after\n\nx"]);
        let messages = desk.of("messages");
        assert_eq!(messages.len() + desk.skips.len(), 2);
        assert_eq!(messages.last().unwrap().1["subject"], "after");
    }
}

#[test]
fn names_of_files_are_names_and_no_paths() {
    let message = b"Message-ID: <../../etc/passwd>\nSubject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: application/x; name=\"../../../etc/passwd\"\nContent-Disposition: attachment\n\nroot\n--b--\n";
    let desk = import(&[message]);
    assert_eq!(
        desk.one("attachments")["file_name"],
        "../../../etc/passwd",
        "as it was sent; a client asks for its own name"
    );
    for (key, _) in desk.of("messages").into_iter().chain(desk.of("attachments")) {
        assert!(!key.contains('/') && !key.contains(".."), "{key}");
    }
}

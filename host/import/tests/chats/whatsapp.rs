//! Chats as phones export them.

use crate::desk::{Desk, Room};
use insta::assert_snapshot;
use stepwell_import::{ImportError, Kind, Options};

const ANDROID: &str = "\
02/03/2026, 09:15 - Messages and calls are end-to-end encrypted. Learn more.
02/03/2026, 09:15 - Ilse: Does the ferry go?
It is late:
21:30
02/03/2026, 09:16 - Bo: ok
02/03/2026, 09:16 - Bo: ok
02/03/2026, 09:17 - Bo: IMG-20260302-WA0001.jpg (file attached)
the pier
13/03/2026, 23:59 - Ilse: <Media omitted>
13/03/2026, 24:61 - Ilse: no such minute
";

const IOS: &str = "\
\u{feff}[3/2/26, 9:15:32\u{202f}AM] Ferry crew: \u{200e}Messages and calls are end-to-end encrypted.\r
[3/2/26, 9:16:00\u{202f}PM] Ilse: Does the ferry go?\r
\u{200e}[3/2/26, 9:17:00\u{202f}PM] Bo: \u{200e}<attached: 00000003-PHOTO.jpg>\r
[3/13/26, 12:00:00\u{202f}AM] Ilse: midnight\r
";

#[test]
fn an_android_chat_becomes_records() {
    let room = Room::new();
    let desk = Desk::import(Kind::Whatsapp, &room.file("WhatsApp Chat with Bo.txt", ANDROID));
    assert_snapshot!(desk.golden());
}

#[test]
fn an_ios_chat_becomes_records() {
    let room = Room::new();
    let zip = room.zip(
        "WhatsApp Chat - Ferry crew.zip",
        &[("_chat.txt", IOS.as_bytes()), ("00000003-PHOTO.jpg", b"\xff\xd8")],
    );
    assert_snapshot!(Desk::import(Kind::Whatsapp, &zip).golden());
}

#[test]
fn a_longer_export_of_the_same_chat_keeps_the_keys() {
    let room = Room::new();
    let keys = |text: &str| {
        let desk = Desk::import(Kind::Whatsapp, &room.file("WhatsApp Chat with Bo.txt", text));
        desk.of("chat_messages").into_iter().map(|(key, _)| key.to_owned()).collect::<Vec<_>>()
    };
    let longer = keys(&format!("{ANDROID}14/03/2026, 08:00 - Bo: later\n"));
    let earlier = keys(ANDROID);
    assert_eq!(longer[..earlier.len()], earlier[..]);
    assert_eq!(longer.len(), earlier.len() + 1);
}

#[test]
fn what_is_no_chat_is_refused() {
    let room = Room::new();
    for content in ["", "Dear diary,\n12 apples\n", "\0\0\0"] {
        let error = Desk::with(Kind::Whatsapp, &room.file("a.txt", content), Options::default())
            .err()
            .expect("a refusal");
        assert!(matches!(error, ImportError::NotOfKind { kind: Kind::Whatsapp, .. }), "{error}");
    }
}

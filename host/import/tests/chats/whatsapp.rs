//! Chats as phones export them.

use crate::desk::{Desk, Room};
use insta::assert_snapshot;
use jiff::tz::TimeZone;
use serde_json::Value;
use stepwell_import::{DateOrder, ImportError, Kind, Options};

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

/// A group: on iOS the program speaks in its name.
const IOS_GROUP: &str = "\
\u{feff}[3/2/26, 9:15:32\u{202f}AM] Ferry crew: \u{200e}Messages and calls are end-to-end encrypted.\r
[3/2/26, 9:16:00\u{202f}PM] ~\u{202f}Ilse: Does the ferry go?\r
\u{200e}[3/2/26, 9:17:00\u{202f}PM] Bo: \u{200e}<attached: 00000003-PHOTO.jpg>\r
[3/2/26, 9:18:00\u{202f}PM] Bo: \u{200e}tides.pdf • \u{200e}2 pages \u{200e}document omitted\r
[3/13/26, 12:00:00\u{202f}AM] Ilse: midnight \u{200e}<This message was edited>\r
";

/// A chat of two: its name is that of the other, who speaks, and in whose name the program speaks too.
const IOS_PAIR: &str = "\
[13.03.26, 09:15:32] Bo: \u{200e}Messages and calls are end-to-end encrypted.
[13.03.26, 09:16:00] Bo: hello
[13.03.26, 09:17:00] Bo: \u{200e}image omitted
[13.03.26, 09:18:00] \u{202a}+49 170 1234567\u{202c}: The chorus was omitted
";

/// No date of it says what comes first, and one is the same either way.
const UNCLEAR: &str = "\
02/03/2026, 9:15 am - Ilse: which day is this?
02/03/2026, 9:16 am - Bo: the second of March, or the third of February
04/04/2026, 9:17 am - Bo: and this?
";

fn utc() -> Options {
    Options { zone: Some(TimeZone::UTC), ..Options::default() }
}

fn import(name: &str, chat: &str, options: Options) -> Desk {
    let room = Room::new();
    Desk::with(Kind::Whatsapp, &room.file(name, chat), options).expect("a chat")
}

fn members<'a>(messages: &'a [(&str, Value)], member: &str) -> Vec<&'a Value> {
    messages.iter().map(|(_, data)| &data[member]).collect()
}

#[test]
fn an_android_chat_becomes_records() {
    assert_snapshot!(import("WhatsApp Chat with Bo.txt", ANDROID, utc()).golden());
}

#[test]
fn an_ios_group_becomes_records() {
    let room = Room::new();
    let zip = room.zip(
        "WhatsApp Chat - Ferry crew.zip",
        &[("_chat.txt", IOS_GROUP.as_bytes()), ("00000003-PHOTO.jpg", b"\xff\xd8")],
    );
    assert_snapshot!(Desk::with(Kind::Whatsapp, &zip, utc()).expect("a chat").golden());
}

#[test]
fn somebody_of_the_chats_name_is_told_from_the_program() {
    let desk = import("WhatsApp Chat - Bo.txt", IOS_PAIR, utc());
    let messages = desk.of("chat_messages");
    assert_eq!(members(&messages, "author"), ["Bo", "Bo", "Bo", "+49 170 1234567"]);
    assert_eq!(members(&messages, "is_system"), [true, false, false, false]);
    assert_eq!(
        members(&messages, "is_media_omitted"),
        [&Value::Null, &Value::Null, &true.into(), &Value::Null],
        "what people say is no sign of a file"
    );
}

#[test]
fn a_date_that_may_be_two_days_is_no_time() {
    let desk = import("a.txt", UNCLEAR, utc());
    let messages = desk.of("chat_messages");
    assert_eq!(
        members(&messages, "sent_at"),
        [&Value::Null, &Value::Null, &"2026-04-04T09:17:00Z".into()],
        "only what is clear has a time"
    );
    assert_eq!(messages[0].1["date_as_written"], "02/03/2026, 9:15 am");
    assert_eq!(desk.reasons(), ["no_time"]);
    let said = desk.skips[0].to_string();
    assert!(
        said.starts_with("a.txt: no_time: no time for 2 of 3 messages") && said.contains("--date-order dmy"),
        "{said}"
    );
}

#[test]
fn the_order_can_be_said_and_changes_no_key() {
    let keys = |desk: &Desk| desk.drafts.iter().map(|draft| draft.key.clone()).collect::<Vec<_>>();
    let unclear = import("a.txt", UNCLEAR, utc());
    for (order, day) in
        [(DateOrder::DayMonthYear, "2026-03-02T09:15:00Z"), (DateOrder::MonthDayYear, "2026-02-03T09:15:00Z")]
    {
        let desk = import("a.txt", UNCLEAR, Options { date_order: Some(order), ..utc() });
        assert_eq!(desk.of("chat_messages")[0].1["sent_at"], day);
        assert_eq!((keys(&desk), desk.reasons()), (keys(&unclear), vec![]));
    }
    // A later export shows the order by itself.
    let later = import("a.txt", &format!("{UNCLEAR}28/04/2026, 9:15 am - Bo: now\n"), utc());
    assert_eq!(later.of("chat_messages")[0].1["sent_at"], "2026-03-02T09:15:00Z");
    assert_eq!(keys(&later)[..3], keys(&unclear)[..3]);
}

#[test]
fn without_a_zone_nothing_is_guessed() {
    let room = Room::new();
    let chat = room.file("a.txt", ANDROID);
    let error = Desk::with(Kind::Whatsapp, &chat, Options::default()).err().expect("a refusal");
    assert!(matches!(&error, ImportError::Option(why) if why.contains("--time-zone")), "{error}");
    let zone = TimeZone::get("Asia/Tokyo").ok();
    let desk = Desk::with(Kind::Whatsapp, &chat, Options { zone, ..Options::default() }).expect("a chat");
    assert_eq!(desk.of("chat_messages")[0].1["sent_at"], "2026-03-02T00:15:00Z");
}

#[test]
fn a_longer_export_of_the_same_chat_keeps_the_keys() {
    let keys = |text: &str| {
        let desk = import("WhatsApp Chat with Bo.txt", text, utc());
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
        let error = Desk::with(Kind::Whatsapp, &room.file("a.txt", content), utc()).err().expect("a refusal");
        assert!(matches!(error, ImportError::NotOfKind { kind: Kind::Whatsapp, .. }), "{error}");
    }
}

#[test]
fn broken_bytes_and_lines_without_an_end_lose_no_message() {
    let chat = [
        b"noise before\n13/03/2026, 09:15 - Ilse: caf\xe9\n".as_slice(),
        b"13/03/2026, 09:16 - Bo: \x00\xff\xfe\n",
        &b"x".repeat(1 << 20),
        b"\n13/03/2026, 09:17 - Bo: after",
    ]
    .concat();
    let room = Room::new();
    let desk = Desk::with(Kind::Whatsapp, &room.file("a.txt", chat), utc()).expect("a chat");
    let messages = desk.of("chat_messages");
    assert_eq!(messages.len(), 3);
    assert_eq!(messages[0].1["text"], "café");
    assert_eq!(messages[2].1["text"], "after");
    assert_eq!(desk.reasons(), ["malformed"]);
}

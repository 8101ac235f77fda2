use super::*;
use proptest::option;
use proptest::prelude::*;

const NOW: u64 = 1_790_000_000;
const BINDING: CursorBinding<'_> = CursorBinding { grant: "grt_1", record: "cin/inbox:m1", field: "/body" };

fn keyring() -> Keyring {
    Keyring::new(SealingKey::new(7, [7; 32]), None)
}

fn window() -> Position {
    Position::Window { span_start: Chars(4_096), limit: Chars(4_096) }
}

fn version() -> FieldVersion {
    FieldVersion::Digest([0xab; 32])
}

fn code(result: Result<CursorState, Refusal>) -> Code {
    result.unwrap_err().code
}

#[test]
fn stays_short_and_opaque() {
    let cursor = keyring().seal(&BINDING, &window(), &version(), NOW);
    assert!(cursor.len() <= 64, "{}", cursor.len());
    assert!(cursor.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
    let bytes = URL_SAFE_NO_PAD.decode(&cursor).unwrap();
    for part in [BINDING.grant, BINDING.record, BINDING.field, "body", "inbox"] {
        assert!(!bytes.windows(part.len()).any(|window| window == part.as_bytes()), "{part}");
    }
}

#[test]
fn its_bytes_do_not_change_between_versions() {
    // A cursor that a client holds must survive an upgrade of the server.
    let cursor = keyring().seal(&BINDING, &window(), &version(), NOW);
    assert_eq!(cursor, "AQffrB4Aq6urq6urq6urq6urq6urqwCAIIAgPA6uykQwXpRXqQP9KVDKjQ");
}

#[test]
fn equal_calls_within_the_hour_give_equal_bytes() {
    let hour = 3_600 * 500_000;
    let seal = |now| keyring().seal(&BINDING, &window(), &version(), now);
    assert_eq!(seal(hour + 1), seal(hour + 3_600));
    assert_ne!(seal(hour), seal(hour + 1));
}

#[test]
fn lives_a_day_rounded_up_to_the_hour() {
    let hour = 3_600 * 500_000;
    for (sealed_at, ends_at) in
        [(hour, hour + 86_400), (hour + 1, hour + 90_000), (hour + 3_599, hour + 90_000)]
    {
        let cursor = keyring().seal(&BINDING, &window(), &version(), sealed_at);
        assert_eq!(keyring().open(&BINDING, &cursor, ends_at - 1).unwrap().expires_at, ends_at);
        let refusal = keyring().open(&BINDING, &cursor, ends_at).unwrap_err();
        assert_eq!(refusal.code, Code::ExpiredCursor);
        assert_eq!(refusal.extras["restart_offset_chars"], 4_096);
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    let next = Position::NextMatch {
        hit: Span::at(Chars(4), Chars(5)),
        before: Chars(0),
        after: Chars(300),
        limit: None,
    };
    for position in [window(), Position::WindowEndingAt { end: Chars(77), limit: Chars(5) }, next] {
        let cursor = keyring().seal(&BINDING, &position, &version(), NOW);
        // In the bytes, also long after the expiry: whoever cannot seal learns nothing from the answer.
        let bytes = URL_SAFE_NO_PAD.decode(&cursor).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let flipped = URL_SAFE_NO_PAD.encode(flipped);
            assert_eq!(code(keyring().open(&BINDING, &flipped, NOW)), Code::InvalidCursor, "bit {bit}");
            assert_eq!(code(keyring().open(&BINDING, &flipped, u64::MAX)), Code::InvalidCursor, "bit {bit}");
        }
        // In the text.
        for bit in 0..cursor.len() * 8 {
            let mut flipped = cursor.clone().into_bytes();
            flipped[bit / 8] ^= 1 << (bit % 8);
            if let Ok(flipped) = String::from_utf8(flipped) {
                assert_eq!(code(keyring().open(&BINDING, &flipped, NOW)), Code::InvalidCursor, "bit {bit}");
            }
        }
    }
}

#[test]
fn garbage_is_an_invalid_cursor() {
    let cursor = keyring().seal(&BINDING, &window(), &version(), NOW);
    for text in
        ["", "4096", "AQ", "AQ==", "\u{202e}", &cursor[1..], &format!("{cursor}A"), &format!("{cursor}=")]
    {
        let refusal = keyring().open(&BINDING, text, NOW).unwrap_err();
        assert_eq!(
            (refusal.code, refusal.param.as_deref()),
            (Code::InvalidCursor, Some("cursor")),
            "{text:?}"
        );
        assert!(refusal.extras.is_empty());
    }
}

#[test]
fn another_record_field_or_grant_is_refused_without_a_word_about_it() {
    let cursor = keyring().seal(&BINDING, &window(), &version(), NOW);
    let foreign = [
        CursorBinding { grant: "grt_2", ..BINDING },
        CursorBinding { record: "cin/inbox:m2", ..BINDING },
        CursorBinding { field: "/subject", ..BINDING },
        // The same characters, divided otherwise.
        CursorBinding { grant: "grt_1c", record: "in/inbox:m1", ..BINDING },
    ];
    let messages: Vec<String> = foreign
        .iter()
        .map(|binding| keyring().open(binding, &cursor, NOW).unwrap_err())
        .inspect(|refusal| assert_eq!(refusal.code, Code::InvalidCursor))
        .map(|refusal| refusal.message)
        .collect();
    assert!(messages.iter().all(|message| *message == messages[0] && !message.contains("m1")));
}

#[test]
fn a_rotated_key_opens_until_it_is_gone() {
    let (old, new) = (SealingKey::new(1, [1; 32]), SealingKey::new(2, [2; 32]));
    let cursor = Keyring::new(old.clone(), None).seal(&BINDING, &window(), &version(), NOW);
    let rotated = Keyring::new(new.clone(), Some(old));
    assert!(rotated.open(&BINDING, &cursor, NOW).is_ok());
    assert_ne!(rotated.seal(&BINDING, &window(), &version(), NOW), cursor);
    assert_eq!(code(Keyring::new(new, None).open(&BINDING, &cursor, NOW)), Code::InvalidCursor);
    let same_number = Keyring::new(SealingKey::new(1, [3; 32]), Some(SealingKey::new(1, [1; 32])));
    assert!(same_number.open(&BINDING, &cursor, NOW).is_ok());
}

#[test]
fn a_changed_field_makes_it_stale() {
    let cursor = keyring().seal(
        &BINDING,
        &Position::WindowEndingAt { end: Chars(90), limit: Chars(40) },
        &version(),
        NOW,
    );
    let state = keyring().open(&BINDING, &cursor, NOW).unwrap();
    assert!(state.check_fresh(&version()).is_ok());
    for other in [FieldVersion::Digest([0; 32]), FieldVersion::Size(Chars(90))] {
        let refusal = state.check_fresh(&other).unwrap_err();
        assert_eq!(refusal.code, Code::StaleCursor);
        assert_eq!(refusal.extras["restart_offset_chars"], 50);
    }
}

#[test]
fn the_secret_is_never_printed() {
    let printed =
        format!("{:?}", Keyring::new(SealingKey::new(7, [0xc3; 32]), Some(SealingKey::new(8, [0xc3; 32]))));
    assert!(
        printed.contains('7') && !printed.contains("195") && !printed.to_lowercase().contains("c3"),
        "{printed}"
    );
}

#[test]
fn the_tag_is_plain_hmac() {
    let mut mac = Hmac::<Sha256>::new_from_slice(&[7; 32]).unwrap();
    for part in [LABEL, b"grt_1", b"cin/inbox:m1", b"/body", b"x"] {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part);
    }
    let ours = SealingKey::new(7, [7; 32]).mac(&BINDING, b"x").finalize().into_bytes();
    assert_eq!(mac.finalize().into_bytes(), ours);
}

fn positions() -> impl Strategy<Value = Position> {
    let chars = || any::<u64>().prop_map(Chars);
    prop_oneof![
        (chars(), chars()).prop_map(|(span_start, limit)| Position::Window { span_start, limit }),
        (chars(), chars()).prop_map(|(end, limit)| Position::WindowEndingAt { end, limit }),
        (chars(), chars(), chars(), chars(), option::of(chars())).prop_map(
            |(start, len, before, after, limit)| {
                Position::NextMatch { hit: Span::at(start, len), before, after, limit }
            }
        ),
    ]
}

fn versions() -> impl Strategy<Value = FieldVersion> {
    prop_oneof![
        any::<[u8; 32]>().prop_map(FieldVersion::Digest),
        any::<u64>().prop_map(|size| FieldVersion::Size(Chars(size)))
    ]
}

proptest! {
    #[test]
    fn every_cursor_opens_where_it_was_made(
        id in any::<u32>(), secret in any::<[u8; 32]>(), position in positions(), version in versions(),
        grant in any::<String>(), record in any::<String>(), field in any::<String>(), now in 0u64..1 << 40,
    ) {
        let keyring = Keyring::new(SealingKey::new(id, secret), None);
        let binding = CursorBinding { grant: &grant, record: &record, field: &field };
        let cursor = keyring.seal(&binding, &position, &version, now);
        prop_assert_eq!(&cursor, &keyring.seal(&binding, &position, &version, now));
        let state = keyring.open(&binding, &cursor, now).unwrap();
        prop_assert_eq!(&state.position, &position);
        prop_assert!(state.check_fresh(&version).is_ok());
        prop_assert!((86_400..86_400 + 3_600).contains(&(state.expires_at - now)));
    }

    #[test]
    fn no_two_bindings_share_a_cursor(
        one in ("[a-c]{0,3}", "[a-c]{0,3}", "[a-c]{0,3}"), two in ("[a-c]{0,3}", "[a-c]{0,3}", "[a-c]{0,3}"),
    ) {
        let binding = |(grant, record, field)| CursorBinding { grant, record, field };
        let (a, b) = (binding((&*one.0, &*one.1, &*one.2)), binding((&*two.0, &*two.1, &*two.2)));
        let cursor = keyring().seal(&a, &window(), &version(), NOW);
        prop_assert_eq!(keyring().open(&b, &cursor, NOW).is_ok(), a == b);
    }

    #[test]
    fn hostile_bytes_never_panic(bytes in any::<Vec<u8>>(), now in any::<u64>()) {
        let _ = keyring().open(&BINDING, &URL_SAFE_NO_PAD.encode(&bytes), now);
        let _ = codec::decode(&bytes);
        let _ = keyring().seal(&BINDING, &window(), &version(), now);
    }
}

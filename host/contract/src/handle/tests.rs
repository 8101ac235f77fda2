use super::*;
use proptest::option;
use proptest::prelude::*;

fn sealed(json: &str) -> String {
    URL_SAFE_NO_PAD.encode(json)
}

fn names() -> (Option<ConnectionId>, StreamName, RecordId) {
    let connection = ConnectionId::new("cin_7").unwrap();
    (Some(connection), StreamName::new("inbox").unwrap(), RecordId::new("m1").unwrap())
}

fn fault(kind: HandleKind, json: &str) -> Fault {
    decode(kind, &sealed(json)).unwrap_err()
}

#[test]
fn writes_what_pdpp_writes() {
    let (connection, stream, record) = names();
    let handle = Handle::Record { connection, stream, record };
    let json = r#"{"v":1,"kind":"record","connection_id":"cin_7","stream":"inbox","record_id":"m1"}"#;
    assert_eq!(handle.encode(), sealed(json));
    assert_eq!(handle.uri(), format!("pdpp://record/{}", sealed(json)));
}

#[test]
fn reads_what_pdpp_writes() {
    let json = r#"{"kind":"field-window","v":1,"connection_id":"cin_7","stream":"inbox","record_id":"m1",
        "field_path":"body","q":"fjord","before_chars":10,"after_chars":0,"limit_chars":256}"#;
    let (connection, stream, record) = names();
    let arguments = WindowArguments {
        q: Some("fjord".into()),
        before_chars: Some(10),
        after_chars: Some(0),
        limit_chars: Some(256),
        ..Default::default()
    };
    let expected = Handle::FieldWindow {
        connection,
        stream,
        record,
        field_path: "body".into(),
        arguments,
        digest: None,
    };
    assert_eq!(Handle::decode(HandleKind::FieldWindow, &sealed(json)).unwrap(), expected);
}

#[test]
fn understands_a_cursor_that_is_a_plain_offset() {
    let json =
        r#"{"v":1,"kind":"field-window","stream":"s","record_id":"r","field_path":"b","cursor":"04096"}"#;
    let Handle::FieldWindow { arguments, .. } =
        Handle::decode(HandleKind::FieldWindow, &sealed(json)).unwrap()
    else {
        panic!("another kind")
    };
    assert_eq!(arguments, WindowArguments { offset_chars: Some(4_096), ..Default::default() });
}

#[test]
fn reads_the_plain_names_that_pdpp_allows_in_uris() {
    let stream = Handle::Stream { connection: None, stream: StreamName::new("a b").unwrap() };
    assert_eq!(Handle::parse_uri("pdpp://stream/a%20b").unwrap(), stream);
    let (connection, stream, record) = names();
    let record = Handle::Record { connection, stream, record };
    assert_eq!(Handle::parse_uri("pdpp://record/cin_7%2Finbox%3Am1").unwrap(), record);
}

#[test]
fn refuses_what_is_no_handle() {
    let kind = HandleKind::Record;
    let good = sealed(r#"{"v":1,"kind":"record","stream":"s","record_id":"r"}"#);
    assert!(Handle::decode(kind, &good).is_ok());
    let padded = format!("{good}=");
    for text in ["", "!", "a b", padded.as_str(), &sealed("[1]"), &sealed("\"x\""), &sealed("{"), "_w"] {
        assert_eq!(decode(kind, text), Err(Fault::NotAHandle), "{text:?}");
    }
    assert_eq!(fault(kind, r#"{"kind":"record","stream":"s","record_id":"r"}"#), Fault::Version);
    assert_eq!(
        fault(kind, r#"{"v":2,"kind":"record","stream":"s","record_id":"r","new":1}"#),
        Fault::Version
    );
    assert_eq!(fault(kind, r#"{"v":"1","kind":"record","stream":"s","record_id":"r"}"#), Fault::Version);
    assert_eq!(fault(kind, r#"{"v":1,"kind":"stream","stream":"s"}"#), Fault::Kind("record"));
    assert_eq!(fault(kind, r#"{"v":1,"kind":"record","stream":"s","record_id":"r","x":1}"#), Fault::Shape);
    assert_eq!(
        fault(kind, r#"{"v":1,"kind":"record","stream":"s","stream":"t","record_id":"r"}"#),
        Fault::Shape
    );
    assert_eq!(fault(kind, r#"{"v":1,"kind":"record","stream":7,"record_id":"r"}"#), Fault::Shape);
    assert_eq!(fault(kind, r#"{"v":1,"kind":"record","stream":"s"}"#), Fault::Missing("record_id"));
    assert_eq!(
        fault(kind, r#"{"v":1,"kind":"record","stream":"s","record_id":"r","q":"x"}"#),
        Fault::Foreign("q")
    );
    let unsafe_name =
        fault(kind, r#"{"v":1,"kind":"record","connection_id":"../c","stream":"s","record_id":"r"}"#);
    assert!(matches!(unsafe_name, Fault::Member("connection_id", _)));
}

#[test]
fn refuses_windows_that_no_tool_call_could_ask_for() {
    for (member, name) in [
        (r#""offset_chars":-1"#, None),
        (r#""offset_chars":"5""#, None),
        (r#""offset_chars":1.5"#, None),
        (r#""limit_chars":16385"#, Some("selector")),
        (r#""limit_chars":0"#, Some("selector")),
        (r#""before_chars":1"#, Some("selector")),
        (r#""cursor":"AQ","offset_chars":1"#, Some("selector")),
        (r#""q":"""#, Some("selector")),
        (r#""digest":"""#, Some("digest")),
        (r#""digest":"a b""#, Some("digest")),
    ] {
        let json = format!(
            r#"{{"v":1,"kind":"field-window","stream":"s","record_id":"r","field_path":"b",{member}}}"#
        );
        match (fault(HandleKind::FieldWindow, &json), name) {
            (Fault::Shape, None) => {}
            (Fault::Member(at, _), Some(name)) => assert_eq!(at, name, "{member}"),
            (other, _) => panic!("{member}: {other}"),
        }
    }
    let json = r#"{"v":1,"kind":"field-window","stream":"s","record_id":"r","field_path":"/a~"}"#;
    assert!(matches!(fault(HandleKind::FieldWindow, json), Fault::Member("field_path", _)));
}

#[test]
fn refuses_uris_of_no_known_form() {
    let newer = format!("pdpp://stream/{}", sealed(r#"{"v":2,"kind":"stream","stream":"s"}"#));
    for uri in [
        "",
        "pdpp://record/",
        "pdpp://stream/",
        "pdpp://stream/a/b",
        "pdpp://stream/%zz",
        "pdpp://blob/x",
        "pdpp://field-window/s%3Ar",
        "https://example.org",
        &newer,
    ] {
        let refusal = Handle::parse_uri(uri).unwrap_err();
        assert_eq!((refusal.code, refusal.param.as_deref()), (Code::InvalidHandle, Some("uri")), "{uri}");
    }
}

#[test]
fn undoes_percent_encoding_or_says_that_it_cannot() {
    assert_eq!(percent_decode("a%2fb%C3%A9+").as_deref(), Some("a/bé+"));
    for broken in ["%", "%2", "%zz", "%+1", "%ff"] {
        assert_eq!(percent_decode(broken), None, "{broken}");
    }
}

fn name() -> impl Strategy<Value = String> {
    "[^/\\\\.]{1,6}"
}

fn digest() -> impl Strategy<Value = Option<String>> {
    option::of("sha256:[0-9a-f]{4}")
}

fn arguments() -> impl Strategy<Value = WindowArguments> {
    let context = || option::of(0u64..=8_192);
    let limit = || option::of(1u64..=16_384);
    prop_oneof![
        (option::of(any::<u64>()), limit()).prop_map(|(offset_chars, limit_chars)| WindowArguments {
            offset_chars,
            limit_chars,
            ..Default::default()
        }),
        ("[A-Z]\\PC{0,9}", limit()).prop_map(|(c, limit_chars)| WindowArguments {
            cursor: Some(c),
            limit_chars,
            ..Default::default()
        }),
        ("\\PC{1,9}", context(), context(), limit()).prop_map(
            |(q, before_chars, after_chars, limit_chars)| {
                WindowArguments { q: Some(q), before_chars, after_chars, limit_chars, ..Default::default() }
            }
        ),
    ]
}

fn handle() -> impl Strategy<Value = Handle> {
    let triple = || {
        (option::of(name()), name(), name()).prop_map(|(connection, stream, record)| {
            let connection = connection.map(|c| ConnectionId::new(c).unwrap());
            (connection, StreamName::new(stream).unwrap(), RecordId::new(record).unwrap())
        })
    };
    prop_oneof![
        triple().prop_map(|(connection, stream, record)| Handle::Record { connection, stream, record }),
        triple().prop_map(|(connection, stream, _)| Handle::Stream { connection, stream }),
        (triple(), "[^/\0]{1,6}", arguments(), digest()).prop_map(
            |((connection, stream, record), field_path, arguments, digest)| {
                Handle::FieldWindow { connection, stream, record, field_path, arguments, digest }
            }
        ),
        (triple(), "/[a-z]{1,4}/[0-9]", option::of(any::<u64>()), digest()).prop_map(
            |((connection, stream, record), field_path, start, digest)| {
                Handle::Blob { connection, stream, record, field_path, start, digest }
            }
        ),
    ]
}

proptest! {
    #[test]
    fn every_handle_reads_back(handle in handle()) {
        let text = handle.encode();
        prop_assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
        prop_assert_eq!(&Handle::decode(handle.kind(), &text).unwrap(), &handle);
        prop_assert_eq!(&Handle::parse_uri(&handle.uri()).unwrap(), &handle);
        for other in HandleKind::ALL.into_iter().filter(|kind| *kind != handle.kind()) {
            prop_assert_eq!(Handle::decode(other, &text).unwrap_err().code, Code::InvalidHandle);
        }
    }

    #[test]
    fn hostile_text_never_panics(text in any::<String>()) {
        for kind in HandleKind::ALL {
            let _ = Handle::decode(kind, &text);
            let _ = Handle::decode(kind, &sealed(&text));
            let _ = Handle::parse_uri(&format!("{}{text}", kind.uri_prefix()));
        }
    }
}

use super::*;
use crate::quote::json_string;
use proptest::prelude::*;

fn id(connection: Option<&str>, stream: &str, record: &str) -> ResultId {
    ResultId {
        connection: connection.map(|c| ConnectionId::new(c).unwrap()),
        stream: StreamName::new(stream).unwrap(),
        record: RecordId::new(record).unwrap(),
    }
}

#[test]
fn reads_what_the_grammar_allows_to_the_letter() {
    for (text, expected) in [
        ("cin_4f2a/orders:o1", id(Some("cin_4f2a"), "orders", "o1")),
        ("s:r:q", id(None, "s", "r:q")),
        ("c:x/s:r", id(Some("c:x"), "s", "r")),
        (" s:r ", id(None, " s", "r ")),
        ("s:r%2Fq", id(None, "s", "r%2Fq")),
        ("S:R", id(None, "S", "R")),
        ("c/s::", id(Some("c"), "s", ":")),
        ("pdpp:x", id(None, "pdpp", "x")),
        ("\u{202e}/日本:a\nb", id(Some("\u{202e}"), "日本", "a\nb")),
    ] {
        let parsed = ResultId::parse(text).unwrap();
        assert_eq!(parsed, expected, "{text:?}");
        assert_eq!(parsed.to_string(), text);
    }
}

#[test]
fn names_the_segment_and_the_rule() {
    for (text, segment, rule) in [
        ("", "stream", "must not be empty"),
        ("c/", "stream", "must not be empty"),
        ("/s:r", "connection", "must not be empty"),
        ("nocolon", "stream", "needs a \":\""),
        ("c/s", "stream", "needs a \":\""),
        ("s:", "record", "must not be empty"),
        (":r", "stream", "must not be empty"),
        ("c/d/s:r", "stream", "must not contain \"/\""),
        ("c/s:r/x", "record", "must not contain \"/\""),
        ("https://x/a:b", "stream", "must not contain \"/\""),
        ("pdpp://stream/s", "stream", "needs a \":\""),
        ("s:a..b", "record", "must not contain \"..\""),
        ("s:a\\b", "record", "must not contain \"\\\""),
        ("../c/s:r", "connection", "must not contain \"..\""),
        ("./s:r", "connection", "must not be \".\""),
        ("s:.", "record", "must not be \".\""),
        ("pdpp://record/", "handle", "not base64url"),
        ("pdpp://record/c%2", "handle", "percent sign"),
        ("pdpp://record/%ff:r", "handle", "percent sign"),
        ("pdpp://record/s%3A..", "record", "must not contain \"..\""),
        ("pdpp://record/pdpp://record/s:r", "stream", "must not contain \"/\""),
        ("PDPP://record/s:r", "stream", "must not contain \"/\""),
    ] {
        let refusal = ResultId::parse(text).unwrap_err();
        assert_eq!((refusal.code, refusal.param.as_deref()), (Code::InvalidResultId, Some("id")), "{text:?}");
        assert_eq!(refusal.extras["segment"], segment, "{text:?}");
        assert!(refusal.message.contains(rule), "{text:?}: {}", refusal.message);
    }
}

#[test]
fn reads_a_record_uri_as_a_handle_or_as_an_encoded_id() {
    let expected = id(Some("c"), "s", "r");
    assert_eq!(ResultId::parse("pdpp://record/c%2Fs%3Ar").unwrap(), expected);
    assert_eq!(ResultId::parse("pdpp://record/c/s:r").unwrap(), expected);
    assert_eq!(ResultId::parse("pdpp://record/s:r").unwrap(), id(None, "s", "r"));
    assert_eq!(ResultId::parse(&Handle::from(expected.clone()).uri()).unwrap(), expected);
    let window = Handle::Stream { connection: None, stream: StreamName::new("s").unwrap() }.encode();
    let refusal = ResultId::parse(&format!("pdpp://record/{window}")).unwrap_err();
    assert!(refusal.message.contains("kind record"), "{}", refusal.message);
}

#[test]
fn a_connection_beside_the_id_has_to_agree() {
    let (one, two) = (ConnectionId::new("one").unwrap(), ConnectionId::new("two").unwrap());
    let embedded = id(Some("one"), "s", "r");
    assert_eq!(embedded.clone().with_connection(None).unwrap(), embedded);
    assert_eq!(embedded.clone().with_connection(Some(&one)).unwrap(), embedded);
    assert_eq!(id(None, "s", "r").with_connection(Some(&one)).unwrap(), embedded);
    assert_eq!(id(None, "s", "r").with_connection(None).unwrap(), id(None, "s", "r"));
    let refusal = embedded.with_connection(Some(&two)).unwrap_err();
    assert_eq!(refusal.code, Code::ConflictingConnectionId);
    assert!(refusal.message.contains("\"one\"") && refusal.message.contains("\"two\""));
}

#[test]
fn search_wraps_records_and_leaves_the_rest_alone() {
    let record = |stream, record| BaseId::Record { stream, record };
    let opaque = BaseId::Opaque;
    for (connection, base, shown, beside) in [
        (Some("cin"), record("orders", "o1"), "cin/orders:o1", None),
        (None, record("orders", "o1"), "orders:o1", None),
        (Some("a:b"), record("orders", "o1"), "orders:o1", Some("a:b")),
        (Some("a/b"), record("orders", "o1"), "orders:o1", Some("a/b")),
        (Some(".."), record("orders", "o1"), "orders:o1", Some("..")),
        (Some("cin"), record("orders", "m2/../x"), "orders:m2/../x", Some("cin")),
        (Some("cin"), opaque("https://example.org/a:b"), "https://example.org/a:b", Some("cin")),
        (Some("cin"), opaque("result:7"), "result:7", Some("cin")),
        (None, opaque("result:7"), "result:7", None),
        (Some("cin"), opaque("cin/orders:o1"), "cin/orders:o1", None),
        (Some("cin"), opaque("other/orders:o1"), "other/orders:o1", Some("cin")),
    ] {
        let wrapped = WrappedId { id: shown.into(), connection_beside: beside.map(str::to_owned) };
        assert_eq!(wrap(connection, base), wrapped, "{connection:?} {base:?}");
    }
}

#[test]
fn a_stream_with_a_colon_still_gets_an_id_that_works() {
    let wrapped = wrap(Some("cin"), BaseId::Record { stream: "a:b", record: "r" });
    assert!(wrapped.id.starts_with("pdpp://record/"), "{}", wrapped.id);
    assert_eq!(wrapped.connection_beside, None);
    assert_eq!(ResultId::parse(&wrapped.id).unwrap(), id(Some("cin"), "a:b", "r"));
}

/// Any legal segment, odd characters among them.
fn segment_text() -> impl Strategy<Value = String> {
    let odd = prop_oneof![
        any::<char>(),
        proptest::sample::select(vec![':', '.', '%', ' ', '\n', '"', '\u{202e}', 'a'])
    ];
    proptest::collection::vec(odd, 1..8)
        .prop_map(String::from_iter)
        .prop_filter("a safe name", |s| crate::name::check(s).is_ok())
}

proptest! {
    #[test]
    fn every_legal_id_reads_back_also_out_of_quoted_text(
        connection in proptest::option::of(segment_text()), stream in segment_text(), record in segment_text(),
    ) {
        let id = id(connection.as_deref(), &stream, &record);
        prop_assert_eq!(&ResultId::parse(&id.to_string()).unwrap(), &id);
        let quoted = json_string(&id.to_string());
        let unquoted: String = serde_json::from_str(&quoted).unwrap();
        prop_assert_eq!(&ResultId::parse(&unquoted).unwrap(), &id);
        prop_assert_eq!(ResultId::parse(&Handle::from(id.clone()).uri()).unwrap(), id);
    }

    #[test]
    fn whatever_parses_prints_as_it_was(text in "[abc/:.%\\\\ ]{0,12}") {
        if let Ok(id) = ResultId::parse(&text) {
            prop_assert_eq!(id.to_string(), text);
        }
    }

    #[test]
    fn what_search_shows_leads_back_to_the_record(
        connection in proptest::option::of(segment_text()), stream in segment_text(), record in segment_text(),
    ) {
        let wrapped = wrap(connection.as_deref(), BaseId::Record { stream: &stream, record: &record });
        let beside = wrapped.connection_beside.map(|c| ConnectionId::new(c).unwrap());
        let reached = ResultId::parse(&wrapped.id).unwrap().with_connection(beside.as_ref()).unwrap();
        prop_assert_eq!(reached, id(connection.as_deref(), &stream, &record));
    }

    #[test]
    fn hostile_text_never_panics(text in any::<String>()) {
        let _ = ResultId::parse(&text);
        let _ = ResultId::parse(&format!("pdpp://record/{text}"));
        let _ = wrap(Some(&text), BaseId::Record { stream: &text, record: &text });
    }
}

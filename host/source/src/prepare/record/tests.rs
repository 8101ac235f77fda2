use super::*;

fn manifest() -> Manifest {
    let text = r#"{"primary_key":["id"],"cursor_field":"sent_at","consent_time_field":"consented"}"#;
    Manifest::parse(text, "messages").unwrap()
}

fn plain(line: &str) -> Result<PreparedRecord, Rejection> {
    prepare(line.as_bytes(), &Manifest::default())
}

fn code(line: &str) -> RejectionCode {
    plain(line).map(|_| ()).unwrap_err().code
}

#[test]
fn each_top_level_value_becomes_a_row_of_its_kind() {
    let record =
        plain(r#"{"key":"k","data":{"n":1.50,"t":"x","b":true,"e":null,"j":{"b":1,"a":[]}}}"#).unwrap();
    let rows: Vec<_> = record.fields.iter().map(|f| (f.top.as_str(), f.kind)).collect();
    assert_eq!(
        rows,
        [
            ("b", FieldKind::Boolean),
            ("e", FieldKind::Empty),
            ("j", FieldKind::Json),
            ("n", FieldKind::Number),
            ("t", FieldKind::Text)
        ]
    );
    assert!(matches!(&record.fields[2].body, Body::Inline(text) if text == r#"{"a":[],"b":1}"#));
    assert!(matches!(&record.fields[3].body, Body::Inline(text) if text == "1.50"));
}

#[test]
fn says_why_a_line_is_left_out() {
    assert_eq!(code("{"), RejectionCode::MalformedNdjson);
    assert_eq!(code(r#"{"key":"k"}"#), RejectionCode::MalformedNdjson);
    assert_eq!(code(r#"{"key":"k","data":[]}"#), RejectionCode::MalformedNdjson);
    assert_eq!(code(r#"{"key":"k","data":{},"extra":1}"#), RejectionCode::MalformedNdjson);
    assert_eq!(code(r#"{"data":{}}"#), RejectionCode::MalformedNdjson);
    assert_eq!(code(r#"{"key":"a/b","data":{}}"#), RejectionCode::UnsafeKey);
    assert_eq!(code(r#"{"key":"a\u0000b","data":{}}"#), RejectionCode::UnsafeKey);
    assert_eq!(code(r#"{"key":"k","data":{"t":"\ud83d"}}"#), RejectionCode::LoneSurrogate);
    assert_eq!(code(r#"{"key":"k","data":{"a\u0000":1}}"#), RejectionCode::UnstorableNul);
    assert_eq!(code(r#"{"key":"k","data":{},"emitted_at":"soon"}"#), RejectionCode::InvalidTime);
    assert_eq!(
        code(r#"{"key":"k","data":{"f":{"$blob":{"mime_type":"a/b","base64":"*"}}}}"#),
        RejectionCode::InvalidBlob
    );
    let not_utf8 = prepare(b"{\"key\":\"\xff\"}", &Manifest::default());
    assert_eq!(not_utf8.unwrap_err().code, RejectionCode::InvalidUtf8);
}

#[test]
fn a_line_can_take_a_record_away() {
    let record = prepare(br#"{"key":"k","deleted":true}"#, &manifest()).unwrap();
    assert!(record.deleted && record.fields.is_empty() && record.key.as_str() == "k");
    assert!(!plain(r#"{"key":"k","deleted":false,"data":{}}"#).unwrap().deleted);
    for wrong in [
        r#"{"key":"k","deleted":true,"data":{}}"#,
        r#"{"key":"k","deleted":false}"#,
        r#"{"key":"k","deleted":"yes"}"#,
        r#"{"deleted":true}"#,
    ] {
        assert_eq!(code(wrong), RejectionCode::MalformedNdjson, "{wrong}");
    }
}

#[test]
fn a_rejection_never_quotes_the_record() {
    let message = plain(r#"{"key":"k","data":{"secret":"canary"} canary}"#).unwrap_err().to_string();
    assert!(!message.contains("canary"), "{message}");
}

#[test]
fn the_manifest_settles_key_and_times() {
    let line = r#"{"data":{"id":"k","sent_at":"2026-01-01T00:00:00Z","consented":"2026-01-02"}}"#;
    let record = prepare(line.as_bytes(), &manifest()).unwrap();
    assert_eq!(record.key.as_str(), "k");
    assert_eq!(record.consent_time.unwrap() - record.cursor.unwrap(), 86_400_000);
    let line = r#"{"key":"other","data":{"id":"k"}}"#;
    assert_eq!(prepare(line.as_bytes(), &manifest()).unwrap_err().code, RejectionCode::InvalidRecordIdentity);
    let line = r#"{"key":"k","data":{"id":"k","consented":"never"},"emitted_at":"2026-01-01"}"#;
    assert_eq!(prepare(line.as_bytes(), &manifest()).unwrap().consent_time, None);
}

#[test]
fn the_digest_changes_exactly_with_the_content() {
    let one = plain(r#"{"key":"k","data":{"a":{"x":1,"y":2}},"emitted_at":"2026-01-01"}"#).unwrap();
    let same =
        plain(r#"{"emitted_at":"2026-01-01T00:00:00Z","data":{"a":{"y":2,"x":1}},"key":"k"}"#).unwrap();
    let other = plain(r#"{"key":"k","data":{"a":{"x":1,"y":3}},"emitted_at":"2026-01-01"}"#).unwrap();
    let kind = plain(r#"{"key":"k","data":{"a":"{\"x\":1,\"y\":2}"},"emitted_at":"2026-01-01"}"#).unwrap();
    assert_eq!(one.digest, same.digest);
    assert_ne!(one.digest, other.digest);
    assert_ne!(one.digest, kind.digest);
}

#[test]
fn a_blob_keeps_its_bytes_and_says_what_they_are() {
    let line = r#"{"key":"k","data":{"file":{"$blob":{"mime_type":"text/csv","file_name":"a.csv","base64":"YSxi"}}}}"#;
    let record = plain(line).unwrap();
    assert_eq!(record.blobs[0].bytes, b"a,b");
    let field = &record.fields[0];
    assert_eq!(
        (field.kind, field.bytes, field.mime.as_deref()),
        (FieldKind::Binary, Bytes(3), Some("text/csv"))
    );
    assert_eq!(field.digest, record.blobs[0].digest);
}

//! The tasks, on the sample data.

use crate::classes::session::{Session, Transport};
use crate::classes::{Class, Step, as_every_class, sha256};
use crate::mcp::world::World;
use serde_json::{Value, json};
use stepwell_sample::known::{self, Place};

as_every_class!(
    a_phrase_deep_in_a_long_field,
    a_key_that_two_accounts_use,
    a_value_inside_json,
    all_bytes_of_a_file
);

fn client<C: Class>(transport: Transport) -> C {
    let world = World::shared();
    Session::open(world, &world.all, transport)
}

/// The value at a place of the sample.
fn value(place: &Place) -> Value {
    place.find(&stepwell_sample::connections()).expect("the place").clone()
}

fn a_phrase_deep_in_a_long_field<C: Class>(transport: Transport) {
    let place = known::LONG_TEXT;
    let whole = value(&place);
    let mut client = client::<C>(transport);
    let q = known::UNIQUE_QUERY;
    deep_phrase(&mut client, &place.id(), place.field, whole.as_str().unwrap(), q, known::UNIQUE_PHRASE);
}

/// Finds a phrase deep in a field, reads around it, from there to the end, and then all of the field.
pub(super) fn deep_phrase<C: Class>(
    client: &mut C,
    id: &str,
    path: &str,
    whole: &str,
    q: &str,
    phrase: &str,
) {
    let opened = client.find(q, id);
    let args = json!({ "id": opened.id, "field_path": path, "q": q, "before_chars": 120, "after_chars": 80 });
    let around = client.window(&Step::field(args)).unwrap_or_else(|refused| panic!("{refused:?}"));
    let (start, end) = around.matched.expect("a match");
    let chars = |from: u64, to: u64| -> String {
        whole.chars().skip(usize::try_from(from).unwrap()).take(usize::try_from(to - from).unwrap()).collect()
    };
    assert_eq!(chars(start, end), phrase);
    assert_eq!((around.start, around.text.as_str()), (start - 120, chars(start - 120, end + 80).as_str()));
    let digest = format!("sha256:{}", sha256(whole));
    assert_eq!(around.digest, Some(digest).filter(|_| client.session().digests));
    // On from the match to the last character, in windows of the size that was asked for.
    let mut tail = around.text;
    let mut step = around.next;
    for _ in 0..3 {
        let window = client.window(step.as_ref().expect("a window after it")).unwrap();
        tail += &window.text;
        step = window.next;
    }
    assert_eq!(tail, chars(start - 120, start - 120 + tail.chars().count() as u64));
    let read = client.read_whole(&opened, path);
    assert_eq!(read.chars().count(), whole.chars().count());
    assert_eq!(sha256(&read), sha256(whole));
}

fn a_key_that_two_accounts_use<C: Class>(transport: Transport) {
    let mut client = client::<C>(transport);
    let key = known::ROOF_QUOTE.key;
    let body = |connection| value(&Place { connection, ..known::ROOF_QUOTE }).as_str().unwrap().to_owned();
    let variants = [known::HOME_MAIL, known::WORK_MAIL].map(|connection| (connection, body(connection)));
    let queries = ["roof quote battens", "stoat-celadon-1175"];
    two_accounts(&mut client, known::MESSAGES, key, "body", &variants, queries);
}

/// Reads both records of one key: by the ids that a search shows, and by a legacy id that is ambiguous until the
/// refusal is followed.
pub(super) fn two_accounts<C: Class>(
    client: &mut C,
    stream: &str,
    key: &str,
    path: &str,
    variants: &[(&str, String); 2],
    queries: [&str; 2],
) {
    assert_ne!(variants[0].1, variants[1].1);
    for ((connection, text), q) in variants.iter().zip(queries) {
        let opened = client.find(q, &format!("{connection}/{stream}:{key}"));
        assert_eq!(client.read_whole(&opened, path), *text);
    }
    let legacy = format!("{stream}:{key}");
    let fetch = json!({ "id": legacy });
    let field = json!({ "id": legacy, "field_path": path, "limit_chars": 16_384 });
    let mut seen = Vec::new();
    for (tool, mut args) in [("fetch", fetch), ("read_record_field", field)] {
        let step = Step::call(tool, args.clone());
        let refused = match tool {
            "fetch" => client.open(&step).expect_err("two records"),
            _ => client.window(&step).expect_err("two records"),
        };
        assert_eq!(refused.code, "ambiguous_connection");
        // What to add to the call stands in the refusal, and with what.
        let add = refused.error["retry_with"].as_str().expect("what to add").to_owned();
        assert!(refused.hints_at(&add), "{refused:?}");
        for connection in refused.error["available_connections"].as_array().expect("connections") {
            args[&add] = connection[&add].clone();
            let step = Step::call(tool, args.clone());
            let text = match tool {
                "fetch" => {
                    let opened = client.open(&step).unwrap_or_else(|refused| panic!("{refused:?}"));
                    client.read_whole(&opened, path)
                }
                _ => client.read_on(&step),
            };
            assert!(connection["display_name"].as_str().is_some_and(|name| !name.is_empty()), "{connection}");
            seen.push((connection[&add].as_str().unwrap().to_owned(), text));
        }
    }
    let expected = variants.iter().map(|(connection, text)| ((*connection).to_owned(), text.clone()));
    assert_eq!(seen, expected.clone().chain(expected).collect::<Vec<_>>());
}

fn a_value_inside_json<C: Class>(transport: Transport) {
    let place = known::LARGE_JSON;
    let mut client = client::<C>(transport);
    let record = json!({ place.field: value(&place) });
    nested_value(&mut client, "held for you", &place.id(), &record, known::LARGE_JSON_POINTER);
}

/// Reads a JSON field, finds a value inside, and reads that by its pointer.
pub(super) fn nested_value<C: Class>(client: &mut C, q: &str, id: &str, record: &Value, pointer: &str) {
    let field = pointer.split('/').nth(1).unwrap();
    let opened = client.find(q, id);
    let read: Value =
        serde_json::from_str(&client.read_whole(&opened, field)).expect("the JSON of the field");
    assert_eq!(read, record[field]);
    let expected = json!({ field: read }).pointer(pointer).and_then(Value::as_str).unwrap().to_owned();
    assert_eq!(record.pointer(pointer), Some(&json!(expected)));
    let step = Step::field(json!({ "id": opened.id, "field_path": pointer }));
    let first = client.window(&step).unwrap_or_else(|refused| panic!("{refused:?}"));
    assert_eq!(first.digest, Some(format!("sha256:{}", sha256(&expected))));
    assert_eq!(client.read_on(&step), expected);
}

fn all_bytes_of_a_file<C: Class>(transport: Transport) {
    let mut client = client::<C>(transport);
    let place = known::LARGE_BLOB;
    let blob = value(&place)["$blob"]["base64"].as_str().unwrap().to_owned();
    let bytes = super::session::from_base64(&blob);
    assert!(bytes.len() > 2 * 65_536, "more than two windows of it");
    file_bytes(&mut client, "EAST-07 all of May", &place.id(), place.field, &bytes);
}

/// Gets all bytes of a binary field, where the record shows its address and where a refusal does.
pub(super) fn file_bytes<C: Class>(client: &mut C, q: &str, id: &str, path: &str, bytes: &[u8]) {
    let mut opened = client.find(q, id);
    let read = client.read_bytes(&opened, path);
    assert_eq!((read.len(), sha256(&read)), (bytes.len(), sha256(bytes)));
    // Whoever asks for its text is told where the bytes are.
    let step = Step::field(json!({ "id": opened.id, "field_path": path }));
    let refused = client.window(&step).expect_err("no text");
    assert_eq!(refused.code, "field_not_text");
    assert!(refused.hints_at("resource_uri"), "{refused:?}");
    let uri = refused.error["resource_uri"].as_str().expect("a URI").to_owned();
    opened.files.insert(path.to_owned(), uri);
    assert_eq!(sha256(client.read_bytes(&opened, path)), sha256(bytes));
}

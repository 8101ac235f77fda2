//! Values inside a JSON field, found by pointer.

use crate::on_both_engines;
use crate::world::{World, code, fields, line, record, stream};
use serde_json::{Value, json};
use stepwell_contract::{Chars, Code, FieldPath, Span, field_path};
use stepwell_source::{FieldKind, Source};

on_both_engines!(
    every_value_inside_is_read_by_its_pointer,
    a_short_leaf_of_a_huge_value_is_found_in_bounded_pieces,
    what_is_not_there_is_not_found,
    numbers_keep_their_digits_and_too_large_ones_break_nothing,
    the_grant_is_about_the_top_level_field,
    top_level_keys_may_look_like_pointers,
    deep_values_are_found_as_deep_as_they_may_be,
);

/// Short and long leaves, lists, and keys that have to be escaped.
fn tree(long: usize) -> Value {
    json!({
        "short": "a leaf with \"quotes\" and \\ 🦢",
        "number": 12.5,
        "yes": true,
        "no": null,
        "empty": {}, "none": [],
        "list": [{ "a": 1 }, ["x", ["y"]], "third 漢"],
        "odd~key/with~1": { "~": "tilde", "/": "slash", "": "nameless", "~01": "escaped" },
        "0": "a key that looks like an index",
        "long": "long 🦢 \"text\" ".repeat(long),
        "branch": { "long": "é\n".repeat(long * 4), "leaf": "inside", "list": vec!["item"; long], "z": [1, 2] },
    })
}

/// Every value inside, with its pointer.
fn values<'a>(value: &'a Value, pointer: String, into: &mut Vec<(String, &'a Value)>) {
    let below = |key: &str| {
        let mut pointer = pointer.clone() + "/";
        field_path::push_escaped(&mut pointer, key);
        pointer
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(key, inner)| values(inner, below(key), into)),
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .take(5)
                .for_each(|(index, inner)| values(inner, below(&index.to_string()), into));
        }
        _ => {}
    }
    into.push((pointer, value));
}

async fn every_value_inside_is_read_by_its_pointer(world: World) {
    let (small, large) = (tree(20), tree(700));
    assert!(small.to_string().len() < 4_096 && large.to_string().len() > 16_384);
    world
        .fill(
            "c/s",
            None,
            &[line("small", &json!({ "tree": small })), line("large", &json!({ "tree": large }))],
        )
        .await;
    let caller = world.grant(vec![stream("s")]).await;
    for (key, tree) in [("small", &small), ("large", &large)] {
        let mut inside = Vec::new();
        // Canonical JSON has its keys in order.
        let mut tree = (*tree).clone();
        tree.sort_all_objects();
        values(&tree, "/tree".to_owned(), &mut inside);
        assert!(inside.len() > 25);
        for (pointer, value) in inside {
            let field = world.field(&caller, &format!("c/s:{key}"), &pointer).await.unwrap();
            let (kind, text) = match value {
                Value::String(text) => (FieldKind::Text, text.clone()),
                Value::Number(number) => (FieldKind::Number, number.to_string()),
                Value::Bool(yes) => (FieldKind::Boolean, yes.to_string()),
                Value::Null => (FieldKind::Empty, "null".to_owned()),
                _ => (FieldKind::Json, value.to_string()),
            };
            assert_eq!(
                (field.shape.kind, field.shape.chars),
                (kind, Some(Chars::of(&text))),
                "{key} {pointer}"
            );
            let read = world.store.text(&caller, &field, field.whole()).await;
            if !kind.is_text_like() {
                assert_eq!(code(read), Code::FieldNotText, "{key} {pointer}");
                continue;
            }
            assert!(read.unwrap() == text, "{key} {pointer}");
            let span = Span::at(Chars(3), Chars(5));
            let part: String = text.chars().skip(3).take(5).collect();
            assert_eq!(world.store.text(&caller, &field, span).await.unwrap(), part, "{key} {pointer}");
            if let Some((at, _)) = text.match_indices("item").next() {
                let expected = Some(Chars::of(&text[..at]).get());
                assert_eq!(world.find(&caller, &field, "ITEM", 0).await, expected, "{key} {pointer}");
            }
        }
    }
}

async fn a_short_leaf_of_a_huge_value_is_found_in_bounded_pieces(world: World) {
    let filler: Vec<String> =
        (0..4_000).map(|number| format!("{number} {}", "ünd so weiter ".repeat(30))).collect();
    let tree =
        json!({ "a": { "leaf": "near the start" }, "filler": filler, "z": { "leaf": "near the end" } });
    assert!(tree.to_string().len() > 1_500_000);
    world.fill("c/s", None, &[line("k", &json!({ "tree": tree }))]).await;
    let caller = world.grant(vec![stream("s")]).await;
    world.seen.take();
    for (pointer, text) in [
        ("/tree/z/leaf", "near the end"),
        ("/tree/a/leaf", "near the start"),
        ("/tree/filler/0", filler[0].as_str()),
        ("/tree/filler/3999", filler[3_999].as_str()),
    ] {
        assert_eq!(world.whole(&caller, "c/s:k", pointer).await.unwrap(), text, "{pointer}");
        let seen = world.content_seen();
        assert!(seen.iter().all(|seen| seen.bytes < 1_200_000), "{pointer}: {seen:?}");
        assert!(
            pointer != "/tree/a/leaf" || seen.len() <= 4,
            "the search stops once it has the leaf: {seen:?}"
        );
    }
    for nowhere in ["/tree/filler/4000", "/tree/z/leaf/below", "/tree/zz", "/tree/filler/0/0"] {
        assert_eq!(code(world.field(&caller, "c/s:k", nowhere).await), Code::FieldNotFound, "{nowhere}");
    }
}

async fn what_is_not_there_is_not_found(world: World) {
    let data = |long| json!({ "tree": tree(long), "text": "a/b", "long": "x".repeat(5_000), "n": 1 });
    world.fill("c/s", None, &[line("small", &data(20)), line("large", &data(700))]).await;
    let caller = world.grant(vec![stream("s")]).await;
    for id in ["c/s:small", "c/s:large"] {
        for path in [
            "/tree/nowhere",
            "/tree/",
            "/tree/list/3",
            "/tree/list/00",
            "/tree/list/-",
            "/tree/list/-1",
            "/tree/list/1e0",
            "/tree/list/18446744073709551616",
            "/tree/short/0",
            "/tree/number/x",
            "/tree/yes/x",
            "/tree/no/x",
            "/tree/empty/x",
            "/tree/none/0",
            "/tree/long/0",
            "/tree/branch/long/x",
            "/tree/branch/nowhere/at/all",
            "/text/b",
            "/long/0",
            "/n/0",
            "/text/",
        ] {
            assert_eq!(code(world.text(&caller, id, path, 0, 9).await), Code::FieldNotFound, "{id} {path}");
        }
        for path in ["tree/short", "tree.short", "nowhere", "/nowhere/x", "/"] {
            assert_eq!(code(world.text(&caller, id, path, 0, 9).await), Code::FieldNotGranted, "{id} {path}");
        }
    }
}

async fn numbers_keep_their_digits_and_too_large_ones_break_nothing(world: World) {
    let long = "x".repeat(5_000);
    for (key, more) in [("small", String::new()), ("large", format!(r#","pad":"{long}""#))] {
        let text = format!(
            r#"{{"key":"{key}","data":{{"tree":{{"n":1e999,"o":[-1.10,1E+400],"p":"after"{more}}}}}}}"#
        );
        assert_eq!(world.fill("c/s", None, &[text]).await.stored.added, 1);
        let caller = world.grant(vec![stream("s")]).await;
        let id = format!("c/s:{key}");
        assert_eq!(world.whole(&caller, &id, "/tree/o").await.unwrap(), "[-1.10,1E+400]");
        assert_eq!(world.whole(&caller, &id, "/tree/p").await.unwrap(), "after");
        assert_eq!(world.field(&caller, &id, "/tree/n").await.unwrap().shape.kind, FieldKind::Number);
        for below in ["/tree/n/x", "/tree/o/1/x", "/tree/n/0"] {
            assert_eq!(code(world.field(&caller, &id, below).await), Code::FieldNotFound, "{id} {below}");
        }
    }
}

async fn the_grant_is_about_the_top_level_field(world: World) {
    let data =
        json!({ "open": tree(700), "closed": tree(700), "small": tree(20), "tree": { "open": "inner" } });
    world.fill("c/s", None, &[line("k", &data)]).await;
    let caller = world.grant(vec![fields("s", &["open"])]).await;
    assert_eq!(world.whole(&caller, "c/s:k", "/open/branch/leaf").await.unwrap(), "inside");
    world.seen.take();
    let mut inside = Vec::new();
    values(&data["closed"], "/closed".to_owned(), &mut inside);
    values(&data["small"], "/small".to_owned(), &mut inside);
    inside.push(("/tree/open".to_owned(), &Value::Null));
    for (pointer, _) in inside {
        assert_eq!(code(world.field(&caller, "c/s:k", &pointer).await), Code::FieldNotGranted, "{pointer}");
    }
    world.assert_no_content_was_selected("pointers into fields that were not granted");
}

async fn top_level_keys_may_look_like_pointers(world: World) {
    let data = json!({ "a/b": "slash", "/c": "leading", "~": "tilde", "": "nameless", "~1": "escape", "a": { "b": "nested" } });
    world.fill("c/s", None, &[line("k", &data)]).await;
    let caller = world.grant(vec![stream("s")]).await;
    for (path, text) in [
        ("a/b", "slash"),
        ("/a~1b", "slash"),
        ("/a/b", "nested"),
        ("/~1c", "leading"),
        ("~", "tilde"),
        ("/~0", "tilde"),
        ("/", "nameless"),
        ("~1", "escape"),
        ("/~01", "escape"),
    ] {
        assert_eq!(world.whole(&caller, "c/s:k", path).await.unwrap(), text, "{path}");
    }
    for (key, value) in data.as_object().unwrap() {
        let field = world.store.field(&caller, &record("c/s:k"), &FieldPath::top_level(key)).await.unwrap();
        assert!(
            field.shape.kind == FieldKind::Json
                || field.shape.bytes.map(|bytes| bytes.get() as usize) == value.as_str().map(str::len)
        );
    }
}

async fn deep_values_are_found_as_deep_as_they_may_be(world: World) {
    let nest = |depth: usize| format!("{}\"leaf\"{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
    let deepest = field_path::MAX_DEPTH - 1;
    let lines = [
        format!(r#"{{"key":"deep","data":{{"a":{}}}}}"#, nest(deepest)),
        format!(r#"{{"key":"too-deep","data":{{"a":{}}}}}"#, nest(deepest + 1)),
    ];
    let filled = world.fill("c/s", None, &lines).await;
    assert_eq!((filled.stored.added, filled.rejected.len()), (1, 1));
    let caller = world.grant(vec![stream("s")]).await;
    assert_eq!(world.whole(&caller, "c/s:deep", &"/a".repeat(deepest + 1)).await.unwrap(), "leaf");
    assert_eq!(world.whole(&caller, "c/s:deep", &"/a".repeat(deepest)).await.unwrap(), r#"{"a":"leaf"}"#);
}

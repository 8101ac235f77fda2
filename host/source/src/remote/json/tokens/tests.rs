use super::*;
use crate::remote::json::Taken;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Reads a text in pieces of the given lengths, over and over.
fn read(text: &[u8], lengths: &[usize]) -> Result<String, Broken> {
    let mut taken = Taken::new(u64::MAX);
    let mut tokens = Tokenizer::new();
    let (mut rest, mut turn) = (text, 0);
    while !rest.is_empty() {
        let length = lengths[turn % lengths.len()].clamp(1, rest.len());
        tokens.feed(&rest[..length], &mut taken)?;
        rest = &rest[length..];
        turn += 1;
    }
    tokens.end(&mut taken)?;
    Ok(taken.json().expect("a whole value"))
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no such number", |n| n.is_finite()).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        "[\\x00-\\x20\"\\\\/😀é\u{fffd}]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec((".{0,6}", inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn reads_what_a_whole_parser_reads_however_it_is_cut(
        value in any_json(),
        pretty in any::<bool>(),
        lengths in proptest::collection::vec(1_usize..9, 1..4),
    ) {
        let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        let escaped: String = text.chars().map(|c| if c.is_ascii() { c.to_string() } else {
            c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
        }).collect();
        for spelling in [text, escaped] {
            prop_assert_eq!(&read(spelling.as_bytes(), &lengths).unwrap(), &value.to_string());
        }
    }

    #[test]
    fn agrees_about_what_is_no_json(text in "[\\[\\]{},:\"a1eE.+\\-tfn \\\\u]{0,10}", cut in 1_usize..4) {
        let is_json = serde_json::from_str::<&RawValue>(&text).is_ok();
        // One parser takes half of a surrogate pair for a mistake, the other for a mark.
        prop_assert_eq!(read(text.as_bytes(), &[cut]).is_ok(), is_json, "{}", text);
    }
}

#[test]
fn half_of_a_pair_becomes_one_mark() {
    for (text, meant) in [
        (r#""a\ud83db""#, json!("a\u{fffd}b")),
        (r#""\ud83d\ud83d\ude00""#, json!("\u{fffd}😀")),
        (r#""\ude00\n""#, json!("\u{fffd}\n")),
        (r#""x\ud83d""#, json!("x\u{fffd}")),
        (r#""\ud83dé""#, json!("\u{fffd}é")),
        (r#"{"\ud83d":1}"#, json!({ "\u{fffd}": 1 })),
    ] {
        for cut in 1..4 {
            assert_eq!(read(text.as_bytes(), &[cut]).unwrap(), meant.to_string());
        }
    }
}

#[test]
fn numbers_keep_their_digits_and_depth_has_an_end() {
    assert_eq!(read(b"[1e400, -0.10]", &[1]).unwrap(), "[1e400,-0.10]");
    assert!(read("[".repeat(DEPTH).as_bytes(), &[7]) == Err(Broken::Cut));
    assert!(matches!(read("[".repeat(DEPTH + 1).as_bytes(), &[7]), Err(Broken::Shape(_))));
    assert!(matches!(
        read(format!("{{\"{}\":1}}", "k".repeat(KEY + 1)).as_bytes(), &[999]),
        Err(Broken::Shape(_))
    ));
    assert!(matches!(read("9".repeat(SCALAR + 1).as_bytes(), &[999]), Err(Broken::Shape(_))));
    for broken in [&b"\"\xff\""[..], b"\"\xf0\x9f\"", b"{} x", b"<html>", b"\"a\nb\"", b"01", b"nul"] {
        assert!(read(broken, &[1]).is_err(), "{broken:?}");
        assert!(read(broken, &[99]).is_err(), "{broken:?}");
    }
}

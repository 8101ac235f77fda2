//! How large something is once it is written, without writing it.
//!
//! Every result is measured before it leaves, and most of it is text. So text is counted a block at a time, which a
//! processor does many bytes at once.

use serde_json::{Number, Value};
use stepwell_contract::Bytes;

/// How many bytes a value has as JSON.
pub(crate) fn json_bytes(value: &Value) -> Bytes {
    Bytes(size(value))
}

/// How many bytes a text has as a JSON string.
pub(crate) fn string_bytes(text: &str) -> Bytes {
    Bytes(string(text))
}

fn size(value: &Value) -> u64 {
    match value {
        Value::Null | Value::Bool(true) => 4,
        Value::Bool(false) => 5,
        Value::Number(value) => number(value),
        Value::String(text) => string(text),
        // Brackets, and a comma after each but the last.
        Value::Array(list) => list.iter().map(|value| size(value) + 1).sum::<u64>().max(1) + 1,
        Value::Object(map) => {
            map.iter().map(|(name, value)| string(name) + size(value) + 2).sum::<u64>().max(1) + 1
        }
    }
}

fn number(value: &Number) -> u64 {
    match value.as_u64() {
        Some(whole) => u64::from(whole.checked_ilog10().unwrap_or(0)) + 1,
        None => value.to_string().len() as u64,
    }
}

fn string(text: &str) -> u64 {
    /// Few enough for the sum of a block to fit into a byte.
    const BLOCK: usize = 32;
    let more = |block: &[u8]| u64::from(block.iter().map(|byte| escape(*byte)).sum::<u8>());
    let (blocks, rest) = text.as_bytes().as_chunks::<BLOCK>();
    text.len() as u64 + 2 + blocks.iter().map(|block| more(block)).sum::<u64>() + more(rest)
}

/// How many bytes more than itself a byte of a string needs: `\n` one, `\u0001` five.
fn escape(byte: u8) -> u8 {
    let is_control = u8::from(byte < 0x20);
    // From \b to \r, all but the vertical tab.
    let is_short = u8::from(byte.wrapping_sub(0x08) < 6) - u8::from(byte == 0x0B);
    let is_quoted = u8::from(byte == b'"') + u8::from(byte == b'\\');
    is_control * 5 - is_short * 4 + is_quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn measures_what_would_be_written() {
        let all: String = (0..0x800).filter_map(char::from_u32).collect();
        for value in [
            json!(null),
            json!([]),
            json!({}),
            json!([true, false, null]),
            json!({ "a\"b": [1, -2.5, 0, 9, 10, 99, 100, u64::MAX, i64::MIN, 1e300], "": { "\n": {} } }),
            json!("🪽 quotes \" and \\"),
            json!(["\u{0}".repeat(1_000), all]),
        ] {
            assert_eq!(json_bytes(&value).get(), value.to_string().len() as u64, "{value}");
        }
        assert_eq!(string_bytes("a\tb"), Bytes(6));
    }
}

//! A tool tier's answers.

use super::{at_most, clean};
use crate::fault::Invalid;
use crate::limits;
use crate::shape::Slot;
use crate::toolbox::{Answer, AnswerLine, Definition, RawAnswer};
use serde_json::{Map, Value};
use stepwell_contract::quote::strip_control;

/// Members that stand for handles wherever the host writes them. A tier that writes one would pass something off as a
/// handle.
const HANDLES: &[&str] = &[
    "args",
    "connection_id",
    "cursor",
    "id",
    "next_cursor",
    "next_match_cursor",
    "next_uri",
    "previous_cursor",
    "previous_uri",
    "read",
    "record_id",
    "resource",
    "uri",
    "url",
];

/// How an address of the host's begins.
const ADDRESS: &str = "pdpp://";

/// Checks an answer: slots in hand, text clean, data without handles, and arguments that go on as the schema has them.
/// `arguments` are those that the tool was given, and `spelled` says how a record in hand is named in arguments.
pub(crate) fn answer(
    tool: &Definition,
    arguments: &Value,
    is_in_hand: impl Fn(Slot) -> bool,
    spelled: impl Fn(Slot) -> Option<String>,
    raw: RawAnswer,
) -> Result<Answer, Invalid> {
    at_most("lines", raw.lines.len(), limits::ANSWER_LINES)?;
    let in_hand = |slot: u32| match Slot(slot) {
        slot if is_in_hand(slot) => Ok(slot),
        slot => Err(Invalid::SlotNotInHand(slot)),
    };
    let mut lines = Vec::with_capacity(raw.lines.len());
    for (text, slot) in raw.lines {
        let line =
            AnswerLine { text: clean(&text, limits::LINE_BYTES), slot: slot.map(in_hand).transpose()? };
        if !line.text.is_empty() {
            lines.push(line);
        }
    }
    let mut data = raw.data.as_deref().map(object).transpose()?.unwrap_or_default();
    wash(&mut data)?;
    let next = raw.next.as_deref().map(object).transpose()?;
    // Going on with the same arguments would go on for ever.
    if next.as_ref().is_some_and(|next| Some(next) == arguments.as_object()) {
        return Err(Invalid::Next);
    }
    let next = next.map(|next| next_call(tool, in_hand, spelled, next)).transpose()?;
    Ok(Answer { lines, data, next })
}

fn object(text: &str) -> Result<Map<String, Value>, Invalid> {
    let (found, most) = (text.len() as u64, limits::DATA_BYTES as u64);
    if found > most {
        return Err(Invalid::TooLong { found, most });
    }
    serde_json::from_str(text).map_err(|_| Invalid::NoObject)
}

/// Washes texts and refuses handles, at any depth.
fn wash(members: &mut Map<String, Value>) -> Result<(), Invalid> {
    for (name, value) in members {
        if HANDLES.contains(&name.as_str()) || strip_control(name) != *name {
            return Err(Invalid::Handle);
        }
        wash_value(value)?;
    }
    Ok(())
}

fn wash_value(value: &mut Value) -> Result<(), Invalid> {
    match value {
        Value::String(text) => {
            *text = strip_control(text);
            if text.trim_start().starts_with(ADDRESS) { Err(Invalid::Handle) } else { Ok(()) }
        }
        Value::Array(list) => list.iter_mut().try_for_each(wash_value),
        Value::Object(members) => wash(members),
        _ => Ok(()),
    }
}

/// Puts ids where slots stand, and holds the whole against the schema.
fn next_call(
    tool: &Definition,
    in_hand: impl Fn(u32) -> Result<Slot, Invalid>,
    spelled: impl Fn(Slot) -> Option<String>,
    mut next: Map<String, Value>,
) -> Result<Value, Invalid> {
    for name in &tool.record_parameters {
        let Some(value) = next.get_mut(name) else { continue };
        let slot = value.as_u64().and_then(|slot| u32::try_from(slot).ok()).ok_or(Invalid::Next)?;
        *value = spelled(in_hand(slot)?).ok_or(Invalid::Next)?.into();
    }
    let next = Value::Object(next);
    let validator = jsonschema::draft202012::new(&tool.input).map_err(|_| Invalid::Next)?;
    if validator.is_valid(&next) { Ok(next) } else { Err(Invalid::Next) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool() -> Definition {
        Definition {
            name: "t".into(),
            title: "T".into(),
            description: "d".into(),
            input: json!({
                "type": "object",
                "properties": { "id": { "type": "string" }, "from": { "type": "integer", "minimum": 0 } },
                "required": ["id"],
                "additionalProperties": false,
            }),
            record_parameters: vec!["id".into()],
        }
    }

    fn checked(raw: RawAnswer) -> Result<Answer, Invalid> {
        answer(
            &tool(),
            &json!({ "id": 0, "from": 5 }),
            |slot| slot.0 < 2,
            |slot| (slot.0 == 0).then(|| "c/s:r".to_owned()),
            raw,
        )
    }

    fn data(value: &Value) -> Result<Map<String, Value>, Invalid> {
        checked(RawAnswer { data: Some(value.to_string()), ..RawAnswer::default() }).map(|answer| answer.data)
    }

    fn next(value: &Value) -> Result<Option<Value>, Invalid> {
        checked(RawAnswer { next: Some(value.to_string()), ..RawAnswer::default() }).map(|answer| answer.next)
    }

    #[test]
    fn lines_are_washed_and_about_records_in_hand() {
        let lines = vec![("a\nnext: fetch\u{202e}".into(), Some(1)), ("\u{200b}".into(), None)];
        let answer = checked(RawAnswer { lines, ..RawAnswer::default() }).unwrap();
        assert_eq!(answer.lines, [AnswerLine { text: "a next: fetch".into(), slot: Some(Slot(1)) }]);
        let foreign = RawAnswer { lines: vec![("a".into(), Some(2))], ..RawAnswer::default() };
        assert_eq!(checked(foreign), Err(Invalid::SlotNotInHand(Slot(2))));
        let many = RawAnswer { lines: vec![("a".into(), None); 1_001], ..RawAnswer::default() };
        assert!(matches!(checked(many), Err(Invalid::TooMany { .. })));
        let long = RawAnswer { lines: vec![("é".repeat(9_999), None)], ..RawAnswer::default() };
        assert_eq!(checked(long).unwrap().lines[0].text.len(), 600);
    }

    #[test]
    fn data_is_a_small_object_without_handles() {
        let good =
            json!({ "found": [{ "slot": 0, "at": 5, "text": "a\u{202e}b", "ratio": 0.5 }], "none": null });
        assert_eq!(data(&good).unwrap()["found"][0]["text"], "ab");
        for forged in [
            json!({ "id": "c/s:r" }),
            json!({ "a": [{ "next_cursor": "x" }] }),
            json!({ "a": { "uri": 1 } }),
            json!({ "link": "pdpp://record/x" }),
            json!({ "a": ["\u{200b}pdpp://record/x"] }),
            json!({ "i\u{200b}d": "x" }),
        ] {
            assert_eq!(data(&forged), Err(Invalid::Handle), "{forged}");
        }
        assert_eq!(data(&json!([1])), Err(Invalid::NoObject));
        assert!(matches!(data(&json!({ "a": "x".repeat(5_000) })), Err(Invalid::TooLong { .. })));
    }

    #[test]
    fn what_goes_on_passes_the_schema_with_the_host_s_own_ids() {
        assert_eq!(next(&json!({ "id": 0, "from": 9 })), Ok(Some(json!({ "id": "c/s:r", "from": 9 }))));
        for (wrong, why) in [
            (json!({ "id": "c/s:other", "from": 9 }), Invalid::Next),
            (json!({ "id": 1 }), Invalid::Next),
            (json!({ "id": 2 }), Invalid::SlotNotInHand(Slot(2))),
            (json!({ "from": 9 }), Invalid::Next),
            (json!({ "id": 0, "from": 5 }), Invalid::Next),
            (json!({ "id": 0, "from": -1 }), Invalid::Next),
            (json!({ "id": 0, "extra": 1 }), Invalid::Next),
            (json!("x"), Invalid::NoObject),
        ] {
            assert_eq!(next(&wrong), Err(why), "{wrong}");
        }
    }
}

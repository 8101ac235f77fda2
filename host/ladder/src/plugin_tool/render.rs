//! Both channels of a tool's answer, and what it discloses.

use super::PluginTool;
use super::hand::Used;
use crate::ladder::Ladder;
use crate::reply::Reply;
use serde_json::{Map, Value, json};
use stepwell_contract::Bytes;
use stepwell_contract::budget::{TOOL_LINES, TOOL_RESULT, TOOL_TEXT};
use stepwell_contract::json::json_bytes;
use stepwell_contract::quote::json_string;
use stepwell_source::{Disclosure, Extent};
use stepwell_tiers::{Answer, AnswerLine};

impl Ladder {
    /// Renders an answer within its budget. A tool that keeps to the one it was told is shown whole.
    pub(super) fn tool_reply(&self, tool: &PluginTool, answer: &Answer, used: &Used) -> Reply {
        let mut shown = within_budget(&answer.lines);
        loop {
            let reply = self.compose(tool, answer, used, shown);
            // What a line costs depends on how long its record's id is.
            if shown == 0 || reply.wire() <= TOOL_RESULT {
                return reply;
            }
            shown -= 1;
        }
    }

    fn compose(&self, tool: &PluginTool, answer: &Answer, used: &Used, shown: usize) -> Reply {
        let lines = &answer.lines[..shown];
        let id = |line: &AnswerLine| {
            let identity = used.records.get(line.slot?.0 as usize)?;
            Some(identity.id().to_string())
        };
        let next = answer.next.as_ref().map(|args| json!({ "tool": tool.display, "args": args }));
        let left_out = answer.lines.len() - shown;
        let mut structured = Map::new();
        // How to go on, and what is missing, come first, because hosts cut tails.
        if let Some(next) = next {
            structured.insert("next".into(), next);
        }
        if left_out > 0 {
            structured.insert("left_out".into(), json!(left_out));
        }
        let line_json = |line: &AnswerLine| match id(line) {
            Some(id) => json!({ "id": id, "text": line.text }),
            None => json!({ "text": line.text }),
        };
        structured.insert("lines".into(), lines.iter().map(line_json).collect());
        structured.insert("records".into(), records(lines, answer, used));
        if let Value::Object(envelope) = self.envelope(Value::Object(answer.data.clone()), Vec::new()) {
            structured.extend(envelope);
        }
        let ids: Vec<Option<String>> = lines.iter().map(id).collect();
        Reply {
            text: vec![text(tool, answer, &ids, left_out)],
            disclosed: disclosed(tool, answer, used, shown),
            structured: Value::Object(structured),
            links: Vec::new(),
            meta: None,
        }
    }
}

/// How many lines the budget that the tool was told has room for.
fn within_budget(lines: &[AnswerLine]) -> usize {
    let mut room = TOOL_TEXT.get();
    let fits = |line: &&AnswerLine| {
        let left = room.checked_sub(line.text.len() as u64);
        room = left.unwrap_or_default();
        left.is_some()
    };
    lines.iter().take(TOOL_LINES).take_while(fits).count()
}

/// The text: how to go on, and then the lines, each quoted, below the id of the record that it is about.
fn text(tool: &PluginTool, answer: &Answer, ids: &[Option<String>], left_out: usize) -> String {
    let mut text = format!("{}: {} line(s).", tool.display, ids.len());
    if left_out > 0 {
        text.push_str(&format!(" {left_out} more did not fit; ask for less at a time."));
    }
    if let Some(next) = &answer.next {
        text.push_str(&format!("\nnext: {} {next}", tool.display));
    }
    let mut above = None;
    for (line, id) in answer.lines.iter().zip(ids) {
        if let (Some(id), true) = (id, above != id.as_ref()) {
            text.push_str(&format!("\nid={}", json_string(id)));
        }
        above = id.as_ref();
        let indent = if id.is_some() { "  " } else { "" };
        text.push_str(&format!("\n{indent}text={}", json_string(&line.text)));
    }
    text
}

/// The ids of the records that lines are about, and, where data may name their slots, of all that were in hand.
fn records(lines: &[AnswerLine], answer: &Answer, used: &Used) -> Value {
    let is_named = |slot: usize| {
        !answer.data.is_empty()
            || lines.iter().any(|line| line.slot.is_some_and(|own| own.0 as usize == slot))
    };
    let named = used.records.iter().enumerate().filter(|(slot, _)| is_named(*slot));
    named.map(|(slot, identity)| json!({ "slot": slot, "id": identity.id().to_string() })).collect()
}

/// What is written down: each record that the tool had in hand, with the bytes of the lines about it, and each field that
/// it read, from the first to the last code point. Whatever is about no one record counts to the only one there was, or
/// else to none of them.
fn disclosed(tool: &PluginTool, answer: &Answer, used: &Used, shown: usize) -> Vec<Disclosure> {
    let lines = &answer.lines[..shown];
    let bytes_of = |slot: Option<u32>| -> u64 {
        let own = lines.iter().filter(|line| line.slot.map(|own| own.0) == slot);
        own.map(|line| line.text.len() as u64).sum()
    };
    let loose = bytes_of(None) + json_bytes(&Value::Object(answer.data.clone())).get();
    let is_only = used.records.len() == 1;
    let mut disclosed = Vec::new();
    for (slot, identity) in used.records.iter().enumerate() {
        let own = bytes_of(Some(slot as u32)) + if is_only { loose } else { 0 };
        disclosed.push(Disclosure::of_record(identity, Bytes(own)));
        let fields = used.read.iter().filter(|((of, _), _)| *of as usize == slot);
        disclosed.extend(fields.map(|((_, path), span)| {
            Disclosure::of_part(identity, path.clone(), Extent::Chars(*span), Bytes::ZERO)
        }));
    }
    if !is_only {
        disclosed.push(Disclosure { bytes: Bytes(loose), ..Disclosure::default() });
    }
    disclosed.into_iter().map(|one| one.shaped_by(Some(tool.plugin.clone()))).collect()
}

//! `aggregate`: numbers about a stream's records.

use crate::arguments::text;
use crate::asked;
use crate::disclosed;
use crate::ladder::{Asker, Draft, Ladder, ToolArguments};
use crate::reply::{LadderError, Reply};
use crate::search::short;
use serde_json::{Value, json};
use stepwell_contract::budget;
use stepwell_contract::quote::{excerpt, json_string};
use stepwell_contract::{Bytes, Chars};
use stepwell_source::SourceError;
use stepwell_source::query::{Aggregation, GroupCount};

/// How long a group's key may be in a line of text.
const KEY: Chars = Chars(60);

impl Ladder {
    /// Counts or computes.
    pub(crate) async fn draft_aggregate(&self, asker: &Asker<'_>, args: ToolArguments<'_>) -> Draft {
        let query = asked::aggregate(args)?;
        let answer = self.source.aggregate(asker.caller, &query).await;
        let answer = answer.map_err(|error| with_own_param(error, args))?;
        let text = render(args, &answer, query.group.is_some());
        let groups: Vec<Value> =
            answer.groups.iter().map(|group| json!({ "key": group.key, "count": group.count })).collect();
        let mut data = json!({
            "object": "aggregation",
            "stream": args["stream"],
            "metric": args["metric"],
            "value": answer.value,
            "filtered_record_count": answer.records,
            "approximate": answer.approximate,
        });
        for name in ["field", "group_by", "group_by_time", "granularity", "time_zone"] {
            if let Some(value) = args.get(name) {
                data[name] = value.clone();
            }
        }
        if query.group.is_some() {
            data["groups"] = json!(groups);
            data["other_count"] = json!(answer.other_count);
        }
        let disclosed = disclosed::about(args, &data);
        Ok(Reply {
            text: vec![text],
            structured: self.envelope(data, Vec::new()),
            links: Vec::new(),
            meta: None,
            disclosed,
        })
    }
}

/// Names the argument that holds the field at fault, which the source knows by another name.
fn with_own_param(error: SourceError, args: &Value) -> LadderError {
    let SourceError::Refused(mut refusal) = error else { return error.into() };
    if refusal.param.as_deref() == Some("field_path") {
        let names = ["field", "group_by", "group_by_time"];
        let own = names
            .into_iter()
            .find(|name| text(args, name).is_some_and(|value| refusal.message.contains(&excerpt(value))));
        refusal.param = own.map(str::to_owned);
    }
    LadderError::Refused(refusal)
}

fn render(args: &Value, answer: &Aggregation, grouped: bool) -> String {
    let stream = json_string(text(args, "stream").unwrap_or_default());
    let mut line = format!("{}({stream}", text(args, "metric").unwrap_or_default());
    if let Some(field) = text(args, "field") {
        line.push_str(&format!(", {}", json_string(field)));
    }
    if !grouped {
        return format!("{line}) = {}", value_text(&answer.value));
    }
    let group = text(args, "group_by").or(text(args, "group_by_time")).unwrap_or_default();
    line.push_str(&format!(
        ") by {}: {} group(s), other_count={}",
        json_string(group),
        answer.groups.len(),
        answer.other_count
    ));
    for (index, GroupCount { key, count }) in answer.groups.iter().enumerate() {
        let next = format!("\n{} = {count}", value_text(key));
        if Bytes::of(&line).get() + next.len() as u64 + 60 > budget::TEXT.get() {
            line.push_str(&format!("\nmore_groups={} in structured content", answer.groups.len() - index));
            break;
        }
        line.push_str(&next);
    }
    line
}

fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => json_string(short(text, KEY)),
        other => short(&other.to_string(), KEY).to_owned(),
    }
}

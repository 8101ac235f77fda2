//! `GET /v1/streams/{stream}/aggregate`: numbers about a stream's records.

use super::answer::Answer;
use super::fault::Fault;
use super::{Call, typed};
use serde_json::{Value, json};
use stepwell_contract::Bytes;
use stepwell_ladder::asked;
use stepwell_source::{Caller, Disclosure};

/// How many groups there are when none is asked for.
const DEFAULT_GROUPS: u64 = 10;

pub(super) async fn aggregate(call: &Call<'_>, caller: &Caller) -> Result<Answer, Fault> {
    let (mut arguments, source) = (call.arguments(), call.source());
    typed::filters(&mut arguments, &*source, caller).await?;
    if arguments.get("limit").is_none() {
        arguments["limit"] = json!(DEFAULT_GROUPS);
    }
    let query = asked::aggregate(&arguments)?;
    let answer = source.aggregate(caller, &query).await;
    let answer = answer.map_err(|error| Fault::from(error).renamed("field_path", "field"))?;
    let given = |name: &str| arguments.get(name).cloned().unwrap_or(Value::Null);
    let mut document = json!({
        "object": "aggregation",
        "stream": query.stream.as_str(),
        "metric": given("metric"),
        "field": given("field"),
        "group_by": given("group_by"),
        "group_by_time": given("group_by_time"),
        "granularity": given("granularity"),
        "time_zone": arguments.get("time_zone").cloned().unwrap_or(json!("UTC")),
        "approximate": answer.approximate,
        "filtered_record_count": answer.records,
        "limit": query.limit,
    });
    if query.group.is_some() {
        let group =
            |group: &stepwell_source::query::GroupCount| json!({ "key": group.key, "count": group.count });
        document["groups"] = answer.groups.iter().map(group).collect();
        document["other_count"] = json!(answer.other_count);
    } else {
        document["value"] = answer.value;
    }
    let document = call.enveloped(document, None, json!({}));
    let shown = Disclosure {
        connection: query.connection.clone(),
        stream: Some(query.stream.clone()),
        bytes: Bytes::of(&document.to_string()),
        ..Disclosure::default()
    };
    call.json(caller, document, &[shown]).await
}

//! Records that a record leads to, as they stand beside it.

use crate::arguments;
use crate::describe::{cut_value, scope_of, title};
use serde_json::{Map, Value, json};
use stepwell_contract::budget::MAX_PAGE;
use stepwell_contract::json::json_bytes;
use stepwell_contract::quote::{excerpt, json_string};
use stepwell_contract::{Chars, Code, Refusal};
use stepwell_source::catalogue::GrantedScope;
use stepwell_source::prepare::Cardinality;
use stepwell_source::query::Expanded;
use stepwell_source::shape::RecordIdentity;
use stepwell_source::{Disclosure, RecordView, time};

/// The relationships that a call wants to follow, each with how many records to show of it.
pub fn relationships(args: &Value) -> Result<Vec<(String, Option<usize>)>, Refusal> {
    let mut names = arguments::texts(args, "expand").unwrap_or_default();
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    let none = Map::new();
    let limits = match args.get("expand_limit") {
        None => &none,
        Some(Value::Object(limits)) => limits,
        Some(_) => return Err(invalid("is an object of relationships, such as {\"replies\":5}")),
    };
    for (name, limit) in limits {
        if !names.contains(name) {
            return Err(invalid(&format!("names {}, which expand does not", excerpt(name))));
        }
        if !limit.as_u64().is_some_and(|limit| (1..=MAX_PAGE).contains(&limit)) {
            return Err(invalid(&format!(
                "has a number for {} that is not from 1 to {MAX_PAGE}",
                excerpt(name)
            )));
        }
    }
    let limit = |name: &str| limits.get(name).and_then(Value::as_u64).map(|limit| limit as usize);
    Ok(names.into_iter().map(|name| (name.clone(), limit(&name))).collect())
}

fn invalid(message: &str) -> Refusal {
    Refusal::new(Code::InvalidExpand, format!("expand_limit {message}")).param("expand_limit")
}

/// What a record leads to, as JSON: no more than so many records of each relationship, and so much of each value.
pub(crate) fn json(
    of: &RecordIdentity,
    expanded: &[Expanded],
    scopes: &[GrantedScope],
    most: Chars,
    records: usize,
) -> Value {
    let entry = |view: &RecordView| {
        let data: Map<String, Value> =
            view.fields.iter().map(|field| (field.name.clone(), cut_value(field, most).0)).collect();
        let mut entry = json!({
            "id": view.identity.id().to_string(),
            "record_id": view.identity.record.as_str(),
            "title": title(view, scope_of(scopes, &view.identity)),
            "emitted_at": time::print(view.emitted_at),
        });
        if let Some(revision) = &view.revision {
            entry["revision"] = json!(revision);
        }
        entry["data"] = json!(data);
        entry
    };
    let relationship = |expanded: &Expanded| {
        let value = match expanded.cardinality {
            Cardinality::HasOne => expanded.records.first().map_or(Value::Null, entry),
            Cardinality::HasMany => {
                let has_more = expanded.has_more || expanded.records.len() > records;
                let mut list = json!({ "object": "list", "has_more": has_more });
                if has_more {
                    list["more"] = json!({ "tool": "query_records", "args": all_of(of, expanded) });
                }
                list["data"] = expanded.records.iter().take(records).map(entry).collect();
                list
            }
        };
        (expanded.name.clone(), value)
    };
    Value::Object(expanded.iter().map(relationship).collect())
}

/// The call that lists all records of a relationship.
fn all_of(of: &RecordIdentity, expanded: &Expanded) -> Value {
    // The key as the records spell it: a number stays one.
    let spelled = expanded.records.first().and_then(|view| {
        let field = view.fields.iter().find(|field| field.name == expanded.foreign_key)?;
        Some(cut_value(field, Chars(u64::MAX)).0)
    });
    let key = spelled.unwrap_or_else(|| json!(of.record.as_str()));
    json!({
        "stream": expanded.stream.as_str(),
        "connection_id": of.connection.as_str(),
        "filter": { expanded.foreign_key.as_str(): key },
    })
}

/// The lines of text that say where a record leads.
pub(crate) fn lines(of: &RecordIdentity, expanded: &[Expanded], scopes: &[GrantedScope]) -> String {
    let mut lines = String::new();
    for expanded in expanded {
        let name = json_string(&expanded.name);
        for view in &expanded.records {
            let title = title(view, scope_of(scopes, &view.identity));
            let id = json_string(&view.identity.id().to_string());
            lines.push_str(&format!("\n  {name}: id={id} title={}", json_string(&title)));
        }
        if expanded.has_more {
            lines.push_str(&format!("\n  more of {name}: query_records {}", all_of(of, expanded)));
        }
    }
    lines
}

/// What is shown of the records that a record leads to, for the ledger.
pub(crate) fn disclosed(expanded: &[Expanded], shown: &Value) -> Vec<Disclosure> {
    let mut disclosed = Vec::new();
    for expanded in expanded {
        let of_one = &shown[&expanded.name];
        for (index, view) in expanded.records.iter().enumerate() {
            let entry = match expanded.cardinality {
                Cardinality::HasOne => of_one,
                Cardinality::HasMany => &of_one["data"][index],
            };
            if !entry.is_null() {
                disclosed.push(Disclosure::of_record(&view.identity, json_bytes(entry)));
            }
        }
    }
    disclosed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_go_with_what_is_expanded() {
        let args = json!({ "expand": ["replies", "room", "replies"], "expand_limit": { "replies": 5 } });
        let expected = vec![("replies".to_owned(), Some(5)), ("room".to_owned(), None)];
        assert_eq!(relationships(&args).unwrap(), expected);
        assert!(relationships(&json!({})).unwrap().is_empty());
        for wrong in [
            json!(5),
            json!([]),
            json!({ "other": 1 }),
            json!({ "r": 0 }),
            json!({ "r": 101 }),
            json!({ "r": "1" }),
        ] {
            let refusal = relationships(&json!({ "expand": ["r"], "expand_limit": wrong })).unwrap_err();
            assert_eq!((refusal.code, refusal.param.as_deref()), (Code::InvalidExpand, Some("expand_limit")));
        }
        assert!(relationships(&json!({ "expand_limit": { "r": 1 } })).is_err());
    }
}

//! Reads the `filter` argument: a value for "is exactly this", an object of operators for a range.

use serde_json::Value;
use stepwell_contract::budget::MAX_QUERY;
use stepwell_contract::quote::excerpt;
use stepwell_contract::{Chars, Code, Refusal};
use stepwell_source::filter::{Condition, Scalar, Test};

/// How many conditions one call may have.
const CONDITIONS: usize = 16;

/// The conditions of a call; none if it has no filter.
pub(crate) fn conditions(args: &Value) -> Result<Vec<Condition>, Refusal> {
    let Some(filter) = args.get("filter") else { return Ok(Vec::new()) };
    let Value::Object(fields) = filter else {
        return Err(invalid("filter", "is an object of fields, such as {\"folder\":\"inbox\"}"));
    };
    if fields.is_empty() {
        return Err(invalid("filter", "names no field; leave it out to filter nothing"));
    }
    let mut conditions = Vec::new();
    for (field, wanted) in fields {
        if field.is_empty() || field.contains(['[', ']', '\0']) {
            return Err(invalid("filter", &format!("has a field {} that is no plain name", excerpt(field))));
        }
        let param = format!("filter.{field}");
        match wanted {
            Value::Object(range) if range.is_empty() => {
                return Err(invalid(&param, "is a range without gte, gt, lte or lt"));
            }
            Value::Object(range) => {
                for (operator, bound) in range {
                    let value = scalar(bound)
                        .filter(|value| matches!(value, Scalar::Text(_) | Scalar::Number(_)))
                        .ok_or_else(|| invalid(&param, "has a bound that is neither a text nor a number"))?;
                    conditions.push(Condition { field: field.clone(), test: test(operator, &param)?, value });
                }
            }
            _ => {
                let value = scalar(wanted).ok_or_else(|| {
                    invalid(&param, "is neither a value nor a range such as {\"gte\":\"2025-01-01\"}")
                })?;
                conditions.push(Condition { field: field.clone(), test: Test::Equal, value });
            }
        }
    }
    let too_long = |condition: &Condition| match &condition.value {
        Scalar::Text(text) => Chars::of(text) > MAX_QUERY || text.contains('\0'),
        _ => false,
    };
    if conditions.len() > CONDITIONS || conditions.iter().any(too_long) {
        let message =
            format!("has more than {CONDITIONS} conditions, or a text of more than {MAX_QUERY} characters");
        return Err(invalid("filter", &message));
    }
    Ok(conditions)
}

fn test(operator: &str, param: &str) -> Result<Test, Refusal> {
    Ok(match operator {
        "gte" => Test::AtLeast,
        "gt" => Test::Above,
        "lte" => Test::AtMost,
        "lt" => Test::Below,
        other => {
            let message = format!("has an operator {}; there are gte, gt, lte and lt", excerpt(other));
            return Err(invalid(param, &message));
        }
    })
}

fn scalar(value: &Value) -> Option<Scalar> {
    Some(match value {
        Value::String(text) => Scalar::Text(text.clone()),
        Value::Number(number) => Scalar::Number(number.to_string()),
        Value::Bool(yes) => Scalar::Boolean(*yes),
        Value::Null => Scalar::Null,
        Value::Array(_) | Value::Object(_) => return None,
    })
}

fn invalid(param: &str, message: &str) -> Refusal {
    Refusal::new(Code::InvalidFilter, format!("the filter {message}")).param(excerpt_param(param))
}

/// A field's name may be anything, and a parameter's name is one line.
fn excerpt_param(param: &str) -> String {
    excerpt(param).trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_exact_and_objects_are_ranges() {
        let args = json!({ "filter": { "folder": "inbox", "size": { "gte": 10, "lt": 20 }, "read": false, "to": null } });
        let conditions = conditions(&args).unwrap();
        let tests: Vec<_> = conditions.iter().map(|c| (c.field.as_str(), c.test)).collect();
        let expected = [
            ("folder", Test::Equal),
            ("size", Test::AtLeast),
            ("size", Test::Below),
            ("read", Test::Equal),
            ("to", Test::Equal),
        ];
        assert_eq!(tests, expected);
        assert!(super::conditions(&json!({})).unwrap().is_empty());
    }

    #[test]
    fn what_is_no_filter_is_refused_by_name() {
        for wrong in [
            json!("folder:inbox"),
            json!([]),
            json!({}),
            json!({ "folder": {} }),
            json!({ "folder": { "like": "x" } }),
            json!({ "folder": { "gte": true } }),
            json!({ "folder": { "gte": {} } }),
            json!({ "folder": ["a"] }),
            json!({ "filter[folder]": "x" }),
            json!({ "": 1 }),
            json!({ "folder": "x".repeat(513) }),
            json!({ "folder": "a\u{0}b" }),
        ] {
            let refusal = conditions(&json!({ "filter": wrong })).unwrap_err();
            assert_eq!(refusal.code, Code::InvalidFilter, "{wrong}");
        }
    }
}

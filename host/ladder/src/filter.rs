//! Reads the `filter` argument: a value for "is exactly this", an object of operators for a range.

use serde_json::Value;
use stepwell_contract::budget::MAX_QUERY;
use stepwell_contract::quote::excerpt;
use stepwell_contract::{Chars, Code, Refusal};
use stepwell_source::filter::{Condition, Scalar, Test};
use stepwell_source::ordered::was_too_large;

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
                    let value = scalar(bound, &param)?
                        .filter(|value| matches!(value, Scalar::Text(_) | Scalar::Number(_)))
                        .ok_or_else(|| invalid(&param, "has a bound that is neither a text nor a number"))?;
                    conditions.push(Condition { field: field.clone(), test: test(operator, &param)?, value });
                }
            }
            _ => {
                let value = scalar(wanted, &param)?.ok_or_else(|| {
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

fn scalar(value: &Value, param: &str) -> Result<Option<Scalar>, Refusal> {
    Ok(Some(match value {
        Value::String(text) => Scalar::Text(text.clone()),
        // What was written is gone by now, so the answer would be one to another question.
        Value::Number(number) if number.is_f64() && was_too_large(&number.to_string()) => {
            let message = "has a number of 20 or more digits, which is rounded on its way";
            return Err(invalid(param, message)
                .hint("write it as a string of its digits, and it is compared exactly"));
        }
        Value::Number(number) => Scalar::Number(number.to_string()),
        Value::Bool(yes) => Scalar::Boolean(*yes),
        Value::Null => Scalar::Null,
        Value::Array(_) | Value::Object(_) => return Ok(None),
    }))
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
    fn a_number_that_was_rounded_on_its_way_is_refused_and_its_digits_are_taken() {
        let read = |json: &str| conditions(&serde_json::from_str(json).unwrap());
        for rounded in ["123456789012345678901", "-18446744073709551616", "1e300"] {
            for filter in [rounded.to_owned(), format!("{{\"gte\":{rounded}}}")] {
                let refusal = read(&format!("{{\"filter\":{{\"n\":{filter}}}}}")).unwrap_err();
                assert_eq!((refusal.code, refusal.param.as_deref()), (Code::InvalidFilter, Some("filter.n")));
                assert!(refusal.hint.is_some_and(|hint| hint.contains("string")));
            }
        }
        for kept in ["18446744073709551615", "-9223372036854775808", "0.1", "47.37688660000001", "1e3"] {
            assert_eq!(read(&format!("{{\"filter\":{{\"n\":{kept}}}}}")).unwrap().len(), 1, "{kept}");
        }
        let text = read(r#"{"filter":{"n":"123456789012345678901"}}"#).unwrap().remove(0);
        let number = stepwell_source::FieldKind::Number;
        assert!(text.holds(number, "123456789012345678901") && !text.holds(number, "123456789012345678902"));
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

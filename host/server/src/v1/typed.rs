//! The types of what a filter compares with. A query has only texts, and a number is no text to a filter.

use serde_json::{Map, Value};
use std::collections::HashSet;
use stepwell_source::catalogue::GrantedScope;
use stepwell_source::{Caller, FieldKind, Source, SourceError};

/// Gives the values of a filter the types that the granted fields have.
pub(super) async fn filters(
    arguments: &mut Value,
    source: &dyn Source,
    caller: &Caller,
) -> Result<(), SourceError> {
    if arguments.get("filter").is_none() {
        return Ok(());
    }
    let mut scopes = source.catalogue(caller).await?;
    let streams = named_streams(arguments);
    scopes.retain(|scope| streams.is_empty() || streams.contains(scope.stream.as_str()));
    if let Some(Value::Object(filter)) = arguments.get_mut("filter") {
        give_types(filter, &scopes);
    }
    Ok(())
}

/// The streams that a question is about; none means all.
fn named_streams(arguments: &Value) -> HashSet<String> {
    let one = arguments.get("stream").into_iter();
    let some = arguments.get("streams").and_then(Value::as_array).into_iter().flatten();
    one.chain(some).filter_map(Value::as_str).map(str::to_owned).collect()
}

fn give_types(filter: &mut Map<String, Value>, scopes: &[GrantedScope]) {
    for (field, wanted) in filter {
        let infos = scopes.iter().filter_map(|scope| scope.field(field));
        let kinds: HashSet<FieldKind> = infos.flat_map(|info| info.kinds.iter().copied()).collect();
        match wanted {
            Value::Object(range) => range.values_mut().for_each(|bound| *bound = typed(bound, &kinds)),
            value => *value = typed(value, &kinds),
        }
    }
}

/// A field that has texts is compared with texts; only one that has none can mean a number, a truth value or nothing.
fn typed(value: &Value, kinds: &HashSet<FieldKind>) -> Value {
    let Some(text) = value.as_str().filter(|_| !kinds.contains(&FieldKind::Text)) else {
        return value.clone();
    };
    let meant = serde_json::from_str::<Value>(text).ok().filter(|meant| match meant {
        Value::Number(_) => kinds.contains(&FieldKind::Number),
        Value::Bool(_) => kinds.contains(&FieldKind::Boolean),
        Value::Null => kinds.contains(&FieldKind::Empty),
        _ => false,
    });
    meant.unwrap_or_else(|| value.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_has_the_type_of_its_field() {
        let kinds = |kinds: &[FieldKind]| kinds.iter().copied().collect::<HashSet<_>>();
        let number = kinds(&[FieldKind::Number, FieldKind::Empty]);
        for (text, meant) in
            [("12", json!(12)), ("1.5", json!(1.5)), ("null", Value::Null), ("true", json!("true"))]
        {
            assert_eq!(typed(&json!(text), &number), meant);
        }
        assert_eq!(typed(&json!("12"), &kinds(&[FieldKind::Number, FieldKind::Text])), json!("12"));
        assert_eq!(typed(&json!("true"), &kinds(&[FieldKind::Boolean])), json!(true));
        assert_eq!(typed(&json!("[1]"), &number), json!("[1]"));
    }
}

//! The query string, read into the arguments that the tools have.

use super::fault::Fault;
use super::routes::{Kind, Operation, Parameter, Route};
use serde_json::{Map, Value, json};
use stepwell_contract::handle::percent_decode;
use stepwell_contract::quote::excerpt;

/// How many parameters one question may have.
const PARAMETERS: usize = 200;

/// What is asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// The arguments, by the names that the tools give them.
    pub(super) arguments: Map<String, Value>,
    /// What was understood otherwise than it was written.
    pub(super) warnings: Vec<Value>,
}

impl Asked {
    /// Reads a query string. Whatever the route has no name for is refused, because whoever wrote it meant something.
    pub(super) fn parse(route: &Route, query: &str) -> Result<Self, Fault> {
        let mut asked = Self::default();
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        for (number, pair) in pairs.enumerate() {
            if number >= PARAMETERS {
                return Err(Fault::invalid("query", format!("there are more than {PARAMETERS} parameters")));
            }
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (Some(name), Some(value)) = (decoded(name), decoded(value)) else {
                return Err(Fault::invalid("query", "the query is not percent-encoded UTF-8"));
            };
            asked.take(route.parameters, &name, &value)?;
        }
        asked.settle_connection()?;
        if route.operation == Operation::Records {
            asked.settle_sort()?;
        }
        Ok(asked)
    }

    fn take(&mut self, parameters: &[Parameter], name: &str, value: &str) -> Result<(), Fault> {
        let (plain, inner) = name.split_once('[').map_or((name, None), |(plain, inner)| (plain, Some(inner)));
        let known = parameters.iter().find(|parameter| parameter.name == plain);
        let unknown = || {
            let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
            let message = format!("there is no parameter {}; there are: {}", excerpt(name), names.join(", "));
            Fault::invalid(excerpt(name).trim_matches('"'), message)
        };
        let parameter = known.ok_or_else(unknown)?;
        match (parameter.kind, inner) {
            (Kind::Filter, Some(inner)) => self.filter(name, inner, value),
            (Kind::Limits, Some(inner)) => self.expand_limit(name, inner, value),
            (Kind::Filter | Kind::Limits, None) => {
                Err(Fault::invalid(plain, format!("{plain} is written {plain}[name]=value")))
            }
            (Kind::Names, None | Some("]")) => {
                let list = self.arguments.entry(plain).or_insert_with(|| json!([]));
                if let Some(list) = list.as_array_mut() {
                    list.extend(value.split(',').filter(|name| !name.is_empty()).map(Value::from));
                }
                Ok(())
            }
            (_, Some(_)) => Err(unknown()),
            (kind, None) => {
                let value = self.scalar(parameter, kind, value)?;
                match self.arguments.insert(plain.to_owned(), value) {
                    None => Ok(()),
                    Some(_) => Err(Fault::invalid(plain, format!("{plain} is there twice"))),
                }
            }
        }
    }

    fn scalar(&mut self, parameter: &Parameter, kind: Kind, value: &str) -> Result<Value, Fault> {
        let name = parameter.name;
        let invalid = |message: String| Err(Fault::invalid(name, message));
        match kind {
            Kind::Word(words) if !words.contains(&value) => {
                invalid(format!("{name} is one of: {}", words.join(", ")))
            }
            Kind::Number { least, most } => {
                let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
                // Digits that no machine number holds are more than the largest.
                let number = value.parse::<u64>().unwrap_or(u64::MAX);
                if !digits || number < least {
                    return invalid(format!("{name} is a whole number from {least} on"));
                }
                if number > most {
                    self.warnings.push(json!({
                        "code": "limit_clamped",
                        "message": format!("{name} may be {most} at most"),
                        "detail": { "param": name, "requested_limit": number, "max_limit": most },
                    }));
                }
                Ok(json!(number.min(most)))
            }
            _ if value.is_empty() => invalid(format!("{name} is empty; leave it out")),
            _ => Ok(json!(value)),
        }
    }

    /// `filter[field]=value`, or `filter[field][op]=value`.
    fn filter(&mut self, name: &str, inner: &str, value: &str) -> Result<(), Fault> {
        let param = excerpt(name).trim_matches('"').to_owned();
        let Some(inner) = inner.strip_suffix(']').filter(|inner| !inner.is_empty()) else {
            return Err(Fault::invalid(&param, "a filter is written filter[field]=value"));
        };
        let filter = self.arguments.entry("filter").or_insert_with(|| json!({}));
        let twice = || Fault::invalid(&param, "the filter has this condition twice");
        match inner.rsplit_once("][") {
            None if filter.get(inner).is_some() => Err(twice()),
            None => {
                filter[inner] = json!(value);
                Ok(())
            }
            Some((field, operator)) => {
                if filter.get(field).is_none() {
                    filter[field] = json!({});
                }
                match filter[field].as_object_mut() {
                    Some(range) if !range.contains_key(operator) => {
                        range.insert(operator.to_owned(), json!(value));
                        Ok(())
                    }
                    _ => Err(twice()),
                }
            }
        }
    }

    /// `expand_limit[name]=number`.
    fn expand_limit(&mut self, name: &str, inner: &str, value: &str) -> Result<(), Fault> {
        let number = value.parse::<u64>().ok();
        let (Some(of), Some(number)) = (inner.strip_suffix(']').filter(|of| !of.is_empty()), number) else {
            let message = "an expand limit is written expand_limit[name]=number";
            return Err(Fault::invalid(excerpt(name).trim_matches('"'), message));
        };
        let limits = self.arguments.entry("expand_limit").or_insert_with(|| json!({}));
        limits[of] = json!(number);
        Ok(())
    }

    /// Takes the older name of a connection for the newer one.
    fn settle_connection(&mut self) -> Result<(), Fault> {
        let Some(older) = self.arguments.remove("connector_instance_id") else { return Ok(()) };
        self.warnings.push(json!({
            "code": "deprecated_alias_used",
            "message": "connector_instance_id is the older name of connection_id",
        }));
        match self.arguments.get("connection_id") {
            Some(newer) if *newer != older => {
                let message = "connection_id and connector_instance_id name different connections";
                Err(Fault::invalid("connection_id", message))
            }
            _ => {
                self.arguments.insert("connection_id".to_owned(), older);
                Ok(())
            }
        }
    }

    /// A sign before the field says which way: `-sent_at` has the newest first, `sent_at` the oldest.
    fn settle_sort(&mut self) -> Result<(), Fault> {
        let Some(sort) = self.arguments.get("sort").and_then(Value::as_str) else { return Ok(()) };
        let (field, order) = match sort.strip_prefix('-') {
            Some(field) => (field.to_owned(), "desc"),
            None => (sort.to_owned(), "asc"),
        };
        let signed = order == "desc";
        match self.arguments.get("order").and_then(Value::as_str) {
            Some("asc") if signed => {
                return Err(Fault::invalid("order", "sort and order name different directions"));
            }
            Some(_) => {}
            None => {
                self.arguments.insert("order".to_owned(), json!(order));
            }
        }
        self.arguments.insert("sort".to_owned(), json!(field));
        Ok(())
    }
}

fn decoded(text: &str) -> Option<String> {
    percent_decode(&text.replace('+', " "))
}

#[cfg(test)]
mod tests {
    use super::super::routes::ROUTES;
    use super::*;

    fn parse(path: &str, query: &str) -> Result<Asked, Fault> {
        Asked::parse(ROUTES.iter().find(|route| route.path == path).unwrap(), query)
    }

    fn records(query: &str) -> Value {
        Value::Object(parse("/v1/streams/{stream}/records", query).unwrap().arguments)
    }

    #[test]
    fn reads_what_the_public_adapter_writes() {
        assert_eq!(
            records(
                "limit=2&fields=a&fields=b,c&filter%5Bsize%5D%5Bgte%5D=10&filter[folder]=in+box&expand=r&expand_limit[r]=3"
            ),
            json!({
                "limit": 2,
                "fields": ["a", "b", "c"],
                "filter": { "size": { "gte": "10" }, "folder": "in box" },
                "expand": ["r"],
                "expand_limit": { "r": 3 },
            })
        );
        assert_eq!(records("sort=-sent_at"), json!({ "sort": "sent_at", "order": "desc" }));
        assert_eq!(records("sort=sent_at"), json!({ "sort": "sent_at", "order": "asc" }));
        let streams = parse("/v1/search", "q=a&streams[]=x&streams=y").unwrap();
        assert_eq!(streams.arguments["streams"], json!(["x", "y"]));
    }

    #[test]
    fn what_is_too_much_is_clamped_aloud() {
        let asked = parse("/v1/search", "q=a&limit=500").unwrap();
        assert_eq!(asked.arguments["limit"], 100);
        assert_eq!(
            asked.warnings[0]["detail"],
            json!({ "param": "limit", "requested_limit": 500, "max_limit": 100 })
        );
        let asked = parse("/v1/search", "q=a&limit=99999999999999999999999").unwrap();
        assert_eq!((asked.warnings.len(), &asked.arguments["limit"]), (1, &json!(100)));
        let older = parse("/v1/streams", "connector_instance_id=c").unwrap();
        assert_eq!(
            (&older.arguments["connection_id"], &older.warnings[0]["code"]),
            (&json!("c"), &json!("deprecated_alias_used"))
        );
    }

    #[test]
    fn whatever_else_is_refused() {
        for wrong in [
            "nothing=1",
            "limit=0",
            "limit=-1",
            "limit=1e3",
            "limit=",
            "limit=1&limit=2",
            "order=up",
            "cursor=",
            "filter=a",
            "filter[]=a",
            "filter[a=b",
            "filter[a]=1&filter[a]=2",
            "filter[a]=1&filter[a][gte]=2",
            "filter[a][gte]=1&filter[a][gte]=2",
            "fields[x]=a",
            "expand_limit=3",
            "expand_limit[r]=x",
            "limit[]=3",
            "connection_id=a&connector_instance_id=b",
            "sort=-a&order=asc",
            "cursor=%ff",
            "cursor=%zz",
            "FILTER[a]=1",
        ] {
            assert!(parse("/v1/streams/{stream}/records", wrong).is_err(), "{wrong}");
        }
        assert!(parse("/v1/streams", &"connection_id=a&".repeat(300)).is_err());
    }
}

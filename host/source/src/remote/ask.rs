//! What a resource server is asked: a route, and what narrows it.

use crate::filter::{Condition, Scalar, Test};
use stepwell_contract::ConnectionId;

/// A question.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    pub(super) segments: Vec<String>,
    pub(super) query: Vec<(String, String)>,
    /// The first byte wanted and the one after the last, of a blob.
    pub(super) range: Option<(u64, u64)>,
}

impl Ask {
    /// A route below `/v1`.
    pub(super) fn of(segments: &[&str]) -> Self {
        let segments = ["v1"].iter().chain(segments).map(|&segment| segment.to_owned()).collect();
        Self { segments, query: Vec::new(), range: None }
    }

    /// The route of a stream.
    pub(super) fn stream(stream: &str, below: &[&str]) -> Self {
        Self::of(&[&["streams", stream], below].concat())
    }

    pub(super) fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.query.push((name.to_owned(), value.to_string()));
        self
    }

    pub(super) fn maybe(self, name: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    pub(super) fn connection(self, connection: Option<&ConnectionId>) -> Self {
        self.maybe("connection_id", connection.map(ConnectionId::as_str))
    }

    /// The fields to show. A name with a comma in it needs a parameter of its own.
    pub(super) fn fields(mut self, fields: Option<&[String]>) -> Self {
        match fields {
            None => self,
            Some(fields) if fields.iter().any(|field| field.contains(',')) => {
                self.query.extend(fields.iter().map(|field| ("fields".to_owned(), field.clone())));
                self
            }
            Some(fields) => self.with("fields", fields.join(",")),
        }
    }

    /// Conditions, each as `filter[field]` or `filter[field][operator]`.
    pub(super) fn conditions(mut self, conditions: &[Condition]) -> Self {
        for Condition { field, test, value } in conditions {
            let name = match operator(*test) {
                None => format!("filter[{field}]"),
                Some(operator) => format!("filter[{field}][{operator}]"),
            };
            let value = match value {
                Scalar::Text(text) => text.clone(),
                Scalar::Number(number) => number.clone(),
                Scalar::Boolean(yes) => yes.to_string(),
                Scalar::Null => "null".to_owned(),
            };
            self.query.push((name, value));
        }
        self
    }
}

fn operator(test: Test) -> Option<&'static str> {
    match test {
        Test::Equal => None,
        Test::AtLeast => Some("gte"),
        Test::Above => Some("gt"),
        Test::AtMost => Some("lte"),
        Test::Below => Some("lt"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_stand_in_brackets() {
        let of = |field: &str, test, value| Condition { field: field.to_owned(), test, value };
        let ask = Ask::stream("orders", &["records"])
            .conditions(&[
                of("folder", Test::Equal, Scalar::Text("in box".into())),
                of("size", Test::AtLeast, Scalar::Number("1.50".into())),
                of("size", Test::Below, Scalar::Number("9".into())),
                of("read", Test::Equal, Scalar::Boolean(false)),
            ])
            .fields(Some(&["a".into(), "b".into()]))
            .maybe("cursor", None::<&str>);
        assert_eq!(ask.segments, ["v1", "streams", "orders", "records"]);
        let query: Vec<(&str, &str)> = ask.query.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let expected = [
            ("filter[folder]", "in box"),
            ("filter[size][gte]", "1.50"),
            ("filter[size][lt]", "9"),
            ("filter[read]", "false"),
            ("fields", "a,b"),
        ];
        assert_eq!(query, expected);
        let comma = Ask::of(&[]).fields(Some(&["a,b".into(), "c".into()]));
        assert_eq!(comma.query.len(), 2);
    }
}

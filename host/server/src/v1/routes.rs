//! Every route with every parameter. The router is made from this table, a query is checked against it, and a test holds
//! docs/openapi.json against it.

use axum::http::Method;
use stepwell_contract::budget::{MAX_CONTEXT, MAX_LIMIT, MAX_PAGE};

/// What a route does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Schema,
    Streams,
    Stream,
    Records,
    Record,
    FieldWindow,
    Aggregate,
    Search,
    /// A way of searching that PDPP has and this source lacks.
    SearchBy(&'static str),
    Blob,
    Ingest,
}

/// A route.
#[derive(Debug)]
pub(super) struct Route {
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) operation: Operation,
    pub(super) parameters: &'static [Parameter],
}

impl Route {
    /// What the ledger, the log and the counters call a request of this route.
    pub(super) const fn name(&self) -> &'static str {
        match self.operation {
            Operation::Schema => "v1 schema",
            Operation::Streams => "v1 streams",
            Operation::Stream => "v1 stream",
            Operation::Records => "v1 records",
            Operation::Record => "v1 record",
            Operation::FieldWindow => "v1 field-window",
            Operation::Aggregate => "v1 aggregate",
            Operation::Search | Operation::SearchBy(_) => "v1 search",
            Operation::Blob => "v1 blobs",
            Operation::Ingest => "v1 ingest",
        }
    }
}

/// A parameter of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text that is not empty.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A number, of which what is above the largest is clamped, with a warning.
    Number {
        /// The smallest.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// Names, each a parameter of its own or divided by commas.
    Names,
    /// `filter[field]=value` and `filter[field][op]=value`.
    Filter,
    /// `expand_limit[name]=number`.
    Limits,
}

const fn parameter(name: &'static str, kind: Kind) -> Parameter {
    Parameter { name, kind }
}

const CONNECTION: Parameter = parameter("connection_id", Kind::Text);
/// What older clients call it.
const INSTANCE: Parameter = parameter("connector_instance_id", Kind::Text);
const LIMIT: Parameter = parameter("limit", Kind::Number { least: 1, most: MAX_PAGE });
const CURSOR: Parameter = parameter("cursor", Kind::Text);
const FIELDS: Parameter = parameter("fields", Kind::Names);
const FILTER: Parameter = parameter("filter", Kind::Filter);
const EXPAND: Parameter = parameter("expand", Kind::Names);
const EXPAND_LIMIT: Parameter = parameter("expand_limit", Kind::Limits);

const SEARCH: &[Parameter] = &[
    parameter("q", Kind::Text),
    LIMIT,
    CURSOR,
    parameter("streams", Kind::Names),
    FILTER,
    CONNECTION,
    INSTANCE,
];

/// What a record set that is exported can be narrowed by. It is served elsewhere.
pub(super) static EXPORT: Route = Route {
    method: Method::GET,
    path: "/export/{handle}",
    operation: Operation::Records,
    parameters: &[
        FIELDS,
        parameter("view", Kind::Text),
        FILTER,
        parameter("order", Kind::Word(&["asc", "desc"])),
        parameter("sort", Kind::Text),
    ],
};

/// All routes.
pub(super) static ROUTES: &[Route] = &[
    Route {
        method: Method::GET,
        path: "/v1/schema",
        operation: Operation::Schema,
        parameters: &[
            parameter("stream", Kind::Text),
            parameter("view", Kind::Word(&["compact", "full"])),
            parameter("detail", Kind::Word(&["compact", "full"])),
            parameter("connector_id", Kind::Text),
            CONNECTION,
            INSTANCE,
        ],
    },
    Route {
        method: Method::GET,
        path: "/v1/streams",
        operation: Operation::Streams,
        parameters: &[CONNECTION, INSTANCE],
    },
    Route {
        method: Method::GET,
        path: "/v1/streams/{stream}",
        operation: Operation::Stream,
        parameters: &[CONNECTION, INSTANCE],
    },
    Route {
        method: Method::GET,
        path: "/v1/streams/{stream}/records",
        operation: Operation::Records,
        parameters: &[
            LIMIT,
            CURSOR,
            parameter("order", Kind::Word(&["asc", "desc"])),
            parameter("sort", Kind::Text),
            parameter("count", Kind::Word(&["none", "estimated", "exact"])),
            FIELDS,
            parameter("view", Kind::Text),
            FILTER,
            EXPAND,
            EXPAND_LIMIT,
            parameter("changes_since", Kind::Text),
            CONNECTION,
            INSTANCE,
        ],
    },
    Route {
        method: Method::GET,
        path: "/v1/streams/{stream}/records/{id}",
        operation: Operation::Record,
        parameters: &[FIELDS, EXPAND, EXPAND_LIMIT, CONNECTION, INSTANCE],
    },
    Route {
        method: Method::GET,
        path: "/v1/streams/{stream}/records/{id}/field-window",
        operation: Operation::FieldWindow,
        parameters: &[
            parameter("field", Kind::Text),
            parameter("offset_chars", Kind::Number { least: 0, most: u64::MAX }),
            parameter("limit_chars", Kind::Number { least: 1, most: MAX_LIMIT.0 }),
            parameter("q", Kind::Text),
            parameter("before_chars", Kind::Number { least: 0, most: MAX_CONTEXT.0 }),
            parameter("after_chars", Kind::Number { least: 0, most: MAX_CONTEXT.0 }),
            CONNECTION,
            INSTANCE,
        ],
    },
    Route {
        method: Method::GET,
        path: "/v1/streams/{stream}/aggregate",
        operation: Operation::Aggregate,
        parameters: &[
            parameter("metric", Kind::Word(&["count", "sum", "min", "max", "count_distinct"])),
            parameter("field", Kind::Text),
            parameter("group_by", Kind::Text),
            parameter("group_by_time", Kind::Text),
            parameter(
                "granularity",
                Kind::Word(&["minute", "hour", "day", "week", "month", "quarter", "year"]),
            ),
            parameter("time_zone", Kind::Text),
            LIMIT,
            FILTER,
            CONNECTION,
            INSTANCE,
        ],
    },
    Route { method: Method::GET, path: "/v1/search", operation: Operation::Search, parameters: SEARCH },
    Route {
        method: Method::GET,
        path: "/v1/search/semantic",
        operation: Operation::SearchBy("semantic"),
        parameters: SEARCH,
    },
    Route {
        method: Method::GET,
        path: "/v1/search/hybrid",
        operation: Operation::SearchBy("hybrid"),
        parameters: SEARCH,
    },
    Route {
        method: Method::GET,
        path: "/v1/blobs/{id}",
        operation: Operation::Blob,
        parameters: &[CONNECTION, INSTANCE],
    },
    Route {
        method: Method::POST,
        path: "/v1/ingest/{stream}",
        operation: Operation::Ingest,
        parameters: &[
            parameter("connector_id", Kind::Text),
            parameter("run_id", Kind::Text),
            CONNECTION,
            INSTANCE,
        ],
    },
];

/// A route as the documentation describes it.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    /// The method in capitals.
    pub method: &'static str,
    /// The path, with names in braces.
    pub path: &'static str,
    /// The parameters of its query.
    pub parameters: &'static [Parameter],
}

/// What is served, for a test to hold the documentation against.
pub fn served() -> impl Iterator<Item = Served> {
    ROUTES.iter().map(|route| Served {
        method: if route.method == Method::POST { "POST" } else { "GET" },
        path: route.path,
        parameters: route.parameters,
    })
}

//! The typed parts of a manifest.

/// How the records of a stream live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Semantics {
    /// A record stays as it was first stored. The owner can still take it away.
    AppendOnly,
    /// A later line replaces a record. This holds too where nothing is declared.
    #[default]
    MutableState,
}

impl Semantics {
    /// The word that manifests use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AppendOnly => "append_only",
            Self::MutableState => "mutable_state",
        }
    }
}

/// A named choice of fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// What it is asked for by.
    pub id: String,
    /// What people call it.
    pub label: Option<String>,
    /// Its fields.
    pub fields: Vec<String>,
}

/// How records of one stream lead to those of another in the same connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relationship {
    /// What it is asked for by.
    pub name: String,
    /// The stream that it leads to.
    pub stream: String,
    /// The field that holds the other side's key.
    pub foreign_key: String,
    /// Which side has that field, and how many records there are on the other.
    pub cardinality: Cardinality,
    /// How many records may be shown along with one, if it may be expanded at all.
    pub expands: Option<ExpandLimits>,
}

/// How many records a relationship leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cardinality {
    /// One: the foreign key stands in this stream and names a record of the other.
    HasOne,
    /// Any number: the foreign key stands in the other stream and names a record of this one.
    HasMany,
}

impl Cardinality {
    /// The word that manifests use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::HasOne => "has_one",
            Self::HasMany => "has_many",
        }
    }
}

/// How many records an expansion shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpandLimits {
    /// Without a word about it.
    pub default: usize,
    /// At most.
    pub max: usize,
}

impl ExpandLimits {
    /// What holds where the manifest names no numbers.
    pub const UNDECLARED: Self = Self { default: 5, max: 25 };
}

/// What a field can be asked about, beyond its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The fields that search looks into; none means all.
    pub lexical_fields: Option<Vec<String>>,
    /// The fields that ranges go over, each with its operators.
    pub range_filters: Option<Vec<(String, Vec<String>)>>,
    /// For each way to compute, the fields that it goes with.
    pub aggregations: Option<Vec<(String, Vec<String>)>>,
}

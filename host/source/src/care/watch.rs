//! What a long piece of work tells whoever waits for it.

use std::fmt;

/// Hears what is being done, and what was found.
pub trait Watch: Send {
    /// A part of the work begins that takes about so many steps.
    fn stage(&mut self, name: &'static str, steps: u64);

    /// So many steps are done.
    fn advance(&mut self, steps: u64);

    /// Something is not as it should be.
    fn problem(&mut self, problem: Problem);
}

/// Does not listen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Watch for Quiet {
    fn stage(&mut self, _: &'static str, _: u64) {}
    fn advance(&mut self, _: u64) {}
    fn problem(&mut self, _: Problem) {}
}

/// Something in a store that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What kind of thing.
    pub code: ProblemCode,
    /// Where: a record and a field, or else a row of a table.
    pub place: String,
    /// What was found there, without a word of any record.
    pub detail: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.code.as_str(), self.place, self.detail)
    }
}

macro_rules! problem_codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// The kinds of problems.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ProblemCode { $($(#[$doc])* $name,)* }

        impl ProblemCode {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The code's name for scripts.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

problem_codes! {
    /// The engine itself finds its file damaged.
    Engine = "engine";
    /// A row cannot be read: a text is no UTF-8, or a value has another type than its column.
    Unreadable = "unreadable";
    /// A row refers to a connection, a stream, a grant or a record that is not there.
    DanglingReference = "dangling_reference";
    /// A record's digest is not that of its fields.
    RecordDigest = "record_digest";
    /// A field has a kind that does not exist, or a name that is not the one that its pointer begins with.
    FieldShape = "field_shape";
    /// A text is longer or shorter than its row says.
    FieldLength = "field_length";
    /// A text does not have the digest that its row says.
    FieldDigest = "field_digest";
    /// Chunks do not follow each other, or one is not as long as it says.
    ChunkGap = "chunk_gap";
    /// Chunks belong to no field that is kept in chunks.
    ChunkWithoutField = "chunk_without_field";
    /// A value that is nested in another lies outside of it.
    NestedOutside = "nested_outside";
    /// The catalogue of a stream lacks a field, or a kind of value, that its records have.
    FieldNotListed = "field_not_listed";
    /// Text that search should look into has no entry in the word index.
    NotIndexed = "not_indexed";
    /// An entry of the word index belongs to no text, or to another stream's.
    IndexWithoutText = "index_without_text";
    /// An entry of the word index has other words than its text.
    IndexWords = "index_words";
    /// A file's bytes are not there, or are more or fewer than its field says.
    BlobMissing = "blob_missing";
    /// The parts of a blob do not follow each other, or do not add up to its length.
    BlobLength = "blob_length";
    /// A blob does not have the digest that is its name.
    BlobDigest = "blob_digest";
    /// Parts of a blob that does not exist.
    BlobPartWithoutBlob = "blob_part_without_blob";
    /// A counter would give out a number that is taken.
    CounterBehind = "counter_behind";
    /// Two grants of a package cover the same stream of a connection.
    GrantsOverlap = "grants_overlap";
    /// There is no usable key to seal cursors with.
    SealingKey = "sealing_key";
}

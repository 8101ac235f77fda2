//! Between importers and whoever takes what they find: every key once, every fault counted.

use crate::draft::{Draft, Fields, Stream, StreamIndex};
use crate::key;
use crate::shape::Shape;
use crate::skip::{Place, Reason, Skip};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher as _};

/// Takes what an import finds.
pub trait Sink {
    /// A stream that is about to be filled. It comes before its records, and they call it by its place in the order.
    fn stream(&mut self, stream: Stream) -> Result<(), Stopped>;
    /// A record.
    fn record(&mut self, draft: Draft) -> Result<(), Stopped>;
    /// Something that is left out.
    fn left_out(&mut self, skip: Skip) -> Result<(), Stopped>;
    /// How many more bytes of the input are done with.
    fn advance(&mut self, bytes: u64);
}

/// The sink takes no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the import was stopped")]
pub struct Stopped;

/// What importers hand things to.
pub(crate) struct Intake<'a> {
    sink: &'a mut dyn Sink,
    streams: Vec<String>,
    /// What each key stands for, as hashes: 16 bytes a record. It is what makes an import that has two versions of a record
    /// end the same way each time.
    seen: HashMap<u64, u64>,
}

impl<'a> Intake<'a> {
    pub(crate) fn new(sink: &'a mut dyn Sink) -> Self {
        Self { sink, streams: Vec::new(), seen: HashMap::new() }
    }

    /// Announces a stream. Two files may fill the same one; then the first declares it.
    pub(crate) fn stream(&mut self, shape: &Shape) -> Result<StreamIndex, Stopped> {
        if let Some(index) = self.streams.iter().position(|name| *name == shape.name) {
            return Ok(StreamIndex(index));
        }
        self.sink.stream(shape.into())?;
        self.streams.push(shape.name.to_string());
        Ok(StreamIndex(self.streams.len() - 1))
    }

    /// Hands a record over, with its key as the field `id`.
    pub(crate) fn put(
        &mut self,
        stream: StreamIndex,
        key: &str,
        mut fields: Fields,
        place: Place,
    ) -> Result<(), Stopped> {
        fields.set_id(key);
        let Some(data) = fields.raw() else { return self.unspeakable(place) };
        match self.distinct(stream, key, data.get().as_bytes()) {
            None => self.duplicate(place),
            Some(distinct) if distinct == key => {
                self.sink.record(Draft { stream, key: distinct, data, place })
            }
            Some(distinct) => self.put_settled(stream, distinct, fields, place),
        }
    }

    /// Hands a record over whose fields are JSON already. A second record of the same key is left out if it says the same;
    /// otherwise it is kept under a key that also names its content, so that neither replaces the other.
    pub(crate) fn put_raw(
        &mut self,
        stream: StreamIndex,
        key: &str,
        data: Box<RawValue>,
        place: Place,
    ) -> Result<(), Stopped> {
        match self.distinct(stream, key, data.get().as_bytes()) {
            Some(key) => self.sink.record(Draft { stream, key, data, place }),
            None => self.duplicate(place),
        }
    }

    /// The key for some content: as it is if no other content has it, none if this content has it already.
    pub(crate) fn distinct(&mut self, stream: StreamIndex, key: &str, content: &[u8]) -> Option<String> {
        let says = hash(&content);
        match self.seen.entry(hash(&(stream.0, key))) {
            Entry::Vacant(entry) => {
                entry.insert(says);
                Some(key.to_owned())
            }
            Entry::Occupied(entry) if *entry.get() == says => None,
            Entry::Occupied(_) => {
                let other = key::with_digest(key, content);
                match self.seen.entry(hash(&(stream.0, other.as_str()))) {
                    Entry::Vacant(entry) => {
                        entry.insert(says);
                        Some(other)
                    }
                    Entry::Occupied(_) => None,
                }
            }
        }
    }

    /// Hands a record over whose key [`Self::distinct`] has settled.
    pub(crate) fn put_settled(
        &mut self,
        stream: StreamIndex,
        key: String,
        mut fields: Fields,
        place: Place,
    ) -> Result<(), Stopped> {
        fields.set_id(&key);
        match fields.raw() {
            Some(data) => self.sink.record(Draft { stream, key, data, place }),
            None => self.unspeakable(place),
        }
    }

    fn unspeakable(&mut self, place: Place) -> Result<(), Stopped> {
        self.skip(place, Reason::Malformed, "its fields are no JSON")
    }

    pub(crate) fn duplicate(&mut self, place: Place) -> Result<(), Stopped> {
        self.skip(place, Reason::Duplicate, "the same stands in the import before")
    }

    /// Leaves something out.
    pub(crate) fn skip(
        &mut self,
        place: Place,
        reason: Reason,
        detail: impl Into<String>,
    ) -> Result<(), Stopped> {
        self.sink.left_out(Skip::new(place, reason, detail))
    }

    pub(crate) fn advance(&mut self, bytes: u64) {
        self.sink.advance(bytes);
    }
}

/// The same on every run, unlike the hasher of a map.
fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

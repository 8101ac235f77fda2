//! Reads and prepares on a thread of its own, and carries what it has to the store in parcels: while one is being stored, the
//! next is being read. No more than three are on the way.

use anyhow::Context as _;
use stepwell_import::{Draft, Import, Reason, Sink, Skip, Stopped, Stream, StreamIndex};
use stepwell_source::prepare::{Manifest, PreparedRecord, prepare};
use tokio::sync::mpsc::Sender;

/// How many things, and how many bytes of records, one parcel holds.
const THINGS: usize = 256;
const WEIGHT: usize = 4 * 1024 * 1024;

/// What an import found.
pub(super) enum Event {
    Stream { name: String, manifest: Box<Manifest> },
    Record { stream: StreamIndex, record: Box<PreparedRecord> },
    LeftOut(Skip),
}

/// Some of what an import found, in its order.
#[derive(Default)]
pub(super) struct Parcel {
    pub(super) events: Vec<Event>,
    /// How much of the input it stands for.
    pub(super) bytes: u64,
}

/// Puts parcels together and sends them.
pub(super) struct Courier {
    sender: Sender<Parcel>,
    parcel: Parcel,
    weight: usize,
    manifests: Vec<Manifest>,
    /// Why it stopped, if that was not because nobody listens.
    fault: Option<anyhow::Error>,
}

impl Courier {
    pub(super) fn new(sender: Sender<Parcel>) -> Self {
        Self { sender, parcel: Parcel::default(), weight: 0, manifests: Vec::new(), fault: None }
    }

    /// Runs the import. What was read before a fault is sent all the same.
    pub(super) fn carry(mut self, import: &Import) -> anyhow::Result<()> {
        let outcome = import.run(&mut self);
        let _ = self.send();
        match self.fault {
            Some(fault) => Err(fault),
            None => Ok(outcome?),
        }
    }

    fn add(&mut self, event: Event, weight: usize) -> Result<(), Stopped> {
        self.parcel.events.push(event);
        self.weight += weight;
        if self.parcel.events.len() >= THINGS || self.weight >= WEIGHT { self.send() } else { Ok(()) }
    }

    fn send(&mut self) -> Result<(), Stopped> {
        self.weight = 0;
        self.sender.blocking_send(std::mem::take(&mut self.parcel)).map_err(|_| Stopped)
    }
}

impl Sink for Courier {
    fn stream(&mut self, stream: Stream) -> Result<(), Stopped> {
        let Stream { name, manifest } = stream;
        match Manifest::parse(&manifest.to_string(), &name) {
            Ok(manifest) => {
                self.manifests.push(manifest.clone());
                self.add(Event::Stream { name, manifest: Box::new(manifest) }, 0)
            }
            Err(error) => {
                self.fault = Some(anyhow::Error::new(error).context("the columns make no stream"));
                Err(Stopped)
            }
        }
    }

    fn record(&mut self, draft: Draft) -> Result<(), Stopped> {
        let Some(manifest) = self.manifests.get(draft.stream.0) else { return Err(Stopped) };
        let line = match draft.line().context("a record is no JSON") {
            Ok(line) => line,
            Err(error) => {
                self.fault = Some(error);
                return Err(Stopped);
            }
        };
        match prepare(&line, manifest) {
            Ok(record) => {
                let weight = record.weight();
                self.add(Event::Record { stream: draft.stream, record: Box::new(record) }, weight)
            }
            Err(rejection) => {
                let (place, reason) = (draft.place, Reason::Refused(rejection.code));
                self.left_out(Skip { place, reason, detail: rejection.message })
            }
        }
    }

    fn left_out(&mut self, skip: Skip) -> Result<(), Stopped> {
        self.add(Event::LeftOut(skip), 0)
    }

    fn advance(&mut self, bytes: u64) {
        self.parcel.bytes += bytes;
    }
}

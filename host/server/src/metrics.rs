//! Counters, as Prometheus reads them. Labels name methods, tools, codes and tiers: what an operator configured or this
//! program defines, and never a connection, a stream, a grant or a record.

use crate::note::Said;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::time::Duration;
use stepwell_contract::Code;
use stepwell_source::StoreUse;
use stepwell_tiers::{Health, TierStatus};

/// The bounds of the histogram, in seconds: from a window out of a warm store to the longest answer.
const BOUNDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    method: &'static str,
    tool: String,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Method {
    method: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Refused {
    code: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Status {
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Tier {
    tier: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Fault {
    tier: String,
    phase: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct State {
    state: &'static str,
}

/// What is counted from the start of the server on.
#[derive(Debug)]
pub(crate) struct Metrics {
    requests: Family<Request, Counter>,
    durations: Family<Method, Histogram, fn() -> Histogram>,
    refusals: Family<Refused, Counter>,
    responses: Family<Status, Counter>,
    in_flight: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            requests: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(BOUNDS)),
            refusals: Family::default(),
            responses: Family::default(),
            in_flight: Gauge::default(),
        }
    }
}

/// What is asked for when someone reads the counters.
#[derive(Debug)]
pub(crate) struct Now {
    pub(crate) tiers: Vec<TierStatus>,
    pub(crate) store: Option<StoreUse>,
}

/// A request that is being answered, counted as long as this is kept.
#[derive(Debug)]
pub(crate) struct InFlight(Gauge);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Metrics {
    /// Counts a request of the protocol.
    pub(crate) fn request(&self, said: &Said, took: Duration) {
        let Said { method, tool, outcome } = said.clone();
        self.durations.get_or_create(&Method { method }).observe(took.as_secs_f64());
        let tool = tool.unwrap_or_default();
        self.requests.get_or_create(&Request { method, tool, outcome }).inc();
    }

    /// Counts a refusal, on whichever side it was made.
    pub(crate) fn refused(&self, code: Code) {
        self.refusals.get_or_create(&Refused { code: code.as_str() }).inc();
    }

    /// Counts an answer of HTTP.
    pub(crate) fn responded(&self, status: u16) {
        self.responses.get_or_create(&Status { status }).inc();
    }

    /// Counts a request in, until what it gives is dropped.
    pub(crate) fn enter(&self) -> InFlight {
        self.in_flight.inc();
        InFlight(self.in_flight.clone())
    }

    /// All of it, as text.
    pub(crate) fn text(&self, now: &Now) -> Result<String, std::fmt::Error> {
        let mut all = Registry::with_prefix("stepwell");
        all.register(
            "requests",
            "Requests of the protocol by method, tool and outcome",
            self.requests.clone(),
        );
        all.register_with_unit(
            "request_duration",
            "How long requests of the protocol took",
            Unit::Seconds,
            self.durations.clone(),
        );
        all.register("refusals", "Refusals by code", self.refusals.clone());
        all.register("http_responses", "Answers of HTTP by status", self.responses.clone());
        all.register("in_flight", "HTTP requests that are being answered", self.in_flight.clone());
        register_tiers(&mut all, &now.tiers);
        if let Some(store) = &now.store {
            register_store(&mut all, store);
        }
        let mut text = String::new();
        encode(&mut text, &all)?;
        Ok(text)
    }
}

fn register_tiers(all: &mut Registry, tiers: &[TierStatus]) {
    let (calls, faults) = (Family::<Tier, Counter>::default(), Family::<Fault, Counter>::default());
    let (resting, broken) = (Family::<Tier, Gauge>::default(), Family::<Tier, Gauge>::default());
    for status in tiers.iter().filter(|status| status.health != Health::Off) {
        let tier = Tier { tier: status.name.clone() };
        calls.get_or_create(&tier).inc_by(status.calls);
        for (phase, count) in &status.faults {
            let fault = Fault { tier: status.name.clone(), phase: phase.to_string() };
            faults.get_or_create(&fault).inc_by(*count);
        }
        resting.get_or_create(&tier).set(i64::from(status.health == Health::Resting));
        broken.get_or_create(&tier).set(i64::from(matches!(status.health, Health::Broken(_))));
    }
    all.register("tier_calls", "Calls of tiers since they were loaded", calls);
    all.register("tier_faults", "Calls of tiers that failed, by phase", faults);
    all.register("tier_resting", "Whether a tier rests after repeated faults", resting);
    all.register("tier_broken", "Whether a tier was not loaded", broken);
}

fn register_store(all: &mut Registry, store: &StoreUse) {
    let connections = Family::<State, Gauge>::default();
    for (state, count) in [("most", store.connections), ("busy", store.busy), ("waiting", store.waiting)] {
        connections.get_or_create(&State { state }).set(i64::try_from(count).unwrap_or(i64::MAX));
    }
    all.register("store_connections", "Connections that read the store: most, busy, waited for", connections);
    let (writes, faults) = (Counter::<u64>::default(), Counter::<u64>::default());
    writes.inc_by(store.ledger_writes);
    faults.inc_by(store.ledger_faults);
    all.register("ledger_writes", "Answers that were written to the ledger", writes);
    all.register("ledger_faults", "Answers that could not be written to the ledger", faults);
}

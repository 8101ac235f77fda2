//! Asking a resources tier, of whichever version it is. What it answers is of one kind from here on.

use super::Resources;
use crate::convert::{self, librarian as versions};
use crate::plan::{Offer, Part};
use crate::runtime::{State, Stop};
use crate::shape::Slot;
use crate::tier::Guest;
use crate::wit::v0_1::imports::shapes;
use crate::wit::v0_1::resources as v0_1;
use crate::wit::v0_2::resources as v0_2;
use wasmtime::Store;
use wasmtime::component::InstancePre;

/// A component that is ready to run, by the version that it exports.
pub(crate) enum Ready {
    V0_1(v0_1::ResourcesTierPre<State>),
    V0_2(v0_2::ResourcesTierPre<State>),
}

impl Ready {
    pub(super) fn new(instance: InstancePre<State>, version: &str) -> wasmtime::Result<Self> {
        match version {
            "0.1" => v0_1::ResourcesTierPre::new(instance).map(Self::V0_1),
            _ => v0_2::ResourcesTierPre::new(instance).map(Self::V0_2),
        }
    }

    pub(super) fn start(&self, store: &mut Store<State>) -> wasmtime::Result<()> {
        match self {
            Self::V0_1(ready) => ready.instantiate(store).map(drop),
            Self::V0_2(ready) => ready.instantiate(store).map(drop),
        }
    }

    /// Whether it can be asked about several records at once.
    pub(super) const fn takes_lists(&self) -> bool {
        matches!(self, Self::V0_2(_))
    }
}

/// The arguments of `links` and `layout`, as a native tier gets them.
#[derive(serde::Serialize)]
struct Shown<'a> {
    shape: &'a shapes::RecordShape,
    context: &'a shapes::Context,
}

fn declined(fault: shapes::Fault) -> Stop {
    Stop::Declined(convert::refusal(&fault))
}

/// Asks for links. The first version is asked about one record only, and its offers are that record's.
pub(super) fn links(
    guest: Guest<'_, '_, Resources>,
    records: &[shapes::RecordShape],
    context: &shapes::Context,
) -> Result<Vec<(Slot, Offer)>, Stop> {
    let offers = match guest {
        Guest::Component(Ready::V0_2(ready), store) => {
            let guest = ready.instantiate(&mut *store).map_err(Stop::Start)?;
            let answer = guest.stepwell_ladder0_2_0_librarian().call_links(store, records, context);
            let offers = answer.map_err(Stop::Call)?.map_err(declined)?;
            return Ok(offers.into_iter().map(versions::v0_2::offer).collect::<Result<_, _>>()?);
        }
        Guest::Component(Ready::V0_1(ready), store) => {
            let Some(shape) = records.first() else { return Ok(Vec::new()) };
            let guest = ready.instantiate(&mut *store).map_err(Stop::Start)?;
            let answer = guest.stepwell_ladder_librarian().call_links(store, shape, context);
            answer.map_err(Stop::Call)?
        }
        Guest::Native(talk) => {
            let Some(shape) = records.first() else { return Ok(Vec::new()) };
            talk.ask("links", &Shown { shape, context })?
        }
    };
    let slot = records.first().map_or(Slot(0), |record| Slot(record.slot));
    let offer = |offer| Ok((slot, versions::v0_1::offer(offer)?));
    offers.map_err(declined)?.into_iter().map(offer).collect()
}

/// Asks for a layout.
pub(super) fn layout(
    guest: Guest<'_, '_, Resources>,
    shape: &shapes::RecordShape,
    context: &shapes::Context,
) -> Result<Vec<Part>, Stop> {
    let parts = match guest {
        Guest::Component(Ready::V0_2(ready), store) => {
            let guest = ready.instantiate(&mut *store).map_err(Stop::Start)?;
            let answer = guest.stepwell_ladder0_2_0_librarian().call_layout(store, shape, context);
            let parts = answer.map_err(Stop::Call)?.map_err(declined)?;
            return Ok(parts.into_iter().map(versions::v0_2::part).collect::<Result<_, _>>()?);
        }
        Guest::Component(Ready::V0_1(ready), store) => {
            let guest = ready.instantiate(&mut *store).map_err(Stop::Start)?;
            let answer = guest.stepwell_ladder_librarian().call_layout(store, shape, context);
            answer.map_err(Stop::Call)?
        }
        Guest::Native(talk) => talk.ask("layout", &Shown { shape, context })?,
    };
    let parts: Vec<_> = parts.map_err(declined)?;
    Ok(parts.into_iter().map(versions::v0_1::part).collect::<Result<_, _>>()?)
}

//! The resources tier: which links a result offers, and how a record reads as a resource.

use crate::check;
use crate::config::FaultPolicy;
use crate::convert;
use crate::fault::TierFault;
use crate::fields::{Fields, Hand};
use crate::plan::{Offer, Part};
use crate::runtime::{State, Stop};
use crate::shape::{Context, RecordShape};
use crate::tier::{Guest, Tier, World};
use crate::wit::v0_1::imports::{fields, log, shapes};
use crate::wit::v0_1::resources::ResourcesTierPre;
use std::sync::Arc;
use wasmtime::Store;
use wasmtime::component::{HasSelf, InstancePre, Linker};

/// `resources-tier` of the WIT.
pub(crate) struct Resources;

impl World for Resources {
    type Ready = ResourcesTierPre<State>;
    const NAME: &'static str = "resources";
    const INTERFACE: &'static str = "librarian";

    fn builtin() -> &'static [u8] {
        stepwell_tiers_bundle::RESOURCES
    }

    fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
        shapes::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
        fields::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
        log::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
        Ok(())
    }

    fn ready(instance: InstancePre<State>, _version: &str) -> wasmtime::Result<Self::Ready> {
        ResourcesTierPre::new(instance)
    }

    fn start(ready: &Self::Ready, store: &mut Store<State>) -> wasmtime::Result<()> {
        ready.instantiate(store).map(drop)
    }
}

/// The arguments of `links` and `layout`, as a native tier gets them.
#[derive(serde::Serialize)]
struct Shown<'a> {
    shape: &'a shapes::RecordShape,
    context: &'a shapes::Context,
}

/// The resources tier: which links a result offers, and how a record reads as a resource.
#[derive(Debug)]
pub struct ResourcesTier(pub(super) Tier<Resources>);

impl ResourcesTier {
    /// What happens when it fails.
    #[must_use]
    pub fn on_fault(&self) -> FaultPolicy {
        self.0.on_fault()
    }

    /// Chooses the links of a record, the most important first.
    pub async fn links(
        &self,
        record: RecordShape,
        context: &Context,
        fields: Arc<dyn Fields>,
    ) -> Result<Vec<Offer>, TierFault> {
        let shown = convert::context_out(context, &self.0.config().options);
        let (budget, record) = (context.budget, Arc::new(record));
        let in_hand = Arc::clone(&record);
        self.0
            .call(
                move |allowance, until| {
                    Hand::of_records(std::slice::from_ref(&in_hand), Arc::clone(&fields), allowance, until)
                },
                move |guest| {
                    let out = convert::record_out(&record);
                    let answer = match guest {
                        Guest::Component(ready, store) => {
                            let guest = ready.instantiate(&mut *store).map_err(Stop::Start)?;
                            let answer = guest.stepwell_ladder_librarian().call_links(store, &out, &shown);
                            answer.map_err(Stop::Call)?
                        }
                        Guest::Native(talk) => talk.ask("links", &Shown { shape: &out, context: &shown })?,
                    };
                    let offers: Vec<_> = answer.map_err(|fault| Stop::Declined(convert::refusal(&fault)))?;
                    let offers = offers.into_iter().map(convert::offer).collect::<Result<_, _>>()?;
                    Ok(check::links(&record, budget, offers)?)
                },
            )
            .await
    }

    /// Chooses which fields a record resource shows, and in which order.
    pub async fn layout(
        &self,
        record: RecordShape,
        context: &Context,
        fields: Arc<dyn Fields>,
    ) -> Result<Vec<Part>, TierFault> {
        let shown = convert::context_out(context, &self.0.config().options);
        let (budget, record) = (context.budget, Arc::new(record));
        let in_hand = Arc::clone(&record);
        self.0
            .call(
                move |allowance, until| {
                    Hand::of_records(std::slice::from_ref(&in_hand), Arc::clone(&fields), allowance, until)
                },
                move |guest| {
                    let out = convert::record_out(&record);
                    let answer = match guest {
                        Guest::Component(ready, store) => {
                            let guest = ready.instantiate(&mut *store).map_err(Stop::Start)?;
                            let answer = guest.stepwell_ladder_librarian().call_layout(store, &out, &shown);
                            answer.map_err(Stop::Call)?
                        }
                        Guest::Native(talk) => talk.ask("layout", &Shown { shape: &out, context: &shown })?,
                    };
                    let parts: Vec<_> = answer.map_err(|fault| Stop::Declined(convert::refusal(&fault)))?;
                    let parts = parts.into_iter().map(convert::part).collect::<Result<_, _>>()?;
                    Ok(check::parts(&record, budget, parts)?)
                },
            )
            .await
    }
}

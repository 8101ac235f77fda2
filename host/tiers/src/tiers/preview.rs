//! The preview tier: what of a record is worth a first glance.

use crate::check;
use crate::config::FaultPolicy;
use crate::convert;
use crate::fault::TierFault;
use crate::fields::{Fields, Hand};
use crate::plan::Sheet;
use crate::runtime::{State, Stop};
use crate::shape::{Context, RecordShape};
use crate::tier::{Guest, Tier, World};
use crate::wit::v0_1::imports::{fields, log, shapes};
use crate::wit::v0_1::preview::PreviewTierPre;
use std::sync::Arc;
use std::time::Instant;
use wasmtime::Store;
use wasmtime::component::{HasSelf, InstancePre, Linker};

/// `preview-tier` of the WIT.
pub(crate) struct Preview;

impl World for Preview {
    type Ready = PreviewTierPre<State>;
    const NAME: &'static str = "preview";
    const INTERFACE: &'static str = "previewer";

    fn builtin() -> &'static [u8] {
        stepwell_tiers_bundle::PREVIEW
    }

    fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
        shapes::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
        fields::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
        log::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
        Ok(())
    }

    fn ready(instance: InstancePre<State>, _version: &str) -> wasmtime::Result<Self::Ready> {
        PreviewTierPre::new(instance)
    }

    fn start(ready: &Self::Ready, store: &mut Store<State>) -> wasmtime::Result<()> {
        ready.instantiate(store).map(drop)
    }
}

/// The arguments of `compose`, as a native tier gets them.
#[derive(serde::Serialize)]
struct Compose<'a> {
    records: &'a [shapes::RecordShape],
    context: &'a shapes::Context,
}

/// The preview tier: what of a record is worth a first glance.
#[derive(Debug)]
pub struct PreviewTier(pub(super) Tier<Preview>);

impl PreviewTier {
    /// Its name in plugins.toml.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// What happens when it fails.
    #[must_use]
    pub fn on_fault(&self) -> FaultPolicy {
        self.0.on_fault()
    }

    /// Composes the previews of a page; every sheet was checked. A record without a sheet has no preview of its own.
    pub async fn compose(
        &self,
        records: Vec<RecordShape>,
        context: &Context,
        fields: Arc<dyn Fields>,
    ) -> Result<Vec<Sheet>, TierFault> {
        let started = Instant::now();
        let shown = convert::context_out(context, &self.0.config().options);
        let (budget, (records, out)) = (context.budget, convert::parted(records));
        let in_hand = Arc::clone(&records);
        self.0
            .call(
                started,
                move |allowance, until| Hand::of_records(&in_hand, Arc::clone(&fields), allowance, until),
                move |guest| {
                    let answer = match guest {
                        Guest::Component(ready, store) => {
                            let guest = ready.instantiate(&mut *store).map_err(Stop::Start)?;
                            let answer = guest.stepwell_ladder_previewer().call_compose(store, &out, &shown);
                            answer.map_err(Stop::Call)?
                        }
                        Guest::Native(talk) => {
                            talk.ask("compose", &Compose { records: &out, context: &shown })?
                        }
                    };
                    let sheets: Vec<_> = answer.map_err(|fault| Stop::Declined(convert::refusal(&fault)))?;
                    let sheets = sheets.into_iter().map(convert::sheet).collect::<Result<_, _>>()?;
                    Ok(check::sheets(&records, budget, sheets)?)
                },
            )
            .await
    }
}

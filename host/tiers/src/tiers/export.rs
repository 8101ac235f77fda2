//! The binary-export tier: what a blob is called, and how it may leave.

use crate::check;
use crate::config::FaultPolicy;
use crate::convert;
use crate::fault::TierFault;
use crate::fields::{EmptyHand, Hand};
use crate::plan::{BlobShape, Card};
use crate::runtime::{State, Stop};
use crate::shape::Context;
use crate::tier::{Guest, Tier, World};
use crate::wit::v0_1::binary_export::BinaryExportTierPre;
use crate::wit::v0_1::exporter;
use crate::wit::v0_1::imports::{log, shapes};
use std::sync::Arc;
use std::time::Instant;
use wasmtime::Store;
use wasmtime::component::{HasSelf, InstancePre, Linker};

/// `binary-export-tier` of the WIT.
pub(crate) struct BinaryExport;

impl World for BinaryExport {
    type Ready = BinaryExportTierPre<State>;
    const NAME: &'static str = "binary-export";
    const INTERFACE: &'static str = "exporter";

    fn builtin() -> &'static [u8] {
        stepwell_tiers_bundle::BINARY_EXPORT
    }

    fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
        shapes::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
        log::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
        Ok(())
    }

    fn ready(instance: InstancePre<State>, _version: &str) -> wasmtime::Result<Self::Ready> {
        BinaryExportTierPre::new(instance)
    }

    fn start(ready: &Self::Ready, store: &mut Store<State>) -> wasmtime::Result<()> {
        ready.instantiate(store).map(drop)
    }
}

/// The arguments of `describe`, as a native tier gets them.
#[derive(serde::Serialize)]
struct Describe<'a> {
    blob: &'a exporter::BlobShape,
    context: &'a shapes::Context,
}

/// The binary-export tier: what a blob is called, and how it may leave.
#[derive(Debug)]
pub struct ExportTier(pub(super) Tier<BinaryExport>);

impl ExportTier {
    /// What happens when it fails.
    #[must_use]
    pub fn on_fault(&self) -> FaultPolicy {
        self.0.on_fault()
    }

    /// Describes a blob: a safe name, a MIME type from the allow-list, a mode.
    pub async fn describe(&self, blob: BlobShape, context: &Context) -> Result<Card, TierFault> {
        let started = Instant::now();
        let shown = convert::context_out(context, &self.0.config().options);
        self.0
            .call(
                started,
                move |allowance, until| Hand::empty(Arc::new(EmptyHand), allowance, until),
                move |guest| {
                    let out = convert::blob_out(&blob);
                    let answer = match guest {
                        Guest::Component(ready, store) => {
                            let guest = ready.instantiate(&mut *store).map_err(Stop::Start)?;
                            let answer = guest.stepwell_ladder_exporter().call_describe(store, &out, &shown);
                            answer.map_err(Stop::Call)?
                        }
                        Guest::Native(talk) => {
                            talk.ask("describe", &Describe { blob: &out, context: &shown })?
                        }
                    };
                    let card = answer.map_err(|fault| Stop::Declined(convert::refusal(&fault)))?;
                    Ok(check::card(convert::card(card)))
                },
            )
            .await
    }
}

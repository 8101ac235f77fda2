//! The field-window tier: which span of a field one window shows.

use crate::check;
use crate::config::FaultPolicy;
use crate::convert;
use crate::fault::TierFault;
use crate::fields::{Fields, Hand};
use crate::plan::Asked;
use crate::runtime::{State, Stop};
use crate::shape::{Context, FieldShape, Slot};
use crate::tier::{Guest, Tier, World};
use crate::wit::v0_1::field_window::FieldWindowTierPre;
use crate::wit::v0_1::imports::{fields, log, shapes};
use crate::wit::v0_1::windower;
use std::sync::Arc;
use std::time::Instant;
use stepwell_contract::Span;
use wasmtime::Store;
use wasmtime::component::{HasSelf, InstancePre, Linker};

/// `field-window-tier` of the WIT.
pub(crate) struct FieldWindow;

impl World for FieldWindow {
    type Ready = FieldWindowTierPre<State>;
    const NAME: &'static str = "field-window";
    const INTERFACE: &'static str = "windower";

    fn builtin() -> &'static [u8] {
        stepwell_tiers_bundle::FIELD_WINDOW
    }

    fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
        shapes::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
        fields::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
        log::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
        Ok(())
    }

    fn ready(instance: InstancePre<State>, _version: &str) -> wasmtime::Result<Self::Ready> {
        FieldWindowTierPre::new(instance)
    }

    fn start(ready: &Self::Ready, store: &mut Store<State>) -> wasmtime::Result<()> {
        ready.instantiate(store).map(drop)
    }
}

/// The arguments of `place`, as a native tier gets them.
#[derive(serde::Serialize)]
struct PlaceOf<'a> {
    slot: u32,
    field: &'a shapes::FieldShape,
    asked: &'a windower::Asked,
    context: &'a shapes::Context,
}

/// The field-window tier: which span of a field one window shows.
#[derive(Debug)]
pub struct WindowTier(pub(super) Tier<FieldWindow>);

impl WindowTier {
    /// What happens when it fails.
    #[must_use]
    pub fn on_fault(&self) -> FaultPolicy {
        self.0.on_fault()
    }

    /// Places a window. The span obeys the rules of what was asked: see [`check::window`].
    pub async fn place(
        &self,
        field: FieldShape,
        asked: Asked,
        context: &Context,
        fields: Arc<dyn Fields>,
    ) -> Result<Span, TierFault> {
        const ONLY: Slot = Slot(0);
        let started = Instant::now();
        let shown = convert::context_out(context, &self.0.config().options);
        let field = Arc::new(field);
        let in_hand = Arc::clone(&field);
        self.0
            .call(
                started,
                move |allowance, until| Hand::of_field(ONLY, &in_hand, Arc::clone(&fields), allowance, until),
                move |guest| {
                    let out = (convert::field_out((*field).clone()), convert::asked_out(asked));
                    let answer = match guest {
                        Guest::Component(ready, store) => {
                            let guest = ready.instantiate(&mut *store).map_err(Stop::Start)?;
                            let windower = guest.stepwell_ladder_windower();
                            windower.call_place(store, ONLY.0, &out.0, &out.1, &shown).map_err(Stop::Call)?
                        }
                        Guest::Native(talk) => {
                            let asked = &out.1;
                            let arguments = PlaceOf { slot: ONLY.0, field: &out.0, asked, context: &shown };
                            talk.ask("place", &arguments)?
                        }
                    };
                    let at = answer.map_err(|fault| Stop::Declined(convert::refusal(&fault)))?;
                    Ok(check::window(&field, asked, convert::span(at)?)?)
                },
            )
            .await
    }
}

//! The tool tier: tools of third parties over granted records.

use super::{Place, Terms};
use crate::check;
use crate::config::ToolConfig;
use crate::convert::{self, tool as versions};
use crate::fault::TierFault;
use crate::fields::{EmptyHand, Fields, Hand};
use crate::lock::{LockState, Locked};
use crate::runtime::{Cache, Runtime, State, Stop};
use crate::shape::{Context, RecordShape};
use crate::status::{Health, TierStatus};
use crate::tier::{Guest, Tier, World};
use crate::toolbox::{Answer, Definition, RawAnswer, RawDefinition};
use crate::wit::v0_1::imports::{fields, log, records, shapes};
use crate::wit::v0_1::tool as v0_1;
use crate::wit::v0_2::{self, tool as v0_2_tool};
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;
use wasmtime::Store;
use wasmtime::component::{HasSelf, InstancePre, Linker};

/// `tool-tier` of the WIT, in both of its versions.
pub(crate) struct Tool;

/// A component that is ready to run, by the version that it exports.
pub(crate) enum Ready {
    V0_1(v0_1::ToolTierPre<State>),
    V0_2(v0_2_tool::ToolTierPre<State>),
}

impl World for Tool {
    type Ready = Ready;
    const NAME: &'static str = "tool";
    const INTERFACE: &'static str = "toolbox";
    const VERSIONS: &'static [&'static str] = &["0.2", "0.1"];

    /// No tool is built in, and no configuration can ask for one.
    fn builtin() -> &'static [u8] {
        &[]
    }

    fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
        shapes::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
        fields::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
        records::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
        v0_2::records::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
        log::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
        Ok(())
    }

    fn ready(instance: InstancePre<State>, version: &str) -> wasmtime::Result<Self::Ready> {
        match version {
            "0.1" => v0_1::ToolTierPre::new(instance).map(Ready::V0_1),
            _ => v0_2_tool::ToolTierPre::new(instance).map(Ready::V0_2),
        }
    }

    /// Nothing to try: it is asked for its tools as soon as it is loaded.
    fn start(_ready: &Self::Ready, _store: &mut Store<State>) -> wasmtime::Result<()> {
        Ok(())
    }
}

impl Ready {
    fn definitions(&self, store: &mut Store<State>) -> Result<Vec<RawDefinition>, Stop> {
        match self {
            Self::V0_1(ready) => {
                let guest = ready.instantiate(&mut *store).map_err(Stop::Start)?;
                let raw = guest.stepwell_ladder_toolbox().call_definitions(store).map_err(Stop::Call)?;
                Ok(raw.into_iter().map(versions::v0_1::definition).collect())
            }
            Self::V0_2(ready) => {
                let guest = ready.instantiate(&mut *store).map_err(Stop::Start)?;
                let raw = guest.stepwell_ladder0_2_0_toolbox().call_definitions(store).map_err(Stop::Call)?;
                Ok(raw.into_iter().map(versions::v0_2::definition).collect())
            }
        }
    }

    fn run(
        &self,
        store: &mut Store<State>,
        name: &str,
        arguments: &str,
        records: &[shapes::RecordShape],
        context: &shapes::Context,
    ) -> Result<RawAnswer, Stop> {
        let declined = |fault: shapes::Fault| Stop::Declined(convert::refusal(&fault));
        match self {
            Self::V0_1(ready) => {
                let guest = ready.instantiate(&mut *store).map_err(Stop::Start)?;
                let toolbox = guest.stepwell_ladder_toolbox();
                let answer = toolbox.call_run(store, name, arguments, records, context);
                answer.map_err(Stop::Call)?.map(versions::v0_1::answer).map_err(declined)
            }
            Self::V0_2(ready) => {
                let guest = ready.instantiate(&mut *store).map_err(Stop::Start)?;
                let toolbox = guest.stepwell_ladder0_2_0_toolbox();
                let answer = toolbox.call_run(store, name, arguments, records, context);
                answer.map_err(Stop::Call)?.map(versions::v0_2::answer).map_err(declined)
            }
        }
    }
}

/// Tools are components: plugins.toml has no word for a native one.
fn component<'a>(guest: Guest<'a, '_, Tool>) -> Result<(&'a Ready, &'a mut Store<State>), Stop> {
    match guest {
        Guest::Component(ready, store) => Ok((ready, store)),
        Guest::Native(_) => Err(Stop::Fault(TierFault::WrongWorld("a tool cannot be native".to_owned()))),
    }
}

/// A plugin that adds tools.
#[derive(Debug)]
pub struct ToolTier {
    tier: Tier<Tool>,
    /// What it can do, as it said when it was loaded. It is not asked again, so no later word changes the list.
    definitions: Result<Vec<Arc<Definition>>, TierFault>,
    /// What of it is locked, or would be: its tools too.
    locked: Option<Locked>,
}

/// What a tool is asked.
#[derive(Debug)]
pub struct ToolCall<'a> {
    /// The tool.
    pub tool: &'a Arc<Definition>,
    /// The arguments, with slots in the place of record ids.
    pub arguments: &'a Value,
    /// The records that the arguments name.
    pub records: Vec<RecordShape>,
    /// What it may know of the moment, and its budget.
    pub context: &'a Context,
}

impl ToolTier {
    pub(super) fn load(
        runtime: &Arc<Runtime>,
        config: &ToolConfig,
        place: &Place,
        cache: Option<&Cache>,
        terms: &Terms,
    ) -> Self {
        let tier: Tier<Tool> = Tier::load(runtime, &config.name, &config.tier, place, cache, terms);
        let definitions = tier.call_now(
            |allowance, until| Hand::empty(Arc::new(EmptyHand), allowance, until),
            |guest| {
                let (ready, store) = component(guest)?;
                Ok(check::definitions(ready.definitions(store)?)?)
            },
        );
        let mut locked = tier.locked().cloned();
        let definitions = definitions.and_then(|all| {
            if let Some(now) = &mut locked {
                now.tools = all.iter().map(|tool| (tool.name.clone(), tool.digest())).collect();
                terms.lock.check(&config.name, now)?;
            }
            Ok(all.into_iter().map(Arc::new).collect())
        });
        Self { tier, definitions, locked }
    }

    /// Its name in plugins.toml.
    #[must_use]
    pub fn name(&self) -> &str {
        self.tier.name()
    }

    /// Its tools; none if it could not be loaded.
    #[must_use]
    pub fn definitions(&self) -> &[Arc<Definition>] {
        self.definitions.as_deref().unwrap_or_default()
    }

    /// Runs a tool. The answer was checked, and says nothing of a record that is not in hand.
    pub async fn run(&self, call: ToolCall<'_>, fields: Arc<dyn Fields>) -> Result<Answer, TierFault> {
        let ToolCall { tool, arguments, records, context } = call;
        let started = Instant::now();
        let shown = convert::context_out(context, &self.tier.config().options);
        let (tool, arguments) = (Arc::clone(tool), arguments.clone());
        let (in_hand, out) = convert::parted(records);
        let spelling = Arc::clone(&fields);
        self.tier
            .call(
                started,
                move |allowance, until| Hand::of_records(&in_hand, Arc::clone(&fields), allowance, until),
                move |guest| {
                    let (ready, store) = component(guest)?;
                    let answer = ready.run(store, &tool.name, &arguments.to_string(), &out, &shown)?;
                    let hand = store.data().hand();
                    let spelled = |slot| spelling.spelled(slot);
                    Ok(check::answer(&tool, &arguments, |slot| hand.holds(slot), spelled, answer)?)
                },
            )
            .await
    }

    /// How it is doing. One whose tools cannot be listed is as broken as one that does not load.
    pub(super) fn status(&self) -> TierStatus {
        let status = TierStatus { locked: self.locked.clone(), ..self.tier.status() };
        match &self.definitions {
            Ok(_) => status,
            Err(fault) => {
                let is_changed = matches!(fault, TierFault::NotAsLocked { .. });
                let lock = if is_changed { Some(LockState::Changed) } else { status.lock };
                TierStatus { health: Health::Broken(fault.clone()), lock, ..status }
            }
        }
    }
}

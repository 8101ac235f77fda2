//! The resources tier: which links a result offers, and how a record reads as a resource.

mod ready;
mod single;

use crate::check;
use crate::config::{FaultPolicy, OnFault};
use crate::convert;
use crate::fault::TierFault;
use crate::fields::{Fields, Hand};
use crate::plan::{Offer, Part};
use crate::runtime::State;
use crate::shape::{Context, RecordShape};
use crate::tier::{Tier, World};
use crate::wit::v0_1::imports::{fields, log, shapes};
use ready::Ready;
use single::Single;
use std::sync::Arc;
use std::time::Instant;
use wasmtime::Store;
use wasmtime::component::{HasSelf, InstancePre, Linker};

/// `resources-tier` of the WIT, in both of its versions.
pub(crate) struct Resources;

impl World for Resources {
    type Ready = Ready;
    const NAME: &'static str = "resources";
    const INTERFACE: &'static str = "librarian";
    const VERSIONS: &'static [&'static str] = &["0.2", "0.1"];

    fn builtin() -> &'static [u8] {
        stepwell_tiers_bundle::RESOURCES
    }

    fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
        shapes::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
        fields::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
        log::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
        Ok(())
    }

    fn ready(instance: InstancePre<State>, version: &str) -> wasmtime::Result<Self::Ready> {
        Ready::new(instance, version)
    }

    fn start(ready: &Self::Ready, store: &mut Store<State>) -> wasmtime::Result<()> {
        ready.start(store)
    }
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

    /// Chooses the links of records, the most important first: an answer for each record, in their order. What goes wrong
    /// in a call goes wrong for all records of that call.
    pub async fn links(
        &self,
        records: Vec<RecordShape>,
        context: &Context,
        fields: Arc<dyn Fields>,
    ) -> Vec<Result<Vec<Offer>, TierFault>> {
        let count = records.len();
        if count == 0 {
            return Vec::new();
        }
        if self.0.ready().is_some_and(Ready::takes_lists) {
            return match self.links_at_once(records, context, fields).await {
                Ok(links) => links.into_iter().map(Ok).collect(),
                Err(fault) => vec![Err(fault); count],
            };
        }
        let mut answers = Vec::with_capacity(count);
        for record in records {
            let (record, hand) = Single::of(record, &fields);
            let links = self.links_at_once(vec![record], context, hand).await;
            match links.map(|links| links.into_iter().flatten().collect()) {
                // The request ends with this fault, so nobody waits for the others.
                Err(fault) if self.on_fault().of(&fault) == OnFault::Refuse => {
                    answers.resize(count, Err(fault));
                    break;
                }
                answer => answers.push(answer),
            }
        }
        answers
    }

    /// Asks about several records in one call; about one, where the tier takes no more.
    async fn links_at_once(
        &self,
        records: Vec<RecordShape>,
        context: &Context,
        fields: Arc<dyn Fields>,
    ) -> Result<Vec<Vec<Offer>>, TierFault> {
        let started = Instant::now();
        let shown = convert::context_out(context, &self.0.config().options);
        let (budget, (records, out)) = (context.budget, convert::parted(records));
        let in_hand = Arc::clone(&records);
        self.0
            .call(
                started,
                move |allowance, until| Hand::of_records(&in_hand, Arc::clone(&fields), allowance, until),
                move |guest| Ok(check::links(&records, budget, ready::links(guest, &out, &shown)?)?),
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
        let started = Instant::now();
        let shown = convert::context_out(context, &self.0.config().options);
        let (budget, (record, out)) = (context.budget, convert::parted(vec![record]));
        let in_hand = Arc::clone(&record);
        self.0
            .call(
                started,
                move |allowance, until| Hand::of_records(&in_hand, Arc::clone(&fields), allowance, until),
                // There is one of each.
                move |guest| {
                    let parts = ready::layout(guest, &out[0], &shown)?;
                    Ok(check::parts(&record[0], budget, parts)?)
                },
            )
            .await
    }
}

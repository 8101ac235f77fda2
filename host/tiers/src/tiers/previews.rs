//! Several previews on one page: which record goes to which, and one call for each that has any.

use super::preview::{Preview, PreviewTier};
use super::status;
use crate::config::{Config, OnFault, Rule, TierConfig};
use crate::fault::TierFault;
use crate::fields::Fields;
use crate::plan::Sheet;
use crate::shape::{Context, RecordShape};
use crate::status::{Health, TierStatus};
use crate::tier::{World as _, status_of};
use futures_util::future::join_all;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The previews in the order in which they are tried: the custom ones, each with its rule, and the default one last.
#[derive(Debug)]
pub struct Previews {
    /// One for each `[[preview]]`; none where it is off.
    custom: Vec<(Rule, Option<PreviewTier>)>,
    last: Option<PreviewTier>,
}

/// What came of one record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Composed {
    /// The preview that was asked about it, if one is on that is for it.
    pub by: Option<String>,
    /// What that preview chose. None if it had nothing to say, or failed and is to be replaced by plain rendering.
    pub sheet: Option<Sheet>,
}

impl Previews {
    pub(super) fn load(config: &Config, load: impl Fn(&str, &TierConfig) -> Option<PreviewTier>) -> Self {
        let custom = config.previews.iter().map(|one| (one.rule.clone(), load(&one.name, &one.tier)));
        Self { custom: custom.collect(), last: load(Preview::NAME, &config.preview) }
    }

    /// The default preview, unless it is off.
    pub(super) const fn last(&self) -> Option<&PreviewTier> {
        self.last.as_ref()
    }

    /// The preview that is asked about a record: the first that is on and whose rule holds, else the default one.
    #[must_use]
    pub fn of(&self, record: &RecordShape) -> Option<&PreviewTier> {
        self.in_order().nth(self.place_of(record)?)
    }

    /// The previews that are on, each at its place.
    fn in_order(&self) -> impl Iterator<Item = &PreviewTier> {
        self.custom.iter().filter_map(|(_, tier)| tier.as_ref()).chain(&self.last)
    }

    fn place_of(&self, record: &RecordShape) -> Option<usize> {
        let mut on = self.custom.iter().filter(|(_, tier)| tier.is_some());
        match on.clone().position(|(rule, _)| rule.matches(record)) {
            None => self.last.as_ref().map(|_| on.by_ref().count()),
            found => found,
        }
    }

    /// Composes the previews of a page, and answers in the order of the records. Each preview is asked once about all
    /// records that are its own, and can read no others; every record has the same budget. The fault of a preview
    /// concerns its own records, unless it is to refuse: then there is no page to show them on.
    pub async fn compose(
        &self,
        records: Vec<RecordShape>,
        context: &Context,
        fields: Arc<dyn Fields>,
    ) -> Result<Vec<Composed>, TierFault> {
        let places: Vec<_> = records.iter().map(|record| (self.place_of(record), record.slot)).collect();
        let mut groups: BTreeMap<usize, Vec<RecordShape>> = BTreeMap::new();
        for (record, (place, _)) in records.into_iter().zip(&places) {
            if let Some(place) = place {
                groups.entry(*place).or_default().push(record);
            }
        }
        let tiers: Vec<&PreviewTier> = self.in_order().collect();
        let calls = groups.into_iter().map(|(place, group)| {
            let (tier, fields) = (tiers[place], Arc::clone(&fields));
            async move { (tier.on_fault(), tier.compose(group, context, fields).await) }
        });
        let mut sheets = BTreeMap::new();
        for (on_fault, outcome) in join_all(calls).await {
            match outcome {
                Ok(composed) => sheets.extend(composed.into_iter().map(|sheet| (sheet.slot, sheet))),
                Err(fault) if on_fault.of(&fault) == OnFault::Refuse => return Err(fault),
                Err(_) => {}
            }
        }
        let composed = places.into_iter().map(|(place, slot)| Composed {
            by: place.map(|place| tiers[place].name().to_owned()),
            sheet: sheets.remove(&slot),
        });
        Ok(composed.collect())
    }

    pub(super) fn status(&self, config: &Config) -> Vec<TierStatus> {
        let custom = config.previews.iter().zip(&self.custom).map(|(one, (rule, tier))| TierStatus {
            rule: Some(rule.clone()),
            ..match tier {
                Some(tier) => tier.0.status(),
                None => status_of(&one.name, &one.tier, Health::Off),
            }
        });
        custom.chain([status(self.last.as_ref().map(|tier| &tier.0), &config.preview)]).collect()
    }
}

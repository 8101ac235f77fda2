//! Questions to a resources tier: which links each record gets, and how it is laid out.

use super::{Answered, Question};
use crate::plugin::trial::context;
use crate::plugin::trial::records::{Record, alone};
use stepwell_tiers::{Purpose, ResourcesTier, TierFault};

pub(super) struct Describe<'a> {
    tier: &'a ResourcesTier,
    record: &'a Record,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    Links,
    Layout,
}

pub(super) fn questions<'a>(
    tier: &'a ResourcesTier,
    sample: &'a [Record],
    odd: &'a [Record],
) -> impl Iterator<Item = Describe<'a>> {
    let records = odd.iter().chain(sample);
    records.flat_map(move |record| [What::Links, What::Layout].map(|what| Describe { tier, record, what }))
}

impl Question for Describe<'_> {
    fn name(&self) -> String {
        let what = match self.what {
            What::Links => "links",
            What::Layout => "layout",
        };
        format!("the {what} of {}", self.record.name)
    }

    async fn ask(&self) -> Result<Answered, TierFault> {
        let (shape, hand) = alone(self.record);
        let context = context(Purpose::Document);
        let (said, shown) = match self.what {
            What::Links => {
                let links = self.tier.links(shape, &context, hand).await?;
                (format!("{links:?}"), links.iter().map(|link| link.title.len() as u64).sum())
            }
            What::Layout => (format!("{:?}", self.tier.layout(shape, &context, hand).await?), 0),
        };
        Ok(Answered { said, shown, left_out: 0 })
    }
}

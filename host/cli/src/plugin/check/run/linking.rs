//! Questions to a resources tier: which links each record gets, alone and on a page, and how it is laid out.

use super::{Answered, Question};
use crate::plugin::trial::context;
use crate::plugin::trial::records::{Record, alone, page};
use stepwell_tiers::{Purpose, ResourcesTier, TierFault};

/// Records of one page that are asked about: more than a server does.
const PAGE: usize = 10;

pub(super) enum Describe<'a> {
    Links { tier: &'a ResourcesTier, name: String, records: &'a [Record] },
    Layout { tier: &'a ResourcesTier, record: &'a Record },
}

pub(super) fn questions<'a>(
    tier: &'a ResourcesTier,
    sample: &'a [Record],
    odd: &'a [Record],
) -> impl Iterator<Item = Describe<'a>> {
    let links = move |name: &str, records| Describe::Links { tier, name: name.to_owned(), records };
    let alone = odd.iter().chain(sample).flat_map(move |record| {
        let one = std::slice::from_ref(record);
        [links(&record.name, one), Describe::Layout { tier, record }]
    });
    let pages = sample.chunks(PAGE).zip(1..);
    let pages = pages.map(move |(records, number)| links(&format!("page {number} of the sample"), records));
    alone.chain(pages).chain([links("a page of odd records", odd)])
}

impl Question for Describe<'_> {
    fn name(&self) -> String {
        match self {
            Self::Links { name, .. } => format!("the links of {name}"),
            Self::Layout { record, .. } => format!("the layout of {}", record.name),
        }
    }

    async fn ask(&self) -> Result<Answered, TierFault> {
        let context = context(Purpose::Document);
        let (said, shown) = match self {
            Self::Links { tier, records, .. } => {
                let (shapes, hand) = page(records);
                let links = tier.links(shapes, &context, hand).await;
                let links = links.into_iter().collect::<Result<Vec<_>, _>>()?;
                let titles = links.iter().map(|links| links.iter().map(|link| link.title.len() as u64).sum());
                (format!("{links:?}"), titles.max().unwrap_or_default())
            }
            Self::Layout { tier, record } => {
                let (shape, hand) = alone(record);
                (format!("{:?}", tier.layout(shape, &context, hand).await?), 0)
            }
        };
        Ok(Answered { said, shown, left_out: 0 })
    }
}

//! Questions to a preview: each record as a row and as a document, and whole pages.

use super::{Answered, Question};
use crate::plugin::trial::context;
use crate::plugin::trial::records::{Record, page};
use stepwell_tiers::{PreviewTier, Purpose, Sheet, Shown, TierFault};

/// Records of one page, as a search has them.
const PAGE: usize = 25;

pub(super) struct Compose<'a> {
    tier: &'a PreviewTier,
    name: String,
    records: &'a [Record],
    purpose: Purpose,
}

pub(super) fn questions<'a>(
    tier: &'a PreviewTier,
    sample: &'a [Record],
    odd: &'a [Record],
) -> impl Iterator<Item = Compose<'a>> {
    let alone = odd.iter().chain(sample).flat_map(|record| {
        let one = std::slice::from_ref(record);
        [Purpose::Row, Purpose::Document].map(|purpose| (record.name.clone(), one, purpose))
    });
    let pages = sample
        .chunks(PAGE)
        .zip(1..)
        .map(|(records, number)| (format!("page {number} of the sample"), records, Purpose::Row));
    let odd = [
        ("a page of odd records".to_owned(), odd, Purpose::Row),
        ("a page without records".to_owned(), &[], Purpose::Row),
    ];
    let all = alone.chain(pages).chain(odd);
    all.map(move |(name, records, purpose)| Compose { tier, name, records, purpose })
}

impl Question for Compose<'_> {
    fn name(&self) -> String {
        self.name.clone()
    }

    async fn ask(&self) -> Result<Answered, TierFault> {
        let (shapes, hand) = page(self.records);
        let sheets = self.tier.compose(shapes, &context(self.purpose), hand).await?;
        Ok(Answered {
            said: format!("{sheets:?}"),
            shown: sheets.iter().map(bytes).max().unwrap_or_default(),
            left_out: self.records.len().saturating_sub(sheets.len()),
        })
    }
}

/// What a sheet shows: a passage by its code points, words of its own by their bytes.
fn bytes(sheet: &Sheet) -> u64 {
    let labels = sheet.anchors.iter().map(|anchor| &anchor.label);
    let shown = sheet.title.iter().chain(&sheet.lines).chain(labels);
    let bytes = |shown: &Shown| match shown {
        Shown::Verbatim(passage) => passage.at.len().get(),
        Shown::Derived(derived) => derived.text.len() as u64,
    };
    shown.map(bytes).sum()
}

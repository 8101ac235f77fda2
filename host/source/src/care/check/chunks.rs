//! Whether a text is as long as its row says, has the digest that its row says, and is in the word index.

use crate::bind;
use crate::care::check::Check;
use crate::care::check::records::{FieldRow, Record};
use crate::care::watch::ProblemCode;
use crate::error::Failure;
use crate::prepare::{CHUNK_MAX, nul};
use crate::shape::FieldKind;
use crate::words;
use sha2::{Digest as _, Sha256};
use stepwell_contract::Chars;

/// How many chunks are held at a time.
const PAGE: i64 = 200;

const CHUNKS: &str = "SELECT char_start, chars, text FROM seg
    WHERE field = ?1 AND char_start > ?2 AND char_start < ?3 ORDER BY char_start LIMIT ?4";

/// What the pieces of a text add up to.
#[derive(Default)]
struct Sum {
    chars: i64,
    bytes: i64,
    hash: Sha256,
}

impl Sum {
    fn add(&mut self, stored: String, nul_as: Option<char>) {
        let text = nul::restore(stored, nul_as);
        self.chars += Chars::of(&text).get() as i64;
        self.bytes += text.len() as i64;
        self.hash.update(text.as_bytes());
    }
}

/// Text that search should find and cannot.
#[derive(Default)]
struct Unindexed {
    chunks: u64,
    first: i64,
}

impl Check<'_> {
    /// Checks a field that holds text, wherever that is kept.
    pub(super) async fn text(
        &mut self,
        record: &mut Record,
        field: &FieldRow,
        kind: FieldKind,
        place: String,
    ) -> Result<(), Failure> {
        let manifest = self.scopes.get(&record.scope).map(|scope| &scope.manifest);
        let searchable =
            kind == FieldKind::Text && manifest.is_some_and(|manifest| manifest.is_searchable(&field.top));
        let (mut sum, mut unindexed) = (Sum::default(), Unindexed::default());
        let mut whole = true;
        match (&field.inline, field.part_start) {
            (Some(text), _) => {
                take_unit(record, field.id, 0, text, searchable, &mut unindexed);
                sum.add(text.clone(), field.nul_as);
            }
            (None, Some(start)) => {
                let enclosing = record.enclosing.get(&field.top).map_or(field.id, |(row, _)| *row);
                let end = start.saturating_add(field.chars.unwrap_or_default());
                self.part(enclosing, start, end, &mut sum).await?;
            }
            (None, None) => {
                let mut after = -1;
                'pages: loop {
                    let page =
                        self.session.rows("chunks", CHUNKS, bind![field.id, after, i64::MAX, PAGE]).await?;
                    let full = page.len() as i64 == PAGE;
                    for mut row in page {
                        let (start, chars, text) = (row.int()?, row.int()?, row.text()?);
                        if start != sum.chars || chars != Chars::of(&text).get() as i64 {
                            whole = false;
                            let detail = format!(
                                "the chunk at {start} does not follow the one that ends at {}, or is not {chars} characters long",
                                sum.chars
                            );
                            self.found(ProblemCode::ChunkGap, place.clone(), detail);
                            break 'pages;
                        }
                        take_unit(record, field.id, start, &text, searchable, &mut unindexed);
                        sum.add(text, field.nul_as);
                        after = start;
                    }
                    if !full {
                        break;
                    }
                }
            }
        }
        if !whole {
            // What lies behind the gap was not looked at, so nothing is said about its words either.
            record.units.retain(|(row, _), _| *row != field.id);
            return Ok(());
        }
        self.checked.chars += sum.chars.unsigned_abs();
        if unindexed.chunks > 0 {
            let Unindexed { chunks, first } = unindexed;
            let detail = format!("{chunks} chunks are not in the word index, the first at {first}");
            self.found(ProblemCode::NotIndexed, place.clone(), detail);
        }
        if Some(sum.chars) != field.chars || sum.bytes != field.bytes {
            let (chars, bytes) = (field.chars.unwrap_or_default(), field.bytes);
            let detail = format!(
                "it has {} characters in {} bytes, and should have {chars} in {bytes}",
                sum.chars, sum.bytes
            );
            self.found(ProblemCode::FieldLength, place, detail);
        } else if sum.hash.finalize()[..] != field.digest {
            self.found(ProblemCode::FieldDigest, place, "its text does not have its digest");
        }
        Ok(())
    }

    /// Adds up a part of a chunked text.
    async fn part(&mut self, enclosing: i64, from: i64, to: i64, sum: &mut Sum) -> Result<(), Failure> {
        let mut after = from - CHUNK_MAX.get() as i64;
        loop {
            let page = self.session.rows("chunks", CHUNKS, bind![enclosing, after, to, PAGE]).await?;
            let full = page.len() as i64 == PAGE;
            for mut row in page {
                let (start, chars, text) = (row.int()?, row.int()?, row.text()?);
                let skip = usize::try_from(from - start).unwrap_or_default();
                let take = usize::try_from((start + chars).min(to) - start.max(from)).unwrap_or_default();
                sum.add(text.chars().skip(skip).take(take).collect(), None);
                after = start;
            }
            if !full {
                return Ok(());
            }
        }
    }
}

/// Takes the index entry of a chunk, or notes that there should be one.
fn take_unit(
    record: &mut Record,
    field: i64,
    start: i64,
    text: &str,
    searchable: bool,
    unindexed: &mut Unindexed,
) {
    let entry = record.units.remove(&(field, start));
    if entry.is_none() && searchable && words::words(text).next().is_some() {
        if unindexed.chunks == 0 {
            unindexed.first = start;
        }
        unindexed.chunks += 1;
    }
}

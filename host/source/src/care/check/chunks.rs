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

/// A text that is being looked at, piece by piece.
#[derive(Default)]
struct Text {
    sum: Sum,
    /// The piece before.
    before: String,
    /// Whether search looks into it.
    searchable: bool,
    /// How many chunks search should find and cannot.
    unindexed: u64,
    /// Where the first of them starts.
    first_unindexed: i64,
    /// How many entries say that they are of another field. Search trusts that with what a grant covers.
    misfiled: u64,
}

impl Text {
    /// Takes the next piece, and its entry of the word index.
    fn take(&mut self, record: &mut Record, field: &FieldRow, start: i64, text: String) {
        let entry = record.units.remove(&(field.id, start));
        self.misfiled += u64::from(entry.as_ref().is_some_and(|top| *top != field.top));
        let own = &text[words::carried_over(&self.before, &text)..];
        if entry.is_none() && self.searchable && words::words(own).next().is_some() {
            if self.unindexed == 0 {
                self.first_unindexed = start;
            }
            self.unindexed += 1;
        }
        self.before.clone_from(&text);
        self.sum.add(text, field.nul_as);
    }
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
        let mut text = Text { searchable, ..Text::default() };
        match (&field.inline, field.part_start) {
            (Some(inline), _) => text.take(record, field, 0, inline.clone()),
            (None, Some(start)) => {
                let enclosing = record.enclosing.get(&field.top).map_or(field.id, |(row, _)| *row);
                let end = start.saturating_add(field.chars.unwrap_or_default());
                self.part(enclosing, start, end, &mut text.sum).await?;
            }
            (None, None) => {
                if let Some(gap) = self.chunks(record, field, &mut text).await? {
                    // What lies behind the gap was not looked at, so nothing is said about its words either.
                    record.units.retain(|(row, _), _| *row != field.id);
                    self.found(ProblemCode::ChunkGap, place, gap);
                    return Ok(());
                }
            }
        }
        self.checked.chars += text.sum.chars.unsigned_abs();
        if text.misfiled > 0 {
            let detail = format!("{} index entries are filed under another field", text.misfiled);
            self.found(ProblemCode::IndexWithoutText, place.clone(), detail);
        }
        if text.unindexed > 0 {
            let Text { unindexed, first_unindexed, .. } = text;
            let detail =
                format!("{unindexed} chunks are not in the word index, the first at {first_unindexed}");
            self.found(ProblemCode::NotIndexed, place.clone(), detail);
        }
        let Sum { chars, bytes, hash } = text.sum;
        if Some(chars) != field.chars || bytes != field.bytes {
            let wanted = (field.chars.unwrap_or_default(), field.bytes);
            let detail = format!(
                "it has {chars} characters in {bytes} bytes, and should have {} in {}",
                wanted.0, wanted.1
            );
            self.found(ProblemCode::FieldLength, place, detail);
        } else if hash.finalize()[..] != field.digest {
            self.found(ProblemCode::FieldDigest, place, "its text does not have its digest");
        }
        Ok(())
    }

    /// Takes all chunks of a text; says where one does not follow the other.
    async fn chunks(
        &mut self,
        record: &mut Record,
        field: &FieldRow,
        text: &mut Text,
    ) -> Result<Option<String>, Failure> {
        let mut after = -1;
        loop {
            let page = self.session.rows("chunks", CHUNKS, bind![field.id, after, i64::MAX, PAGE]).await?;
            let full = page.len() as i64 == PAGE;
            for mut row in page {
                let (start, chars, chunk) = (row.int()?, row.int()?, row.text()?);
                if start != text.sum.chars {
                    let end = text.sum.chars;
                    return Ok(Some(format!(
                        "the chunk at {start} does not follow the one that ends at {end}"
                    )));
                }
                if chars != Chars::of(&chunk).get() as i64 {
                    return Ok(Some(format!(
                        "the chunk at {start} is not {chars} characters long, as it says"
                    )));
                }
                text.take(record, field, start, chunk);
                after = start;
            }
            if !full {
                return Ok(None);
            }
        }
    }

    /// Adds up a part of a chunked text.
    async fn part(&mut self, enclosing: i64, from: i64, to: i64, sum: &mut Sum) -> Result<(), Failure> {
        let mut after = from - CHUNK_MAX.get() as i64;
        loop {
            let page = self.session.rows("chunks", CHUNKS, bind![enclosing, after, to, PAGE]).await?;
            let full = page.len() as i64 == PAGE;
            for mut row in page {
                let (start, chars, text) = (row.int()?, row.int()?, row.text()?);
                let skip = usize::try_from(from.saturating_sub(start)).unwrap_or_default();
                let take =
                    usize::try_from(start.saturating_add(chars).min(to).saturating_sub(start.max(from)))
                        .unwrap_or_default();
                sum.add(text.chars().skip(skip).take(take).collect(), None);
                after = start;
            }
            if !full {
                return Ok(());
            }
        }
    }
}

//! Takes the records of one stream in the order of a field's values from the index of values.
//!
//! The index has every value that has a place in the order but texts of more than [`ordered::TEXT_MAX`], and it has the
//! texts of moments twice. A stream where that makes a difference is walked instead.

use super::{Key, Spot, TELLING};
use crate::bind;
use crate::embedded::Embedded;
use crate::embedded::catalogue::Granted;
use crate::embedded::records::Listed;
use crate::embedded::statement::Statement;
use crate::error::Result;
use crate::ordered::{self, Range};
use crate::query::Order;
use crate::shape::FieldKind;
use crate::time;
use std::cmp::Ordering;
use stepwell_contract::Chars;

/// The values of one kind, which follow each other in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Numbers,
    Moments,
    Booleans,
    Texts,
    /// What has no place in the order of values.
    Others,
}

/// A stream, and the sections of its values in the order of a list.
pub(super) struct Sections<'a> {
    granted: &'a Granted,
    field: String,
    order: Order,
    sections: Vec<Section>,
}

/// Where a page starts within a section.
struct Edge {
    /// The value that the last page ended with, if it lies in the section.
    value: Option<Vec<u8>>,
    record: String,
    /// Which records with that very value come: none of them (-1), those beyond the record (0), all (1).
    same: i64,
}

impl Section {
    fn range(self) -> Range {
        match self {
            Self::Numbers => ordered::NUMBERS.range(),
            Self::Moments => ordered::MOMENTS.range(),
            Self::Booleans => ordered::BOOLEANS.range(),
            Self::Texts => ordered::TEXTS.range(),
            Self::Others => ordered::NULLS.range(),
        }
    }

    /// Where a value stands, and how it is spelled there.
    fn of(key: Option<&Key>, has_booleans: bool) -> (Self, Option<Vec<u8>>) {
        match key {
            Some(Key::Number(json)) => (Self::Numbers, ordered::number(json)),
            Some(Key::Moment(text)) => (Self::Moments, ordered::moment(text)),
            Some(Key::Text(text)) if has_booleans => (Self::Booleans, Some(ordered::boolean(text == "true"))),
            Some(Key::Text(text)) => (Self::Texts, Some(ordered::text(text))),
            None => (Self::Others, None),
        }
    }
}

impl Embedded {
    /// Finds out whether the index has a stream's values of a field in their order, and in which sections.
    pub(super) async fn sections<'a>(
        &self,
        granted: &'a Granted,
        field: &str,
        order: Order,
    ) -> Result<Option<Sections<'a>>> {
        let fields = self.granted_fields(granted).await?;
        let Some(info) = fields.into_iter().find(|info| info.name == field) else { return Ok(None) };
        let has = |kind| info.kinds.contains(&kind);
        let (has_texts, has_booleans) = (has(FieldKind::Text), has(FieldKind::Boolean));
        if (has_texts && has_booleans) || field.len() > ordered::NAME_MAX {
            return Ok(None);
        }
        let mut sections = vec![Section::Numbers];
        if has_booleans {
            sections.push(Section::Booleans);
        }
        if has_texts {
            let params = bind![granted.grant.as_str(), time::now(), granted.scope, field];
            if !self.read(Statement::MiddlingText, params).await?.is_empty() {
                return Ok(None);
            }
            let sections_of_texts = self.sections_of_texts(granted, field).await?;
            let Some(section) = sections_of_texts else { return Ok(None) };
            sections.push(section);
        }
        if order == Order::Descending {
            sections.reverse();
        }
        sections.push(Section::Others);
        Ok(Some(Sections { granted, field: field.to_owned(), order, sections }))
    }

    /// Whether a field's texts are all moments, or none of them is; none if they are mixed.
    async fn sections_of_texts(&self, granted: &Granted, field: &str) -> Result<Option<Section>> {
        let count = async |section: Section, most: i64| -> Result<i64> {
            let Range { from, to } = section.range();
            let params =
                bind![granted.grant.as_str(), time::now(), granted.scope, field, &from[..], &to[..], most];
            let row = self.read(Statement::CountValues, params).await?.into_iter().next();
            Ok(row.map(|mut row| row.int()).transpose()?.unwrap_or_default())
        };
        if count(Section::Moments, 1).await? == 0 {
            return Ok(Some(Section::Texts));
        }
        let (moments, texts) =
            (count(Section::Moments, i64::MAX).await?, count(Section::Texts, i64::MAX).await?);
        Ok((moments == texts).then_some(Section::Moments))
    }
}

impl<'a> Sections<'a> {
    /// The next records after a place in the list of all connections, at most so many; none if the index does not tell
    /// them apart as the order does.
    pub(super) async fn next(
        &self,
        store: &Embedded,
        after: Option<&Spot>,
        most: usize,
    ) -> Result<Option<Vec<(Spot, Listed<'a>)>>> {
        let has_booleans = self.sections.contains(&Section::Booleans);
        let from = after.map(|spot| Section::of(spot.key.as_ref(), has_booleans));
        let first = match &from {
            None => 0,
            Some((section, _)) => match self.sections.iter().position(|known| known == section) {
                Some(first) => first,
                None => return Ok(None),
            },
        };
        let mut edge = match (after, from) {
            (Some(spot), Some((_, value))) => self.edge(spot, value),
            _ => Edge { value: None, record: String::new(), same: 1 },
        };
        let mut found = Vec::new();
        for &section in &self.sections[first..] {
            let left = most - found.len();
            found.extend(self.of_section(store, section, &edge, left).await?);
            edge = Edge { value: None, record: String::new(), same: 1 };
            if found.len() >= most {
                break;
            }
        }
        // Beyond their first letters texts are in the order of keys, and in the index they are not.
        let tells = |key: Option<&Key>| match key {
            Some(Key::Text(text)) => Chars::of(text) < TELLING,
            _ => true,
        };
        let told = found.iter().map(|(spot, _)| spot).chain(after).all(|spot| tells(spot.key.as_ref()));
        Ok(told.then_some(found))
    }

    /// Which records of a place's own value come after it.
    fn edge(&self, spot: &Spot, value: Option<Vec<u8>>) -> Edge {
        let there = self.granted.connection.as_str().cmp(&spot.connection);
        let same = match if self.order == Order::Descending { there.reverse() } else { there } {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        };
        Edge { value, record: spot.record.clone(), same }
    }

    async fn of_section(
        &self,
        store: &Embedded,
        section: Section,
        edge: &Edge,
        most: usize,
    ) -> Result<Vec<(Spot, Listed<'a>)>> {
        let ascending = self.order == Order::Ascending;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let (grant, now, scope) = (self.granted.grant.as_str(), time::now(), self.granted.scope);
        let (field, key) = (self.field.as_str(), edge.record.as_str());
        let (statement, params) = if section == Section::Others {
            let statement = if ascending { Statement::UnvaluedUp } else { Statement::UnvaluedDown };
            let valued = section.range().to;
            (statement, bind![grant, now, scope, field, &valued[..], key, edge.same, most])
        } else {
            let Range { mut from, mut to } = section.range();
            let start = match (&edge.value, ascending) {
                (Some(value), true) => {
                    from.clone_from(value);
                    value.clone()
                }
                (Some(value), false) => {
                    to = Range::only(value.clone()).to;
                    value.clone()
                }
                (None, true) => from.clone(),
                (None, false) => to.clone(),
            };
            let statement = if ascending { Statement::ValuedUp } else { Statement::ValuedDown };
            let (from, to, start) = (&from[..], &to[..], &start[..]);
            (statement, bind![grant, now, scope, field, from, to, start, key, edge.same, most])
        };
        let mut found = Vec::new();
        for mut row in store.read(statement, params).await? {
            found.push(super::valued(&mut row, self.granted)?);
        }
        Ok(found)
    }
}

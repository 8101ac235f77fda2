//! Asks the preview tier what of each record is worth a first glance, and carries its plan out.

use crate::describe::scope_of;
use crate::ladder::{Asker, Ladder};
use crate::reply::LadderError;
use crate::rung::PlaceToJump;
use crate::search::short;
use crate::shapes::{self, InHand};
use crate::tier_fault;
use stepwell_contract::quote::{json_string, strip_control};
use stepwell_contract::unit::slice;
use stepwell_contract::{Chars, FieldPath};
use stepwell_source::catalogue::GrantedScope;
use stepwell_source::query::FieldMatch;
use stepwell_source::{RecordRef, RecordView, SourceError};
use stepwell_tiers::{Composed, OnFault, Passage, Purpose, Sheet, Shown};

/// How long the label of a place may be.
const LABEL: Chars = Chars(80);

/// What the preview tier chose to show of one record, in words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Glance {
    /// The preview that was asked; none if none is on that is for this record.
    pub(crate) by: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) lines: Vec<Line>,
    /// Places to jump to, by the field that they are in.
    pub(crate) places: Vec<(String, PlaceToJump)>,
}

/// One line of a glance.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// The field that a text of the tier's own stands for; none for the record's own words.
    pub(crate) derived: Option<Option<String>>,
}

impl Line {
    /// The line as it stands among control lines: a JSON string, marked if the words are not the record's own.
    pub(crate) fn printed(&self) -> String {
        let mark = if self.derived.is_some() { "derived" } else { "preview" };
        format!(" {mark}={}", json_string(&self.text))
    }
}

impl Ladder {
    /// What to show of each record: nothing if the tier is off, failed, or had nothing to say.
    pub(crate) async fn glances(
        &self,
        asker: &Asker<'_>,
        views: &[(&RecordView, &[FieldMatch])],
        scopes: &[GrantedScope],
        purpose: Purpose,
        bytes_per_record: u64,
    ) -> Result<Vec<Glance>, LadderError> {
        let composed = self.composed(asker, views, scopes, purpose, bytes_per_record).await?;
        let mut glances = Vec::with_capacity(views.len());
        for ((view, _), Composed { by, sheet }) in views.iter().zip(composed) {
            let glance = match sheet {
                Some(sheet) => self.glance(asker, view, &sheet).await?,
                None => Glance::default(),
            };
            glances.push(Glance { by, ..glance });
        }
        Ok(glances)
    }

    /// The preview that is asked about a record, by name.
    pub(crate) fn preview_of(&self, view: &RecordView) -> Option<String> {
        self.tiers.previews().of(&shapes::outline(view)).map(|tier| tier.name().to_owned())
    }

    async fn composed(
        &self,
        asker: &Asker<'_>,
        views: &[(&RecordView, &[FieldMatch])],
        scopes: &[GrantedScope],
        purpose: Purpose,
        bytes_per_record: u64,
    ) -> Result<Vec<Composed>, LadderError> {
        let record = |(slot, (view, hits)): (usize, &(&RecordView, &[FieldMatch]))| {
            shapes::record(slot as u32, view, scope_of(scopes, &view.identity), hits)
        };
        let records = views.iter().enumerate().map(record).collect();
        let hand = views.iter().map(|(view, _)| RecordRef::from(view.identity.id())).collect();
        let hand = InHand::new(&self.source, asker.caller, hand);
        let context = shapes::context(purpose, bytes_per_record, 4);
        let outcome = self.tiers.previews().compose(records, &context, hand).await;
        // A preview that is to be replaced when it fails already was.
        Ok(tier_fault::settle("preview", OnFault::Refuse, outcome)?.unwrap_or_default())
    }

    async fn glance(
        &self,
        asker: &Asker<'_>,
        view: &RecordView,
        sheet: &Sheet,
    ) -> Result<Glance, LadderError> {
        let mut glance = Glance::default();
        if let Some(title) = &sheet.title {
            let words = self.words(asker, view, title).await?;
            glance.title = words.map(|words| strip_control(&words)).filter(|words| !words.is_empty());
        }
        for shown in &sheet.lines {
            if let Some(text) = self.words(asker, view, shown).await? {
                let derived = match shown {
                    Shown::Verbatim(_) => None,
                    Shown::Derived(own) => Some(own.covers.as_ref().map(|covered| covered.path.clone())),
                };
                glance.lines.push(Line { text, derived });
            }
        }
        for anchor in &sheet.anchors {
            if let Some(label) = self.words(asker, view, &anchor.label).await? {
                let place = PlaceToJump { at: anchor.at, label: strip_control(short(&label, LABEL)) };
                glance.places.push((anchor.path.clone(), place));
            }
        }
        Ok(glance)
    }

    /// The words of something that a sheet shows: a part of a field, or the tier's own.
    async fn words(
        &self,
        asker: &Asker<'_>,
        view: &RecordView,
        shown: &Shown,
    ) -> Result<Option<String>, LadderError> {
        match shown {
            Shown::Derived(derived) => Ok(Some(derived.text.clone())),
            Shown::Verbatim(passage) => match in_head(view, passage) {
                Some(words) => Ok(Some(words)),
                None => Ok(self.read_passage(asker, view, passage).await?),
            },
        }
    }

    /// Reads a passage that lies deeper in a field than the record's view goes. One that is gone by now is not shown.
    async fn read_passage(
        &self,
        asker: &Asker<'_>,
        view: &RecordView,
        passage: &Passage,
    ) -> Result<Option<String>, SourceError> {
        let Ok(path) = FieldPath::parse(&passage.path) else { return Ok(None) };
        let read = async {
            let field = self.source.field(asker.caller, &view.identity.id().into(), &path).await?;
            self.source.text(asker.caller, &field, passage.at).await
        };
        match read.await {
            Ok(words) => Ok(Some(words)),
            Err(SourceError::Refused(_) | SourceError::Changed) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn in_head(view: &RecordView, passage: &Passage) -> Option<String> {
    let head = shapes::named(view, &passage.path)?.head.as_deref()?;
    (passage.at.end() <= Chars::of(head)).then(|| slice(head, passage.at).to_owned())
}

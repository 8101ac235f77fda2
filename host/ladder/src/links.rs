//! Links to resources, for clients that can follow them: the tier chooses, the host mints the addresses.

use crate::content_ladder::window_uri;
use crate::describe::scope_of;
use crate::ladder::{Asker, Ladder};
use crate::reply::{LadderError, Link};
use crate::rung::{Preview, Rung};
use crate::shapes::{self, InHand};
use crate::tier_fault;
use stepwell_contract::budget::RESOURCE_LINKS;
use stepwell_contract::handle::Handle;
use stepwell_contract::{Bytes, Chars};
use stepwell_source::RecordView;
use stepwell_source::catalogue::GrantedScope;
use stepwell_source::query::FieldMatch;
use stepwell_source::shape::RecordIdentity;
use stepwell_tiers::{Links, Offer, Purpose, Target};

impl Ladder {
    /// Whether this client gets link blocks. The URI stands in text and structured content in any case.
    pub(crate) fn gives_links(&self, asker: &Asker<'_>) -> bool {
        match self.tiers.links() {
            Links::Always => true,
            Links::Supported => asker.client.follows_links,
            Links::Never => false,
        }
    }

    /// The links of a result, those that matter most first. Of a list only the first few records can have any, so only
    /// those are asked for.
    pub(crate) async fn links(
        &self,
        asker: &Asker<'_>,
        views: &[(&RecordView, &[FieldMatch])],
        scopes: &[GrantedScope],
    ) -> Result<Vec<Link>, LadderError> {
        let mut links = Vec::new();
        if !self.gives_links(asker) {
            return Ok(links);
        }
        let views = &views[..views.len().min(RESOURCE_LINKS)];
        let offers = self.offers(asker, views, scopes).await?;
        for ((view, hits), offers) in views.iter().zip(offers) {
            links.extend(offers.iter().filter_map(|offer| self.link(view, hits, offer)));
        }
        // The sort is stable: among equals the first record comes first.
        links.sort_by(|one, two| two.priority.total_cmp(&one.priority));
        links.truncate(RESOURCE_LINKS);
        Ok(links)
    }

    /// What the tier offers of each record.
    async fn offers(
        &self,
        asker: &Asker<'_>,
        views: &[(&RecordView, &[FieldMatch])],
        scopes: &[GrantedScope],
    ) -> Result<Vec<Vec<Offer>>, LadderError> {
        let Some(tier) = self.tiers.resources() else { return Ok(Vec::new()) };
        let record = |(slot, (view, hits)): (usize, &(&RecordView, &[FieldMatch]))| {
            shapes::record(slot as u32, view, scope_of(scopes, &view.identity), hits)
        };
        let records = views.iter().enumerate().map(record).collect();
        let hand = views.iter().map(|(view, _)| view.identity.id().into()).collect();
        let hand = InHand::new(&self.source, asker.caller, hand);
        let context = shapes::context(Purpose::Row, 1_024, RESOURCE_LINKS as u32);
        let outcomes = tier.links(records, &context, hand).await;
        let plain = |view: &RecordView| Offer {
            target: Target::WholeRecord,
            title: crate::describe::title(view, scope_of(scopes, &view.identity)),
            priority: 0.5,
        };
        let settled = views.iter().zip(outcomes).map(|((view, _), outcome)| {
            let offers = tier_fault::settle("resources", tier.on_fault(), outcome)?;
            Ok(offers.unwrap_or_else(|| vec![plain(view)]))
        });
        settled.collect()
    }

    fn link(&self, view: &RecordView, hits: &[FieldMatch], offer: &Offer) -> Option<Link> {
        let identity = &view.identity;
        let (uri, name, mime, size) = match &offer.target {
            Target::WholeRecord => {
                let mime = Some("application/json".to_owned());
                (record_handle(identity).uri(), identity.id().to_string(), mime, None)
            }
            Target::Field(name) => {
                self.tiers.window()?;
                let field = shapes::named(view, name).filter(|field| field.shape.windows)?;
                let found =
                    hits.iter().find(|hit| hit.path.below_top().is_empty() && hit.path.top() == field.name);
                let offset = found.map_or(Chars::ZERO, |hit| hit.snippet_at.start());
                let rung = Rung::of(field, Preview::Unavailable);
                let uri = window_uri(identity, &rung, offset, self.measured(rung.digest));
                let mime = Some("text/plain".to_owned());
                (uri, name.clone(), mime, field.shape.bytes)
            }
            Target::Blob(name) => {
                let field = shapes::named(view, name)?;
                let uri = self.blob_uri(identity, &Rung::of(field, Preview::Binary))?;
                (uri, name.clone(), field.shape.mime.clone(), field.shape.bytes)
            }
        };
        let (title, size) = (Some(offer.title.clone()), size.map(Bytes::get));
        Some(Link { uri, name, title, mime, size, priority: offer.priority })
    }
}

/// The handle of a record.
pub(crate) fn record_handle(identity: &RecordIdentity) -> Handle {
    Handle::Record {
        connection: Some(identity.connection.clone()),
        stream: identity.stream.clone(),
        record: identity.record.clone(),
    }
}

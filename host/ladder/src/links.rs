//! Links to resources, for clients that can follow them.

use crate::ladder::{Asker, Ladder};
use crate::reply::Link;
use stepwell_contract::budget::RESOURCE_LINKS;
use stepwell_contract::handle::Handle;
use stepwell_source::shape::RecordIdentity;
use stepwell_tiers::Links;

impl Ladder {
    /// Whether this client gets link blocks. The URI stands in text and structured content in any case.
    pub(crate) fn gives_links(&self, asker: &Asker<'_>) -> bool {
        match self.tiers.links() {
            Links::Always => true,
            Links::Supported => asker.client.follows_links,
            Links::Never => false,
        }
    }

    /// Links to the first few records of a result.
    pub(crate) fn record_links(
        &self,
        asker: &Asker<'_>,
        records: impl Iterator<Item = (RecordIdentity, String)>,
    ) -> Vec<Link> {
        if !self.gives_links(asker) {
            return Vec::new();
        }
        let link = |(index, (identity, title)): (usize, (RecordIdentity, String))| Link {
            uri: record_handle(&identity).uri(),
            name: identity.id().to_string(),
            title: Some(title),
            mime: Some("application/json".to_owned()),
            size: None,
            priority: 1.0 - index as f32 / 10.0,
        };
        records.take(RESOURCE_LINKS).enumerate().map(link).collect()
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

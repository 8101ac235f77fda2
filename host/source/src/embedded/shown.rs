//! Settles which fields of the records a list shows.

use crate::embedded::catalogue::Granted;
use crate::embedded::{Embedded, project};
use crate::error::Result;
use crate::query::RecordsQuery;
use std::collections::HashMap;
use stepwell_contract::quote::excerpt;
use stepwell_contract::{Code, Refusal};

/// The fields that are shown of each stream's records; all that are granted where nothing is said.
pub(super) struct Shown(Option<HashMap<i64, Vec<String>>>);

impl Shown {
    /// All that is granted.
    pub(super) const ALL: Self = Self(None);

    /// The fields of a stream's records.
    pub(super) fn of(&self, granted: &Granted) -> Option<&[String]> {
        self.0.as_ref().map(|fields| fields.get(&granted.scope).map_or(&[][..], Vec::as_slice))
    }
}

impl Embedded {
    /// Takes the fields that are named, or those of a view as far as they are granted.
    pub(super) async fn shown_fields(&self, scopes: &[Granted], query: &RecordsQuery) -> Result<Shown> {
        if query.fields.is_none() && query.view.is_none() {
            return Ok(Shown(None));
        }
        if query.fields.is_some() && query.view.is_some() {
            let message = "view and fields exclude each other; a view is a choice of fields";
            return Err(Refusal::new(Code::InvalidArguments, message).param("view").into());
        }
        let mut shown = HashMap::new();
        for granted in scopes {
            let fields = match &query.fields {
                Some(fields) => {
                    self.require_granted(&granted.grant, granted.scope, fields).await?;
                    fields.clone()
                }
                None => self.fields_of_view(granted, query.view.as_deref().unwrap_or_default()).await?,
            };
            shown.insert(granted.scope, fields);
        }
        Ok(Shown(Some(shown)))
    }

    async fn fields_of_view(&self, granted: &Granted, view: &str) -> Result<Vec<String>> {
        let fields = self.granted_names(&granted.grant, granted.scope).await?;
        let views = project::views(&granted.manifest, &fields);
        if let Some(found) = views.iter().find(|known| known.id == view) {
            return Ok(found.fields.clone());
        }
        let connection = excerpt(granted.connection.as_str());
        let message = format!("the stream has no view {} in the connection {connection}", excerpt(view));
        let known: Vec<String> = views.into_iter().map(|view| view.id).collect();
        let hint = if known.is_empty() {
            "leave view out, or name fields".to_owned()
        } else {
            "take one of the available views, or name fields".to_owned()
        };
        let refusal = Refusal::new(Code::UnknownView, message).param("view").with("available_views", known);
        Err(refusal.hint(hint).into())
    }
}

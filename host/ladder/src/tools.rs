//! The ladder's doors: one for each tool and each kind of resource. Each drafts its answer, has it written down, and only
//! then hands it out.

use crate::ladder::{Asker, Ladder, ResourceResult, ToolArguments, ToolResult};
use crate::ledger::{Recorded, record};
use crate::reply::{LadderError, Link};
use crate::written::WrittenWindow;
use serde_json::json;
use std::collections::BTreeSet;
use stepwell_contract::json::json_bytes;
use stepwell_source::Disclosure;

impl Ladder {
    /// Lists connections, streams and fields.
    pub async fn schema(&self, asker: &Asker<'_>, args: ToolArguments<'_>) -> ToolResult {
        self.recorded(asker, "schema", self.draft_schema(asker, args).await).await
    }

    /// Lists a page of a stream's records.
    pub async fn query_records(&self, asker: &Asker<'_>, args: ToolArguments<'_>) -> ToolResult {
        self.recorded(asker, "query_records", self.draft_query_records(asker, args).await).await
    }

    /// Counts or computes.
    pub async fn aggregate(&self, asker: &Asker<'_>, args: ToolArguments<'_>) -> ToolResult {
        self.recorded(asker, "aggregate", self.draft_aggregate(asker, args).await).await
    }

    /// Finds records that contain words.
    pub async fn search(&self, asker: &Asker<'_>, args: ToolArguments<'_>) -> ToolResult {
        self.recorded(asker, "search", self.draft_search(asker, args).await).await
    }

    /// Opens one record.
    pub async fn fetch(&self, asker: &Asker<'_>, args: ToolArguments<'_>) -> ToolResult {
        self.recorded(asker, "fetch", self.draft_fetch(asker, args).await).await
    }

    /// Reads one window of one field.
    pub async fn read_record_field(&self, asker: &Asker<'_>, args: ToolArguments<'_>) -> ToolResult {
        Ok(self.read_written_window(asker, args).await?.map(WrittenWindow::into_reply))
    }

    /// The same, written as it goes over the wire.
    pub async fn read_written_window(
        &self,
        asker: &Asker<'_>,
        args: ToolArguments<'_>,
    ) -> Result<Recorded<WrittenWindow>, LadderError> {
        self.recorded(asker, "read_record_field", self.draft_written_window(asker, args).await).await
    }

    /// Reads a resource.
    pub async fn read_resource(&self, asker: &Asker<'_>, uri: &str) -> ResourceResult {
        self.recorded(asker, "resources/read", self.draft_read_resource(asker, uri).await).await
    }

    /// Completes what stands behind `pdpp://stream/`: the granted streams whose names begin with what was typed.
    pub async fn complete_stream(
        &self,
        asker: &Asker<'_>,
        typed: &str,
    ) -> Result<Recorded<Vec<String>>, LadderError> {
        let names = self.draft_complete_stream(asker, typed).await?;
        let shown = [Disclosure { bytes: json_bytes(&json!(names)), ..Disclosure::default() }];
        let (ledger, caller) = (self.settings.ledger, asker.caller);
        record(&*self.source, ledger, caller, "completion/complete", names, &shown).await
    }

    /// The names of the granted streams that begin with what was typed.
    pub async fn complete_stream_name(
        &self,
        asker: &Asker<'_>,
        typed: &str,
    ) -> Result<Recorded<Vec<String>>, LadderError> {
        let scopes = self.source.catalogue(asker.caller).await?;
        let names: BTreeSet<&str> = scopes.iter().map(|scope| scope.stream.as_str()).collect();
        let names: Vec<String> =
            names.into_iter().filter(|name| name.starts_with(typed)).map(str::to_owned).collect();
        let shown = [Disclosure { bytes: json_bytes(&json!(names)), ..Disclosure::default() }];
        let (ledger, caller) = (self.settings.ledger, asker.caller);
        record(&*self.source, ledger, caller, "completion/complete", names, &shown).await
    }

    /// Lists the granted streams as resources.
    pub async fn list_resources(
        &self,
        asker: &Asker<'_>,
        cursor: Option<&str>,
    ) -> Result<Recorded<(Vec<Link>, Option<String>)>, LadderError> {
        let listed = self.draft_list_resources(asker, cursor).await?;
        let names: Vec<_> = listed.0.iter().map(|link| (&link.name, &link.title)).collect();
        let names = [Disclosure { bytes: json_bytes(&json!(names)), ..Disclosure::default() }];
        record(&*self.source, self.settings.ledger, asker.caller, "resources/list", listed, &names).await
    }
}

//! `query_records`: a page of a stream.

use crate::arguments;
use crate::asked;
use crate::describe::{cut_value, labels_of, scope_of, title};
use crate::disclosed;
use crate::expand;
use crate::fit::{Entry, SEEN, fewer, first_that_fits, fit};
use crate::ladder::{Asker, Draft, Ladder, ToolArguments};
use crate::preview::Glance;
use crate::reply::{LadderError, Reply};
use crate::rung::{LONG, record_rungs};
use crate::search::{below, rest_of_page};
use serde_json::{Map, Value, json};
use stepwell_contract::budget::{self, DEFAULT_PAGE};
use stepwell_contract::quote::json_string;
use stepwell_contract::{Bytes, Chars};
use stepwell_source::catalogue::GrantedScope;
use stepwell_source::query::{ExpandQuery, Expanded, FieldMatch, RecordsPage, RecordsQuery};
use stepwell_source::shape::RecordIdentity;
use stepwell_source::{RecordView, time};
use stepwell_tiers::Purpose;

/// How much of each value the structured content shows, from generous to sparing; the first that fits is taken.
const SIZES: [Size; 5] = [
    Size { chars: 600, ladder: 25, expanded: 100 },
    Size { chars: 300, ladder: 25, expanded: 25 },
    Size { chars: 120, ladder: 12, expanded: 10 },
    Size { chars: 60, ladder: 5, expanded: 3 },
    Size { chars: 24, ladder: 1, expanded: 1 },
];

/// How generous a page is.
#[derive(Clone, Copy, Debug)]
struct Size {
    /// How long a value may be.
    chars: u64,
    /// How many records the ladder describes.
    ladder: usize,
    /// How many records stand beside one that leads to them.
    expanded: usize,
}

/// A page with all that is said about it.
struct Listing<'a> {
    page: &'a RecordsPage,
    /// What the records lead to, if that was asked.
    expanded: &'a [Vec<Expanded>],
    count: Option<u64>,
    scopes: &'a [GrantedScope],
}

impl Listing<'_> {
    fn expanded(&self, index: usize) -> &[Expanded] {
        self.expanded.get(index).map_or(&[][..], Vec::as_slice)
    }
}

/// How many bytes a preview may spend on one record.
const PREVIEW_BYTES: u64 = 240;

impl Ladder {
    /// Lists a page of a stream's records.
    pub(crate) async fn draft_query_records(&self, asker: &Asker<'_>, args: ToolArguments<'_>) -> Draft {
        let mut query = asked::records(args)?;
        let relationships = expand::relationships(args)?;
        let pages = (query.limit as u64).max(DEFAULT_PAGE);
        let budget = Bytes(budget::RESULT.get() * pages / DEFAULT_PAGE);
        let scopes = self.source.catalogue(asker.caller).await?;
        let count = match asked::count(args, &query)? {
            None => None,
            Some(all) => Some(self.source.aggregate(asker.caller, &all).await?.records),
        };
        loop {
            let page = self.source.records(asker.caller, &query).await;
            let page = page.map_err(|error| arguments::renamed(error, "field_path", "fields"))?;
            let expanded = self.expanded(asker, &query, &page, &relationships).await?;
            let listing = Listing { page: &page, expanded: &expanded, count, scopes: &scopes };
            let (reply, over, previews) = self.records_reply(asker, args, &query, &listing, budget).await?;
            let rows = page.records.len() + page.removed.len();
            match reply {
                Some(mut reply) if over == Bytes::ZERO || rows < 2 => {
                    reply.disclosed = disclosed::rows(&page, &expanded, &reply.structured, &previews);
                    return Ok(reply);
                }
                // Even the sparest form is too large: a shorter page whose cursor leads to the rest.
                _ => query.limit = fewer(rows, budget, over),
            }
        }
    }

    /// What the records of a page lead to, record by record.
    async fn expanded(
        &self,
        asker: &Asker<'_>,
        query: &RecordsQuery,
        page: &RecordsPage,
        relationships: &[(String, Option<usize>)],
    ) -> Result<Vec<Vec<Expanded>>, LadderError> {
        if relationships.is_empty() {
            return Ok(Vec::new());
        }
        let query = ExpandQuery {
            stream: query.stream.clone(),
            connection: query.connection.clone(),
            records: page.records.iter().map(|view| view.identity.clone()).collect(),
            relationships: relationships.to_vec(),
        };
        Ok(self.source.expand(asker.caller, &query).await?)
    }

    async fn records_reply(
        &self,
        asker: &Asker<'_>,
        args: &Value,
        query: &RecordsQuery,
        listing: &Listing<'_>,
        budget: Bytes,
    ) -> Result<(Option<Reply>, Bytes, Vec<Option<String>>), LadderError> {
        let (page, scopes) = (listing.page, listing.scopes);
        let views: Vec<(&RecordView, &[FieldMatch])> =
            page.records.iter().map(|view| (view, &[][..])).collect();
        let glances = self.glances(asker, &views, scopes, Purpose::Row, PREVIEW_BYTES).await?;
        let links = self.links(asker, &views, scopes).await?;
        let text = self.records_text(args, query, listing, &glances);
        let previews: Vec<Option<String>> = glances.into_iter().map(|glance| glance.by).collect();
        let (reply, over) = first_that_fits(&SIZES, budget, |size| Reply {
            text: vec![text.clone()],
            structured: self.records_structured(asker, listing, &previews, size),
            links: links.clone(),
            meta: None,
            disclosed: Vec::new(),
        });
        Ok((reply, over, previews))
    }

    fn records_text(
        &self,
        args: &Value,
        query: &RecordsQuery,
        listing: &Listing<'_>,
        glances: &[Glance],
    ) -> String {
        let page = listing.page;
        let (there, gone) = (page.records.len(), page.removed.len());
        let head = |shown: usize| {
            let stream = json_string(query.stream.as_str());
            let mut head = format!("{there} record(s) of {stream}. has_more={}.", page.next_cursor.is_some());
            if let Some(cursor) = &page.next_cursor {
                head.push_str(&format!(" next_cursor={}.", json_string(cursor)));
            }
            if let Some(since) = &page.next_changes_since {
                head.push_str(&format!(" next_changes_since={}.", json_string(since)));
            }
            if gone > 0 {
                head.push_str(&format!(" {gone} deleted."));
            }
            if let Some(count) = listing.count {
                head.push_str(&format!(" count={count}."));
            }
            head + &rest_of_page("query_records", args, shown, there + gone)
        };
        let entry =
            |(index, view): (usize, &RecordView)| self.record_line(view, listing, index, &glances[index]);
        let mut entries: Vec<Entry> = page.records.iter().enumerate().map(entry).collect();
        entries.extend(page.removed.iter().map(|identity| {
            let line = format!("deleted={}", json_string(&identity.id().to_string()));
            Entry { forms: vec![line.clone()], alone: line }
        }));
        fit(head, &entries, "", budget::TEXT, SEEN)
    }

    fn record_line(&self, view: &RecordView, listing: &Listing<'_>, index: usize, glance: &Glance) -> Entry {
        let id = format!("id={}", json_string(&view.identity.id().to_string()));
        let title =
            glance.title.clone().unwrap_or_else(|| title(view, scope_of(listing.scopes, &view.identity)));
        let titled = format!("{id} title={}", json_string(&title));
        let lines: String = glance.lines.iter().map(|line| line.printed()).collect();
        let expanded = expand::lines(&view.identity, listing.expanded(index), listing.scopes);
        // The text shows no values, so reading starts at the beginning. What is short is a fetch away.
        let mut long = record_rungs(view, Chars::ZERO);
        long.retain(|rung| rung.size() > LONG);
        let next = self.continuation(&view.identity, &long).map(below);
        Entry {
            forms: vec![
                format!("{titled}{lines}{}{expanded}", next[0]),
                format!("{titled}{lines}{}{expanded}", next[1]),
                format!("{titled}{}{expanded}", next[2]),
                format!("{titled}{}", next[2]),
                format!("{id}{}", next[2]),
            ],
            alone: id,
        }
    }

    fn records_structured(
        &self,
        asker: &Asker<'_>,
        listing: &Listing<'_>,
        previews: &[Option<String>],
        size: Size,
    ) -> Value {
        let (page, most) = (listing.page, Chars(size.chars));
        let row = |(index, view): (usize, &RecordView)| {
            let mut row = record_row(view, most);
            if !listing.expanded.is_empty() {
                let expanded = listing.expanded(index);
                row["expanded"] = expand::json(&view.identity, expanded, listing.scopes, most, size.expanded);
            }
            row
        };
        let mut rows: Vec<Value> = page.records.iter().enumerate().map(row).collect();
        rows.extend(page.removed.iter().map(removed_row));
        let records = page
            .records
            .iter()
            .zip(previews)
            .take(size.ladder)
            .map(|(view, by)| self.ladder_record(asker, view, &record_rungs(view, most), by.as_deref()));
        let mut data = json!({
            "object": "list",
            "has_more": page.next_cursor.is_some(),
            "next_cursor": page.next_cursor,
        });
        if let Some(since) = &page.next_changes_since {
            data["next_changes_since"] = json!(since);
        }
        if let Some(count) = listing.count {
            data["meta"] = json!({ "count": { "kind": "exact", "value": count } });
        }
        data["data"] = json!(rows);
        let mut structured = self.envelope(data, Vec::new());
        structured["content_ladder"] = self.content_ladder("record_set", records);
        structured
    }
}

/// A record that is no longer there, as a row of the resource server's answer.
fn removed_row(identity: &RecordIdentity) -> Value {
    json!({
        "object": "record",
        "id": identity.record.as_str(),
        "stream": identity.stream.as_str(),
        "connection_id": identity.connection.as_str(),
        "deleted": true,
    })
}

/// A record as a row of the resource server's answer, its long values cut.
pub(crate) fn record_row(view: &RecordView, most: Chars) -> Value {
    let data: Map<String, Value> =
        view.fields.iter().map(|field| (field.name.clone(), cut_value(field, most).0)).collect();
    let mut row = json!({
        "object": "record",
        "id": view.identity.record.as_str(),
        "stream": view.identity.stream.as_str(),
        "connection_id": view.identity.connection.as_str(),
        "emitted_at": time::print(view.emitted_at),
        "data": data,
    });
    for (name, label) in labels_of(view) {
        row[name] = json!(label);
    }
    row
}

//! `query_records`: a page of a stream.

use crate::arguments;
use crate::describe::{cut_value, labels_of, scope_of, title};
use crate::disclosed;
use crate::filter;
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
use stepwell_source::query::{AggregateQuery, FieldMatch, Metric, Order, RecordsPage, RecordsQuery};
use stepwell_source::{RecordView, time};
use stepwell_tiers::Purpose;

/// How much of each value the structured content shows, from generous to sparing; the first that fits is taken.
const SIZES: [(u64, usize); 5] = [(600, 25), (300, 25), (120, 12), (60, 5), (24, 1)];

/// How many bytes a preview may spend on one record.
const PREVIEW_BYTES: u64 = 240;

impl Ladder {
    /// Lists a page of a stream's records.
    pub(crate) async fn draft_query_records(&self, asker: &Asker<'_>, args: ToolArguments<'_>) -> Draft {
        let order =
            if arguments::text(args, "order") == Some("asc") { Order::Ascending } else { Order::Descending };
        let mut query = RecordsQuery {
            stream: arguments::stream(arguments::required(args, "stream")?)?,
            connection: arguments::connection(args)?,
            fields: arguments::texts(args, "fields"),
            conditions: filter::conditions(args)?,
            order,
            limit: arguments::limit(args, DEFAULT_PAGE),
            cursor: arguments::text(args, "cursor").map(str::to_owned),
        };
        let pages = (query.limit as u64).max(DEFAULT_PAGE);
        let budget = Bytes(budget::RESULT.get() * pages / DEFAULT_PAGE);
        let scopes = self.source.catalogue(asker.caller).await?;
        let count = self.count(asker, args, &query).await?;
        loop {
            let page = self.source.records(asker.caller, &query).await;
            let page = page.map_err(|error| arguments::renamed(error, "field_path", "fields"))?;
            let (reply, over, previews) =
                self.records_reply(asker, args, &query, &page, count, &scopes, budget).await?;
            match reply {
                Some(mut reply) if over == Bytes::ZERO || page.records.len() < 2 => {
                    reply.disclosed = disclosed::rows(&page.records, &reply.structured, &previews);
                    return Ok(reply);
                }
                // Even the sparest form is too large: a shorter page whose cursor leads to the rest.
                _ => query.limit = fewer(page.records.len(), budget, over),
            }
        }
    }

    /// How many records there are on all pages, if that was asked. Counting is exact, also where an estimate would do.
    async fn count(
        &self,
        asker: &Asker<'_>,
        args: &Value,
        query: &RecordsQuery,
    ) -> Result<Option<u64>, LadderError> {
        if !matches!(arguments::text(args, "count"), Some("estimated" | "exact")) {
            return Ok(None);
        }
        let all = AggregateQuery {
            stream: query.stream.clone(),
            connection: query.connection.clone(),
            metric: Metric::Count,
            field: None,
            group: None,
            conditions: query.conditions.clone(),
            limit: 1,
        };
        Ok(Some(self.source.aggregate(asker.caller, &all).await?.records))
    }

    #[expect(clippy::too_many_arguments, reason = "a page and what is said about it")]
    async fn records_reply(
        &self,
        asker: &Asker<'_>,
        args: &Value,
        query: &RecordsQuery,
        page: &RecordsPage,
        count: Option<u64>,
        scopes: &[GrantedScope],
        budget: Bytes,
    ) -> Result<(Option<Reply>, Bytes, Vec<Option<String>>), LadderError> {
        let views: Vec<(&RecordView, &[FieldMatch])> =
            page.records.iter().map(|view| (view, &[][..])).collect();
        let glances = self.glances(asker, &views, scopes, Purpose::Row, PREVIEW_BYTES).await?;
        let links = self.links(asker, &views, scopes).await?;
        let text = self.records_text(args, query, page, count, scopes, &glances);
        let previews: Vec<Option<String>> = glances.into_iter().map(|glance| glance.by).collect();
        let (reply, over) = first_that_fits(&SIZES, budget, |size| Reply {
            text: vec![text.clone()],
            structured: self.records_structured(asker, page, count, &previews, size),
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
        page: &RecordsPage,
        count: Option<u64>,
        scopes: &[GrantedScope],
        glances: &[Glance],
    ) -> String {
        let total = page.records.len();
        let head = |shown: usize| {
            let stream = json_string(query.stream.as_str());
            let mut head = format!("{total} record(s) of {stream}. has_more={}.", page.next_cursor.is_some());
            if let Some(cursor) = &page.next_cursor {
                head.push_str(&format!(" next_cursor={}.", json_string(cursor)));
            }
            if let Some(count) = count {
                head.push_str(&format!(" count={count}."));
            }
            head + &rest_of_page("query_records", args, shown, total)
        };
        let entry = |(view, glance): (&RecordView, &Glance)| {
            self.record_line(view, scope_of(scopes, &view.identity), glance)
        };
        let entries: Vec<Entry> = page.records.iter().zip(glances).map(entry).collect();
        fit(head, &entries, "", budget::TEXT, SEEN)
    }

    fn record_line(&self, view: &RecordView, scope: Option<&GrantedScope>, glance: &Glance) -> Entry {
        let id = format!("id={}", json_string(&view.identity.id().to_string()));
        let title = glance.title.clone().unwrap_or_else(|| title(view, scope));
        let titled = format!("{id} title={}", json_string(&title));
        let lines: String = glance.lines.iter().map(|line| line.printed()).collect();
        // The text shows no values, so reading starts at the beginning. What is short is a fetch away.
        let mut long = record_rungs(view, Chars::ZERO);
        long.retain(|rung| rung.size() > LONG);
        let next = self.continuation(&view.identity, &long).map(below);
        Entry {
            forms: vec![
                format!("{titled}{lines}{}", next[0]),
                format!("{titled}{lines}{}", next[1]),
                format!("{titled}{}", next[2]),
                format!("{id}{}", next[2]),
            ],
            alone: id,
        }
    }

    fn records_structured(
        &self,
        asker: &Asker<'_>,
        page: &RecordsPage,
        count: Option<u64>,
        previews: &[Option<String>],
        (chars, ladder): (u64, usize),
    ) -> Value {
        let most = Chars(chars);
        let rows: Vec<Value> = page.records.iter().map(|view| record_row(view, most)).collect();
        let records = page.records.iter().zip(previews).take(ladder).map(|(view, by)| {
            self.ladder_record(asker, &view.identity, &record_rungs(view, most), by.as_deref())
        });
        let mut data = json!({
            "object": "list",
            "has_more": page.next_cursor.is_some(),
            "next_cursor": page.next_cursor,
        });
        if let Some(count) = count {
            data["meta"] = json!({ "count": { "kind": "exact", "value": count } });
        }
        data["data"] = json!(rows);
        let mut structured = self.envelope(data, Vec::new());
        structured["content_ladder"] = self.content_ladder("record_set", records);
        structured
    }
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
        "emitted_at": time::print(view.time),
        "data": data,
    });
    for (name, label) in labels_of(view) {
        row[name] = json!(label);
    }
    row
}

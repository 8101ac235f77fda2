//! `query_records`: a page of a stream.

use crate::arguments;
use crate::content_ladder::{Preview, Rung, read_args, rungs};
use crate::describe::{cut_value, scope_of, title};
use crate::disclosed;
use crate::fit::{Entry, fit};
use crate::ladder::{Asker, Draft, Ladder, ToolArguments};
use crate::preview::words;
use crate::reply::Reply;
use crate::search::short;
use serde_json::{Map, Value, json};
use stepwell_contract::Chars;
use stepwell_contract::budget::{self, DEFAULT_PAGE};
use stepwell_contract::quote::json_string;
use stepwell_source::catalogue::GrantedScope;
use stepwell_source::query::{Order, RecordsPage, RecordsQuery};
use stepwell_source::shape::FieldView;
use stepwell_source::{RecordView, time};
use stepwell_tiers::{Purpose, Sheet};

/// How much of each value the structured content shows, from generous to sparing; the first that fits is taken.
const SIZES: [(u64, usize); 5] = [(600, 25), (300, 25), (120, 12), (60, 5), (24, 0)];

/// How many bytes a preview may spend on one record.
const PREVIEW_BYTES: u64 = 240;

impl Ladder {
    /// Lists a page of a stream's records.
    pub(crate) async fn draft_query_records(&self, asker: &Asker<'_>, args: ToolArguments<'_>) -> Draft {
        let order =
            if arguments::text(args, "order") == Some("asc") { Order::Ascending } else { Order::Descending };
        let query = RecordsQuery {
            stream: arguments::stream(arguments::required(args, "stream")?)?,
            connection: arguments::connection(args)?,
            fields: arguments::texts(args, "fields"),
            order,
            limit: arguments::limit(args, DEFAULT_PAGE),
            cursor: arguments::text(args, "cursor").map(str::to_owned),
        };
        let page = self.source.records(asker.caller, &query).await?;
        let scopes = self.source.catalogue(asker.caller).await?;
        let views: Vec<_> = page.records.iter().map(|view| (view, &[][..])).collect();
        let sheets = self.sheets(asker, &views, &scopes, Purpose::Row, PREVIEW_BYTES).await?;
        let text = self.records_text(args, &query, &page, &scopes, sheets.as_deref());
        let room = budget::RESULT.get() * (query.limit as u64).max(DEFAULT_PAGE) / DEFAULT_PAGE;
        let room = room.saturating_sub(text.len() as u64 + 600);
        let mut structured = Value::Null;
        for size in SIZES {
            structured = self.records_structured(asker, &page, size);
            if structured.to_string().len() as u64 <= room {
                break;
            }
        }
        let records = page
            .records
            .iter()
            .map(|view| (view.identity.clone(), title(view, scope_of(&scopes, &view.identity))));
        let links = self.record_links(asker, records);
        let disclosed = disclosed::rows(&page.records, &structured, self.preview_name());
        Ok(Reply { text: vec![text], structured, links, meta: None, disclosed })
    }

    fn records_text(
        &self,
        args: &Value,
        query: &RecordsQuery,
        page: &RecordsPage,
        scopes: &[GrantedScope],
        sheets: Option<&[Sheet]>,
    ) -> String {
        let stream = json_string(query.stream.as_str());
        let mut head =
            format!("{} record(s) of {stream}. has_more={}.", page.records.len(), page.next_cursor.is_some());
        if let Some(cursor) = &page.next_cursor {
            head.push_str(&format!(" next_cursor={}.", json_string(cursor)));
        }
        let entry = |(slot, view): (usize, &RecordView)| {
            let sheet = sheets.and_then(|sheets| sheets.iter().find(|sheet| sheet.slot.0 as usize == slot));
            self.record_line(view, scope_of(scopes, &view.identity), sheet)
        };
        let entries: Vec<Entry> = page.records.iter().enumerate().map(entry).collect();
        let total = entries.len();
        fit(&head, &entries, budget::TEXT, |shown| {
            if shown == total {
                return String::new();
            }
            let mut again = args.clone();
            again["limit"] = json!(shown.max(1));
            format!(
                "more={} on this page; to see them: query_records {again}, and follow its next_cursor",
                total - shown
            )
        })
    }

    fn record_line(&self, view: &RecordView, scope: Option<&GrantedScope>, sheet: Option<&Sheet>) -> Entry {
        let id = format!("id={}", json_string(&view.identity.id().to_string()));
        let titled = format!("{id} title={}", json_string(&title(view, scope)));
        let lines = sheet.map(|sheet| {
            sheet
                .lines
                .iter()
                .filter_map(|line| words(line, view))
                .map(|line| format!(" {}", json_string(&line)))
                .collect::<String>()
        });
        let next = self.cut_next_line(view, &record_rungs(view, Chars::ZERO));
        let full = format!("{titled}{}{next}", lines.unwrap_or_default());
        Entry { forms: vec![full, format!("{titled}{next}"), format!("{id}{next}")] }
    }

    /// The call that reads a record's longest cut field.
    pub(crate) fn cut_next_line(&self, view: &RecordView, rungs: &[Rung<'_>]) -> String {
        let rung = rungs.iter().find(|rung| rung.goes_on_at().is_some());
        let (Some(rung), true) = (rung, self.tiers.window().is_some()) else { return String::new() };
        let offset = rung.goes_on_at().unwrap_or_default();
        let total = rung.view.shape.chars.unwrap_or_default();
        let args = read_args(&view.identity, &rung.path, offset);
        format!(
            "\n  {}: {offset}/{total} chars shown; next: read_record_field {args}",
            json_string(rung.path.as_str())
        )
    }

    fn records_structured(
        &self,
        asker: &Asker<'_>,
        page: &RecordsPage,
        (chars, ladder): (u64, usize),
    ) -> Value {
        let most = Chars(chars);
        let rows: Vec<Value> = page.records.iter().map(|view| record_row(view, most)).collect();
        let records = page
            .records
            .iter()
            .take(ladder)
            .map(|view| self.ladder_record(asker, &view.identity, &record_rungs(view, most)));
        let data = json!({
            "object": "list",
            "data": rows,
            "has_more": page.next_cursor.is_some(),
            "next_cursor": page.next_cursor,
        });
        let mut structured = self.envelope(data, Vec::new());
        structured["content_ladder"] = self.content_ladder("record_set", records.collect());
        structured
    }
}

/// The long fields of a record when values up to `shown` stand whole in the data and longer ones by their beginning.
pub(crate) fn record_rungs(view: &RecordView, shown: Chars) -> Vec<Rung<'_>> {
    rungs(view, |field: &FieldView| match cut_value(field, shown) {
        (_, false) => Preview::Complete,
        (Value::String(text), true) if !text.is_empty() => Preview::Truncated(Chars::of(&text)),
        _ => Preview::Unavailable,
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
        "emitted_at": time::print(view.time),
        "data": data,
    });
    if let Some(label) = &view.label {
        row["display_name"] = json!(short(label, Chars(120)));
    }
    row
}

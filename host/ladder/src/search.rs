//! `search`: hits with ids that open as they stand.

use crate::arguments;
use crate::content_ladder::{Preview, Rung, read_args, rungs};
use crate::describe::{scope_of, title, url};
use crate::disclosed;
use crate::fit::{Entry, fit};
use crate::ladder::{Asker, Draft, Ladder, ToolArguments};
use crate::reply::Reply;
use serde_json::{Value, json};
use stepwell_contract::budget::{self, DEFAULT_PAGE};
use stepwell_contract::quote::json_string;
use stepwell_contract::unit::slice;
use stepwell_contract::{Chars, Span};
use stepwell_source::catalogue::GrantedScope;
use stepwell_source::query::{SearchHit, SearchPage, SearchQuery};
use stepwell_source::{FieldKind, time};

/// How much of each hit the structured content shows, from generous to sparing: characters of the snippet, fields in the
/// ladder, records in the ladder. The first that fits the budget is taken.
const SIZES: [(u64, usize, usize); 5] = [(300, 2, 25), (200, 1, 25), (120, 1, 12), (80, 1, 6), (40, 0, 0)];

/// A snippet in a line of text.
const LINE_SNIPPET: Chars = Chars(140);

impl Ladder {
    /// Finds records that contain words.
    pub(crate) async fn draft_search(&self, asker: &Asker<'_>, args: ToolArguments<'_>) -> Draft {
        let streams = arguments::texts(args, "streams").unwrap_or_default();
        let query = SearchQuery {
            q: arguments::required(args, "q")?.to_owned(),
            streams: streams.iter().map(|name| arguments::stream(name)).collect::<Result<_, _>>()?,
            connection: arguments::connection(args)?,
            limit: arguments::limit(args, DEFAULT_PAGE),
            cursor: arguments::text(args, "cursor").map(str::to_owned),
        };
        let page = self.source.search(asker.caller, &query).await?;
        let scopes = self.source.catalogue(asker.caller).await?;
        let text = self.search_text(args, &page, &scopes);
        let room = budget::SEARCH_RESULT.get() * (query.limit as u64).max(DEFAULT_PAGE) / DEFAULT_PAGE;
        let room = room.saturating_sub(text.len() as u64 + 600);
        let mut structured = Value::Null;
        for size in SIZES {
            structured = self.search_structured(asker, &page, &scopes, size);
            if structured.to_string().len() as u64 <= room {
                break;
            }
        }
        let links = self.links_of_hits(asker, &page.hits, &scopes);
        let disclosed = disclosed::hits(&page.hits, &structured);
        Ok(Reply { text: vec![text], structured, links, meta: None, disclosed })
    }

    fn search_text(&self, args: &Value, page: &SearchPage, scopes: &[GrantedScope]) -> String {
        let mut head = format!(
            "search: {} hit(s), newest first. has_more={}.",
            page.hits.len(),
            page.next_cursor.is_some()
        );
        if let Some(cursor) = &page.next_cursor {
            head.push_str(&format!(" next_cursor={}.", json_string(cursor)));
        }
        if !page.ignored_words.is_empty() {
            head.push_str(&format!(" Words not looked for: {}.", json_string(&page.ignored_words.join(" "))));
        }
        let entries: Vec<Entry> = page.hits.iter().map(|hit| self.search_line(hit, scopes)).collect();
        let total = entries.len();
        fit(&head, &entries, budget::TEXT, |shown| {
            if total == 0 {
                return "No record has all of these words. Try fewer or other words.".to_owned();
            }
            let mut tail = String::new();
            if shown < total {
                let mut again = args.clone();
                again["limit"] = json!(shown.max(1));
                tail = format!(
                    "more={} on this page; to see them: search {again}, and follow its next_cursor\n",
                    total - shown
                );
            }
            tail + "Open a hit: fetch with its id exactly as shown. Pass connection_id only where one is shown."
        })
    }

    fn search_line(&self, hit: &SearchHit, scopes: &[GrantedScope]) -> Entry {
        let view = &hit.record;
        let scope = scope_of(scopes, &view.identity);
        let id = format!("id={}", json_string(&view.identity.id().to_string()));
        let mut labels = format!("{id} stream={}", json_string(view.identity.stream.as_str()));
        if let Some(connector) = &view.connector {
            labels.push_str(&format!(" connector_key={}", json_string(connector)));
        }
        if let Some(label) = &view.label {
            labels.push_str(&format!(" display_name={}", json_string(label)));
        }
        let titled = format!("{labels} title={}", json_string(&title(view, scope)));
        let next = self.hit_next_line(hit);
        let found = hit.matches.first();
        let snippet =
            found.map(|found| format!(" snippet={}", json_string(short(&found.snippet, LINE_SNIPPET))));
        let uri = hit_rungs(hit).first().and_then(|rung| self.field_uri(&view.identity, rung));
        let uri = uri.map(|uri| format!(" uri={}", json_string(&uri)));
        let snippet = snippet.unwrap_or_default();
        Entry {
            forms: vec![
                format!("{titled}{snippet}{}{next}", uri.unwrap_or_default()),
                format!("{titled}{snippet}{next}"),
                format!("{titled}{next}"),
                format!("{id}{next}"),
            ],
        }
    }

    /// The call that reads around the match, for a field that the snippet does not show whole.
    fn hit_next_line(&self, hit: &SearchHit) -> String {
        if self.tiers.window().is_none() {
            return String::new();
        }
        let Some(found) = hit.matches.first().filter(|found| found.snippet_at.len() < found.total) else {
            return String::new();
        };
        let args = read_args(&hit.record.identity, &found.path, found.snippet_at.start());
        format!("\n  {}/{} chars shown; next: read_record_field {args}", found.snippet_at.len(), found.total)
    }

    fn search_structured(
        &self,
        asker: &Asker<'_>,
        page: &SearchPage,
        scopes: &[GrantedScope],
        (snippet, fields, records): (u64, usize, usize),
    ) -> Value {
        let snippet = Chars(snippet);
        let rows: Vec<Value> = page.hits.iter().map(|hit| row(hit, snippet)).collect();
        let results: Vec<Value> = page.hits.iter().map(|hit| result(hit, scopes, snippet)).collect();
        let ladder = page.hits.iter().take(records).map(|hit| {
            let mut rungs = hit_rungs(hit);
            rungs.truncate(fields);
            for rung in &mut rungs {
                if let Preview::Snippet { text, .. } = &mut rung.preview {
                    *text = short(text, snippet).to_owned();
                }
            }
            self.ladder_record(asker, &hit.record.identity, &rungs)
        });
        let ladder = self.content_ladder("search_results", ladder.collect());
        let warnings: Vec<Value> = match page.ignored_words.as_slice() {
            [] => Vec::new(),
            ignored => vec![json!({ "code": "words_ignored", "words": ignored })],
        };
        let data = json!({
            "object": "list",
            "data": rows,
            "has_more": page.next_cursor.is_some(),
            "next_cursor": page.next_cursor,
        });
        let mut structured = self.envelope(data, warnings);
        structured["results"] = json!(results);
        structured["content_ladder"] = ladder;
        structured
    }

    fn links_of_hits(
        &self,
        asker: &Asker<'_>,
        hits: &[SearchHit],
        scopes: &[GrantedScope],
    ) -> Vec<crate::reply::Link> {
        let records = hits.iter().map(|hit| {
            let view = &hit.record;
            (view.identity.clone(), title(view, scope_of(scopes, &view.identity)))
        });
        self.record_links(asker, records)
    }
}

/// The places of a hit: the fields where words were found, with what was shown of them.
fn hit_rungs(hit: &SearchHit) -> Vec<Rung<'_>> {
    rungs(&hit.record, |field| {
        let found = hit
            .matches
            .iter()
            .find(|found| found.path.below_top().is_empty() && found.path.top() == field.name);
        match found {
            Some(found) if found.snippet_at.len() == found.total => Preview::Complete,
            Some(found) => Preview::Snippet { at: found.snippet_at, text: found.snippet.clone() },
            None => Preview::Unavailable,
        }
    })
    .into_iter()
    .filter(|rung| rung.preview != Preview::Unavailable || rung.view.shape.kind != FieldKind::Json)
    .collect()
}

fn row(hit: &SearchHit, snippet: Chars) -> Value {
    let view = &hit.record;
    let mut row = json!({
        "object": "search_result",
        "stream": view.identity.stream.as_str(),
        "record_key": view.identity.record.as_str(),
        "connection_id": view.identity.connection.as_str(),
        "emitted_at": time::print(view.time),
        "matched_fields": hit.matches.iter().map(|found| found.path.as_str()).collect::<Vec<_>>(),
    });
    if let Some(found) = hit.matches.first() {
        row["snippet"] = json!({ "field": found.path.as_str(), "text": short(&found.snippet, snippet) });
    }
    row
}

fn result(hit: &SearchHit, scopes: &[GrantedScope], snippet: Chars) -> Value {
    let view = &hit.record;
    let identity = &view.identity;
    let mut result = json!({
        "id": identity.id().to_string(),
        "title": title(view, scope_of(scopes, identity)),
        "url": url(view),
        "connection_id": identity.connection.as_str(),
        "stream": identity.stream.as_str(),
        "record_id": identity.record.as_str(),
    });
    if let Some(connector) = &view.connector {
        result["connector_key"] = json!(connector);
    }
    if let Some(label) = &view.label {
        result["display_name"] = json!(label);
    }
    if let Some(found) = hit.matches.first() {
        result["snippet"] = json!(short(&found.snippet, snippet));
    }
    result
}

pub(crate) fn short(text: &str, most: Chars) -> &str {
    slice(text, Span::at(Chars::ZERO, most))
}

//! `search`: hits with ids that open as they stand.

mod hit;

use crate::arguments;
use crate::asked;
use crate::describe::{labels_of, scope_of, title};
use crate::disclosed;
use crate::fit::{Entry, SEEN, fewer, first_that_fits, fit};
use crate::ladder::{Asker, Draft, Ladder, ToolArguments};
use crate::preview::Glance;
use crate::reply::{LadderError, Link, Reply};
use hit::{hit_rungs, result, row};
use serde_json::{Value, json};
use stepwell_contract::budget::{self, DEFAULT_PAGE};
use stepwell_contract::quote::json_string;
use stepwell_contract::unit::slice;
use stepwell_contract::{Bytes, Chars, Code, Refusal, Span};
use stepwell_source::RecordView;
use stepwell_source::catalogue::GrantedScope;
use stepwell_source::query::{FieldMatch, Recall, SearchHit, SearchPage};
use stepwell_tiers::Purpose;

/// How much of each hit the structured content shows, from generous to sparing: characters of the snippet, fields in the
/// ladder, records in the ladder. The first that fits the budget is taken.
const SIZES: [(u64, usize, usize); 5] = [(300, 2, 25), (200, 1, 25), (120, 1, 12), (80, 1, 6), (40, 1, 1)];

/// A snippet in a line of text.
const LINE_SNIPPET: Chars = Chars(140);

/// How many bytes a preview may spend on one hit.
const PREVIEW_BYTES: u64 = 240;

/// The longest call that is printed whole in a head line.
const CALL: usize = 300;

impl Ladder {
    /// Finds records that contain words.
    pub(crate) async fn draft_search(&self, asker: &Asker<'_>, args: ToolArguments<'_>) -> Draft {
        if let Some(mode @ ("semantic" | "hybrid")) = arguments::text(args, "mode") {
            return Err(unsupported_mode(mode).param("mode").hint("leave mode out").into());
        }
        let mut query = asked::search(args)?;
        let pages = (query.limit as u64).max(DEFAULT_PAGE);
        let budget = Bytes(budget::SEARCH_RESULT.get() * pages / DEFAULT_PAGE);
        let scopes = self.source.catalogue(asker.caller).await?;
        loop {
            let page = self.source.search(asker.caller, &query).await;
            let page = page.map_err(|error| arguments::renamed(error, "stream", "streams"))?;
            let (reply, over) = self.search_reply(asker, args, &page, &scopes, budget).await?;
            match reply {
                Some(mut reply) if over == Bytes::ZERO || page.hits.len() < 2 => {
                    reply.disclosed = disclosed::hits(&page.hits, &reply.structured);
                    return Ok(reply);
                }
                // Even the sparest form is too large: a shorter page whose cursor leads to the rest.
                _ => query.limit = fewer(page.hits.len(), budget, over),
            }
        }
    }

    async fn search_reply(
        &self,
        asker: &Asker<'_>,
        args: &Value,
        page: &SearchPage,
        scopes: &[GrantedScope],
        budget: Bytes,
    ) -> Result<(Option<Reply>, Bytes), LadderError> {
        let views: Vec<(&RecordView, &[FieldMatch])> =
            page.hits.iter().map(|hit| (&hit.record, &*hit.matches)).collect();
        // Words of the tier's choice fit only where there are few hits.
        let first = &views[..views.len().min(SEEN)];
        let glances = self.glances(asker, first, scopes, Purpose::Row, PREVIEW_BYTES).await?;
        let links: Vec<Link> = self.links(asker, &views, scopes).await?;
        let text = self.search_text(args, page, scopes, &glances);
        let previews: Vec<Option<String>> =
            page.hits.iter().map(|hit| self.preview_of(&hit.record)).collect();
        Ok(first_that_fits(&SIZES, budget, |size| Reply {
            text: vec![text.clone()],
            structured: self.search_structured(asker, page, scopes, &previews, size),
            links: links.clone(),
            meta: None,
            disclosed: Vec::new(),
        }))
    }

    fn search_text(
        &self,
        args: &Value,
        page: &SearchPage,
        scopes: &[GrantedScope],
        glances: &[Glance],
    ) -> String {
        let total = page.hits.len();
        let head = |shown: usize| {
            let mut head =
                format!("search: {total} hit(s), newest first. has_more={}.", page.next_cursor.is_some());
            if let Some(cursor) = &page.next_cursor {
                head.push_str(&format!(" next_cursor={}.", json_string(cursor)));
            }
            if !page.recall.complete {
                head.push_str(" The search stopped early: follow next_cursor for the rest.");
            }
            head.push_str(&rest_of_page("search", args, shown, total));
            if !page.ignored_words.is_empty() {
                let words = page.ignored_words.join(" ");
                head.push_str(&format!(
                    " Words not looked for: {}.",
                    json_string(short(&words, LINE_SNIPPET))
                ));
            }
            head
        };
        let entry = |(index, hit)| self.search_line(hit, scopes, glances.get(index));
        let entries: Vec<Entry> = page.hits.iter().enumerate().map(entry).collect();
        let tail = match total {
            0 if !page.recall.complete => "Nothing so far.",
            0 => "No record has all of these words. Try fewer or other words.",
            _ => {
                "Open a hit: fetch with its id exactly as shown. Pass connection_id only where one is shown."
            }
        };
        fit(head, &entries, tail, budget::TEXT, SEEN)
    }

    fn search_line(&self, hit: &SearchHit, scopes: &[GrantedScope], glance: Option<&Glance>) -> Entry {
        let view = &hit.record;
        let scope = scope_of(scopes, &view.identity);
        let id = format!("id={}", json_string(&view.identity.id().to_string()));
        let mut labels = format!("{id} stream={}", json_string(view.identity.stream.as_str()));
        for (name, label) in labels_of(view) {
            labels.push_str(&format!(" {name}={}", json_string(label)));
        }
        let titled = format!("{labels} title={}", json_string(&title(view, scope)));
        let snippet =
            hit.matches.first().map(|found| short(&found.snippet, LINE_SNIPPET)).unwrap_or_default();
        let lines = glance.into_iter().flat_map(|glance| &glance.lines);
        // What the snippet says is not said again.
        let lines = lines.filter(|line| !snippet.contains(&line.text) && !line.text.contains(snippet));
        let lines: String = lines.map(|line| line.printed()).collect();
        let snippet = match snippet {
            "" => String::new(),
            snippet => format!(" snippet={}", json_string(snippet)),
        };
        let next = self.continuation(&view.identity, &hit_rungs(hit, LINE_SNIPPET)).map(below);
        Entry {
            forms: vec![
                format!("{titled}{snippet}{lines}{}", next[0]),
                format!("{titled}{snippet}{lines}{}", next[1]),
                format!("{titled}{snippet}{}", next[2]),
                format!("{titled}{}", next[2]),
                format!("{id}{}", next[2]),
            ],
            alone: id,
        }
    }

    fn search_structured(
        &self,
        asker: &Asker<'_>,
        page: &SearchPage,
        scopes: &[GrantedScope],
        previews: &[Option<String>],
        (snippet, fields, records): (u64, usize, usize),
    ) -> Value {
        let snippet = Chars(snippet);
        let rows: Vec<Value> = page.hits.iter().map(|hit| row(hit, snippet)).collect();
        let results: Vec<Value> = page.hits.iter().map(|hit| result(hit, scopes, snippet)).collect();
        let ladder = page.hits.iter().zip(previews).take(records).map(|(hit, preview)| {
            let mut rungs = hit_rungs(hit, snippet);
            rungs.truncate(fields);
            self.ladder_record(asker, &hit.record, &rungs, preview.as_deref())
        });
        let ladder = self.content_ladder("search_results", ladder);
        let warnings: Vec<Value> = match page.ignored_words.as_slice() {
            [] => Vec::new(),
            ignored => vec![json!({ "code": "words_ignored", "words": ignored })],
        };
        let data = json!({
            "object": "list",
            "has_more": page.next_cursor.is_some(),
            "next_cursor": page.next_cursor,
            "data": rows,
            "meta": { "recall": recall(page.recall) },
        });
        let mut structured = self.envelope(data, warnings);
        structured["results"] = json!(results);
        structured["content_ladder"] = ladder;
        structured
    }
}

/// The refusal of a search that goes by anything but words.
#[must_use]
pub fn unsupported_mode(mode: &str) -> Refusal {
    let message = format!("this source searches by words only, and not in the mode {mode}");
    Refusal::new(Code::UnsupportedSearchMode, message)
}

/// How much of what is granted the page speaks for, in the resource server's words.
fn recall(recall: Recall) -> Value {
    json!({
        "complete": recall.complete,
        "truncated": recall.truncated,
        "ranking_scope": "grant",
        "sources_searched_count": recall.streams,
    })
}

/// Says how to reach what the text of a page leaves out.
pub(crate) fn rest_of_page(tool: &str, args: &Value, shown: usize, total: usize) -> String {
    if shown >= total {
        return String::new();
    }
    let mut again = args.clone();
    again["limit"] = json!(shown.max(1));
    let call = again.to_string();
    let call =
        if call.len() <= CALL { call } else { format!("with limit {} and the rest as it was", shown.max(1)) };
    format!(" {shown} of {total} shown; for the others: {tool} {call}, and follow its next_cursor.")
}

/// Sets a continuation below its entry.
pub(crate) fn below(line: String) -> String {
    if line.is_empty() { line } else { format!("\n  {line}") }
}

pub(crate) fn short(text: &str, most: Chars) -> &str {
    slice(text, Span::at(Chars::ZERO, most))
}

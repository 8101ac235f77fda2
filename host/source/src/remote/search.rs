//! Hits, as the resource server ranks and shows them.

use super::Remote;
use super::ask::Ask;
use super::client::invalid;
use super::view::{Expected, view};
use super::window::code_of;
use crate::error::Result;
use crate::query::{Excerpt, Ranking, Recall, SearchHit, SearchMode, SearchPage, SearchQuery};
use crate::source::unsupported;
use crate::token::Caller;
use serde_json::Value;
use stepwell_contract::budget::{EXCERPTS_PER_HIT, SNIPPET};
use stepwell_contract::unit::slice;
use stepwell_contract::{Chars, Code, FieldPath, Span, StreamName};

impl Remote {
    pub(super) async fn find_records(
        &self,
        caller: &Caller,
        mode: SearchMode,
        query: &SearchQuery,
    ) -> Result<SearchPage> {
        let ask = match mode {
            SearchMode::Lexical => Ask::of(&["search"]),
            SearchMode::Semantic | SearchMode::Hybrid => Ask::of(&["search", mode.as_str()]),
        };
        let mut ask = ask
            .with("q", &query.q)
            .with("limit", query.limit)
            .maybe("cursor", query.cursor.as_deref())
            .connection(query.connection.as_ref())
            .conditions(&query.conditions);
        for stream in &query.streams {
            ask = ask.with("streams", stream.as_str());
        }
        let response = self.get(caller, &ask).await.map_err(|error| {
            let is_absent = matches!(code_of(&error), Some(Code::NotFound | Code::RsRefused))
                && error
                    .refusal()
                    .and_then(|refusal| refusal.extras.get("http_status")?.as_u64())
                    .is_some_and(|status| matches!(status, 404 | 405 | 501));
            if is_absent { unsupported(mode).into() } else { error }
        })?;
        page(&self.client.value(response).await?, query)
    }
}

fn page(answer: &Value, query: &SearchQuery) -> Result<SearchPage> {
    let rows = ["data", "results", "hits"].iter().find_map(|name| answer[*name].as_array());
    let rows = rows.ok_or_else(|| invalid("it is no page of hits"))?;
    let hits = rows.iter().map(|row| hit(row, query)).collect::<Result<_>>()?;
    let has_more = answer["has_more"] != false;
    let next_cursor = answer["next_cursor"].as_str().map(str::to_owned).filter(|_| has_more);
    let recall = &answer["meta"]["recall"];
    let recall = Recall {
        complete: recall["complete"].as_bool().unwrap_or(true),
        truncated: next_cursor.is_some() || recall["truncated"] == true,
        streams: usize::try_from(recall["sources_searched_count"].as_u64().unwrap_or_default())
            .unwrap_or_default(),
    };
    Ok(SearchPage { hits, ranking: Ranking::Best, next_cursor, ignored_words: Vec::new(), recall })
}

fn hit(row: &Value, query: &SearchQuery) -> Result<SearchHit> {
    let about = row.as_object().ok_or_else(|| invalid("a hit in it is no object"))?;
    let stream = about.get("stream").and_then(Value::as_str).and_then(|name| StreamName::new(name).ok());
    let stream = stream.ok_or_else(|| invalid("a hit in it names no stream"))?;
    let expected = Expected { stream: &stream, connection: query.connection.as_ref(), all_fields: false };
    let record = view(expected.identity(about)?, about, None, Vec::new());
    let snippet = [(&row["snippet"]["field"], &row["snippet"]["text"])];
    let evidence = row["evidence_excerpts"].as_array().into_iter().flatten();
    let evidence = evidence.map(|one| (&one["field_path"], &one["preview_text"]));
    let mut excerpts: Vec<Excerpt> = Vec::new();
    for (field, text) in snippet.into_iter().chain(evidence) {
        let (Some(field), Some(text)) = (field.as_str(), text.as_str()) else { continue };
        let Ok(path) = FieldPath::parse(field) else { continue };
        if excerpts.len() < EXCERPTS_PER_HIT && excerpts.iter().all(|known| known.path != path) {
            excerpts.push(excerpt(path, text));
        }
    }
    Ok(SearchHit { record, matches: Vec::new(), excerpts })
}

/// Takes the marks out of a piece and notes where they stood.
fn excerpt(path: FieldPath, marked: &str) -> Excerpt {
    let (mut text, mut marks, mut rest) = (String::new(), Vec::new(), marked);
    while let Some((before, after)) = rest.split_once("<mark>") {
        let Some((inside, behind)) = after.split_once("</mark>") else { break };
        text.push_str(before);
        let start = Chars::of(&text);
        text.push_str(inside);
        marks.push(Span::at(start, Chars::of(inside)));
        rest = behind;
    }
    text.push_str(rest);
    marks.retain(|mark| mark.end() <= SNIPPET);
    Excerpt { path, text: slice(&text, Span::at(Chars::ZERO, SNIPPET)).to_owned(), marks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_places() {
        let of = |text: &str| excerpt(FieldPath::top_level("body"), text);
        let found = of("…the 😀 <mark>heron</mark> and <mark>key</mark> <b>");
        assert_eq!(found.text, "…the 😀 heron and key <b>");
        let marked: Vec<&str> = found.marks.iter().map(|mark| slice(&found.text, *mark)).collect();
        assert_eq!(marked, ["heron", "key"]);
        assert_eq!(of("a <mark>b").text, "a <mark>b");
        assert_eq!(Chars::of(&of(&"x".repeat(9_999)).text), SNIPPET);
    }
}

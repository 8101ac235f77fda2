//! What a grant discloses, in plain words, before anyone agrees to it: how many records, of which days, and some of them.

use super::show;
use crate::output::{DIM, visible};
use indicatif::HumanCount;
use stepwell_contract::unit::slice;
use stepwell_contract::{Bytes, Chars, ConnectionId, Span, StreamName};
use stepwell_ladder::{LedgerPolicy, record};
use stepwell_source::care::Foreseen;
use stepwell_source::grant::{GrantRequest, GrantedStream};
use stepwell_source::query::{Order, RecordsQuery};
use stepwell_source::time::{self, Millis};
use stepwell_source::{Caller, Disclosure, Embedded, FieldKind, RecordView, Source as _};

/// What the ledger calls the owner's look.
const TOOL: &str = "stepwell grant create";
/// How many examples are shown of each stream.
const EXAMPLES: usize = 3;
/// How much of an example is shown.
const EXCERPT: Chars = Chars(60);
/// The fields that are titles by custom, where no role says so.
const TITLES: [&str; 4] = ["title", "name", "subject", "summary"];
/// How long the look lasts at most, if this program is killed during it.
const LOOK: Millis = 60_000;

/// A record that the grant would open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Example {
    text: String,
    at: Millis,
}

/// Looks at the newest records of each stream exactly as the client would: under a grant that covers the same and ends with
/// the look. What it cannot show, the client could not read.
pub(super) async fn examples(
    store: &Embedded,
    request: &GrantRequest,
    planned: &[GrantedStream],
) -> anyhow::Result<Vec<Vec<Example>>> {
    let look = GrantRequest {
        client: TOOL.to_owned(),
        purpose: Some("the owner's look at what a grant discloses".to_owned()),
        expires_at: Some(time::now() + LOOK),
        ..request.clone()
    };
    let (grant, token) = store.create_grant(&look).await?;
    let seen = newest(store, &store.authenticate(&token).await?, planned).await;
    // The look ends whatever came of it.
    store.revoke_grant(&grant.grant_id).await?;
    seen
}

async fn newest(
    store: &Embedded,
    caller: &Caller,
    planned: &[GrantedStream],
) -> anyhow::Result<Vec<Vec<Example>>> {
    let catalogue = store.catalogue(caller).await?;
    let mut all = Vec::new();
    for stream in planned {
        let connection = ConnectionId::new(&stream.connection_id)?;
        let name = StreamName::new(&stream.name)?;
        let scope = catalogue.iter().find(|scope| scope.connection == connection && scope.stream == name);
        let title = scope.and_then(|scope| scope.with_role("title")).map(|field| field.name.as_str());
        let query = RecordsQuery {
            stream: name,
            connection: Some(connection),
            fields: None,
            view: None,
            conditions: Vec::new(),
            sort: None,
            order: Order::Descending,
            limit: EXAMPLES,
            cursor: None,
            changes_since: None,
        };
        let page = store.records(caller, &query).await?;
        let shown: Vec<Example> = page.records.iter().map(|view| example(view, title)).collect();
        let told: Vec<Disclosure> = page
            .records
            .iter()
            .zip(&shown)
            .map(|(view, example)| Disclosure::of_record(&view.identity, Bytes::of(&example.text)))
            .collect();
        let shown = record(store, LedgerPolicy::default(), caller, TOOL, shown, &told).await?;
        all.push(shown.into_inner());
    }
    Ok(all)
}

/// A record's title if it has one that is granted, else the beginning of a text that is.
fn example(view: &RecordView, title: Option<&str>) -> Example {
    let texts = || {
        view.fields.iter().filter(|field| field.shape.kind == FieldKind::Text).filter_map(|field| {
            let text = field.head.as_deref()?.trim();
            (!text.is_empty()).then_some((field.name.as_str(), text))
        })
    };
    let titled = title.into_iter().chain(TITLES).find_map(|name| texts().find(|(field, _)| *field == name));
    let text = match (titled, texts().next()) {
        (Some((_, title)), _) => cut(title),
        (None, Some((field, text))) => format!("{field}: {}", cut(text)),
        (None, None) => view.identity.record.to_string(),
    };
    Example { text, at: view.time }
}

fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let head = slice(&line, Span::at(Chars::ZERO, EXCERPT));
    if head.len() == line.len() { line } else { format!("{head}…") }
}

/// What the streams of a grant disclose.
pub(super) fn in_words(
    planned: &[GrantedStream],
    foreseen: &[Foreseen],
    examples: &[Vec<Example>],
) -> String {
    let mut text = String::new();
    for (index, stream) in planned.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        text.push_str(&show::coverage(std::slice::from_ref(stream)));
        if let Some(foreseen) = foreseen.get(index) {
            text.push_str(&format!("\n    {}", how_much(stream, foreseen)));
        }
        for Example { text: title, at } in examples.get(index).into_iter().flatten() {
            let title = visible(title).replace(['\n', '\t'], " ");
            text.push_str(&format!("\n      {} “{title}”", day(*at)));
        }
    }
    text
}

fn how_much(stream: &GrantedStream, foreseen: &Foreseen) -> String {
    let Foreseen { records, of, times } = foreseen;
    let counted = match (records, records == of) {
        (0, _) => format!("none of its {} records", HumanCount(*of)),
        (1, true) => "its one record".to_owned(),
        (_, true) => format!("all of its {} records", HumanCount(*of)),
        (_, false) => format!("{} of its {} records", HumanCount(*records), HumanCount(*of)),
    };
    let times = times.map(|(first, last)| match (day(first), day(last)) {
        (first, last) if first == last => format!(", of {first}"),
        (first, last) => format!(", from {first} to {last}"),
    });
    let ends = stream.time_constraint.as_ref().is_some_and(|range| range.until.is_some());
    let grows = if ends || stream.resources.is_some() { "" } else { ", and those that come later" };
    format!("{counted}{}{DIM}{grows}{DIM:#}", times.unwrap_or_default())
}

/// The day of a moment.
pub(super) fn day(at: Millis) -> String {
    time::print(at).chars().take("2026-01-01".len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(resources: Option<Vec<String>>) -> GrantedStream {
        GrantedStream {
            name: "messages".into(),
            connection_id: "home".into(),
            display_name: None,
            fields: vec!["subject".into()],
            time_constraint: None,
            resources,
        }
    }

    fn plain(stream: GrantedStream, records: u64, of: u64) -> String {
        let times = (records > 0).then_some((0, 86_400_000));
        let said = in_words(&[stream], &[Foreseen { records, of, times }], &[]);
        anstream::adapter::strip_str(&said).to_string()
    }

    #[test]
    fn says_how_much_a_grant_opens() {
        let days = "from 1970-01-01 to 1970-01-02";
        let head = "  messages of home: subject\n    ";
        assert_eq!(
            plain(stream(None), 0, 12),
            format!("{head}none of its 12 records, and those that come later")
        );
        assert_eq!(
            plain(stream(None), 1_200, 1_200),
            format!("{head}all of its 1,200 records, {days}, and those that come later")
        );
        let listed = plain(stream(Some(vec!["a".into()])), 1, 7);
        assert!(listed.contains(&format!("\n    1 of its 7 records, {days}")), "{listed}");
        assert!(!listed.contains("later"), "{listed}");
    }

    #[test]
    fn an_example_is_short_and_on_one_line() {
        assert_eq!(cut(" a\n\tb "), "a b");
        assert_eq!(cut(&"ü".repeat(100)), format!("{}…", "ü".repeat(60)));
        let examples = [vec![Example { text: "a\u{1b}[2J".into(), at: 0 }]];
        let said = in_words(&[stream(None)], &[], &examples);
        assert!(said.ends_with("1970-01-01 “a␛[2J”"), "{said}");
    }
}

//! Chance grants and chance calls against an obvious model: all records in a list, looked at one by one.
//!
//! The seed is fixed. `make soak` runs many more calls from a seed of its own, which it prints.

use crate::dice::Dice;
use crate::on_both_engines;
use crate::world::{World, connection, stream};
use rust_decimal::Decimal;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use stepwell_contract::{Code, RecordId, StreamName};
use stepwell_source::filter::{Condition, Scalar, Test};
use stepwell_source::grant::StreamRequest;
use stepwell_source::query::{AggregateQuery, Group, Metric, Order, RecordsQuery, SearchQuery};
use stepwell_source::{Caller, RecordView, Source as _, SourceError, words};

const SEED: u64 = 20_261_119;
const CALLS: u64 = 600;
const MANIFEST: &str = r#"{"cursor_field":"at","consent_time_field":"at","query":{"search":{"lexical_fields":["word","body"]}}}"#;
const CONNECTIONS: &[&str] = &["home", "work"];
const STREAMS: &[&str] = &["mail", "notes"];
const FIELDS: &[&str] = &["at", "n", "word", "flag", "body", "secret"];
/// A stream of so many records that a condition which most of them meet is not answered from the index.
const MANY: usize = 2_300;

/// Values as JSON, and what they mean.
const NUMBERS: &[&str] = &[
    "0",
    "-0.0",
    "1",
    "1.0",
    "-1",
    "1.50",
    "1.5",
    "15e-1",
    "1e3",
    "1000",
    "9007199254740993",
    "9007199254740992",
    "-7.25",
];
const WORDS: &[&str] = &["", "heron", "Heron", "herons", "zürich", "a b", "2026", "é", "e\u{301}"];
const MOMENTS: &[(&str, i64)] = &[
    ("2026-01-01", 1_767_225_600_000),
    ("2026-01-01T00:00:00Z", 1_767_225_600_000),
    ("2026-01-01T01:00:00+01:00", 1_767_225_600_000),
    ("2026-01-01T00:00:00.5Z", 1_767_225_600_500),
    ("1969-12-31T23:59:59Z", -1_000),
    ("2030-06-01T12:00:00-05:00", 1_906_563_600_000),
];

#[derive(Clone, Debug, PartialEq)]
enum Thing {
    Number(&'static str),
    Text(String),
    Flag(bool),
    Null,
}

impl Thing {
    fn chance(dice: &mut Dice) -> Self {
        match dice.below(9) {
            0..4 => Self::Number(dice.pick(NUMBERS)),
            4 | 5 => Self::Text(dice.pick(WORDS).to_owned()),
            6 => Self::Text(MOMENTS[dice.below(MOMENTS.len() as u64) as usize].0.to_owned()),
            7 => Self::Flag(dice.one_in(2)),
            _ => Self::Null,
        }
    }

    fn json(&self) -> String {
        match self {
            Self::Number(json) => (*json).to_owned(),
            Self::Text(text) => Value::from(text.as_str()).to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::Null => "null".to_owned(),
        }
    }

    /// What tells it from others.
    fn identity(&self) -> String {
        match self {
            Self::Number(json) => decimal(json).normalize().to_string(),
            other => other.json(),
        }
    }
}

fn decimal(json: &str) -> Decimal {
    json.parse().or_else(|_| Decimal::from_scientific(json)).unwrap()
}

fn instant(text: &str) -> Option<i64> {
    MOMENTS.iter().find(|(spelled, _)| *spelled == text).map(|(_, at)| *at)
}

/// Whether a value meets a condition.
fn meets(thing: &Thing, condition: &Condition) -> bool {
    let order = match (thing, &condition.value) {
        (Thing::Null, Scalar::Null) => Some(std::cmp::Ordering::Equal),
        (Thing::Flag(one), Scalar::Boolean(two)) => Some(one.cmp(two)),
        (Thing::Number(one), Scalar::Number(two)) => Some(decimal(one).cmp(&decimal(two))),
        (Thing::Text(one), Scalar::Text(two)) => match (condition.test, instant(two)) {
            (Test::Equal, _) | (_, None) => Some(one.chars().cmp(two.chars())),
            (_, Some(bound)) => instant(one).map(|at| at.cmp(&bound)),
        },
        _ => None,
    };
    order.is_some_and(|order| match condition.test {
        Test::Equal => order.is_eq(),
        Test::AtLeast => order.is_ge(),
        Test::Above => order.is_gt(),
        Test::AtMost => order.is_le(),
        Test::Below => order.is_lt(),
    })
}

#[derive(Debug)]
struct Entry {
    place: (&'static str, &'static str),
    key: String,
    at: i64,
    emitted: i64,
    fields: BTreeMap<&'static str, Thing>,
}

async fn library(world: &World, dice: &mut Dice) -> Vec<Entry> {
    let mut entries = Vec::new();
    for &connection in CONNECTIONS {
        for &stream in STREAMS {
            let count = if (connection, stream) == ("home", "notes") { MANY } else { 30 };
            let mut lines = Vec::new();
            for number in 0..count {
                let at = dice.below(40) as i64 * 1_000;
                let mut fields = BTreeMap::new();
                fields.insert("body", Thing::Text(format!("{} {}", dice.pick(WORDS), dice.pick(WORDS))));
                for field in ["n", "word", "flag", "secret"] {
                    if !dice.one_in(6) {
                        fields.insert(field, Thing::chance(dice));
                    }
                }
                let mut data = vec![format!("\"at\":{at}")];
                data.extend(fields.iter().map(|(name, thing)| format!("\"{name}\":{}", thing.json())));
                let key = format!("k{number:04}");
                let hour = dice.below(11) as i64;
                let emitted = format!("1970-01-01T{hour:02}:30:00Z");
                let data = data.join(",");
                lines.push(format!("{{\"key\":\"{key}\",\"emitted_at\":\"{emitted}\",\"data\":{{{data}}}}}"));
                let (at, emitted) = (at * 1_000, (hour * 60 + 30) * 60_000);
                entries.push(Entry { place: (connection, stream), key, at, emitted, fields });
            }
            let filled = world.fill(&format!("{connection}/{stream}"), Some(MANIFEST), &lines).await;
            assert_eq!(filled.rejected, []);
        }
    }
    entries
}

/// What a grant covers of one connection's stream.
#[derive(Clone, Debug)]
struct Part {
    fields: BTreeSet<&'static str>,
    since: Option<i64>,
    until: Option<i64>,
    listed: Option<Vec<String>>,
}

type Granted = BTreeMap<(&'static str, &'static str), Part>;

fn chance_grant(dice: &mut Dice) -> (Granted, Vec<StreamRequest>) {
    let (mut granted, mut requests) = (Granted::new(), Vec::new());
    for &name in STREAMS {
        if !requests.is_empty() && dice.one_in(3) {
            continue;
        }
        let connections: Vec<&'static str> = match dice.below(3) {
            0 => vec![CONNECTIONS[dice.below(2) as usize]],
            _ => CONNECTIONS.to_vec(),
        };
        let mut fields: BTreeSet<&'static str> = FIELDS.iter().copied().filter(|_| !dice.one_in(3)).collect();
        fields.insert("n");
        let since = dice.one_in(3).then(|| dice.below(20) as i64 * 1_000_000);
        let until = dice.one_in(3).then(|| (20 + dice.below(20) as i64) * 1_000_000);
        let listed =
            dice.one_in(4).then(|| (0..dice.below(30)).map(|n| format!("k{:04}", n * 2)).collect::<Vec<_>>());
        let part = Part { fields: fields.clone(), since, until, listed: listed.clone() };
        for &one in &connections {
            granted.insert((one, name), part.clone());
        }
        requests.push(StreamRequest {
            connections: connections.iter().map(|id| connection(id)).collect(),
            fields: Some(fields.iter().map(|field| (*field).to_owned()).collect()),
            since,
            until,
            resources: listed.map(|keys| keys.into_iter().map(|key| RecordId::new(key).unwrap()).collect()),
            ..stream(name)
        });
    }
    (granted, requests)
}

impl Part {
    fn shows(&self, entry: &Entry) -> bool {
        self.since.is_none_or(|since| entry.at >= since)
            && self.until.is_none_or(|until| entry.at < until)
            && self.listed.as_ref().is_none_or(|keys| keys.contains(&entry.key))
    }
}

fn chance_conditions(dice: &mut Dice) -> Vec<Condition> {
    let tests = [Test::Equal, Test::Equal, Test::AtLeast, Test::Above, Test::AtMost, Test::Below];
    let mut conditions = Vec::new();
    for _ in 0..*dice.pick(&[&0, &1, &1, &2, &3]) {
        let value = match Thing::chance(dice) {
            Thing::Number(json) => Scalar::Number(json.to_owned()),
            Thing::Text(text) => Scalar::Text(text),
            Thing::Flag(flag) => Scalar::Boolean(flag),
            Thing::Null => Scalar::Null,
        };
        let ordered = matches!(value, Scalar::Number(_) | Scalar::Text(_));
        let test = if ordered { tests[dice.below(6) as usize] } else { Test::Equal };
        let field = dice.pick(&["n", "n", "word", "flag", "secret", "body", "none"]).to_owned();
        conditions.push(Condition { field, test, value });
    }
    conditions
}

/// A call's answer, as far as the model knows it: the records that it is about, in order, or why there are none.
fn about<'a>(
    entries: &'a [Entry],
    granted: &Granted,
    streams: &[&str],
    only: Option<&str>,
    named: &[&str],
    conditions: &[Condition],
) -> Result<Vec<&'a Entry>, Code> {
    if streams.iter().any(|name| !granted.keys().any(|(_, granted)| granted == name)) {
        return Err(Code::GrantStreamNotAllowed);
    }
    let mut scopes: Vec<_> =
        granted.iter().filter(|((_, name), _)| streams.is_empty() || streams.contains(name)).collect();
    if let Some(only) = only {
        scopes.retain(|((connection, _), _)| *connection == only);
        if scopes.is_empty() {
            return Err(Code::ConnectionNotFound);
        }
    }
    let fields = named.iter().copied().chain(conditions.iter().map(|condition| condition.field.as_str()));
    for field in fields {
        if scopes.iter().any(|(_, part)| !part.fields.contains(field)) {
            return Err(Code::FieldNotGranted);
        }
    }
    let shown = |entry: &&Entry| {
        scopes.iter().any(|(place, part)| **place == entry.place && part.shows(entry))
            && conditions
                .iter()
                .all(|one| entry.fields.get(one.field.as_str()).is_some_and(|thing| meets(thing, one)))
    };
    let mut found: Vec<&Entry> = entries.iter().filter(shown).collect();
    // Without the field that orders the stream, what a caller can know is when a record was emitted.
    let time = |entry: &Entry| {
        let knows = granted.get(&entry.place).is_some_and(|part| part.fields.contains("at"));
        if knows { entry.at } else { entry.emitted }
    };
    found.sort_by_key(|entry| (time(entry), entry.place, entry.key.clone()));
    Ok(found)
}

fn id(entry: &Entry) -> String {
    format!("{}/{}:{}", entry.place.0, entry.place.1, entry.key)
}

/// A record shows its granted fields and no others, to the letter.
fn check_view(view: &RecordView, entry: &Entry, granted: &Granted) {
    let fields = &granted[&entry.place].fields;
    let shown: BTreeSet<&str> = view.fields.iter().map(|field| field.name.as_str()).collect();
    let mut expected: BTreeSet<&str> =
        entry.fields.keys().copied().filter(|field| fields.contains(field)).collect();
    expected.extend(fields.get("at").copied());
    assert_eq!(shown, expected);
    for field in view.fields.iter().filter(|field| field.name != "at") {
        let json = match &entry.fields[field.name.as_str()] {
            Thing::Text(text) => text.clone(),
            other => other.json(),
        };
        assert_eq!(field.head.as_deref(), Some(json.as_str()));
    }
}

fn code_of(error: &SourceError) -> Code {
    error.refusal().unwrap_or_else(|| panic!("failed: {error}")).code
}

async fn check_list(world: &World, caller: &Caller, entries: &[Entry], granted: &Granted, dice: &mut Dice) {
    let (name, only) = (dice.pick(STREAMS), dice.one_in(3).then(|| dice.pick(CONNECTIONS)));
    let conditions = chance_conditions(dice);
    let order = if dice.one_in(2) { Order::Ascending } else { Order::Descending };
    let limit = 1 + dice.below(40) as usize;
    let mut expected = about(entries, granted, &[name], only, &[], &conditions);
    if let (Ok(list), Order::Descending) = (&mut expected, order) {
        list.reverse();
    }
    let mut query = RecordsQuery {
        stream: StreamName::new(name).unwrap(),
        connection: only.map(connection),
        fields: None,
        view: None,
        conditions: conditions.clone(),
        sort: None,
        order,
        limit,
        cursor: None,
        changes_since: None,
    };
    let mut found = Vec::new();
    // A few pages tell enough.
    for _ in 0..3 {
        match world.store.records(caller, &query).await {
            Err(error) => {
                assert_eq!(Err(code_of(&error)), expected.map(|_| ()), "{conditions:?}");
                return;
            }
            Ok(page) => {
                found.extend(page.records);
                query.cursor = page.next_cursor;
            }
        }
        if query.cursor.is_none() {
            break;
        }
    }
    let expected = expected.unwrap_or_else(|code| panic!("{code} was expected: {conditions:?}"));
    let ids: Vec<String> = found.iter().map(|view| view.identity.id().to_string()).collect();
    let wanted: Vec<String> = expected.iter().map(|entry| id(entry)).take(ids.len()).collect();
    assert_eq!(ids, wanted, "{conditions:?}");
    assert!(query.cursor.is_some() || ids.len() == expected.len(), "{conditions:?}");
    found.iter().zip(&expected).for_each(|(view, entry)| check_view(view, entry, granted));
}

async fn check_search(world: &World, caller: &Caller, entries: &[Entry], granted: &Granted, dice: &mut Dice) {
    let only = dice.one_in(3).then(|| dice.pick(CONNECTIONS));
    let conditions = if dice.one_in(2) { chance_conditions(dice) } else { Vec::new() };
    let word = dice.pick(&["heron", "HERONS", "zurich", "b", "2026", "e"]);
    let folded: Vec<String> = words::words(word).map(|word| word.text).collect();
    let expected = about(entries, granted, &[], only, &[], &conditions).map(|list| {
        let has = |entry: &&Entry| {
            ["word", "body"].iter().any(|field| match entry.fields.get(field) {
                Some(Thing::Text(text)) if granted[&entry.place].fields.contains(field) => {
                    words::words(text).any(|word| word.text == folded[0])
                }
                _ => false,
            })
        };
        list.into_iter().filter(has).rev().take(10).map(id).collect::<Vec<_>>()
    });
    let query = SearchQuery {
        q: word.to_owned(),
        streams: Vec::new(),
        conditions,
        connection: only.map(connection),
        limit: 10,
        cursor: None,
    };
    match world.store.search(caller, &query).await {
        Err(error) => assert_eq!(Err(code_of(&error)), expected, "{query:?}"),
        Ok(page) => {
            let ids: Vec<String> = page.hits.iter().map(|hit| hit.record.identity.id().to_string()).collect();
            assert_eq!(Ok(ids), expected, "{query:?}");
        }
    }
}

async fn check_number(world: &World, caller: &Caller, entries: &[Entry], granted: &Granted, dice: &mut Dice) {
    let (name, only) = (dice.pick(STREAMS), dice.one_in(3).then(|| dice.pick(CONNECTIONS)));
    let conditions = chance_conditions(dice);
    let metric =
        [Metric::Count, Metric::Sum, Metric::Min, Metric::Max, Metric::CountDistinct][dice.below(5) as usize];
    let field = (metric != Metric::Count).then(|| dice.pick(&["n", "n", "word", "secret"]));
    let group = (metric == Metric::Count && dice.one_in(2)).then(|| dice.pick(&["n", "flag", "word"]));
    let named: Vec<&str> = field.into_iter().chain(group).collect();
    let expected = about(entries, granted, &[name], only, &named, &conditions);
    let query = AggregateQuery {
        stream: StreamName::new(name).unwrap(),
        connection: only.map(connection),
        metric,
        field: field.map(str::to_owned),
        group: group.map(|field| Group::Field(field.to_owned())),
        conditions,
        limit: 100,
    };
    let answer = match (world.store.aggregate(caller, &query).await, expected) {
        (Err(error), expected) => {
            assert_eq!(Err(code_of(&error)), expected.map(|_| ()), "{query:?}");
            return;
        }
        (Ok(_), Err(code)) => panic!("{code} was expected: {query:?}"),
        (Ok(answer), Ok(list)) => (answer, list),
    };
    let (answer, list) = answer;
    assert_eq!((answer.records, answer.approximate), (list.len() as u64, false), "{query:?}");
    let things =
        |field: &str| -> Vec<&Thing> { list.iter().filter_map(|entry| entry.fields.get(field)).collect() };
    let value = match &answer.value {
        // More digits than a JSON reader keeps.
        Value::String(digits) if metric == Metric::Sum => digits.clone(),
        Value::String(text) => Value::from(text.as_str()).to_string(),
        Value::Number(number) => decimal(&number.to_string()).normalize().to_string(),
        other => other.to_string(),
    };
    let numbers: Vec<Decimal> = field.map_or_else(Vec::new, |field| {
        let numbers = things(field).into_iter().filter_map(|thing| match thing {
            Thing::Number(json) => Some(decimal(json)),
            _ => None,
        });
        numbers.collect()
    });
    let texts: BTreeSet<String> = field.map_or_else(BTreeSet::new, |field| {
        things(field).into_iter().filter(|thing| matches!(thing, Thing::Text(_))).map(Thing::json).collect()
    });
    // The texts here have no character that JSON spells differently and that would change their order.
    let number = |number: Option<&Decimal>| number.map(|number| number.normalize().to_string());
    let none = || "null".to_owned();
    let wanted = match metric {
        Metric::Count => list.len().to_string(),
        Metric::Sum if numbers.is_empty() => none(),
        Metric::Sum => numbers.iter().sum::<Decimal>().normalize().to_string(),
        Metric::Min => number(numbers.iter().min()).or_else(|| texts.first().cloned()).unwrap_or_else(none),
        Metric::Max => texts.last().cloned().or_else(|| number(numbers.iter().max())).unwrap_or_else(none),
        Metric::CountDistinct => {
            let things = things(field.unwrap_or_default());
            let each: BTreeSet<String> =
                things.into_iter().filter(|thing| **thing != Thing::Null).map(Thing::identity).collect();
            each.len().to_string()
        }
    };
    assert_eq!(value, wanted, "{query:?}");
    if let Some(group) = group {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for entry in &list {
            *counts.entry(entry.fields.get(group).map_or_else(none, Thing::identity)).or_default() += 1;
        }
        let key = |key: &Value| match key {
            Value::Number(number) => decimal(&number.to_string()).normalize().to_string(),
            other => other.to_string(),
        };
        let found: BTreeMap<String, u64> =
            answer.groups.iter().map(|one| (key(&one.key), one.count)).collect();
        assert_eq!((found, answer.other_count), (counts, 0), "{query:?}");
    }
}

/// Deals a grant's streams out to several grants, each connection's stream to one of them.
fn dealt(requests: &[StreamRequest], dice: &mut Dice) -> Vec<Vec<StreamRequest>> {
    let mut grants = vec![Vec::new(); 1 + dice.below(3) as usize];
    for request in requests {
        for connection in &request.connections {
            let one = StreamRequest { connections: vec![connection.clone()], ..request.clone() };
            let to = dice.below(grants.len() as u64) as usize;
            grants[to].push(one);
        }
    }
    grants.retain(|streams| !streams.is_empty());
    grants
}

async fn chance_calls_under_chance_grants_are_answered_as_the_model_says(world: World) {
    chance_calls(&world, false).await;
}

async fn a_package_of_disjoint_grants_is_answered_as_one_grant_of_them_all(world: World) {
    chance_calls(&world, true).await;
}

#[allow(clippy::print_stdout, reason = "a failure is repeated from its seed")]
async fn chance_calls(world: &World, in_packages: bool) {
    let soak: Option<u64> = std::env::var("STEPWELL_SOAK").ok().and_then(|calls| calls.parse().ok());
    let seed = if soak.is_some() { stepwell_source::time::now().unsigned_abs() } else { SEED };
    println!("seed {seed}");
    let mut dice = Dice(seed);
    let entries = library(world, &mut dice).await;
    let mut caller = None;
    for number in 0..soak.unwrap_or(CALLS) {
        if number % 20 == 0 || caller.is_none() {
            let (granted, requests) = chance_grant(&mut dice);
            let holder = match in_packages {
                true => world.package(dealt(&requests, &mut dice)).await,
                false => world.grant(requests).await,
            };
            caller = Some((holder, granted));
        }
        let Some((caller, granted)) = &caller else { continue };
        match dice.below(3) {
            0 => check_list(world, caller, &entries, granted, &mut dice).await,
            1 => check_search(world, caller, &entries, granted, &mut dice).await,
            _ => check_number(world, caller, &entries, granted, &mut dice).await,
        }
    }
}

on_both_engines!(
    chance_calls_under_chance_grants_are_answered_as_the_model_says,
    a_package_of_disjoint_grants_is_answered_as_one_grant_of_them_all,
);

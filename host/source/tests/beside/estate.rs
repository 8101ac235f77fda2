//! A store in which a chance grant opens some things, and everything beside them carries a canary and changes.

use crate::dice::Dice;
use crate::world::{World, connection, request, stream};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use stepwell_contract::{ConnectionId, RecordId, StreamName};
use stepwell_source::Source as _;
use stepwell_source::embedded::IngestTarget;
use stepwell_source::grant::StreamRequest;
use stepwell_source::prepare::{Manifest, prepare};
use stepwell_source::{Caller, time};

/// Stands in every text and name beside the grant, and nowhere else.
pub(super) const CANARY: &str = "canary6d1f";
/// Stands in every number beside the grant, and nowhere else.
pub(super) const CANARY_DIGITS: &str = "8675309";

/// The connections that a grant can name. There is one more, which none does.
pub(super) const CONNECTIONS: &[&str] = &["home", "work"];
/// The streams that a grant can name: one that declares everything, one that others lead to, one that declares nothing.
pub(super) const STREAMS: &[&str] = &["mail", "threads", "notes"];
/// The fields that a grant can name. There are more, which none does.
pub(super) const FIELDS: &[&str] =
    &["sent", "agreed", "subject", "body", "n", "tag", "flag", "tree", "file", "thread"];
/// How many records each stream has at first.
pub(super) const KEYS: u64 = 12;

const SECRETS: &[&str] = &["secret", "diary"];
const WORDS: &[&str] = &["heron", "Zürich", "ferry key", "東京", "herons", "e-mail"];

/// What a grant covers of one connection's stream.
#[derive(Clone, Debug)]
struct Part {
    fields: Vec<&'static str>,
    since: Option<i64>,
    until: Option<i64>,
    listed: Option<Vec<String>>,
}

/// Which days the records are from: a year.
const DAYS: u64 = 360;

fn day(number: u64) -> String {
    format!("2025-{:02}-{:02}T08:00:00Z", 1 + number / 30, 1 + number % 28)
}

impl Part {
    fn in_range(&self, at: &str) -> bool {
        let at = time::parse(at).unwrap();
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at < until)
    }

    fn shows(&self, record: &Record, by_emission: bool) -> bool {
        let at = if by_emission { Some(record.emitted.as_str()) } else { record.data["agreed"].as_str() };
        let unlimited = self.since.is_none() && self.until.is_none();
        (unlimited || at.is_some_and(|at| self.in_range(at)))
            && self.listed.as_ref().is_none_or(|keys| keys.contains(&record.key))
    }

    /// A day in the range, or one that is not; none if there is no such day.
    fn day(&self, inside: bool, dice: &mut Dice) -> Option<String> {
        let far = ["2001-01-01T00:00:00Z", "2030-01-01T00:00:00Z"].map(str::to_owned);
        (0..64).map(|_| day(dice.below(DAYS))).chain(far).find(|at| self.in_range(at) == inside)
    }
}

#[derive(Clone, Debug)]
struct Record {
    key: String,
    /// When it was first emitted.
    emitted: String,
    data: Map<String, Value>,
}

type Place = (&'static str, &'static str);

/// The store, the grant, and all that the test knows about both.
pub(super) struct Estate {
    pub(super) world: World,
    pub(super) caller: Caller,
    pub(super) dice: Dice,
    grant: BTreeMap<Place, Part>,
    records: BTreeMap<Place, Vec<Record>>,
    /// Numbers that make every new name and value a new one.
    fresh: u64,
}

/// A change beside the grant.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    /// Fields that are not granted, of records that are: other values, other kinds, more and fewer of them.
    Fields,
    /// Records outside of the time range or the list come, change and go.
    OutOfSight,
    /// So many of them that no limit of effort could miss them.
    Crowd,
    /// Streams that are not granted.
    OtherStreams,
    /// Connections that are not granted, and what they are called.
    OtherConnections,
    /// Other grants are made and revoked.
    OtherGrants,
    /// What manifests say about what is not granted.
    Manifests,
    /// Everything that is not granted goes.
    Emptied,
}

impl Change {
    pub(super) const ALL: [Self; 8] = [
        Self::Fields,
        Self::OutOfSight,
        Self::OtherStreams,
        Self::OtherConnections,
        Self::OtherGrants,
        Self::Manifests,
        Self::Crowd,
        Self::Emptied,
    ];
}

/// Every other round names neither the field that orders mails nor the one that the time range is about.
fn chance_grant(dice: &mut Dice, round: u64) -> BTreeMap<Place, Part> {
    let mut grant = BTreeMap::new();
    for &name in STREAMS {
        if !grant.is_empty() && dice.one_in(4) {
            continue;
        }
        let only = dice.one_in(3).then(|| dice.pick(CONNECTIONS));
        let mut fields: Vec<&str> = FIELDS.iter().copied().filter(|_| !dice.one_in(3)).collect();
        fields.retain(|field| round % 2 == 1 || !["sent", "agreed"].contains(field));
        if fields.is_empty() {
            fields.push("subject");
        }
        let moment = |dice: &mut Dice, from: u64| time::parse(&day(from + dice.below(DAYS / 3)));
        let (since, until) = match dice.below(4) {
            0 => (moment(dice, 0), None),
            1 => (moment(dice, 0), moment(dice, DAYS / 2)),
            _ => (None, None),
        };
        let listed = dice.one_in(3).then(|| (0..KEYS).step_by(2).map(|n| format!("k{n:02}")).collect());
        let part = Part { fields, since, until, listed };
        for &at in CONNECTIONS.iter().filter(|&&at| only.is_none_or(|only| only == at)) {
            grant.insert((at, name), part.clone());
        }
    }
    grant
}

impl Estate {
    /// Fills a store and makes a chance grant.
    pub(super) async fn new(world: World, mut dice: Dice, round: u64) -> Self {
        let grant = chance_grant(&mut dice, round);
        // Replaced below: a grant can only be made of what is there.
        let nobody = {
            world.fill("far/empty", None, &[json!({ "key": "k", "data": { "x": 1 } }).to_string()]).await;
            world.grant(vec![stream("empty")]).await
        };
        let mut estate = Self { world, caller: nobody, dice, grant, records: BTreeMap::new(), fresh: 0 };
        for &at in CONNECTIONS.iter().chain(&["far"]) {
            for &name in STREAMS.iter().chain(&["vault"]) {
                let place = (at, name);
                for n in 0..KEYS {
                    let record = estate.record(place, format!("k{n:02}"));
                    estate.records.entry(place).or_default().push(record);
                }
                estate.write(place, true, None).await;
            }
        }
        estate.caller = estate.world.grant(estate.requests()).await;
        estate
    }

    fn requests(&self) -> Vec<StreamRequest> {
        let request = |name: &&'static str| {
            let parts: Vec<_> = self.grant.iter().filter(|((_, of), _)| of == name).collect();
            let (_, part) = parts.first()?;
            let keys =
                |keys: &Vec<String>| keys.iter().map(|key| RecordId::new(key.clone()).unwrap()).collect();
            Some(StreamRequest {
                connections: parts.iter().map(|((at, _), _)| connection(at)).collect(),
                fields: Some(part.fields.iter().map(|&field| field.to_owned()).collect()),
                since: part.since,
                until: part.until,
                resources: part.listed.as_ref().map(keys),
                ..stream(name)
            })
        };
        STREAMS.iter().filter_map(request).collect()
    }

    fn fresh(&mut self) -> u64 {
        self.fresh += 1;
        self.fresh
    }

    fn is_in_sight(&self, place: Place, record: &Record) -> bool {
        self.grant.get(&place).is_some_and(|part| part.shows(record, place.1 != "mail"))
    }

    /// A record of chance: what the grant shows of it is plain, and the rest carries a canary.
    fn record(&mut self, place: Place, key: String) -> Record {
        let emitted = day(self.dice.below(DAYS));
        let mut record = Record { key, emitted, data: Map::new() };
        record.data.insert("agreed".into(), json!(day(self.dice.below(DAYS))));
        let shown = self.is_in_sight(place, &record);
        for &field in FIELDS.iter().chain(SECRETS).filter(|&&field| field != "agreed") {
            if !self.dice.one_in(7) {
                let granted = shown && self.grants(place, field);
                let value = self.value(field, granted);
                record.data.insert(field.to_owned(), value);
            }
        }
        record
    }

    fn grants(&self, place: Place, field: &str) -> bool {
        self.grant.get(&place).is_some_and(|part| part.fields.contains(&field))
    }

    /// A value that a field usually has.
    fn value(&mut self, field: &str, granted: bool) -> Value {
        let fresh = self.fresh();
        let dice = &mut self.dice;
        let words = format!("{} {}", dice.pick(WORDS), dice.pick(WORDS));
        let text = if granted { words } else { format!("{words} {CANARY} {fresh}") };
        match field {
            "sent" | "agreed" => json!(day(dice.below(DAYS))),
            "n" if granted => json!(dice.below(5)),
            "n" => json!(format!("{CANARY_DIGITS}{fresh}").parse::<u64>().unwrap()),
            "flag" => json!(dice.one_in(2)),
            "thread" if granted || dice.one_in(2) => json!(format!("k{:02}", dice.below(KEYS))),
            "tree" => json!({ "leaf": text, "list": [text, 1], "long": format!("{text} ").repeat(400) }),
            "file" => {
                let name = if granted { "plain.txt".to_owned() } else { format!("{CANARY}-{fresh}.txt") };
                let blob =
                    json!({ "mime_type": "text/plain", "file_name": name, "base64": STANDARD.encode(&text) });
                json!({ "$blob": blob })
            }
            "body" | "diary" if dice.one_in(2) => json!(format!("{text} and so on ").repeat(400)),
            "tag" if granted => json!(dice.pick(&["red", "blue"])),
            _ => json!(text),
        }
    }

    /// A value of any kind, whatever the field usually has.
    fn odd_value(&mut self) -> Value {
        let fresh = self.fresh();
        match self.dice.below(6) {
            0 => json!(format!("{CANARY_DIGITS}{fresh}").parse::<u64>().unwrap()),
            1 => json!(true),
            2 => json!({ CANARY: [CANARY, fresh] }),
            3 => Value::Null,
            4 => self.value("file", false),
            _ => json!(format!("heron herons {CANARY} {fresh}")),
        }
    }

    /// Writes a stream's records, all of them or those of some keys, as they are now.
    async fn write(&mut self, place: Place, with_manifest: bool, keys: Option<&[String]>) {
        let again = self.fresh();
        let records = self.records.get(&place).cloned().unwrap_or_default();
        let lines = records.iter().filter(|one| keys.is_none_or(|keys| keys.contains(&one.key))).map(|one| {
            // What was emitted first counts, and a later emission must not tell of a change.
            let emitted = if keys.is_some() {
                format!("2026-01-01T00:00:{:02}Z", again % 60)
            } else {
                one.emitted.clone()
            };
            json!({ "key": one.key, "data": one.data, "emitted_at": emitted }).to_string()
        });
        let lines: Vec<String> = lines.collect();
        self.ingest(place, with_manifest, &lines).await;
    }

    async fn remove(&mut self, place: Place, keys: &[String]) {
        if let Some(records) = self.records.get_mut(&place) {
            records.retain(|one| !keys.contains(&one.key));
        }
        let lines: Vec<String> =
            keys.iter().map(|key| json!({ "key": key, "deleted": true }).to_string()).collect();
        self.ingest(place, false, &lines).await;
    }

    async fn ingest(&mut self, place: Place, with_manifest: bool, lines: &[String]) {
        let fresh = self.fresh();
        let known = self.grant.keys().any(|(at, _)| *at == place.0);
        let named = |what: &str| match known {
            true => format!("{what} of {}", place.0),
            false => format!("{what} {CANARY} {fresh}"),
        };
        let manifest = match with_manifest {
            true => {
                self.manifest(place).map(|document| Manifest::parse(&document.to_string(), place.1).unwrap())
            }
            false => None,
        };
        let target = IngestTarget {
            connection: ConnectionId::new(place.0).unwrap(),
            connector: Some(named("connector")),
            label: Some(named("label")),
            stream: StreamName::new(place.1).unwrap(),
            manifest: manifest.unwrap_or_default(),
        };
        let mut ingest = self.world.store.ingest(&target).await.unwrap();
        for line in lines {
            ingest.push(prepare(line.as_bytes(), ingest.manifest()).unwrap()).await.unwrap();
        }
        ingest.flush().await.unwrap();
    }

    /// What a stream declares. What is beside the grant says something else each time.
    fn manifest(&mut self, place: Place) -> Option<Value> {
        let fresh = self.fresh();
        let note = format!("{CANARY} {fresh}");
        let properties: Map<String, Value> = FIELDS
            .iter()
            .chain(SECRETS)
            .map(|&field| {
                let words = if self.grants(place, field) { "plain" } else { note.as_str() };
                (field.to_owned(), json!({ "description": words, "title": words }))
            })
            .collect();
        match place.1 {
            "mail" => Some(json!({
                "cursor_field": "sent",
                "consent_time_field": "agreed",
                "schema": { "properties": properties },
                "views": [
                    { "id": "short", "label": "Short", "fields": ["subject", "n"] },
                    { "id": "mixed", "fields": ["tag", "secret"] },
                    { "id": note, "label": note, "fields": SECRETS },
                ],
                "relationships": [
                    { "name": "thread", "stream": "threads", "foreign_key": "thread", "cardinality": "has_one" },
                    { "name": note, "stream": "vault", "foreign_key": "thread", "cardinality": "has_one" },
                ],
                "query": {
                    "search": { "lexical_fields": ["subject", "body", "tag", "secret", "diary"] },
                    "range_filters": { "sent": ["gte", "lt"], "n": ["gte", "gt", "lte", "lt"], "subject": ["gte"], "secret": ["gte"] },
                    "expand": [{ "name": "thread" }, { "name": note }],
                },
            })),
            "threads" => Some(json!({
                "relationships": [
                    { "name": "mails", "stream": "mail", "foreign_key": "thread", "cardinality": "has_many" },
                    { "name": note, "stream": "vault", "foreign_key": "thread", "cardinality": "has_many" },
                ],
                "query": { "expand": [{ "name": "mails", "default_limit": 2, "max_limit": 3 }, { "name": note }] },
            })),
            _ => None,
        }
    }

    /// Makes a change beside the grant.
    pub(super) async fn make(&mut self, change: Change) {
        match change {
            Change::Fields => self.change_fields().await,
            Change::OutOfSight => {
                for place in self.places_with_hidden() {
                    self.stir(place, 6).await;
                }
            }
            Change::Crowd => {
                // More than are looked up in an index, in the first place where there can be any.
                if let Some(&place) = self.places_with_hidden().first() {
                    self.stir(place, 2_100).await;
                }
            }
            Change::OtherStreams => {
                for place in [("home", "vault"), ("work", "vault")] {
                    self.stir(place, 5).await;
                }
            }
            Change::OtherConnections => {
                for &name in STREAMS {
                    self.stir(("far", name), 5).await;
                    for &at in CONNECTIONS {
                        if !self.grant.contains_key(&(at, name)) {
                            self.stir((at, name), 5).await;
                        }
                    }
                }
            }
            Change::OtherGrants => {
                let mut everything = request(vec![stream("mail"), stream("vault"), stream("notes")]);
                everything.client = CANARY.to_owned();
                everything.purpose = Some(CANARY.to_owned());
                let (grant, token) = self.world.store.create_grant(&everything).await.unwrap();
                self.world.store.authenticate(&token).await.unwrap();
                let (other, _) = self.world.store.create_grant(&everything).await.unwrap();
                self.world.store.create_owner_token(None).await.unwrap();
                assert!(self.world.store.revoke_grant(&other.grant_id).await.unwrap());
                assert_ne!(grant.grant_id, other.grant_id);
            }
            Change::Manifests => {
                let places: Vec<Place> = self.records.keys().copied().collect();
                for place in places {
                    self.ingest(place, true, &[]).await;
                }
            }
            Change::Emptied => {
                let places: Vec<Place> = self.records.keys().copied().collect();
                for place in places {
                    let hidden = self.hidden(place);
                    self.remove(place, &hidden).await;
                }
            }
        }
    }

    /// Whether a granted stream can have records beside the grant.
    pub(super) fn has_room_for_hidden(&self) -> bool {
        !self.places_with_hidden().is_empty()
    }

    /// The granted streams that have records beside the grant, or can have.
    fn places_with_hidden(&self) -> Vec<Place> {
        let limited = |part: &Part| part.listed.is_some() || part.since.is_some() || part.until.is_some();
        self.grant.iter().filter(|(_, part)| limited(part)).map(|(place, _)| *place).collect()
    }

    /// The keys of the records that the grant does not show.
    fn hidden(&self, place: Place) -> Vec<String> {
        let records = self.records.get(&place).into_iter().flatten();
        records.filter(|one| !self.is_in_sight(place, one)).map(|one| one.key.clone()).collect()
    }

    async fn change_fields(&mut self) {
        let places: Vec<Place> = self.grant.keys().copied().collect();
        for place in places {
            let part = self.grant[&place].clone();
            let mut records = self.records[&place].clone();
            let mut changed = Vec::new();
            for record in &mut records {
                if !self.is_in_sight(place, record) || self.dice.one_in(3) {
                    continue;
                }
                for &field in FIELDS.iter().chain(SECRETS).filter(|&&field| !part.fields.contains(&field)) {
                    // A record's consent time moves inside of the range: outside it would be out of sight.
                    if field == "agreed" {
                        let limited = part.since.is_some() || part.until.is_some();
                        let moved = part.day(true, &mut self.dice);
                        if let Some(moved) = moved.filter(|_| !limited || place.1 == "mail") {
                            record.data.insert(field.to_owned(), json!(moved));
                        }
                        continue;
                    }
                    let value = match self.dice.below(3) {
                        0 => None,
                        1 => Some(self.value(field, false)),
                        // What orders mails stays a moment often enough to move them.
                        _ if field == "sent" => Some(self.value(field, false)),
                        _ => Some(self.odd_value()),
                    };
                    match value {
                        Some(value) => record.data.insert(field.to_owned(), value),
                        None => record.data.remove(field),
                    };
                }
                let name = format!("{CANARY}-{}", self.fresh());
                let value = self.odd_value();
                record.data.insert(name, value);
                changed.push(record.key.clone());
            }
            self.records.insert(place, records);
            self.write(place, false, Some(&changed)).await;
        }
    }

    /// Adds so many records that the grant does not show, changes others, and takes some away.
    async fn stir(&mut self, place: Place, count: u64) {
        let hidden = self.hidden(place);
        let (gone, kept) = hidden.split_at(hidden.len() / 3);
        self.remove(place, gone).await;
        let mut changed = kept.to_vec();
        for _ in 0..count {
            let key = format!("{CANARY}-{}", self.fresh());
            let record = Record { key: key.clone(), emitted: day(self.dice.below(DAYS)), data: Map::new() };
            self.records.entry(place).or_default().push(record);
            changed.push(key);
        }
        let part = self.grant.get(&place).cloned();
        let mut records = self.records.remove(&place).unwrap_or_default();
        for record in records.iter_mut().filter(|one| changed.contains(&one.key)) {
            let outside = part.as_ref().and_then(|part| part.day(false, &mut self.dice));
            let agreed = outside.clone().unwrap_or_else(|| day(self.dice.below(DAYS)));
            if record.data.is_empty() {
                record.emitted = agreed.clone();
            }
            record.data.insert("agreed".into(), json!(agreed));
            for &field in FIELDS.iter().chain(SECRETS).filter(|&&field| field != "agreed") {
                // Ordinary values that filters, groups and searches could count, and others that no field has.
                let value = match self.dice.below(3) {
                    0 => self.odd_value(),
                    1 if field == "n" => json!(self.dice.below(5)),
                    1 if field == "tag" => json!("red"),
                    _ => self.value(field, false),
                };
                record.data.insert(field.to_owned(), value);
            }
        }
        let lines = records
            .iter()
            .filter(|one| changed.contains(&one.key))
            .map(|one| json!({ "key": one.key, "data": one.data, "emitted_at": one.emitted }).to_string());
        let lines: Vec<String> = lines.collect();
        self.records.insert(place, records);
        for key in &changed {
            let record = self.records[&place].iter().find(|one| one.key == *key).unwrap();
            assert!(!self.is_in_sight(place, record), "a change that the grant shows: {place:?} {record:?}");
        }
        self.ingest(place, false, &lines).await;
    }
}

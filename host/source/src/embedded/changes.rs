//! Lists what changed since an earlier answer, judged by what the grant covers.
//!
//! A stream counts its revisions, and a client must not: the number would tell how often something changed that it may
//! not see. So a client holds the names of the last revisions at which something changed *for it*. These are names of
//! chance, and a change beside the grant leaves them as they are.

use crate::bind;
use crate::embedded::Embedded;
use crate::embedded::catalogue::Granted;
use crate::embedded::page::{self, Place};
use crate::embedded::records::Listed;
use crate::embedded::shown::Shown;
use crate::embedded::statement::Statement;
use crate::error::{Failure, Result};
use crate::query::{RecordsPage, RecordsQuery};
use crate::time;
use crate::token::Caller;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use stepwell_contract::budget::CHANGES_KEPT_DAYS;
use stepwell_contract::{Code, Refusal};

/// Asks for everything.
const BEGINNING: &str = "beginning";

/// Before everything: what was stored before revisions were counted has the revision zero.
const NEVER: i64 = -1;

/// How many changed records are few: they are found by their revisions, and not by walking the stream.
const FEW: usize = 1_000;

/// How many of the latest changes are looked at together.
const LATEST: i64 = 32;

/// The name of a revision for each connection; a connection without one is at revision zero.
type Marks = BTreeMap<String, String>;

/// How far a client has come: on which day, and to which revisions.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Seen {
    day: i64,
    marks: Marks,
}

/// Where a page of changes ended, and the revisions at which its first page fixed the end.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Session {
    until: Marks,
    connection: String,
    #[serde(deserialize_with = "page::without_nul")]
    record: String,
}

/// A stream with the revisions that a page of changes lies between.
struct Stretch<'a> {
    granted: &'a Granted,
    since: i64,
    until: i64,
}

/// One change.
enum Change<'a> {
    Record(Listed<'a>),
    Removed(&'a Granted, String),
}

impl Change<'_> {
    fn place(&self) -> (&str, &str) {
        match self {
            Self::Record(listed) => (listed.granted.connection.as_str(), &listed.place.record),
            Self::Removed(granted, record) => (granted.connection.as_str(), record),
        }
    }
}

impl Embedded {
    /// Lists a page of changes, connection by connection and key by key.
    pub(super) async fn list_changes(
        &self,
        caller: &Caller,
        query: &RecordsQuery,
        since: &str,
        scopes: &[Granted],
        shown: &Shown,
    ) -> Result<RecordsPage> {
        if query.sort.is_some() || !query.conditions.is_empty() {
            let message =
                "changes_since goes with neither filter nor sort: changes come in an order of their own";
            return Err(Refusal::new(Code::InvalidArguments, message).param("changes_since").into());
        }
        let connection = query.connection.as_ref().map_or("", |id| id.as_str());
        let asked = page::asked(&["changes", caller.grant(), query.stream.as_str(), connection]);
        let session = page::asked(&["changes", &asked, since]);
        let after: Option<Session> =
            query.cursor.as_deref().map(|cursor| page::open(cursor, &session)).transpose()?;
        let seen = if since == BEGINNING { None } else { Some(seen(since, &asked)?) };
        let mut stretches = Vec::with_capacity(scopes.len());
        for granted in scopes {
            let since = match &seen {
                None => NEVER,
                Some(seen) => self.revision_of(granted, &seen.marks).await?,
            };
            let until = match &after {
                Some(session) => self.revision_of(granted, &session.until).await?,
                None => self.latest(granted, since).await?,
            };
            stretches.push(Stretch { granted, since, until: until.max(since) });
        }
        let mut changes = self.changes(&stretches, after.as_ref(), query.limit + 1).await?;
        let has_more = changes.len() > query.limit;
        changes.truncate(query.limit);
        let until = self.marks(&stretches).await?;
        let (mut next_cursor, mut next_changes_since) = (None, None);
        if let Some(last) = changes.last().filter(|_| has_more) {
            let (connection, record) = last.place();
            let place = Session { until, connection: connection.to_owned(), record: record.to_owned() };
            next_cursor = Some(page::bookmark(&session, &place));
        } else {
            let seen = Seen { day: time::now() / time::DAY, marks: until };
            next_changes_since = Some(page::bookmark(&asked, &seen));
        }
        let (mut listed, mut removed) = (Vec::new(), Vec::new());
        for change in changes {
            match change {
                Change::Record(record) => listed.push(record),
                Change::Removed(granted, record) => removed.push(granted.identity(&record)?),
            }
        }
        let records = self.view_all(&listed, shown).await?;
        Ok(RecordsPage { records, removed, next_cursor, next_changes_since })
    }

    async fn changes<'a>(
        &self,
        stretches: &[Stretch<'a>],
        after: Option<&Session>,
        limit: usize,
    ) -> Result<Vec<Change<'a>>> {
        let mut changes = Vec::new();
        for Stretch { granted, since, until } in stretches {
            let connection = granted.connection.as_str();
            let from = match after.map(|after| (after.connection.as_str().cmp(connection), after)) {
                Some((std::cmp::Ordering::Greater, _)) => continue,
                Some((std::cmp::Ordering::Equal, after)) => after.record.as_str(),
                _ => "",
            };
            let left = limit - changes.len();
            if until <= since || left == 0 {
                continue;
            }
            let params = |most: usize| {
                let most = i64::try_from(most).unwrap_or(i64::MAX);
                bind![granted.grant.as_str(), time::now(), granted.scope, from, *since, *until, most]
            };
            // Since the beginning everything changed.
            let mut rows = match since {
                &NEVER => Vec::new(),
                _ => self.read(Statement::ChangedFew, params(FEW + 1)).await?,
            };
            if *since == NEVER || rows.len() > FEW {
                rows = self.read(Statement::Changed, params(left)).await?;
            }
            let mut found = Vec::new();
            for mut row in rows {
                let (record, rid, time, emitted_at) = (row.int()?, row.text()?, row.int()?, row.int()?);
                let stream = granted.stream.to_string();
                let place = Place { time, connection: connection.to_owned(), stream, record: rid };
                found.push(Change::Record(Listed { granted, record, place, emitted_at }));
            }
            for mut row in self.read(Statement::Removed, params(left)).await? {
                found.push(Change::Removed(granted, row.text()?));
            }
            found.sort_by(|a, b| a.place().cmp(&b.place()));
            found.truncate(left);
            changes.extend(found);
        }
        Ok(changes)
    }

    /// The last revision at which something changed that the grant covers; `since` if nothing did after it.
    async fn latest(&self, granted: &Granted, since: i64) -> Result<i64> {
        let (grant, scope) = (granted.grant.as_str(), granted.scope);
        let mut latest = since;
        for mut row in self.read(Statement::LatestRemoval, bind![grant, time::now(), scope, since]).await? {
            latest = latest.max(row.int()?);
        }
        let mut before = (i64::MAX, i64::MAX);
        loop {
            // A record of an earlier revision than the latest known change has no later one.
            let params = bind![grant, time::now(), scope, latest, before.0, before.1, LATEST];
            let rows = self.read(Statement::LatestChange, params).await?;
            let is_full = rows.len() as i64 == LATEST;
            for mut row in rows {
                before = (row.int()?, row.int()?);
                for _ in ["came into sight", "got a value", "lost a field"] {
                    latest = latest.max(row.int_or_null()?.unwrap_or(since));
                }
            }
            if !is_full {
                return Ok(latest);
            }
        }
    }

    /// The revision that a connection's mark names.
    async fn revision_of(&self, granted: &Granted, marks: &Marks) -> Result<i64> {
        let Some(mark) = marks.get(granted.connection.as_str()) else { return Ok(0) };
        let mark = URL_SAFE_NO_PAD.decode(mark).map_err(|_| expired())?;
        let params = bind![granted.grant.as_str(), time::now(), granted.scope, mark.as_slice(), NEVER];
        let row = self.read(Statement::Marks, params).await?.into_iter().next();
        Ok(row.ok_or_else(expired)?.int()?)
    }

    /// Names the revisions that a session ends with.
    async fn marks(&self, stretches: &[Stretch<'_>]) -> Result<Marks, Failure> {
        let mut marks = Marks::new();
        for Stretch { granted, until, .. } in stretches {
            let none = &[][..];
            let params = bind![granted.grant.as_str(), time::now(), granted.scope, none, *until];
            for mut row in self.read(Statement::Marks, params).await? {
                let (_revision, mark) = (row.int()?, row.bytes_or_null()?.unwrap_or_default());
                marks.insert(granted.connection.to_string(), URL_SAFE_NO_PAD.encode(mark));
            }
        }
        Ok(marks)
    }
}

/// Reads how far a client has come.
fn seen(since: &str, asked: &str) -> Result<Seen, Refusal> {
    let seen: Seen = page::opened(since, asked).ok_or_else(|| {
        let message = "changes_since is none that this question gave; pass next_changes_since of an earlier answer to it";
        Refusal::new(Code::InvalidCursor, message).param("changes_since").hint("pass \"beginning\" to start again")
    })?;
    let age = (time::now() / time::DAY).checked_sub(seen.day);
    if age.is_none_or(|days| days > CHANGES_KEPT_DAYS) { Err(expired()) } else { Ok(seen) }
}

fn expired() -> Refusal {
    let message = format!("changes are kept for {CHANGES_KEPT_DAYS} days, and changes_since is older");
    Refusal::new(Code::CursorExpired, message)
        .param("changes_since")
        .hint("pass \"beginning\" to start again")
}

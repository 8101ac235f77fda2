//! One thing wrong at a time, against every statement that it concerns.

use super::{AT, Gate, NOW, under_grant};
use crate::bind;
use crate::embedded::row::Param;
use crate::embedded::statement::{Reads, Statement};
use crate::terms::Stem;
use Statement::{
    BlobParts, Count, CountValues, FilterValues, FilteredRecords, GrantedFields, GrantedScopes,
    LatestRemoval, ListFirstEmitted, ListLastEmitted, ListNewest, ListOldest, Locate, LocateText, Marks,
    MatchUnits, MiddlingText, RecordFields, Related, Removed, Search, SearchedTexts, Shape, SortValues, Text,
    UnvaluedDown, UnvaluedUp, ValueCounts, ValuedDown, ValuedUp, Values, ValuesOf,
};

/// What a breach is about, and so which statements have to notice it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Concerns {
    /// The grant as a whole: every statement.
    Grant,
    /// The time range or the list as a whole: every statement that looks at records, or at what is left of them.
    Range,
    /// One record: every statement that looks at records.
    Record,
    /// A record that is gone: the statements that tell of it.
    Former,
    /// One field: every statement that looks at fields.
    Field,
    /// The field that orders records: the statements that go by its value.
    Order,
}

impl Concerns {
    fn includes(self, statement: Statement) -> bool {
        match self {
            Self::Grant => true,
            Self::Range => !matches!(statement, GrantedFields | GrantedScopes | Marks),
            Self::Record => Self::Range.includes(statement) && !Self::Former.includes(statement),
            Self::Former => matches!(statement, Removed | LatestRemoval),
            Self::Field => {
                let by_time =
                    matches!(statement, ListLastEmitted | ListFirstEmitted | GrantedScopes | Marks | Count);
                !by_time && !Self::Order.includes(statement) && !Self::Former.includes(statement)
            }
            Self::Order => matches!(statement, ListNewest | ListOldest),
        }
    }
}

/// A change to the grant's own rows: what it concerns, how it is made and how it is undone.
fn changes(gate: &Gate) -> Vec<(Concerns, String, String)> {
    use Concerns::{Field, Former, Grant, Order, Range, Record};
    let (id, other, scope, record) = (&gate.grant, &gate.other_grant, gate.text.scope, gate.text.record);
    let set = |concerns, table: &str, key: &str, wrong: &str, right: String| {
        let update = |set: &str| format!("UPDATE {table} SET {set} WHERE {key}");
        (concerns, update(wrong), update(&right))
    };
    let of_grant = format!("id = '{id}'");
    let of_scope = format!("grant_id = '{id}' AND scope = {scope}");
    let of_record = format!("id = {record}");
    let of_list = format!("{of_scope} AND rid = 'k'");
    let (of_stream, of_former) = (format!("id = {scope}"), format!("scope = {scope} AND rid = 'gone'"));
    let of_former_list = format!("{of_scope} AND rid = 'gone'");
    let listed = ["k", "gone"].map(|key| {
        format!("INSERT INTO grant_resource (grant_id, scope, rid) VALUES ('{id}', {scope}, '{key}');")
    });
    let listed = listed.concat();
    let mut changes = vec![
        set(Grant, "grants", &of_grant, "revoked_at = 1", "revoked_at = NULL".into()),
        // A revocation counts from now on, whenever it says that it was.
        set(Grant, "grants", &of_grant, &format!("revoked_at = {}", NOW + 9), "revoked_at = NULL".into()),
        set(Grant, "grants", &of_grant, &format!("expires_at = {NOW}"), format!("expires_at = {}", NOW + 1)),
        set(Range, "grant_scope", &of_scope, &format!("since = {}", AT + 1), format!("since = {AT}")),
        set(Range, "grant_scope", &of_scope, &format!("until = {AT}"), format!("until = {}", AT + 1)),
        set(Record, "record", &of_record, "consent_time = NULL", format!("consent_time = {AT}")),
        set(
            Record,
            "record",
            &of_record,
            &format!("consent_time = {}", AT - 1),
            format!("consent_time = {AT}"),
        ),
        set(
            Record,
            "record",
            &of_record,
            &format!("consent_time = {}", AT + 1),
            format!("consent_time = {AT}"),
        ),
        set(Order, "scope", &of_stream, "cursor_field = 'secret'", "cursor_field = NULL".into()),
        set(Former, "former_record", &of_former, "consent_time = NULL", format!("consent_time = {AT}")),
        set(
            Former,
            "former_record",
            &of_former,
            &format!("consent_time = {}", AT - 1),
            format!("consent_time = {AT}"),
        ),
        set(
            Former,
            "former_record",
            &of_former,
            &format!("consent_time = {}", AT + 1),
            format!("consent_time = {AT}"),
        ),
        set(Former, "grant_resource", &of_former_list, "rid = 'GONE'", String::new()),
        set(Record, "grant_resource", &of_list, "rid = 'K'", String::new()),
        set(Record, "grant_resource", &of_list, &format!("scope = {}", gate.elsewhere.scope), String::new()),
        set(Record, "grant_resource", &of_list, &format!("grant_id = '{other}'"), String::new()),
    ];
    for (_, _, undo) in
        changes.iter_mut().filter(|(_, change, _)| change.starts_with("UPDATE grant_resource"))
    {
        *undo = format!("DELETE FROM grant_resource WHERE grant_id IN ('{id}', '{other}'); {listed}");
    }
    // One end of the range is enough to hide what has no time.
    for gone in ["since", "until"] {
        let (low, high) = (format!("since = {AT}"), format!("until = {}", AT + 1));
        changes.push((
            Record,
            format!("UPDATE grant_scope SET {gone} = NULL WHERE {of_scope}; UPDATE record SET consent_time = NULL WHERE {of_record}"),
            format!("UPDATE grant_scope SET {low}, {high} WHERE {of_scope}; UPDATE record SET consent_time = {AT} WHERE {of_record}"),
        ));
    }
    changes.push((Range, format!("DELETE FROM grant_resource WHERE {of_scope}"), listed));
    changes.push((
        Field,
        format!("DELETE FROM grant_field WHERE {of_scope}"),
        ["body", "subject", "file", "middling"]
            .map(|field| {
                format!(
                    "INSERT INTO grant_field (grant_id, scope, field) VALUES ('{id}', {scope}, '{field}');"
                )
            })
            .concat(),
    ));
    for wrong in [format!("scope = {}", gate.elsewhere.scope), "field = 'x' || field".to_owned()] {
        let back =
            format!("DELETE FROM grant_field WHERE grant_id = '{id}'; {}", changes[changes.len() - 1].2);
        changes.push((Field, format!("UPDATE grant_field SET {wrong} WHERE {of_scope}"), back));
    }
    changes.push((
        Grant,
        format!("DELETE FROM grant_scope WHERE {of_scope}"),
        format!("INSERT INTO grant_scope (grant_id, scope, since, until, listed) VALUES ('{id}', {scope}, {AT}, {}, 1)", AT + 1),
    ));
    changes
}

/// Parameters of which one is wrong, for a statement.
fn wrong_parameters(gate: &Gate, statement: Statement) -> Vec<(&'static str, Vec<Param>)> {
    let good = gate.good(statement);
    let with = |index: usize, value: Param| {
        let mut params = good.clone();
        params[index] = value;
        params
    };
    let mut wrong = vec![
        ("an unknown grant", with(0, "grt_0000000000000000".into())),
        ("a grant by the start of its name", with(0, gate.grant[..8].into())),
        ("any grant", with(0, "%".into())),
        ("no grant", with(0, Param::Text(None))),
        ("another grant", with(0, gate.other_grant.as_str().into())),
        ("a moment after the end", with(1, (NOW + 1).into())),
    ];
    match statement {
        Locate | LocateText => {
            wrong.push(("another stream", with(2, "orders".into())));
            wrong.push(("another record", with(3, "unlisted".into())));
        }
        GrantedScopes => {}
        _ => wrong.push(("another connection", with(2, gate.elsewhere.scope.into()))),
    }
    if matches!(statement, Shape | Text | RecordFields | SearchedTexts | MatchUnits | BlobParts) {
        wrong.push(("a record of another connection", with(3, gate.elsewhere.record.into())));
        let mut both = with(2, gate.elsewhere.scope.into());
        both[3] = gate.elsewhere.record.into();
        wrong.push(("another connection and its record", both));
    }
    if matches!(statement, Locate | LocateText | Shape | Text) {
        let mut secret = with(4, "secret".into());
        secret[5] = "/secret".into();
        if statement == Text {
            secret[8] = gate.secret_digest.0[..].into();
        }
        wrong.push(("a field that was not granted", secret.clone()));
        secret[4] = "body".into();
        wrong.push(("a field that was not granted under the name of one that was", secret));
        wrong.push(("a field under the name of one that was not granted", with(4, "secret".into())));
    }
    match statement {
        LocateText => {
            for connection in ["work", "", "HOME"] {
                wrong.push(("another connection", with(6, connection.into())));
            }
            wrong.push(("no connection", with(6, Param::Text(None))));
        }
        Text => wrong.push(("another digest", with(8, gate.secret_digest.0[..].into()))),
        BlobParts => {
            wrong.push(("another digest", with(8, gate.text.row_digest.0[..].into())));
            // The very same bytes, in a field that was not granted.
            let mut hidden = with(4, "hidden_file".into());
            hidden[5] = "/hidden_file".into();
            wrong.push(("a field that was not granted", hidden));
        }
        FilteredRecords => {
            // The very same value stands in a field that was not granted.
            wrong.push(("a field that was not granted", with(3, "hidden_subject".into())));
            wrong.push(("a value that it does not have", with(5, good_from(&good))));
        }
        FilterValues => {
            wrong.push(("a field that was not granted", with(3, "secret".into())));
            wrong.push(("a record of another connection", with(4, gate.elsewhere.record.into())));
        }
        ValuesOf => {
            let mut secret = with(3, "secret".into());
            secret[36] = "secret".into();
            wrong.push(("a field that was not granted", secret));
            wrong.push(("a record of another connection", with(4, gate.elsewhere.record.into())));
        }
        ValuedUp | ValuedDown | CountValues | ValueCounts => {
            wrong.push(("a field that was not granted", with(3, "hidden_subject".into())));
        }
        UnvaluedUp | UnvaluedDown | MiddlingText => {
            wrong.push(("a field that was not granted", with(3, "secret".into())));
        }
        SortValues => wrong.push(("a field that was not granted", with(4, "secret".into()))),
        Related => {
            wrong.push(("a field that was not granted", with(3, "secret".into())));
            let mut secret = with(3, "secret".into());
            secret[4] = gate.secret_digest.0[..].into();
            wrong.push(("the value of a field that was not granted", secret));
            wrong.push((
                "that value under the name of a granted field",
                with(4, gate.secret_digest.0[..].into()),
            ));
        }
        Values => {
            let mut secret = with(4, "secret".into());
            secret[5] = "secret".into();
            wrong.push(("a field that was not granted", secret));
        }
        _ => {}
    }
    wrong
}

/// A range that ends where it starts.
fn good_from(good: &[Param]) -> Param {
    good[4].clone()
}

async fn every_statement_opens_with_good_parameters_and_with_no_single_wrong_one(gate: Gate) {
    for statement in under_grant() {
        let name = statement.name();
        assert!(gate.opens(statement, gate.good(statement)).await, "{name} gives rows");
        for (what, params) in wrong_parameters(&gate, statement) {
            assert!(!gate.opens(statement, params).await, "{name} opens to {what}");
        }
        assert!(gate.opens(statement, gate.good(statement)).await, "{name} gives rows again");
    }
}

/// Nothing is remembered from one statement to the next: a row that goes closes the door, and its return opens it.
async fn every_row_of_the_grant_counts_at_the_next_statement(gate: Gate) {
    for (concerns, change, undo) in changes(&gate) {
        for turn in [(&change, false), (&undo, true)] {
            gate.back_door.run(turn.0).await;
            for statement in under_grant() {
                let expected = turn.1 || !concerns.includes(statement);
                let opens = gate.opens(statement, gate.good(statement)).await;
                assert_eq!(opens, expected, "{} after: {}", statement.name(), turn.0);
            }
        }
    }
}

/// Without a range or a list nothing is hidden, a record without a time least of all.
async fn what_a_grant_does_not_restrict_is_open(gate: Gate) {
    let (id, record) = (&gate.grant, gate.text.record);
    gate.back_door
        .run(&format!(
            "UPDATE grant_scope SET since = NULL, until = NULL, listed = 0 WHERE grant_id = '{id}';
             UPDATE grants SET expires_at = NULL WHERE id = '{id}'; DELETE FROM grant_resource WHERE grant_id = '{id}';
             UPDATE record SET consent_time = NULL WHERE id = {record}"
        ))
        .await;
    for statement in under_grant() {
        assert!(gate.opens(statement, gate.good(statement)).await, "{}", statement.name());
    }
}

/// A record's fields and values carry nothing of the fields beside them.
async fn a_statement_over_many_fields_selects_the_granted_ones_alone(gate: Gate) {
    let (id, scope) = (&gate.grant, gate.text.scope);
    gate.back_door
        .run(&format!(
            "DELETE FROM grant_field WHERE grant_id = '{id}' AND scope = {scope} AND field <> 'subject'"
        ))
        .await;
    let rows = gate.store.engine.read(RecordFields, gate.good(RecordFields)).await.unwrap();
    let names: Vec<String> =
        rows.into_iter().map(|mut row| (row.int().unwrap(), row.text().unwrap()).1).collect();
    assert_eq!(names, ["subject"]);
    let pair = bind![id.as_str(), NOW, scope, "", "subject", "secret", 1];
    let rows = gate.store.engine.read(Values, pair).await.unwrap();
    let shown = format!("{rows:?}");
    assert!(shown.contains("a heron") && !shown.contains("hidden"), "{shown}");
    for statement in [Search, MatchUnits] {
        assert!(gate.opens(statement, gate.good(statement)).await, "the word is in the field that is left");
    }
    // A word that a record must not have: one of a granted field counts, one of another field does not.
    for (word, opens) in [("heron", false), ("hidden", true), ("waits", true)] {
        let mut excluding = gate.good(Search);
        excluding[15] = gate.store.engine.any_word(&[Stem { text: word.to_owned(), open: false }]).into();
        assert_eq!(gate.opens(Search, excluding).await, opens, "{word}");
    }
}

macro_rules! on_both_engines {
    ($($body:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $body() {
                super::$body(super::Gate::sqlite().await).await;
            })*
        }
        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $body() {
                super::$body(super::Gate::postgres().await).await;
            })*
        }
    };
}

on_both_engines!(
    every_statement_opens_with_good_parameters_and_with_no_single_wrong_one,
    every_row_of_the_grant_counts_at_the_next_statement,
    what_a_grant_does_not_restrict_is_open,
    a_statement_over_many_fields_selects_the_granted_ones_alone,
);

/// The same on the page, for whoever reads a statement there: in both spellings.
#[test]
fn the_text_of_every_statement_says_what_it_reads() {
    let has_word = |sql: &str, word: &str| {
        sql.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word)
    };
    for &statement in Statement::ALL {
        for sql in [statement.sql().replace('?', "$"), statement.postgres()] {
            let name = statement.name();
            let content = ["inline", "seg", "blob_part", "text", "data", "value"]
                .iter()
                .any(|word| has_word(&sql, word));
            let under_grant = [
                "JOIN grant_scope gs ON gs.",
                "WHERE g.id = $1 AND g.revoked_at IS NULL AND (g.expires_at IS NULL OR g.expires_at > $2)",
            ]
            .iter()
            .all(|clause| sql.contains(clause));
            match statement.reads() {
                Reads::Content => assert!(content && under_grant && has_word(&sql, "grant_field"), "{name}"),
                Reads::Shape => assert!(!content && under_grant, "{name}"),
                Reads::Books => assert!(!content && sql.starts_with("SELECT"), "{name}"),
                Reads::Nothing => {
                    let writes = [
                        "INSERT",
                        "UPDATE",
                        "DELETE FROM disclosure WHERE erased",
                        "DELETE FROM sealing_key",
                        "DELETE FROM former_",
                    ];
                    assert!(writes.iter().any(|verb| sql.starts_with(verb)), "{name}");
                }
            }
            assert!(!sql.contains('?'), "{name}: a parameter that Postgres would not know");
        }
    }
}

use super::*;
use crate::ledger::{Disclosure, Durable, NewEntry};
use crate::sqlite::{Missing, connect};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        drop(place.store());
        place
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("store.db")
    }

    fn store(&self) -> Connection {
        connect(&self.path(), Missing::Create).unwrap()
    }

    fn pending(&self) -> Pending {
        Pending::open(&self.path(), 0).unwrap()
    }

    fn ledger(&self) -> Vec<(i64, String)> {
        let store = Connection::open(self.path()).unwrap();
        let mut all = store.prepare("SELECT id, client FROM disclosure ORDER BY id").unwrap();
        all.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().collect::<Result<_, _>>().unwrap()
    }
}

fn entries(client: &str, number: usize) -> NewEntries {
    let one = NewEntry { grant: "grt".into(), client: client.into(), what: Disclosure::default() };
    NewEntries { durable: Durable::AtOnce, at: 1, tool: "fetch".into(), disclosed: vec![one; number] }
}

/// Each with a journal of its own, as programs have it.
#[test]
fn what_several_append_while_others_fold_comes_out_once_each() {
    const EACH: usize = 400;
    let (place, ends) = (Home::new(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let append = |who: usize| {
            let mut pending = place.pending();
            for number in 0..EACH {
                let mine = entries(&format!("{who} {number}"), 1);
                let company = entries(&format!("{who} {number} too"), 1);
                match number % 3 {
                    // Whoever does not get it done at once does it as all others do.
                    0 if pending.add_at_once(&mine) => pending.add([company].iter()).unwrap(),
                    _ => pending.add([mine, company].iter()).unwrap(),
                }
                if number % 100 == 99 {
                    pending = place.pending();
                }
            }
        };
        let fold = |settles: bool| {
            let (mut store, path) = (place.store(), place.path());
            while !ends.load(Ordering::Relaxed) {
                let empty = if settles { settle } else { fold };
                empty(&path, &mut store).unwrap();
                std::thread::sleep(Duration::from_millis(if settles { 15 } else { 3 }));
            }
        };
        let folding = [false, false, true].map(|settles| scope.spawn(move || fold(settles)));
        let appending = [0, 1, 2, 3].map(|who| scope.spawn(move || append(who)));
        let appended = appending.map(|thread| thread.join().is_ok());
        ends.store(true, Ordering::Relaxed);
        assert_eq!((appended, folding.map(|thread| thread.join().is_ok())), ([true; 4], [true; 3]));
    });
    settle(&place.path(), &mut place.store()).unwrap();
    let ledger = place.ledger();
    let clients: BTreeSet<&str> = ledger.iter().map(|(_, client)| client.as_str()).collect();
    assert_eq!((ledger.len(), clients.len()), (EACH * 8, EACH * 8));
}

/// More than goes in at a time, with those who append going on meanwhile.
#[test]
fn a_long_journal_goes_in_piece_by_piece() {
    let place = Home::new();
    let (mut store, mut pending) = (place.store(), place.pending());
    pending.add([entries("many", 2 * CHUNK + 7)].iter()).unwrap();
    pending.add([entries("long", 1), entries(&"x".repeat(CHUNK_BYTES), 2)].iter()).unwrap();
    pending.add([entries("last", 1)].iter()).unwrap();
    let long = std::fs::metadata(pending.journal.path()).unwrap().len();
    assert!(long > 2 * CHUNK_BYTES as u64);
    fold(&place.path(), &mut store).unwrap();
    assert_eq!(place.ledger().len(), 2 * CHUNK + 7 + 4);
    let left = std::fs::metadata(pending.journal.path()).unwrap().len();
    assert!(left < long * 2 / 3, "it gives room back: {left} of {long}");
}

#[test]
fn what_an_owner_erased_does_not_come_back_by_another_program() {
    let (place, ends) = (Home::new(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (mut store, path) = (place.store(), place.path());
            while !ends.load(Ordering::Relaxed) {
                fold(&path, &mut store).unwrap();
            }
        });
        let (mut pending, mut store) = (place.pending(), place.store());
        for round in 0..300 {
            let erased = format!("erased {round}");
            pending.add([entries(&erased, 1 + round % 30)].iter()).unwrap();
            settle(&place.path(), &mut store).unwrap();
            let transaction = begin(&mut store).unwrap();
            transaction.execute("DELETE FROM disclosure WHERE client = ?1", [erased]).unwrap();
            transaction.commit().unwrap();
        }
        ends.store(true, Ordering::Relaxed);
    });
    assert_eq!(place.ledger(), []);
}

#[test]
fn a_store_in_which_others_write_is_waited_for_while_nobody_who_appends_waits() {
    let place = Home::new();
    let mut pending = place.pending();
    pending.add([entries("one", 1)].iter()).unwrap();
    let other = place.store();
    // Opening the store put that one into the ledger.
    assert_eq!(place.ledger().len(), 1);
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    pending.add([entries("two", 1)].iter()).unwrap();
    std::thread::scope(|scope| {
        let mut store = place.store();
        let settles = scope.spawn(move || settle(&place.path(), &mut store).map(|()| place));
        std::thread::sleep(Duration::from_millis(100));
        assert!(pending.add_at_once(&entries("three", 1)));
        other.execute_batch("ROLLBACK").unwrap();
        let place = settles.join().unwrap().unwrap();
        assert_eq!(place.ledger().len(), 3);
        // Whoever asks for nothing to be left is told if that is not so.
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        pending.add([entries("four", 1)].iter()).unwrap();
        let mut store = place.store();
        store.busy_timeout(Duration::ZERO).unwrap();
        assert!(settle(&place.path(), &mut store).is_err());
        settle_at_once(&place.path(), &mut store).unwrap();
        other.execute_batch("ROLLBACK").unwrap();
        settle(&place.path(), &mut store).unwrap();
        assert_eq!(place.ledger().len(), 4);
    });
}

/// The entries that a ledger has from elsewhere may have numbers above those that wait.
#[test]
fn no_number_comes_twice_whatever_the_ledger_and_the_journal_had() {
    let place = Home::new();
    let mut before = place.pending();
    before.add([entries("one", 1)].iter()).unwrap();
    let above = i64::MAX / 2;
    let mut pending = Pending::open(&place.path(), above).unwrap();
    pending.add([entries("two", 2)].iter()).unwrap();
    before.add([entries("three", 1)].iter()).unwrap();
    settle(&place.path(), &mut place.store()).unwrap();
    before.add([entries("four", 1)].iter()).unwrap();
    discard(&place.path()).unwrap();
    place.pending().add([entries("five", 1)].iter()).unwrap();
    settle(&place.path(), &mut place.store()).unwrap();
    let ledger = place.ledger();
    let clients: Vec<&str> = ledger.iter().map(|(_, client)| client.as_str()).collect();
    assert_eq!(clients, ["one", "two", "two", "three", "five"]);
    let numbers: Vec<i64> = ledger.iter().skip(1).map(|(id, _)| *id - above).collect();
    assert_eq!(numbers, [1, 2, 3, 5], "what was discarded keeps its number too");
}

/// Earlier versions kept a database of SQLite there, and might have left something in it.
#[test]
fn what_an_earlier_version_left_goes_into_the_ledger() {
    const TABLE: &str = "CREATE TABLE disclosure (
        id INTEGER PRIMARY KEY, at INTEGER NOT NULL, grant_id TEXT NOT NULL, client TEXT NOT NULL, tool TEXT NOT NULL,
        connection TEXT, stream TEXT, rid TEXT, field TEXT, span_unit INTEGER, span_start INTEGER, span_end INTEGER,
        bytes INTEGER NOT NULL, tier TEXT);
      INSERT INTO disclosure (id, at, grant_id, client, tool, field, bytes)
        VALUES (5, 0, '', '', '', NULL, 0), (6, 1, 'grt', 'one', 'fetch', 'body', 9), (7, 1, 'grt', 'two', 'fetch', NULL, 0)";
    let place = Home::new();
    let old = Connection::open(beside(&place.path())).unwrap();
    old.pragma_update(None, "journal_mode", "WAL").unwrap();
    old.execute_batch(TABLE).unwrap();
    // As a crash leaves it: all of it is in the log.
    let copy = |end: &str| {
        let (from, to) = (format!("-pending{end}"), format!("-kept{end}"));
        let name = |end: &str| place.path().with_extension(format!("db{end}"));
        std::fs::copy(name(&from), name(&to)).unwrap();
        move || std::fs::rename(name(&to), name(&from)).unwrap()
    };
    let put_back = ["", "-wal"].map(copy);
    drop(old);
    put_back.into_iter().for_each(|put_back| put_back());
    // Nobody can append before that, and nothing is taken away.
    let refused = Pending::open(&place.path(), 0).map(|_| ()).unwrap_err().to_string();
    assert!(refused.contains("an earlier version left") && refused.contains("-pending"), "{refused}");
    // Nor is anything taken from a program of that version that runs.
    let runs = Connection::open(beside(&place.path())).unwrap();
    runs.query_row("SELECT COUNT(*) FROM disclosure", [], |row| row.get::<_, i64>(0)).unwrap();
    let mut store = place.store();
    for kept in [settle(&place.path(), &mut store), discard(&place.path())] {
        assert!(matches!(kept, Err(Failure::Locked(_))), "{kept:?}");
    }
    drop(store);
    drop(runs);
    drop(place.store());
    let expected = [(6, "one".to_owned()), (7, "two".to_owned())];
    assert_eq!(place.ledger(), expected);
    place.pending().add([entries("three", 1)].iter()).unwrap();
    drop(place.store());
    assert_eq!((place.ledger().len(), &place.ledger()[..2]), (3, &expected[..]));
    let files = std::fs::read_dir(place.0.path()).unwrap().count();
    assert_eq!(files, 2, "its log is gone");
}

#[test]
fn what_stands_where_the_journal_should_is_refused_and_left_as_it_was() {
    let place = Home::new();
    let path = beside(&place.path());
    let old = Connection::open(&path).unwrap();
    old.execute_batch("CREATE TABLE recipes (x); INSERT INTO recipes VALUES (1)").unwrap();
    drop(old);
    let mut cases = vec![(std::fs::read(&path).unwrap(), "move it away")];
    cases.push((b"a shopping list".repeat(900), "move it away"));
    for (bytes, says) in cases {
        std::fs::write(&path, &bytes).unwrap();
        // The store can be opened all the same.
        let mut store = place.store();
        let refused = settle(&place.path(), &mut store).unwrap_err().to_string();
        assert!(refused.contains(says) && refused.contains("-pending"), "{refused}");
        assert!(Pending::open(&place.path(), 0).is_err() && discard(&place.path()).is_err());
        assert!(std::fs::read(&path).unwrap() == bytes);
        // As it says.
        std::fs::remove_file(&path).unwrap();
        place.pending().add([entries("one", 1)].iter()).unwrap();
        settle(&place.path(), &mut store).unwrap();
    }
    assert_eq!(place.ledger().len(), 2);
}

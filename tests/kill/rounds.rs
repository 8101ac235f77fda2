//! The rounds.

use super::import::{self, LINES, Line, Moment, lines, ndjson};
use super::verify::{Held, verify};
use crate::on_both_engines;
use crate::program::Store;
use std::time::{Duration, Instant};
use stepwell_testkit::Postgres;

on_both_engines!(nothing_acknowledged_is_lost_when_an_import_is_killed);

/// How many rounds each engine gets; the variable asks for more.
fn rounds() -> u32 {
    std::env::var("STEPWELL_KILL_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(12)
}

fn nothing_acknowledged_is_lost_when_an_import_is_killed(first: &Store) {
    let lines = lines();
    let content = ndjson(&lines);
    let undisturbed = {
        let file = first.file("lines.ndjson", &content);
        let started = Instant::now();
        import::run(first, &file).assert_code(0);
        let elapsed = started.elapsed();
        assert_eq!(verify(first, &lines, Held::default(), LINES).lines, LINES);
        elapsed
    };
    let mut interrupted = 0;
    for round in 0..rounds() {
        let store = fresh(first);
        let file = store.file("lines.ndjson", &content);
        // Twice on the same store, so that a re-run is killed too.
        let mut held = Held::default();
        for again in 0..2 {
            held = kill_once(&store, &file, &lines, held, moment(round * 2 + again, undisturbed));
            interrupted += u32::from(held.lines < LINES);
        }
        import::run(&store, &file).assert_code(0);
        assert_eq!(verify(&store, &lines, held, LINES).lines, LINES);
    }
    assert!(interrupted >= rounds() / 2, "only {interrupted} kills fell into an import");
}

fn kill_once(store: &Store, file: &str, lines: &[Line], held: Held, moment: Moment) -> Held {
    let acknowledged = import::run_and_kill(store, file, moment);
    // A kill in the first milliseconds may fall before there is a store.
    match store.exists() {
        true => verify(store, lines, held, acknowledged),
        false => {
            assert_eq!((acknowledged, held), (0, Held::default()));
            held
        }
    }
}

/// Every other kill waits for an acknowledgement, the others fall anywhere from the start of the process to its end.
fn moment(number: u32, undisturbed: Duration) -> Moment {
    if number.is_multiple_of(2) {
        return Moment::Acknowledged(number as usize * 5 % 9);
    }
    Moment::Elapsed(undisturbed * (number * 37 % 97) / 100)
}

fn fresh(like: &Store) -> Store {
    if like.url.starts_with("sqlite:") { Store::sqlite() } else { Store::postgres() }
}

#[test]
fn nothing_acknowledged_is_lost_when_the_database_server_is_killed() {
    let mut server = Postgres::start();
    let lines = lines();
    for batches in [1, 4, 8] {
        let store = Store::at(server.fresh_database());
        let file = store.file("lines.ndjson", ndjson(&lines));
        let (mut child, said) = import::start(&store, &file);
        let mut heard = import::wait(&said, Moment::Acknowledged(batches));
        server.kill_immediately();
        let ended = child.wait().expect("an end");
        heard.extend(said.iter());
        assert_eq!(ended.code(), Some(1), "an import without a server fails");
        server.restart();
        let held = verify(&store, &lines, Held::default(), import::acknowledged(&heard));
        import::run(&store, &file).assert_code(0);
        assert_eq!(verify(&store, &lines, held, LINES).lines, LINES);
    }
}

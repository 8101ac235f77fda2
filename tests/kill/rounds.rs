//! The rounds.

use super::import::{self, LINES, Line, Moment, lines, ndjson};
use super::verify::{Held, verify};
use crate::on_both_engines;
use crate::program::Store;
use std::time::{Duration, Instant};
use stepwell_testkit::Postgres;

on_both_engines!(nothing_acknowledged_is_lost_when_an_import_is_killed);

/// No engine gets fewer rounds.
const LEAST: u32 = 4;
/// How many rounds each engine gets if there is time for them.
const USUAL: u32 = 12;
/// How long the usual rounds may take; a busy machine does fewer.
const TIME: Duration = Duration::from_secs(20);

/// Whether one more round is due. The variable asks for a number of rounds, however long they take.
fn go_on(done: u32, started: Instant) -> bool {
    match std::env::var("STEPWELL_KILL_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()) {
        Some(rounds) => done < rounds,
        None => done < LEAST || (done < USUAL && started.elapsed() < TIME),
    }
}

fn nothing_acknowledged_is_lost_when_an_import_is_killed(first: &Store) {
    let (lines, started) = (lines(), Instant::now());
    let content = ndjson(&lines);
    let file = first.file("lines.ndjson", &content);
    import::run(first, &file).assert_code(0);
    let undisturbed = started.elapsed();
    assert_eq!(verify(first, &lines, Held::default(), LINES).lines, LINES);

    let (mut rounds, mut interrupted) = (0, 0);
    while go_on(rounds, started) {
        let store = fresh(first);
        let file = store.file("lines.ndjson", &content);
        let mut held = Held::default();
        // Twice on the same store, so that a re-run is killed too.
        for again in 0..2 {
            held = kill_once(&store, &file, &lines, held, moment(rounds * 2 + again, undisturbed));
            interrupted += u32::from(held.lines < LINES);
        }
        import::run(&store, &file).assert_code(0);
        assert_eq!(verify(&store, &lines, held, LINES).lines, LINES);
        store.run(&["store", "check"]).assert_code(0);
        rounds += 1;
    }
    assert!(interrupted >= rounds / 2, "only {interrupted} kills in {rounds} rounds fell into an import");
}

fn kill_once(store: &Store, file: &str, lines: &[Line], held: Held, moment: Moment) -> Held {
    let acknowledged = import::run_and_kill(store, file, moment);
    // A kill in the first milliseconds may fall before there is a store.
    match store.exists() {
        true => {
            store.run(&["store", "check"]).assert_code(0);
            verify(store, lines, held, acknowledged)
        }
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
        store.run(&["store", "check"]).assert_code(0);
        let held = verify(&store, &lines, Held::default(), import::acknowledged(&heard));
        import::run(&store, &file).assert_code(0);
        assert_eq!(verify(&store, &lines, held, LINES).lines, LINES);
    }
}

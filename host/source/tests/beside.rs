//! What lies beside a grant leaves no trace: it never appears in an answer, and whatever becomes of it, every answer stays
//! as it was, to the byte.
//!
//! Each round makes a store and a chance grant, asks everything, changes something that is not granted, and asks again.
//! The seed is fixed. `make soak` runs more rounds from a seed of its own, which it prints.

mod battery;
mod estate;

use crate::dice::Dice;
use crate::world::World;
use battery::Question;
use estate::{CANARY, CANARY_DIGITS, Change, Estate};

const SEED: u64 = 20_261_118;
const ROUNDS: u64 = 4;
/// How many questions of chance are asked beside those that are always asked.
const CHANCES: usize = 40;

#[derive(Clone, Copy)]
enum Engine {
    Sqlite,
    Postgres,
}

impl Engine {
    async fn world(self) -> World {
        match self {
            Self::Sqlite => World::sqlite().await,
            Self::Postgres => World::postgres().await,
        }
    }
}

async fn ask_all(estate: &Estate, questions: &[Question]) -> Vec<Vec<String>> {
    let mut answers = Vec::with_capacity(questions.len());
    for question in questions {
        let told = estate.ask(question).await;
        for answer in &told {
            // A refusal may name what was asked for, and nobody asks for a name with a canary.
            assert!(
                !answer.contains(CANARY) && !answer.contains(CANARY_DIGITS),
                "{question:?} tells what is beside the grant: {answer}"
            );
        }
        answers.push(told);
    }
    answers
}

#[allow(clippy::print_stdout, reason = "a failure is repeated from its seed")]
async fn nothing_beside_a_grant_shows(engine: Engine) {
    let soak: Option<u64> = std::env::var("STEPWELL_SOAK").ok().and_then(|calls| calls.parse().ok());
    let seed = if soak.is_some() { stepwell_source::time::now().unsigned_abs() } else { SEED };
    println!("seed {seed}");
    let (mut answered, mut refused, mut crowded) = (0, 0, false);
    for round in 0..soak.map_or(ROUNDS, |calls| ROUNDS + calls / 2_000) {
        let mut estate = Estate::new(engine.world().await, Dice(seed + round), round).await;
        let mut questions = battery::fixed();
        questions.extend((0..CHANCES).map(|_| battery::chance(&mut estate.dice)));
        // The name of a day is part of a place in the changes.
        let today = || stepwell_source::time::now() / stepwell_source::time::DAY;
        let (mut day, mut before) = (today(), ask_all(&estate, &questions).await);
        let is_refusal = |told: &&Vec<String>| told.iter().any(|answer| answer.starts_with("Refused"));
        refused += before.iter().filter(is_refusal).count();
        answered += before.iter().filter(|told| !is_refusal(told)).count();
        for change in Change::ALL {
            // A crowd makes every question slow, so one is enough.
            if matches!(change, Change::Crowd) && (crowded || !estate.has_room_for_hidden()) {
                continue;
            }
            crowded |= matches!(change, Change::Crowd);
            if today() != day {
                (day, before) = (today(), ask_all(&estate, &questions).await);
            }
            estate.make(change).await;
            let after = ask_all(&estate, &questions).await;
            if today() != day {
                continue;
            }
            for ((question, before), after) in questions.iter().zip(&before).zip(&after) {
                assert_eq!(before, after, "round {round}: {change:?} shows in the answer to {question:?}");
            }
        }
    }
    assert!(crowded && answered > 150 && refused > 60, "{answered} answered, {refused} refused");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_beside_a_grant_shows_on_sqlite() {
    nothing_beside_a_grant_shows(Engine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_beside_a_grant_shows_on_postgres() {
    nothing_beside_a_grant_shows(Engine::Postgres).await;
}

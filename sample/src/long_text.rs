//! One very long text: the log of a reading circle whose members each write in their own language.

mod voices;

use crate::generator::Generator;
use crate::known::UNIQUE_PHRASE;
use std::fmt::Write as _;
use voices::{MARKS, VOICES, Voice};

/// Bytes before the answer to the riddle, and after it: the answer stands well inside the last fiftieth.
const BEFORE: usize = 3_980_000;
const AFTER: usize = 24_000;

/// Writes the whole log. Appending fixed pieces to one buffer keeps this to a few milliseconds.
pub(crate) fn log() -> String {
    let mut variety = Generator::named("the ferry reading circle");
    let mut log = String::with_capacity(BEFORE + AFTER + 4_096);
    log.push_str(
        "The Ferry Reading Circle: the whole log\nkept on the last ferry of every month, in whatever language it was said\n\n\
         On the first evening the captain asked us a riddle: who keeps the key when the ferry sleeps? \
         Nobody knew. The answer was given much later, and whoever wants it must go nearly to the end. \
         🗝\u{fe0f}⛴\u{fe0f}\n\n",
    );
    let turn = talk(&mut log, BEFORE, 0, &mut variety);
    // A `String` takes any text, so there is no failure to report, here or below.
    let _ = write!(
        log,
        "Evening {}, after the lamps were lit. The captain, to everyone:\nYou have waited long enough. \
         {UNIQUE_PHRASE}, under her left wing, and she has never once been late. 🪽🇨🇭\n\n",
        evening(turn),
    );
    let end = log.len() + AFTER;
    talk(&mut log, end, turn, &mut variety);
    log.push_str("Here the log ends, because the cup was empty. Dov typed it; all mistakes are lovingly preserved. 𓆛 終");
    log
}

/// Lets the members speak in turn until the log has grown to the given length.
fn talk(log: &mut String, until: usize, mut turn: usize, variety: &mut Generator) -> usize {
    while log.len() < until {
        let voice = &VOICES[(turn + variety.below(3) as usize) % VOICES.len()];
        let _ = writeln!(log, "Evening {}, page {}. {}:", evening(turn), 1 + variety.below(640), voice.name);
        speak(log, voice, variety);
        turn += 1;
    }
    turn
}

fn speak(log: &mut String, voice: &Voice, variety: &mut Generator) {
    // Neighbours in the list, so that nobody says the same thing twice in one breath.
    let first = variety.below(voice.says.len() as u64) as usize;
    for next in first..=first + variety.below(2) as usize {
        log.push_str(voice.says[next % voice.says.len()]);
        log.push(' ');
        if variety.below(3) == 0 {
            log.push_str(variety.pick(MARKS));
            log.push(' ');
        }
    }
    log.push_str(variety.pick(voice.adds));
    log.push_str("\n\n");
}

/// Twenty-five years of one evening a month make about three hundred, so this many turns belong to each.
const fn evening(turn: usize) -> usize {
    turn / 78 + 1
}

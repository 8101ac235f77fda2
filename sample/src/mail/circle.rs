//! The Ferry Reading Circle, which writes everything down.

use super::Letter;
use super::people::{DOV, ILSE, WANJIRU};
use crate::{known, long_text};

const CIRCLE: &str = "t-circle";

// A letter reads best with its envelope on one line and its text below, which rustfmt would not do.
#[rustfmt::skip]
pub(super) fn home() -> Vec<Letter> {
    vec![
        Letter::new("m-0501", CIRCLE, "2025-01-19T17:00:00Z", &WANJIRU, "Next book, next boat", "
            Dear circle,

            we have finished the whaling one, or it has finished us. For February Haruka proposes \"The Salt
            Almanac\", which has no plot and excellent weather. We meet as always on the last ferry of the
            month, upper deck if it is dry. Bring a cup.

            Wanjiru
        ").labels(&["reading"]),
        Letter::new("m-0502", CIRCLE, "2025-03-02T16:25:00Z", &DOV, "Minutes, sort of", "
            Nine of us, one gull. Everyone liked the Almanac except Teodor, who liked it secretly. Anoush
            read page 88 aloud in Armenian and the engine went quiet, which the captain says was
            coincidence. Samira wants something with a murder next.

            Dov
        ").labels(&["reading"]),
        Letter::new("m-0503", CIRCLE, "2025-06-22T12:40:00Z", &WANJIRU, "Twenty-five years of us", "
            Dear circle,

            in the autumn we are twenty-five. Dov has typed up the whole log, all the evenings, everyone in
            their own language, nothing left out. It is far too long to print and far too dear to shorten.
            He sends it as one letter, because he is Dov.

            For those who never go to the end of anything: the old riddle is answered there. Who has the key
            of the ferry?

            Wanjiru
        ").labels(&["reading"]),
        Letter::verbatim(known::LONG_TEXT.key, CIRCLE, "2025-06-23T22:58:00Z", &DOV,
            "The whole log of the Ferry Reading Circle", long_text::log())
            .re("m-0503").labels(&["reading", "keep"]).starred(),
        Letter::new("m-0505", CIRCLE, "2025-06-24T06:15:00Z", &ILSE, "Re: The whole log of the Ferry Reading Circle", "
            Dov, my telephone asked me whether I was sure. I was. I have read as far as evening 3 and have
            already cried once and looked up two alphabets.

            Ilse
        ").re("m-0504").to(&[&DOV]).cc(&[&WANJIRU]).labels(&["reading"]),
        Letter::new("m-0506", CIRCLE, "2025-07-27T18:33:00Z", &DOV, "Riddle league table", "
            - found the answer by reading to the end: Mei
            - found the answer by searching: everybody else
            - says she knew it all along: Pálína

            The prize is a cup, slightly used.

            Dov
        ").labels(&["reading"]),
    ]
}

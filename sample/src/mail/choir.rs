//! The Saltmarsh Singers: Tuesdays, a shortage of basses, a journey.

use super::people::{COSMO, HEDDA, ILSE, ODDNY, TOMAS};
use super::{Letter, known};
use crate::generator::Generator;

const CHOIR: &str = "t-choir";

// A letter reads best with its envelope on one line and its text below, which rustfmt would not do.
#[rustfmt::skip]
pub(super) fn home() -> Vec<Letter> {
    let mut letters = vec![
        Letter::new("m-0301", CHOIR, "2025-01-08T18:00:00Z", &ODDNY, "The new year, and Zürich", "
            Dear singers,

            happy new year. We are forty-one voices, of which three are basses and one of those is Cosmo's
            cold. In May the Weidling Chamber Choir has invited us to sing with them in Zürich: arrival Friday
            16 May, concert Saturday 17 May at half past seven, home on Monday.

            Please tell me by the end of the month whether you come, and whether you know a bass.

            Oddny
        ").labels(&["choir", "trip"]),
        Letter::new("m-0302", CHOIR, "2025-01-14T21:12:00Z", &ILSE, "Re: The new year, and Zürich", "
            I come! Alto as ever. Tomas and Juno come along as luggage. As for basses, our chimney sweep's voice makes the
            kettle hum, but he says he sings only to flues.

            Ilse
        ").re("m-0301").to(&[&ODDNY]).labels(&["choir", "trip"]),
        Letter::new("m-0303", CHOIR, "2025-02-26T19:30:00Z", &ODDNY, "The solo in the Heron Song", "
            Ilse, would you take the solo in the Heron Song, bars 40 to 64? It lies low and long, and you
            are the only one who does not rush the river. Say no if it frightens you; say yes if it
            frightens you a little.

            Oddny
        ").labels(&["choir"]).starred(),
        Letter::new("m-0304", CHOIR, "2025-02-27T06:50:00Z", &ILSE, "Re: The solo in the Heron Song", "
            It frightens me a little. Yes.
        ").re("m-0303").to(&[&ODDNY]).labels(&["choir"]),
        Letter::new("m-0305", CHOIR, "2025-03-12T11:05:00Z", &COSMO, "Scarves, money, maps", "
            Friends,

            I have been made treasurer by the method of being in the bathroom. The green scarves are EUR
            45.00 each. Ilse, you owe me for two, because Juno wants to be an alto. Maps of Zürich follow.

            Cosmo
        ").labels(&["choir", "money"]).cents(9_000),
        Letter::new("m-0306", CHOIR, "2025-05-06T20:10:00Z", &ODDNY, "Programme for the seventeenth", "
            - Heron Song (solo: Ilse Varnholt)
            - Three Estuary Rounds
            - Salt, Bread, Lantern
            - with the Weidling choir: The Ferryman's Evening, all verses, no mercy

            Black below, green scarf above. Water, no milk, no gossip before the concert. Meet at the side
            door in Kuckucksgasse at five.

            Oddny
        ").labels(&["choir", "trip"]).starred(),
        Letter::new("m-0307", CHOIR, "2025-05-20T09:00:00Z", &ODDNY, "Thank you", "
            Dear ones,

            when the Heron Song ended nobody clapped for eleven seconds. I counted. Then they would not
            stop. Ilse, you did not rush the river. The Weidling choir comes to us in October and will sleep
            on our sofas; a list follows.

            Oddny
        ").labels(&["choir"]).starred(),
        Letter::new("m-0308", CHOIR, "2025-05-20T19:47:00Z", &TOMAS, "Re: Thank you", "
            I recorded it on the telephone, with Juno's breathing in it. I would not edit the breathing out.
            T.
        ").re("m-0307").labels(&["choir"]),
    ];
    letters.extend(rehearsals());
    letters
}

/// Oddny's notes after each Tuesday: the same shape every week, never the same words.
fn rehearsals() -> Vec<Letter> {
    const TUESDAYS: [&str; 10] = [
        "2025-02-04",
        "2025-02-18",
        "2025-03-04",
        "2025-03-11",
        "2025-03-18",
        "2025-03-25",
        "2025-04-01",
        "2025-04-08",
        "2025-04-29",
        "2025-05-13",
    ];
    const PRAISE: &[&str] = &[
        "The altos were a warm wall.",
        "The sopranos found the high A and, better, left it again.",
        "The tenors counted. All of them. To the end.",
        "For four bars we were one animal.",
    ];
    const WORK: &[&str] = &[
        "Bar 52 is still a staircase in the dark.",
        "We breathe in the middle of words; please breathe at commas.",
        "The second round starts too early, every time, with great conviction.",
        "Somebody hums. It is a beautiful hum and must stop.",
    ];
    const HOMEWORK: &[&str] = &[
        "Learn the third verse by heart.",
        "Whisper the text of the Ferryman, in tempo, while washing up.",
        "Listen to a kettle until you hear its fifth.",
        "Bring a pencil. I say this as a woman who owns ninety.",
    ];
    TUESDAYS
        .iter()
        .zip(1_u64..)
        .map(|(day, week)| {
            let mut variety = Generator::named(day);
            let present = 29 + variety.below(12);
            let body = format!(
                "Present: {present} of 41, basses: {}.\n\n{} {}\n\nUntil next time: {}\n\nOddny",
                3 + week / 4,
                variety.pick(PRAISE),
                variety.pick(WORK),
                variety.pick(HOMEWORK),
            );
            Letter::new(
                format!("m-03{}", 20 + week),
                "t-rehearsals",
                format!("{day}T21:30:00Z"),
                &ODDNY,
                format!("After rehearsal {week}"),
                &body,
            )
            .labels(&["choir", "rehearsal"])
        })
        .collect()
}

/// The same key as the choir's first letter, in the other account.
// A letter reads best with its envelope on one line and its text below, which rustfmt would not do.
#[rustfmt::skip]
pub(super) fn work() -> Vec<Letter> {
    vec![
        Letter::new(known::SHARED_KEYS[2], "t-travel", "2025-01-09T07:30:00Z", &HEDDA, "Travel rules, shorter", "
            All,

            the travel rules are now one page. Trains before planes, two nights before one long day,
            receipts within a month. If you sing, teach or climb somewhere on the way, that is yours and we
            would like to hear about it.

            Hedda
        ").local_time("2025-01-09T08:30:00+01:00").labels(&["policy"]),
    ]
}

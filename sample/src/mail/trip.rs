//! Zürich in May: trains, beds, a scarf that stayed longer.

use super::Letter;
use super::people::{COSMO, ILSE, MARGIT, PENSION, RAIL, TOMAS};

const TRIP: &str = "t-trip";

// A letter reads best with its envelope on one line and its text below, which rustfmt would not do.
#[rustfmt::skip]
pub(super) fn home() -> Vec<Letter> {
    vec![
        Letter::new("m-0401", TRIP, "2025-03-15T13:20:00Z", &RAIL, "Your tickets to Zürich HB, booking LR-88213", "
            Thank you for travelling with Longshore Rail.

            - Fri 16 May, Saltmere 07:04 to Zürich HB 16:51, coach 12, seats 61, 63, 64 (table)
            - Mon 19 May, Zürich HB 11:09 to Saltmere 20:56, coach 7, seats 22, 24, 25

            Two adults, one child: EUR 212.40. Changing is free until 14 May.
        ").labels(&["trip", "money"]).cents(21_240).html(Some(
            "<html><body><h1>Have a good journey!</h1><p>Booking <b>LR-88213</b>, EUR 212.40.</p>\
             <table><tr><td>Coach 12</td><td>61, 63, 64</td></tr><tr><td>Coach 7</td><td>22, 24, \
             25</td></tr></table>\
             <p style=\"color:#eee\">Gate word for the conductor: otter-saffron-2094</p></body></html>".to_owned(),
        )),
        Letter::new("m-0402", TRIP, "2025-03-16T10:02:00Z", &ILSE, "Zimmer vom 16. bis 19. Mai", "
            Guten Tag,

            wir singen am 17. Mai in Zürich und suchen ein Zimmer für zwei Erwachsene und ein Kind, das gern
            oben schläft. Haben Sie vom 16. bis zum 19. Mai noch eines frei, und wenn es geht mit Blick auf
            irgendetwas?

            Freundliche Grüsse, Ilse Varnholt
        ").to(&[&PENSION]).labels(&["trip"]),
        Letter::new("m-0403", TRIP, "2025-03-17T08:45:00Z", &PENSION, "Re: Zimmer vom 16. bis 19. Mai", "
            Liebe Familie Varnholt,

            gern. Zimmer 5 unter dem Dach, drei Nächte, mit Frühstück: 348.00 Euro. Das Kind schläft auf der
            Empore, die Leiter ist geprüft. Man sieht einen Kirschbaum und, wenn man sich sehr weit
            hinauslehnt, den See. Bitte lehnen Sie sich nicht sehr weit hinaus.

            Herzlich, Ihre Pension Apfelkern
        ").re("m-0402").labels(&["trip", "money"]).starred().cents(34_800),
        Letter::new("m-0404", TRIP, "2025-05-12T20:31:00Z", &TOMAS, "Packing", "
            - three passports (yours is in the piano stool, why)
            - green scarves, two and a half
            - Juno's book about glaciers, Juno's other book about glaciers
            - throat sweets
            - the good thermos
            - the adapter that fits nowhere; it has to fit somewhere
        ").labels(&["trip"]),
        Letter::new("m-0405", TRIP, "2025-05-18T21:15:00Z", &ILSE, "From the table under the cherry tree", "
            Dear Mama,

            we sang yesterday. I stood in front of four hundred people and thought of you shelling peas, and
            then it was easy. Juno has been on seven trams and wants to marry the number 4. Tomas bought a
            cheese that has its own ticket. Tomorrow the long train home.

            Your Ilse
        ").to(&[&MARGIT]).labels(&["family", "trip"]),
        Letter::new("m-0406", TRIP, "2025-05-19T06:12:00Z", &MARGIT, "Re: From the table under the cherry tree", "
            I am glad about the peas. Bring me a small piece of the cheese, not the big one, the doctor
            reads minds. M.
        ").re("m-0405").labels(&["family"]),
        Letter::new("m-0407", TRIP, "2025-05-21T09:40:00Z", &PENSION, "Ein grüner Schal", "
            Liebe Frau Varnholt,

            in Zimmer 5 hing noch ein grüner Schal am Haken, als wollte er bleiben. Sollen wir ihn schicken
            oder bewahren wir ihn auf, bis Sie wieder singen?

            Ihre Pension Apfelkern
        ").labels(&["trip"]),
        Letter::new("m-0408", TRIP, "2025-05-21T18:22:00Z", &ILSE, "Re: Ein grüner Schal", "
            Bitte aufbewahren. Dann müssen wir wiederkommen.
        ").re("m-0407").to(&[&PENSION]).labels(&["trip"]),
        Letter::new("m-0409", "t-refund", "2025-06-11T05:30:00Z", &RAIL, "Refund for booking LR-88213", "
            On 19 May your train reached Saltmere 94 minutes late, because of a swan. You receive EUR 53.10,
            a quarter of the fare. The swan is well.
        ").labels(&["trip", "money"]).cents(5_310),
        Letter::new("m-0410", "t-photos", "2025-06-15T17:05:00Z", &COSMO, "Photographs, 212 of them", "
            In 140 of them someone is chewing. The best is number 87: Ilse at bar 64, eyes closed, and
            behind her the whole row of altos breathing in. I have had it printed for the rehearsal room.

            Cosmo
        ").labels(&["choir", "trip"]),
    ]
}

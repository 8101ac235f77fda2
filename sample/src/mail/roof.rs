//! The roof: what it would cost, what was found under it, how it ended.

use super::people::{AGATHE, BRAM, CANTEEN, ILSE, NETTIE, ORLA, TOMAS};
use super::{Letter, known};
use crate::{attachments, survey};

const ROOF: &str = "t-roof";

// A letter reads best with its envelope on one line and its text below, which rustfmt would not do.
#[rustfmt::skip]
pub(super) fn home() -> Vec<Letter> {
    vec![
        Letter::new("m-0101", ROOF, "2025-02-03T08:12:00Z", &ILSE, "A leak over the small bedroom", "
            Dear Mr Pell,

            Oddny from the choir gave me your address and says you mended the chapel. We live at 9 Net Loft
            Lane. Since the January storms there is a brown stain over our daughter's bed in the shape of
            Portugal, and it is growing towards Spain. The roof is about 112 square metres, clay tiles, none
            younger than my mother.

            Could you come and look, and tell us what it would cost to do it properly once rather than badly
            twice?

            Ilse Varnholt
        ").to(&[&BRAM]).labels(&["house"]),
        Letter::new("m-0102", ROOF, "2025-02-04T06:40:00Z", &BRAM, "Re: A leak over the small bedroom", "
            Morning Ilse,

            chapel people are good people. My daughter Nettie and I can come Thursday at half past eight. We
            bring our own ladder and a dog called Slate who will want to be introduced.

            Move the bed.

            Bram
        ").re("m-0101").labels(&["house"]),
        Letter::new("m-0103", ROOF, "2025-02-11T17:25:00Z", &BRAM, "Quote Q-117 for 9 Net Loft Lane", "
            Ilse, Tomas,

            as promised, the whole roof, battens and felt included, old tiles carted away:

            - scaffold, four weeks: EUR 2,150.00
            - clay tiles, 112 m2: EUR 6,480.00
            - labour, Nettie and me and one pair of young knees: EUR 5,240.00
            - lead work round the chimney: EUR 990.00

            Together EUR 14,860.00, VAT included. The price holds until 31 March. If we find rot we show it
            to you before we touch it, and we charge for what it is and not for what we feared. Please have
            a surveyor look at the beams before we start; I am a roofer and see only roofs.

            Bram Pell, Pell & Daughter Roofing
        ").re("m-0102").labels(&["house", "money"]).starred().cents(1_486_000),
        Letter::new("m-0104", ROOF, "2025-02-12T20:03:00Z", &TOMAS, "Fwd: Quote Q-117 for 9 Net Loft Lane", "
            That is the kitchen and the bicycle. But he wrote \"for what it is and not for what we feared\",
            and I would like that on a tea towel.

            Shall we ask one more roofer, just so that we can say we did? T.
        ").re("m-0103").labels(&["house"]),
        Letter::new("m-0105", "t-roof-second", "2025-02-17T09:30:00Z", &ORLA, "Your Highgable estimate HG-5520", "
            Dear Homeowner,

            based on the satellite picture of your property we are pleased to estimate EUR 17,300.00 for a
            complete Highgable roof in ComfortClay. The estimate does not include scaffold, disposal, the
            chimney, or weather.

            Sign before Friday for a free letterbox!

            Orla Finnick, Solutions
        ").labels(&["house", "money"]).cents(1_730_000),
        Letter::new("m-0106", ROOF, "2025-02-20T19:15:00Z", &ILSE, "Re: Quote Q-117 for 9 Net Loft Lane", "
            Dear Bram,

            yes please. We accept Q-117 as it stands. I am sending the deposit of EUR 4,000.00 tonight.
            Please write to me at this address and not to the one on my card; that one belongs to the tides.

            Ilse
        ").re("m-0103").to(&[&BRAM]).cc(&[&TOMAS, &NETTIE]).labels(&["house", "money"]),
        Letter::new("m-0107", ROOF, "2025-02-21T07:02:00Z", &BRAM, "Deposit received, start on 24 March", "
            Deposit of EUR 4,000.00 is here, thank you. We start Monday 24 March if the wind lets us. Nettie
            does the paperwork from now on, which is better for everybody.

            Bram
        ").re("m-0106").labels(&["house", "money"]).cents(400_000),
        Letter::verbatim("m-0108", "t-survey", "2025-03-20T15:48:00Z", &AGATHE,
            "Survey of 9 Net Loft Lane, full report", survey::report())
            .labels(&["house"]).starred(),
        Letter::new("m-0109", ROOF, "2025-03-27T16:31:00Z", &NETTIE, "Rot in the north valley", "
            Hi Ilse,

            the surveyor was right. Under the north valley the board is soft for 2.3 metres; you can push a
            pencil in, and I did, sorry, it is still there. The rafters beside it are sound.

            New boards, new valley, one more day: EUR 1,380.00. That makes EUR 16,240.00 for everything. Say
            yes and we do it tomorrow while it is dry.

            Nettie (on the roof, so please forgive typing)
        ").re("m-0107").labels(&["house", "money"]).cents(138_000),
        Letter::new("m-0110", ROOF, "2025-03-27T16:58:00Z", &ILSE, "Re: Rot in the north valley", "
            Yes. Keep the pencil.
        ").re("m-0109").to(&[&NETTIE]).labels(&["house"]),
        Letter::new("m-0111", ROOF, "2025-03-29T10:20:00Z", &NETTIE, "Four tile colours", "
            The kiln sent four colours instead of one. I painted them for you as they would lie. From the
            left: kiln red, wet slate, old barn, apricot. Juno voted for apricot but she also voted for a
            slide.

            Nettie
        ").re("m-0110").labels(&["house"]).attach(attachments::tile_colours()),
        Letter::new("m-0112", ROOF, "2025-04-16T15:10:00Z", &BRAM, "Done", "
            Ilse, Tomas, Juno,

            last tile went on at ten to three. Kiln red, as ordered, and one apricot one over the small
            bedroom where only swallows and Juno will see it. Ten years' guarantee on the work, longer if I
            live. Scaffold goes on Tuesday. Nettie sends the invoice at the end of the month.

            Bram
        ").re("m-0111").labels(&["house"]).starred(),
        Letter::new("m-0113", "t-scaffold", "2025-04-22T18:44:00Z", &TOMAS, "The scaffold is gone", "
            And so is the gnome. They say they never saw a gnome. I can see the estuary from the desk again,
            and the stain over Juno's bed has stopped at Salamanca. T.
        ").labels(&["house"]),
    ]
}

/// The importers of both accounts number their messages alike, so some keys meet; the letters have nothing in common.
// A letter reads best with its envelope on one line and its text below, which rustfmt would not do.
#[rustfmt::skip]
pub(super) fn work() -> Vec<Letter> {
    vec![
        Letter::new(known::SHARED_KEYS[0], "t-canteen", "2025-02-10T08:00:00Z", &CANTEEN, "This week: five soups", "
            Monday leek, Tuesday lentil, Wednesday the fish one, Thursday tomato, Friday whatever was loved
            least.

            The suggestion box has been emptied. We have read the poem. This month's word for the staff
            discount is stoat-celadon-1175.

            The Canteen
        ").labels(&["canteen"]).html(None),
    ]
}

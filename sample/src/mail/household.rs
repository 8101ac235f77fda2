//! The rest of a life: school, bills, a neighbour's cat, a mother.

use super::Letter;
use super::people::{COSMO, ILSE, LIBRARY, MARGIT, POWER, SCHOOL, TOMAS};
use crate::generator::Generator;
use crate::prose::euros;

// A letter reads best with its envelope on one line and its text below, which rustfmt would not do.
#[rustfmt::skip]
pub(super) fn home() -> Vec<Letter> {
    let mut letters = vec![
        Letter::new("m-0601", "t-school", "2025-01-13T10:00:00Z", &SCHOOL, "Class 4b goes to the lighthouse", "
            Dear parents,

            on 30 January class 4b visits the lighthouse. Please send: boots, a sandwich without glass, EUR
            6.50. The keeper asks that questions about ghosts be kept for the end.

            Saltmere Primary
        ").labels(&["school"]).cents(650),
        Letter::new("m-0602", "t-school", "2025-01-30T19:18:00Z", &TOMAS, "Lighthouse, debrief", "
            She asked about ghosts first. There are two, both retired. She is also to be a lighthouse keeper
            now, so tell
            the glaciers. T.
        ").labels(&["school", "family"]),
        Letter::new("m-0603", "t-library", "2025-02-14T09:10:00Z", &LIBRARY, "Overdue: a book about glaciers", "
            \"Ice Remembers\" has been with you for 74 days. It is only a book, but it is the only one. The
            fine stands at EUR 3.70 and stops growing the moment you feel guilty.

            Saltmere Library
        ").labels(&["money"]).cents(370),
        Letter::new("m-0604", "t-locker", "2025-02-28T12:00:00Z", &LIBRARY, "Your locker word is lark-viridian-3306", "
            The reading room lockers have words instead of keys now. Yours is in the subject line, so that
            you need not open this.
        ").folder("archive"),
        Letter::new("m-0605", "t-cat", "2025-03-08T07:55:00Z", &COSMO, "Admiral", "
            Ilse, is Admiral with you? Grey, wide, disappointed. He left after the fish incident and the
            scaffolder at number 12 has seen him on your wall.

            Cosmo
        ").labels(&["neighbours"]),
        Letter::new("m-0606", "t-cat", "2025-03-08T09:14:00Z", &ILSE, "Re: Admiral", "
            He is in our laundry and has ranked everybody. You may collect him at your own risk.
        ").re("m-0605").to(&[&COSMO]).labels(&["neighbours"]),
        Letter::new("m-0607", "t-family", "2025-03-30T08:20:00Z", &MARGIT, "Things you should know when I am not there", "
            Dear child,

            I am perfectly well, do not telephone. But lists should be made while one is well. The deeds are
            in the blue tin. The blue tin is in the red chest. The word for the chest is wren-cobalt-5518,
            do not write it down anywhere, I know that I just have. The good jam is behind the bad jam.

            Your mother
        ").labels(&["family", "keep"]).starred(),
        Letter::new("m-0608", "t-family", "2025-03-30T08:52:00Z", &ILSE, "Re: Things you should know when I am not there", "
            I am telephoning.
        ").re("m-0607").to(&[&MARGIT]).labels(&["family"]),
        Letter::new("m-0609", "t-bath", "2025-07-05T11:26:00Z", &TOMAS, "Bathroom, the next chapter", "
            Now that it is dry above us I would like it to be wet only where we want it. Three ideas:

            - a shower one can stand up in
            - the green tiles Nettie has left over (she says EUR 240.00 for the lot)
            - nothing, and we go on another train

            T.
        ").labels(&["house", "money"]).cents(24_000),
        Letter::new("m-0610", "t-bath", "2025-07-05T13:01:00Z", &ILSE, "Re: Bathroom, the next chapter", "
            Two, then three, then one.
        ").re("m-0609").to(&[&TOMAS]).labels(&["house"]),
        Letter::new("m-0611", "t-birthday", "2025-08-09T15:45:00Z", &ILSE, "Juno is ten on Saturday", "
            Dear all, from three o'clock in the garden: cake in the shape of a glacier (it may calve), a
            treasure hunt, and at six the Saltmarsh altos under the new roof if it rains. No presents bigger
            than a shoe. 🎂🧊
        ").to(&[&MARGIT, &COSMO]).cc(&[&TOMAS]).labels(&["family"]),
        Letter::new("m-0612", "t-empty", "2025-08-16T20:59:00Z", &TOMAS, "(no subject)", "").labels(&["family"]),
    ];
    letters.extend(bills());
    letters
}

/// Half a year of electricity: alike in wording, so that only the numbers tell the months apart.
fn bills() -> Vec<Letter> {
    const MONTHS: [(&str, &str, u64); 7] = [
        ("2025-01", "January", 341),
        ("2025-02", "February", 318),
        ("2025-03", "March", 276),
        ("2025-04", "April", 231),
        ("2025-05", "May", 164),
        ("2025-06", "June", 158),
        ("2025-07", "July", 149),
    ];
    MONTHS
        .iter()
        .zip(1_u64..)
        .map(|(&(month, name, kilowatt_hours), number)| {
            let cents = kilowatt_hours * 31 + 1_190;
            let reading = 48_200 + Generator::named(month).below(90) + number * 300;
            let body = format!(
                "Dear customer 77-0419,\n\nin {name} you used {kilowatt_hours} kWh at 31 cents, plus the \
                 standing charge of EUR 11.90. Your bill: EUR {}.\n\nMeter reading at the end of the \
                 month: {reading}. We take the amount from your account on the 15th.\n\nEstuary Power",
                euros(cents),
            );
            let id = format!("m-06{}", 20 + number);
            Letter::new(
                id,
                "t-power",
                format!("{month}-28T04:00:00Z"),
                &POWER,
                format!("Your bill for {name}"),
                &body,
            )
            .labels(&["money", "bills"])
            .cents(cents)
            .folder("archive")
        })
        .collect()
}

//! The office around the project.

use super::people::{CANTEEN, HEDDA, HELPDESK, ILSE_AT_WORK, RAVI};
use super::{Letter, known};

// A letter reads best with its envelope on one line and its text below, which rustfmt would not do.
#[rustfmt::skip]
pub(super) fn work() -> Vec<Letter> {
    vec![
        Letter::new(known::SHARED_KEYS[3], "t-office", "2025-01-14T12:00:00Z", &HELPDESK, "The lift knows", "
            The lift now stops at the third floor by itself between nine and ten. This is not a fault. It
            has learned.
        ").labels(&["automatic"]),
        Letter::new("w-0301", "t-office", "2025-02-19T13:33:00Z", &RAVI, "Whose is the umbrella with ducks?", "
            It has been at my desk since the storms and I have begun to talk to it. R.
        "),
        Letter::new("w-0302", "t-office", "2025-02-19T13:40:00Z", &ILSE_AT_WORK, "Re: Whose is the umbrella with ducks?", "
            Juno's. What does it say?
        ").re("w-0301").to(&[&RAVI]),
        Letter::new("w-0303", "t-leave", "2025-03-18T08:10:00Z", &ILSE_AT_WORK, "Leave on 16 and 19 May", "
            Hedda, I sing in Zürich that weekend and would like the Friday and the Monday off. Ravi has the
            night telephone; I bring chocolate.

            Ilse
        ").to(&[&HEDDA]).cc(&[&RAVI]).labels(&["leave"]).local_time("2025-03-18T09:10:00+01:00"),
        Letter::new("w-0304", "t-leave", "2025-03-18T08:25:00Z", &HEDDA, "Re: Leave on 16 and 19 May", "
            Granted, on condition that you hum in the corridor afterwards.

            Hedda
        ").re("w-0303").labels(&["leave"]),
        Letter::new("w-0305", "t-review", "2025-04-10T09:00:00Z", &HEDDA, "Your review, the short form", "
            What you do well: you ask who is woken at night. What to try: be woken less often. Your pay
            rises by 4.5 % from May. The long form says the same with boxes.

            Hedda
        ").labels(&["private"]).starred(),
        Letter::new("w-0306", "t-canteen", "2025-07-01T07:00:00Z", &CANTEEN, "Summer card", "
            Cold cucumber soup every day until somebody weeps. Dishes marked ◦ contain celery; dishes marked
            • contain regret.
        ").labels(&["canteen"]),
        Letter::new("w-0307", "t-storage", "2025-08-18T16:20:00Z", &HELPDESK, "Your mailbox is 71 % full", "
            Mostly readings, and one roof. Nothing needs to be done; we are only saying it so that it has
            been said.
        ").labels(&["automatic"]).unread(),
    ]
}

//! The invoice: sent in April, missed in May, found in June, in the other account.

use super::people::{BANK, BRAM, GATEWAY, HELPDESK, ILSE, ILSE_AT_WORK, NETTIE, RAVI, TOMAS};
use super::{Letter, known};
use crate::attachments;
use crate::generator::Generator;
use serde_json::{Value, json};
use std::fmt::Write as _;

const INVOICE: &str = "t-invoice";

// A letter reads best with its envelope on one line and its text below, which rustfmt would not do.
#[rustfmt::skip]
pub(super) fn home() -> Vec<Letter> {
    vec![
        Letter::new("m-0201", INVOICE, "2025-06-02T06:55:00Z", &BRAM, "A friendly word about PD-2291", "
            Morning Ilse,

            I do not like writing these. Nettie's computer says that invoice PD-2291 over EUR 12,240.00 has
            been open since the end of April. You are not the kind who forgets, so I think something went
            wrong. Did it reach you?

            Bram
        ").labels(&["house", "money"]).starred().cents(1_224_000),
        Letter::new("m-0202", INVOICE, "2025-06-02T17:20:00Z", &ILSE, "Re: A friendly word about PD-2291", "
            Dear Bram,

            I am mortified. I have looked in the inbox, the junk, under the bread bin and in Tomas. No
            invoice. Where did you send it, and when? I will pay the day I see it.

            Ilse
        ").re("m-0201").to(&[&BRAM]).cc(&[&NETTIE]).labels(&["house", "money"]),
        Letter::new("m-0203", INVOICE, "2025-06-03T07:41:00Z", &NETTIE, "Re: A friendly word about PD-2291", "
            My fault! I sent it on 28 April to the address on the card you pinned to our van, the one that
            starts with ilse.varnholt. You told Dad not to use it, and Dad told the dog.

            It did not bounce, so it must be sitting somewhere over there.

            Nettie
        ").re("m-0202").labels(&["house", "money"])
            .header("x_van", json!({ "note": "printed from the van, seal pike-umber-7731", "odometer_km": 184_203 })),
        Letter::new("m-0204", INVOICE, "2025-06-04T12:09:00Z", &ILSE, "Found it", "
            Tomas, it was in the quarantine at WORK. Five weeks in a cell for being a PDF from a stranger.
            Helpdesk has let it out. I pay tonight and then we never speak of it.
        ").to(&[&TOMAS]).labels(&["house"]),
        Letter::new("m-0205", "t-bank", "2025-06-05T05:00:00Z", &BANK, "Your transfer was carried out", "
            We have transferred EUR 12,240.00 to Pell & Daughter Roofing. Reference: PD-2291. Booked on 5
            June 2025.

            Please do not answer this message; nobody lives here.
        ").labels(&["money"]).cents(1_224_000),
        Letter::new("m-0206", INVOICE, "2025-06-06T06:30:00Z", &BRAM, "All square", "
            Money is here. No late fee, of course not, what do you take us for. The guarantee certificate
            comes by post with a stamp on it, like in the old days. Slate says hello.

            Bram
        ").re("m-0203").labels(&["house", "money"]),
    ]
}

// A letter reads best with its envelope on one line and its text below, which rustfmt would not do.
#[rustfmt::skip]
pub(super) fn work() -> Vec<Letter> {
    vec![
        Letter::new("w-0201", "t-held", "2025-04-28T14:02:00Z", &NETTIE, "Invoice PD-2291, 9 Net Loft Lane", "
            Hi Ilse,

            here is the invoice for the roof, PD-2291. EUR 16,240.00 in all, less the deposit of EUR
            4,000.00, leaves EUR 12,240.00, please by 28 May. The rot in the north valley is on it as a line
            of its own.

            It was a lovely roof to do.

            Nettie, Pell & Daughter Roofing
        ").folder("quarantine").unread().cents(1_224_000).attach(attachments::invoice()),
        Letter::new("w-0202", "t-held", "2025-04-28T14:02:30Z", &GATEWAY, "1 message was held for you", "
            A message from nettie@pellroofing.example.com with the subject \"Invoice PD-2291, 9 Net Loft
            Lane\" was held.

            Rule: attachments from senders we have not met. It stays in the quarantine for 90 days. To have
            it released, write to the helpdesk. You will not be reminded.
        ").unread().labels(&["automatic"]).header("trace", gateway_trace()),
        Letter::new("w-0203", "t-release", "2025-06-04T08:15:00Z", &ILSE_AT_WORK, "Please release a held message", "
            Hello,

            a message of 28 April from nettie@pellroofing.example.com is in my quarantine. It is a roofer's
            invoice, it is private, it is my own fault, and I would be very glad to have it before the
            roofer stops liking me.

            Ilse (Plover, third floor)
        ").to(&[&HELPDESK]).local_time("2025-06-04T10:15:00+02:00"),
        Letter::new("w-0204", "t-release", "2025-06-04T11:50:00Z", &HELPDESK, "Re: Please release a held message", "
            Released, and the sender is on your list of acquaintances now. Nice roof. (The scanner makes us
            look.)

            Ticket 40417 is closed.
        ").re("w-0203").local_time("2025-06-04T13:50:00+02:00"),
        Letter::new(known::SHARED_KEYS[1], "t-desk", "2025-06-05T09:30:00Z", &RAVI, "The plant on your desk", "
            It has flowered. Nobody knew it was the kind that does. I have moved it away from the printer,
            which was breathing on it. R.
        ").local_time("2025-06-05T11:30:00+02:00"),
    ]
}

/// What the gateway wrote down about one held message: far more than anyone wanted, part of it as one long string.
fn gateway_trace() -> Value {
    let mut variety = Generator::named("gateway-trace");
    let checks =
        ["greylist", "sender reputation", "attachment type", "link rewriting", "language", "macro search"];
    let verdicts = ["clean", "clean", "clean", "no opinion", "unsure", "asked a colleague"];
    let mut log = String::new();
    for step in 1..=96_u64 {
        // A `String` takes any text, so there is no failure to report.
        let _ = writeln!(
            log,
            "step {step:03} · {} on part {} took {} ms, verdict: {}; queue {:04x}",
            variety.pick(&checks),
            variety.below(4),
            variety.below(400),
            variety.pick(&verdicts),
            variety.below(0x1_0000),
        );
    }
    log.push_str("end of trace: held, because the attachment's sender is a stranger 🚧");
    let stations: Vec<_> = (1..=24_u64)
        .map(|hop| {
            json!({
                "hop": hop,
                "name": format!("sieve-{:02}.marrowlane.example.com", variety.below(40)),
                "waited": { "ms": variety.below(5000), "retries": variety.below(3) },
                "ok": hop != 24,
            })
        })
        .collect();
    json!({ "tool": "sieve", "version": 7.25, "held": true, "released_at": null, "log": log, "stations": stations })
}

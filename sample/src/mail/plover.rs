//! Project Plover: forty tide gauges, one of which lies.

use super::Letter;
use super::people::{GAUGES, HEDDA, ILSE_AT_WORK, RAVI, SUNNIVA};
use crate::attachments;
use crate::generator::Generator;
use serde_json::json;

const PLOVER: &str = "t-plover";
const DRIFT: &str = "t-drift";

// A letter reads best with its envelope on one line and its text below, which rustfmt would not do.
#[rustfmt::skip]
pub(super) fn work() -> Vec<Letter> {
    let mut letters = vec![
        Letter::new("w-0101", PLOVER, "2025-01-20T08:30:00Z", &HEDDA, "Plover starts today", "
            Good morning,

            the Port of Eastmere has signed. Forty gauges, a reading every ten minutes, on their screens
            within one minute, by 30 September. Ilse leads, Ravi builds the firmware, I keep the rain off.
            It is called Plover because plovers stand at the edge of the water and look busy.

            Hedda
        ").labels(&["plover"]).local_time("2025-01-20T09:30:00+01:00"),
        Letter::new("w-0102", PLOVER, "2025-01-20T09:05:00Z", &ILSE_AT_WORK, "Re: Plover starts today", "
            Thank you. First three questions for the kick-off: who is woken at night, who may stop the
            roll-out, and what does the harbour master do when the screen is dark?

            Ilse
        ").re("w-0101").to(&[&HEDDA, &RAVI]).labels(&["plover"]),
        Letter::new("w-0103", PLOVER, "2025-01-28T13:40:00Z", &SUNNIVA, "Answers from the harbour", "
            Dear Ilse,

            woken: me. Stop the roll-out: you, any time, no reasons asked. Dark screen: we look out of the
            window, as our grandmothers did, and we would rather not in fog.

            Sunniva Okafor-Bell, Port of Eastmere
        ").labels(&["plover", "customer"]).starred(),
        Letter::new("w-0104", PLOVER, "2025-03-03T10:12:00Z", &RAVI, "Firmware 2.2 is in the bath", "
            Twelve gauges have stood in the bath for a week. Worst error 4 mm, worst battery 81 %, worst
            smell: mine. I would let it out to the first ten sites. R.
        ").labels(&["plover"]),
        Letter::new("w-0105", PLOVER, "2025-03-03T10:30:00Z", &ILSE_AT_WORK, "Re: Firmware 2.2 is in the bath", "
            Go, five a day, and none on a Friday.
        ").re("w-0104").to(&[&RAVI]).labels(&["plover"]),
        Letter::new("w-0106", DRIFT, "2025-05-26T06:48:00Z", &SUNNIVA, "Is gauge EAST-07 drunk?", "
            Ilse,

            since about the nineteenth EAST-07 shows more water than there is. This morning it was 88 mm too
            high against the old staff on the quay wall. A barge captain noticed before your alarms did.
            Please?

            Sunniva
        ").labels(&["plover", "customer", "drift"]).starred(),
        Letter::new("w-0107", DRIFT, "2025-06-02T07:20:00Z", &RAVI, "EAST-07, all of May", "
            Readings attached, every ten minutes. Look at the low tides from the nineteenth on: each day 11
            mm higher than the day before. That is not water, that is the sensor. Firmware 2.3 went onto it
            on the eighteenth at 23:40. I do not believe in coincidences that keep a diary. R.
        ").re("w-0106").labels(&["plover", "drift"]).attach(attachments::gauge_readings()),
        Letter::new("w-0108", DRIFT, "2025-06-02T08:05:00Z", &ILSE_AT_WORK, "Rolling back 2.3", "
            Sunniva, Hedda, Ravi,

            we are taking firmware 2.3 back on all six gauges that have it, today before noon. Until then
            please use the staff at the quay for EAST-07. Cause: 2.3 corrects for temperature twice. Our
            alarm compares a gauge with its own yesterday, so a slow lie passes. Both will be mended; the
            alarm first.

            Ilse
        ").re("w-0107").to(&[&SUNNIVA, &HEDDA, &RAVI]).labels(&["plover", "drift"])
            .local_time("2025-06-02T10:05:00+02:00"),
        Letter::new("w-0109", DRIFT, "2025-06-02T10:44:00Z", &RAVI, "Re: Rolling back 2.3", "
            All six are back on 2.2. EAST-07 agrees with the wall to 3 mm. I changed the maintenance word
            while I was in there; it is crane-madder-8842 now, and the old one no longer opens anything. R.
        ").re("w-0108").labels(&["plover", "drift"]),
        Letter::new("w-0110", DRIFT, "2025-06-03T12:30:00Z", &SUNNIVA, "Re: Rolling back 2.3", "
            The water is where it should be. Thank you for saying \"a slow lie\" and not \"an anomaly\". The
            barge captain would like a job.

            Sunniva
        ").re("w-0108").labels(&["plover", "customer"]),
        Letter::new("w-0111", "t-retro", "2025-06-13T09:00:00Z", &HEDDA, "What we learned from EAST-07", "
            - compare neighbours, not only yesterdays
            - a roll-out ends when somebody has looked, not when the bar is full
            - customers with windows are our best sensors
            - Ravi sleeps now

            Nobody is to blame and everybody has homework.

            Hedda
        ").labels(&["plover"]),
        Letter::new("w-0112", PLOVER, "2025-07-08T14:14:00Z", &RAVI, "Firmware 2.4", "
            Corrects for temperature exactly once. I have had the number one engraved. In the bath since
            Monday, out on the 21st if you agree. R.
        ").labels(&["plover"]).header("x_build", json!({
            "version": [2, 4, 0], "checks": { "passed": 1412, "failed": 0, "skipped": null },
            "bath": { "days": 8, "worst_mm": 2.5, "gauges": ["B-01", "B-02", "B-05"] }, "signed": true
        })),
        Letter::new("w-0113", PLOVER, "2025-07-08T15:00:00Z", &ILSE_AT_WORK, "Re: Firmware 2.4", "
            Agreed. Not on a Friday.
        ").re("w-0112").to(&[&RAVI]).labels(&["plover"]),
        Letter::new("w-0114", PLOVER, "2025-08-20T11:11:00Z", &SUNNIVA, "Forty out of forty", "
            Gauge forty went live at eleven minutes past eleven, six weeks early. The harbour master has
            drawn the curtains for the first time in nineteen years. Come and see; there will be herring.

            Sunniva
        ").labels(&["plover", "customer"]).starred(),
    ];
    letters.extend(reports());
    letters
}

/// What the gauges say about themselves every other Monday.
fn reports() -> Vec<Letter> {
    const MONDAYS: [&str; 10] = [
        "2025-04-07",
        "2025-04-21",
        "2025-05-05",
        "2025-05-19",
        "2025-06-02",
        "2025-06-16",
        "2025-06-30",
        "2025-07-14",
        "2025-07-28",
        "2025-08-11",
    ];
    MONDAYS
        .iter()
        .zip(1_u64..)
        .map(|(day, number)| {
            let mut variety = Generator::named(day);
            let live = 8 + number * 3 - variety.below(2);
            let (late, silent) = (variety.below(7), variety.below(3));
            let body = format!(
                "Gauges live: {live} of 40. Readings expected: {}, late: {late}, missing: \
                 {silent}.\n\nHighest water: {}.{:02} m at EAST-{:02}. Lowest battery: {} % at \
                 EAST-{:02}.\n\nThis report was written by the gauges and has not been smoothed.",
                live * 2_016,
                3 + variety.below(2),
                variety.below(100),
                1 + variety.below(live),
                60 + variety.below(30),
                1 + variety.below(live),
            );
            Letter::new(
                format!("w-01{}", 20 + number),
                "t-reports",
                format!("{day}T04:00:00Z"),
                &GAUGES,
                format!("Gauge report {number}"),
                &body,
            )
            .labels(&["plover", "automatic"])
            .header(
                "metrics",
                json!({ "live": live, "late": late, "missing": silent, "share": live as f64 / 40.0 }),
            )
        })
        .collect()
}

//! A month of tide, one reading every ten minutes.

use crate::generator::Generator;
use std::fmt::Write as _;

/// Half a tide lasts about 373 minutes.
const HALF_TIDE: u32 = 373;

/// Writes May 2025 of gauge EAST-07: water that rises and falls, and the drift that sets in on the nineteenth.
pub(super) fn readings() -> String {
    let mut noise = Generator::named("east-07");
    let mut table = String::from("time,gauge,level_mm,water_c,quality\n");
    for reading in 0..31 * 144_u32 {
        let minute = reading * 10;
        let (day, hour, past) = (minute / 1440 + 1, minute / 60 % 24, minute % 60);
        let phase = minute % (2 * HALF_TIDE);
        // A triangle instead of a sine: integers come out the same everywhere.
        let tide = if phase < HALF_TIDE { phase } else { 2 * HALF_TIDE - phase } * 9;
        let drift = if day < 19 { 0 } else { (day - 18) * 11 };
        let level = 640 + tide + drift + noise.below(23) as u32;
        let warmth = 84 + day * 2 + noise.below(6) as u32;
        let quality = if noise.below(150) == 0 { "spike" } else { "ok" };
        // A `String` takes any text, so there is no failure to report.
        let _ = writeln!(
            table,
            "2025-05-{day:02}T{hour:02}:{past:02}:00Z,EAST-07,{level:05},{:02}.{},{quality}",
            warmth / 10,
            warmth % 10
        );
    }
    table
}

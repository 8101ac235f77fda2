//! A report of middle length: longer than a window, shorter than an evening.

use crate::generator::Generator;
use std::fmt::Write as _;

const ROOMS: &[&str] = &[
    "The porch",
    "The hall",
    "The coal cellar",
    "The kitchen",
    "The pantry",
    "The front room",
    "The stairs",
    "The landing",
    "The small bedroom",
    "The large bedroom",
    "The bathroom",
    "The box room",
    "The loft, south side",
    "The loft, north side",
    "The chimney",
    "The wash house",
    "The garden wall",
];

const FABRIC: &[&str] = &[
    "The walls are of brick on a plinth of harbour stone, plastered in lime and, in two places, in optimism.",
    "The boards are wide and old and have been walked on kindly.",
    "The plaster sounds hollow along the outer wall but holds; leave it until it asks.",
    "The frame is oak, pegged and not nailed, and has moved as much as it is going to.",
    "A former owner has filled a gap with newspaper. I have read it; ships were late then too.",
];
const DAMP: &[&str] = &[
    "It is dry, and it smells dry, which matters more than the meter.",
    "A tide line from an older leak can be seen under good light; it is history and not news.",
    "Some damp comes in at the sill in a south-westerly. A drip groove would cost little and end it.",
    "The meter jumped once and then was ashamed of itself. I measured again on another day: nothing.",
    "Salt has bloomed on the lowest course. Brush it, do not paint it.",
];
const ADVICE: &[&str] = &[
    "Nothing to do before five years are over.",
    "Ease the door by the thickness of a coin.",
    "Let whoever comes for the roof look at this on the same day.",
    "Keep the vent open. It has been closed with a sock.",
    "Oil in spring, look in autumn, and otherwise let it be a house.",
];
const ASPECTS: &[&str] =
    &["Walls", "Floor", "Ceiling", "Openings", "Services", "Smell", "What the neighbours say"];

/// Writes the surveyor's walk through the house. What matters to the roof stands in the loft, on its north side.
pub(crate) fn report() -> String {
    let mut variety = Generator::named("survey");
    let mut report = String::from(
        "Survey of 9 Net Loft Lane, Saltmere\nmade on 17, 18 and 19 March 2025 by Agathe Moorcroft-Lind\n\n\
         Dear Ms Varnholt, dear Mr Quill,\n\nyou asked whether the beams will carry the new roof. They \
         will. You did not ask about the rest, but I cannot walk through a house with my eyes closed. \
         Figures are moisture by weight.\n",
    );
    for (room, number) in ROOMS.iter().zip(1..) {
        // A `String` takes any text, so there is no failure to report.
        let _ = write!(report, "\n{number}. {room}\n\n");
        for aspect in ASPECTS {
            let moisture = (variety.below(7) + 9, variety.below(10));
            let _ = writeln!(
                report,
                "{aspect}: {} Moisture {}.{} %. {} {}",
                variety.pick(FABRIC),
                moisture.0,
                moisture.1,
                variety.pick(DAMP),
                variety.pick(ADVICE),
            );
        }
        if *room == "The loft, north side" {
            report.push_str(
                "Attention: below the north valley the boards are soft over a length of about 2.3 m. I \
                 could not see the rafters beside them. Ask the roofers to open it before they price it, \
                 not after.\n",
            );
        }
    }
    report
        .push_str("\nThe house is sound. It would like to be dry. So would we all.\n\nAgathe Moorcroft-Lind");
    report
}

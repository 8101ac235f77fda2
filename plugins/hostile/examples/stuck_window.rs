//! Places windows that do not advance.

use stepwell_sdk::field_window::{Asked, Guest};
use stepwell_sdk::{Context, Fault, FieldShape, Span};

struct StuckWindow;

impl Guest for StuckWindow {
    fn place(_slot: u32, _field: FieldShape, asked: Asked, _context: Context) -> Result<Span, Fault> {
        let at = match asked {
            Asked::Page(page) => page.offset,
            Asked::Back(back) => back.end,
            Asked::Around(around) => around.hit.start,
            Asked::Other(_) => 0,
        };
        Ok(Span { start: at, end: at })
    }
}

stepwell_sdk::field_window::export!(StuckWindow);

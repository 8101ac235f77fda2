//! Files that hang on messages: real bytes of the kind they claim to be.

mod csv;
mod pdf;
mod png;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

/// A file with the name and the kind that its sender gave it.
#[derive(Clone, Debug)]
pub(crate) struct Attachment {
    pub(crate) name: &'static str,
    mime_type: &'static str,
    bytes: Vec<u8>,
}

impl Attachment {
    /// Spells the file as a field's value.
    pub(crate) fn value(&self) -> Value {
        json!({ "$blob": {
            "mime_type": self.mime_type,
            "file_name": self.name,
            "base64": STANDARD.encode(&self.bytes),
        } })
    }
}

/// The tiles to choose from, as a small picture.
pub(crate) fn tile_colours() -> Attachment {
    Attachment { name: "tile-colours.png", mime_type: "image/png", bytes: png::tiles() }
}

/// The invoice that went astray.
pub(crate) fn invoice() -> Attachment {
    let lines = [
        "Pell & Daughter Roofing",
        "Invoice PD-2291, 28 April 2025",
        "For: Ilse Varnholt, 9 Net Loft Lane, Saltmere",
        "Scaffold  2,150.00    Tiles  6,480.00    Labour  5,240.00    Lead work  990.00",
        "Extra: rot in the north valley, 2.3 m  1,380.00",
        "Total  16,240.00    Deposit paid 21 February  -4,000.00",
        "To pay by 28 May 2025: EUR 12,240.00",
        "Thank you (and Slate wags his tail).",
    ];
    Attachment { name: "invoice-PD-2291.pdf", mime_type: "application/pdf", bytes: pdf::page(&lines) }
}

/// A month of one tide gauge.
pub(crate) fn gauge_readings() -> Attachment {
    Attachment { name: "east-07-2025-05.csv", mime_type: "text/csv", bytes: csv::readings().into_bytes() }
}

/// A page that would run a script if someone were to open it in the wrong place. The override in its name makes it look
/// like a PDF on a screen.
pub(crate) fn hostile_page() -> Attachment {
    let page =
        "<!doctype html><title>invoice</title><script>alert(document.domain)</script><p>Please log in again.";
    Attachment { name: "invoice\u{202e}fdp.html", mime_type: "text/html", bytes: page.into() }
}

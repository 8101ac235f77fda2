//! A resources tier of the contract's first version. It calls every import of that version and tells what it got.

mod bindings {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "stepwell:ladder/resources-tier@0.1.0",
        generate_all,
    });
}

use bindings::exports::stepwell::ladder::librarian::{Guest, Offer, Part, Target};
use bindings::stepwell::ladder::fields::{self, Refusal, Wanted};
use bindings::stepwell::ladder::log::{self, Level};
use bindings::stepwell::ladder::shapes::{Context, Fault, RecordShape, Span};

fn outcome(answer: Result<String, Refusal>) -> String {
    match answer {
        Ok(text) => text,
        Err(Refusal::NotInHand) => "not-in-hand".to_owned(),
        Err(Refusal::NotText) => "not-text".to_owned(),
        Err(Refusal::OverAllowance) => "over-allowance".to_owned(),
        Err(Refusal::Other(_)) => "other".to_owned(),
    }
}

struct First;

impl Guest for First {
    fn links(shape: RecordShape, _context: Context) -> Result<Vec<Offer>, Fault> {
        let at = Span { start: 0, end: u32::MAX };
        let wanted = [0, 1].map(|slot| Wanted { slot, path: "body".to_owned(), at });
        let mut told: Vec<_> = fields::read(&wanted).into_iter().map(outcome).collect();
        told.push(outcome(fields::children(0, "body").map(|_| "given".to_owned())));
        log::write(Level::Warn, "heard by nobody");
        let title = format!("{}: {} {}", shape.slot, told.join(" "), fields::left().reads);
        Ok(vec![Offer { target: Target::WholeRecord, title, priority: 0.5, options: Vec::new() }])
    }

    fn layout(shape: RecordShape, _context: Context) -> Result<Vec<Part>, Fault> {
        let part = |path| Part { path, at: None, options: Vec::new() };
        Ok(shape.fields.into_iter().map(|field| part(field.path)).collect())
    }
}

bindings::export!(First with_types_in bindings);

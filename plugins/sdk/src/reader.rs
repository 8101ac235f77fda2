//! Reading fields, with the host or with a stand-in.

use crate::bindings::imports::stepwell::ladder::fields;
use crate::{Allowance, FieldShape, Refusal, Span, Wanted};

/// Where a tier's logic reads from: the host in a component, a stand-in in a test.
pub trait Reader {
    /// Reads spans in one crossing and answers in the order asked.
    fn read(&self, what: &[Wanted]) -> Vec<Result<String, Refusal>>;

    /// Lists the members of a JSON field, or of an array or object inside it.
    fn children(&self, slot: u32, pointer: &str) -> Result<Vec<FieldShape>, Refusal>;

    /// Says what is left of the call's allowance.
    fn left(&self) -> Allowance;

    /// Reads one span.
    fn read_one(&self, slot: u32, path: &str, at: Span) -> Result<String, Refusal> {
        let wanted = Wanted { slot, path: path.to_owned(), at };
        self.read(&[wanted]).pop().unwrap_or(Err(Refusal::Other("the host did not answer".into())))
    }
}

/// The host, through the component's imports.
#[derive(Clone, Copy, Debug, Default)]
pub struct Host;

impl Reader for Host {
    fn read(&self, what: &[Wanted]) -> Vec<Result<String, Refusal>> {
        if what.is_empty() { Vec::new() } else { fields::read(what) }
    }

    fn children(&self, slot: u32, pointer: &str) -> Result<Vec<FieldShape>, Refusal> {
        fields::children(slot, pointer)
    }

    fn left(&self) -> Allowance {
        fields::left()
    }
}

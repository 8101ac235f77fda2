//! What can go wrong with a tier, each with one code.

use crate::lock::Difference;
use crate::phase::Phase;
use crate::shape::Slot;
use std::time::Duration;
use stepwell_contract::{Chars, Span};

/// Why a tier gave no usable plan. The words are the host's own: nothing that a guest said is in them, except the names
/// of what a component file imports or exports.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TierFault {
    /// The component's file cannot be read.
    #[error("the component {file:?} cannot be read ({reason}); check the path in plugins.toml")]
    Missing {
        /// The path as configured.
        file: String,
        /// What the file system said.
        reason: String,
    },
    /// The component is larger than what is compiled.
    #[error("the component has {bytes} bytes, more than the {cap} that are compiled")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The cap.
        cap: u64,
    },
    /// The component is not the one that the operator named.
    #[error(
        "the component's sha256 is {found}, not {expected}; if the change is intended, update plugins.toml"
    )]
    DigestMismatch {
        /// What plugins.toml says.
        expected: String,
        /// What the file has.
        found: String,
    },
    /// The plugin is not what was accepted.
    #[error(
        "it is not what plugins.lock says: {}; if that is intended, run: stepwell plugin accept {name}",
        .differences.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    )]
    NotAsLocked {
        /// The plugin's name.
        name: String,
        /// In what it differs.
        differences: Vec<Difference>,
    },
    /// The lock cannot be read, so nothing is known to be as accepted.
    #[error(
        "plugins.lock cannot be used ({0}); repair it, or look at all plugins and run: stepwell plugin accept"
    )]
    LockUnreadable(String),
    /// The component does not fit the tier: a forbidden import, a missing export, another version, or no component.
    #[error("the component does not fit this tier: {0}")]
    WrongWorld(String),
    /// The component cannot be compiled.
    #[error("the component cannot be compiled: {0}")]
    Compile(String),
    /// The component cannot be instantiated within its limits.
    #[error(
        "the component cannot be instantiated within its limits; give it more in plugins.toml, or mend it"
    )]
    Instantiate,
    /// The guest stopped in an error of its own, such as a panic.
    #[error("the tier stopped with an error ({0})")]
    Trap(String),
    /// The guest used up its time.
    #[error("the tier did not answer within {} ms", .0.as_millis())]
    Deadline(Duration),
    /// The guest asked for more memory than it may have.
    #[error("the tier needed more than its {0} MB of memory")]
    Memory(u32),
    /// The guest handed over more than it may.
    #[error("the tier answered with more than its {0} KB")]
    OutputTooLarge(u32),
    /// The answer breaks the contract.
    #[error("the tier's answer breaks the contract: {0}")]
    InvalidOutput(Invalid),
    /// The guest itself declined. This is an answer, so it does not count against the tier.
    #[error("the tier declined ({0})")]
    Refused(GuestRefusal),
    /// Repeated faults opened the breaker.
    #[error("the tier rests after repeated faults, for another {} ms", .0.as_millis())]
    Resting(Duration),
    /// Too many calls wait for their turn.
    #[error("too many tier calls at once")]
    Busy,
}

impl TierFault {
    /// A stable name for counters and for the wire.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "missing",
            Self::TooLarge { .. } => "too_large",
            Self::DigestMismatch { .. } => "digest_mismatch",
            Self::NotAsLocked { .. } => "not_as_locked",
            Self::LockUnreadable(_) => "lock_unreadable",
            Self::WrongWorld(_) => "wrong_world",
            Self::Compile(_) => "compile",
            Self::Instantiate => "instantiate",
            Self::Trap(_) => "trap",
            Self::Deadline(_) => "deadline",
            Self::Memory(_) => "memory",
            Self::OutputTooLarge(_) => "output_too_large",
            Self::InvalidOutput(_) => "invalid_output",
            Self::Refused(_) => "refused",
            Self::Resting(_) => "resting",
            Self::Busy => "busy",
        }
    }

    /// Where on its way the tier failed.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        match self {
            Self::Missing { .. } | Self::TooLarge { .. } => Phase::Resolve,
            Self::DigestMismatch { .. }
            | Self::NotAsLocked { .. }
            | Self::LockUnreadable(_)
            | Self::WrongWorld(_) => Phase::Verify,
            Self::Compile(_) => Phase::Compile,
            Self::Instantiate => Phase::Instantiate,
            Self::InvalidOutput(_) => Phase::Validate,
            Self::Trap(_)
            | Self::Deadline(_)
            | Self::Memory(_)
            | Self::OutputTooLarge(_)
            | Self::Refused(_)
            | Self::Resting(_)
            | Self::Busy => Phase::Call,
        }
    }

    /// Whether it counts against the tier: an answer, a rest and a queue do not.
    pub(crate) const fn is_fault(&self) -> bool {
        !matches!(self, Self::Refused(_) | Self::Resting(_) | Self::Busy)
    }
}

/// How a guest declined. Its message is dropped, because it may contain record text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GuestRefusal {
    /// The input is nothing that the tier handles.
    #[error("unsupported")]
    Unsupported,
    /// The input contradicts the contract, as the tier sees it.
    #[error("invalid")]
    Invalid,
    /// Anything else.
    #[error("other")]
    Other,
}

/// Which rule an answer broke.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Invalid {
    /// A span that ends before it starts.
    #[error("a span ends before it starts")]
    Backwards,
    /// A span or place outside its field.
    #[error("the span {}..{} lies outside a field of {size} chars", .at.start(), .at.end())]
    OutsideField {
        /// The span.
        at: Span,
        /// The field's size.
        size: Chars,
    },
    /// A slot that was not in the call.
    #[error("slot {} is not in hand", .0.0)]
    SlotNotInHand(Slot),
    /// A record with two sheets.
    #[error("slot {} is answered twice", .0.0)]
    SlotTwice(Slot),
    /// A field that the record does not have, or not as this kind.
    #[error("a field is named that is not in hand, or not readable")]
    FieldNotInHand,
    /// More lines, anchors, links or parts than allowed.
    #[error("{found} {what}, where {most} are allowed")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many are allowed.
        most: usize,
    },
    /// More bytes of text than allowed.
    #[error("{found} bytes of text for one record, where {most} are allowed")]
    TooLong {
        /// How many there are.
        found: u64,
        /// How many are allowed.
        most: u64,
    },
    /// A window that does not begin (or, read backwards, end) where it must.
    #[error("the window is at {}..{}, but must {rule}", .at.start(), .at.end())]
    Window {
        /// The window.
        at: Span,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// A priority that is no number from 0 to 1.
    #[error("a priority is not between 0 and 1")]
    Priority,
    /// A link to something that this version does not know.
    #[error("a link's target is unknown")]
    UnknownTarget,
    /// The same link or part twice.
    #[error("the same link or part twice")]
    Duplicate,
    /// A tool that cannot be listed. Nothing is in hand when tools are defined, so its name can be told.
    #[error("the tool {tool} {rule}")]
    Definition {
        /// The tool's name, quoted.
        tool: String,
        /// The rule that its definition breaks.
        rule: BadDefinition,
    },
    /// Data, or arguments that go on, that are no JSON object.
    #[error("what is to be a JSON object is none")]
    NoObject,
    /// Data that passes something off as an id, an address or a cursor.
    #[error(
        "data holds a member or a value that only the host may write, such as an id, an address or a cursor"
    )]
    Handle,
    /// Arguments that go on but would not be taken.
    #[error(
        "the arguments that go on do not pass the tool's own schema, name a record by something else than its slot, or are those of the call"
    )]
    Next,
}

/// Which rule a tool's definition breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadDefinition {
    /// No name, or a name without end.
    #[error("must have a name of 1 to 128 bytes")]
    Name,
    /// Two tools of one name.
    #[error("is defined twice")]
    Twice,
    /// No words for a model, or too many.
    #[error("must have a description of 1 to 1024 bytes")]
    Description,
    /// A schema that is no JSON Schema.
    #[error("has an input schema that is no JSON Schema")]
    SchemaJson,
    /// A schema whose root hosts do not take.
    #[error(
        "must have an input schema of type object with additionalProperties false and no combinator at its root"
    )]
    SchemaRoot,
    /// A schema that is too large or too deep.
    #[error("has an input schema of more than 4096 bytes or 12 levels")]
    SchemaSize,
    /// A keyword that is not let through.
    #[error("has an input schema with a keyword that is not allowed, such as $ref or pattern")]
    Keyword,
    /// An argument's name that some model interface refuses.
    #[error("has an argument whose name is not 1 to 64 of A-Z, a-z, 0-9, _, . and -")]
    Argument,
    /// Characters that no reader sees.
    #[error("has a value in its input schema with characters that cannot be seen")]
    Hidden,
    /// A record parameter that is no string argument.
    #[error("has a record parameter that is no argument of type string, or comes twice, or is the ninth")]
    RecordParameter,
}

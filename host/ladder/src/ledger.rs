//! Nothing is shown before it is written down.
//!
//! A rung drafts an answer and says what the answer discloses. What leaves the ladder is a [`Recorded`] answer, and only
//! this file makes one: after the owner's ledger has it, or where the operator switched the ledger off.

use crate::ladder::{Asker, Ladder};
use crate::reply::{LadderError, Reply, Resource};
use crate::window::FieldWindow;
use crate::written::WrittenWindow;
use std::ops::Deref;
use stepwell_source::{Caller, Disclosure, Extent, Source};

/// What an operator decided about the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerPolicy {
    /// Whether reads are written down at all.
    pub enabled: bool,
    /// What happens to a read that cannot be written down.
    pub on_fault: LedgerFault,
}

impl Default for LedgerPolicy {
    fn default() -> Self {
        Self { enabled: true, on_fault: LedgerFault::Refuse }
    }
}

/// What happens to a read that cannot be written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerFault {
    /// It is refused: an owner who cannot see a read afterwards did not agree to it.
    Refuse,
    /// It is answered, and the operator's log says that an entry is missing.
    Serve,
}

/// An answer whose disclosures are in the ledger.
#[derive(Clone, Debug)]
pub struct Recorded<T>(T);

impl<T> Recorded<T> {
    /// The answer itself, for whoever sends it.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.0
    }

    /// The same answer in another form.
    pub(crate) fn map<U>(self, form: impl FnOnce(T) -> U) -> Recorded<U> {
        Recorded(form(self.0))
    }
}

impl<T> Deref for Recorded<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Writes down what an answer discloses, and then lets it go.
pub async fn record<T>(
    source: &dyn Source,
    policy: LedgerPolicy,
    caller: &Caller,
    tool: &str,
    answer: T,
    disclosed: &[Disclosure],
) -> Result<Recorded<T>, LadderError> {
    if !policy.enabled {
        return Ok(Recorded(answer));
    }
    // An answer about no record, such as a search without hits, was a read too.
    let nothing = [Disclosure::default()];
    let disclosed = if disclosed.is_empty() { &nothing } else { disclosed };
    let Err(error) = source.disclose(caller, tool, disclosed).await else { return Ok(Recorded(answer)) };
    match policy.on_fault {
        LedgerFault::Refuse => Err(LadderError::Unrecorded(error.to_string())),
        LedgerFault::Serve => {
            let (grant, entries) = (caller.grant(), disclosed.len());
            tracing::error!(tool, grant, entries, reason = %error, "served without an entry in the ledger");
            Ok(Recorded(answer))
        }
    }
}

/// Writes down what a read came to, be it an answer or the news that there is none, and then lets it go.
pub async fn record_outcome<T: Discloses>(
    source: &dyn Source,
    policy: LedgerPolicy,
    caller: &Caller,
    tool: &str,
    outcome: Result<T, LadderError>,
) -> Result<Recorded<T>, LadderError> {
    match outcome {
        Ok(mut answer) => {
            let disclosed = answer.take_disclosed();
            record(source, policy, caller, tool, answer, &disclosed).await
        }
        Err(LadderError::Missed(refusal, disclosed)) => {
            record(source, policy, caller, tool, (), &[*disclosed]).await?;
            Err(LadderError::Refused(refusal))
        }
        Err(other) => Err(other),
    }
}

/// Something that says what it discloses.
pub trait Discloses {
    /// Takes out of it what it discloses, for the ledger.
    fn take_disclosed(&mut self) -> Vec<Disclosure>;
}

impl Discloses for Reply {
    fn take_disclosed(&mut self) -> Vec<Disclosure> {
        std::mem::take(&mut self.disclosed)
    }
}

impl Discloses for WrittenWindow {
    fn take_disclosed(&mut self) -> Vec<Disclosure> {
        std::mem::take(&mut self.disclosed)
    }
}

impl Discloses for Resource {
    fn take_disclosed(&mut self) -> Vec<Disclosure> {
        std::mem::take(&mut self.disclosed)
    }
}

impl Discloses for FieldWindow {
    fn take_disclosed(&mut self) -> Vec<Disclosure> {
        vec![self.disclosure()]
    }
}

impl FieldWindow {
    /// What it discloses: the span, and how many bytes of text that is.
    #[must_use]
    pub fn disclosure(&self) -> Disclosure {
        let extent = Extent::Chars(self.window.span);
        let bytes = stepwell_contract::Bytes::of(&self.text);
        Disclosure::of_part(&self.field.record, self.field.path.as_str(), extent, bytes)
    }
}

impl Ladder {
    /// Lets a drafted answer go, by the tool or method that it answers.
    pub(crate) async fn recorded<T: Discloses>(
        &self,
        asker: &Asker<'_>,
        tool: &str,
        draft: Result<T, LadderError>,
    ) -> Result<Recorded<T>, LadderError> {
        record_outcome(&*self.source, self.settings.ledger, asker.caller, tool, draft).await
    }
}

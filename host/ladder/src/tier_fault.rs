//! What happens when a tier fails: the host's own plain rendering, or a typed refusal, as the operator decided.

use stepwell_contract::{Code, Refusal};
use stepwell_tiers::{FaultPolicy, OnFault, TierFault};

/// Takes a tier's answer. A fault is no answer (and the host renders plainly), or a refusal.
pub(crate) fn settle<T>(
    tier: &str,
    policy: impl Into<FaultPolicy>,
    outcome: Result<T, TierFault>,
) -> Result<Option<T>, Refusal> {
    let fault = match outcome {
        Ok(answer) => return Ok(Some(answer)),
        Err(fault) => fault,
    };
    match policy.into().of(&fault) {
        OnFault::Fallback => Ok(None),
        // The client is told the fault's kind and nothing else.
        OnFault::Refuse => {
            let message = format!("the {tier} tier failed and is set to refuse");
            Err(Refusal::new(Code::TierError, message).with("fault", fault.code()).hint("ask the operator"))
        }
    }
}

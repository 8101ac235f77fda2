//! What happens when a tier fails: the host's own plain rendering, or a typed refusal, as the operator decided.

use stepwell_contract::{Code, Refusal};
use stepwell_tiers::{OnFault, TierFault};

/// Takes a tier's answer. A fault is no answer (and the host renders plainly), or a refusal.
pub(crate) fn settle<T>(
    tier: &str,
    policy: OnFault,
    outcome: Result<T, TierFault>,
) -> Result<Option<T>, Refusal> {
    match (outcome, policy) {
        (Ok(answer), _) => Ok(Some(answer)),
        (Err(_), OnFault::Fallback) => Ok(None),
        // The fault's own words may hold record text; the client is told its kind and nothing else.
        (Err(fault), OnFault::Refuse) => {
            let message = format!("the {tier} tier failed and is set to refuse");
            Err(Refusal::new(Code::TierError, message).with("fault", fault.code()).hint("ask the operator"))
        }
    }
}

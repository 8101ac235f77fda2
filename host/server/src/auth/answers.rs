//! What an authorization server said lately, by the digests of tokens.

use super::Vouched;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use stepwell_contract::Refusal;

/// How many tokens are remembered at most. An answer is about 200 bytes.
const MOST: usize = 8_192;

/// What was said of a token.
pub(super) type Verdict = Result<Vouched, Refusal>;

/// A digest of a token. The token itself is not kept.
pub(super) type Digest = [u8; 32];

/// The answer about one token, and until when it may be given again. Whoever asks for it holds the lock meanwhile, so that
/// others who bring the same token wait for that one answer.
pub(super) type Slot = Arc<tokio::sync::Mutex<Option<(Verdict, Instant)>>>;

/// A bounded memory in two generations: what is not asked for while half of it fills up is forgotten.
#[derive(Debug, Default)]
pub(super) struct Answers(Mutex<Generations>);

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<Digest, Slot>,
    old: HashMap<Digest, Slot>,
}

impl Answers {
    /// The place of a token's answer, empty if there is none yet.
    pub(super) fn slot(&self, digest: Digest) -> Slot {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = all.young.get(&digest) {
            return slot.clone();
        }
        if all.young.len() >= MOST / 2 {
            all.old = std::mem::take(&mut all.young);
        }
        let slot = all.old.remove(&digest).unwrap_or_default();
        all.young.insert(digest, slot.clone());
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(number: usize) -> Digest {
        let mut digest = [0; 32];
        digest[..8].copy_from_slice(&number.to_be_bytes());
        digest
    }

    #[test]
    fn it_stays_bounded_and_keeps_what_is_used() {
        let answers = Answers::default();
        let kept = answers.slot(digest(0));
        for number in 1..10 * MOST {
            answers.slot(digest(number));
            if number % 1_000 == 0 {
                assert!(Arc::ptr_eq(&kept, &answers.slot(digest(0))), "{number}");
            }
        }
        let all = answers.0.lock().unwrap();
        assert!(all.young.len() + all.old.len() <= MOST);
        drop(all);
        assert!(!Arc::ptr_eq(&answers.slot(digest(1)), &kept));
    }
}

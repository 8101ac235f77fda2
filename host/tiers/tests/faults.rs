//! `docs/tiers.md` names every fault that there is, and no other.

use std::time::Duration;
use stepwell_tiers::{GuestRefusal, Invalid, TierFault};

const PAGE: &str = include_str!("../../../docs/tiers.md");

/// One of each. The match below does not compile when a fault is added, so that it is added here and to the page.
fn one_of_each() -> Vec<TierFault> {
    let none = String::new;
    let all = vec![
        TierFault::Missing { file: none(), reason: none() },
        TierFault::TooLarge { bytes: 2, cap: 1 },
        TierFault::DigestMismatch { expected: none(), found: none() },
        TierFault::NotAsLocked { name: none(), differences: Vec::new() },
        TierFault::LockUnreadable(none()),
        TierFault::WrongWorld(none()),
        TierFault::Compile(none()),
        TierFault::Instantiate,
        TierFault::Trap(none()),
        TierFault::Deadline(Duration::ZERO),
        TierFault::Memory(1),
        TierFault::OutputTooLarge(1),
        TierFault::InvalidOutput(Invalid::Backwards),
        TierFault::Refused(GuestRefusal::Other),
        TierFault::Resting(Duration::ZERO),
        TierFault::Busy,
    ];
    for fault in &all {
        match fault {
            TierFault::Missing { .. }
            | TierFault::TooLarge { .. }
            | TierFault::DigestMismatch { .. }
            | TierFault::NotAsLocked { .. }
            | TierFault::LockUnreadable(_)
            | TierFault::WrongWorld(_)
            | TierFault::Compile(_)
            | TierFault::Instantiate
            | TierFault::Trap(_)
            | TierFault::Deadline(_)
            | TierFault::Memory(_)
            | TierFault::OutputTooLarge(_)
            | TierFault::InvalidOutput(_)
            | TierFault::Refused(_)
            | TierFault::Resting(_)
            | TierFault::Busy => {}
        }
    }
    all
}

#[test]
fn the_page_for_operators_names_every_fault() {
    let rows: Vec<Vec<&str>> = PAGE
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let codes: Vec<_> = rows.iter().map(|row| (row[0].trim_matches('`'), row[1])).collect();
    let all = one_of_each();
    let known: Vec<_> = all.iter().map(|fault| (fault.code(), fault.phase().as_str())).collect();
    assert_eq!(codes, known);
    for row in &rows {
        assert!(row.len() == 4 && row.iter().all(|cell| !cell.is_empty()), "{row:?}");
    }
}

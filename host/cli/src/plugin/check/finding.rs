//! What would be refused, and what to do about it.

use super::run::Calls;
use serde_json::{Value, json};
use stepwell_tiers::{Limits, TierFault};

/// Something that a server would refuse.
#[derive(Debug)]
pub(super) struct Finding {
    code: &'static str,
    pub(super) what: String,
    pub(super) fix: String,
}

impl Finding {
    /// A component that is not loaded.
    pub(super) fn loading(fault: &TierFault, tier: Option<&str>) -> Self {
        Self { code: fault.code(), what: fault.to_string(), fix: fix(fault, tier) }
    }

    /// A call that ended in a fault.
    pub(super) fn calling(fault: &TierFault, tier: &str, record: &str, times: usize) -> Self {
        let what = format!("{fault}; first with {record:?}, {times} calls in all");
        Self { code: fault.code(), what, fix: fix(fault, Some(tier)) }
    }

    /// Imports that no tier may have.
    pub(super) fn imports(foreign: &[&str]) -> Self {
        let all = foreign.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
        Self {
            code: "wrong_world",
            what: format!("it imports {all}; a tier may import stepwell:ladder/* only"),
            fix: "build it without WASI: Rust for wasm32-unknown-unknown, componentize-py and componentize-qjs with \
                  --stub-wasi"
                .to_owned(),
        }
    }

    /// Answers that are not always the same.
    pub(super) fn differing(records: &[String]) -> Self {
        Self {
            code: "not_deterministic",
            what: format!("the same record gets different answers; first with {:?}", records[0]),
            fix: "answer from the records and the context alone".to_owned(),
        }
    }

    /// Whether larger limits would help.
    pub(super) fn is_about_limits(&self) -> bool {
        matches!(self.code, "instantiate" | "memory" | "deadline" | "output_too_large")
    }

    pub(super) fn to_json(&self) -> Value {
        json!({ "code": self.code, "message": self.what, "fix": self.fix })
    }
}

fn fix(fault: &TierFault, tier: Option<&str>) -> String {
    let rules = tier.map_or_else(|| "wit/README.md".to_owned(), |tier| format!("wit/{tier}.wit"));
    let fix = match fault {
        TierFault::Missing { .. } => "name a file that is there",
        TierFault::TooLarge { .. } => "build it smaller: strip it, and leave out what it does not use",
        TierFault::WrongWorld(_) => {
            return format!("export what {rules} says, and import nothing but stepwell:ladder");
        }
        TierFault::Compile(_) => {
            "build it again; the file is damaged, or of a WebAssembly that is not taken here"
        }
        TierFault::Instantiate => {
            "in plugins.toml, beside its component: limits = { memory_mb = … }; or do less before it is asked"
        }
        TierFault::Memory(_) => "in plugins.toml, beside its component: limits = { memory_mb = … }",
        TierFault::Deadline(_) => "in plugins.toml, beside its component: limits = { deadline_ms = … }",
        TierFault::OutputTooLarge(_) => {
            "answer with less, or in plugins.toml, beside its component: limits = { output_kb = … }"
        }
        TierFault::InvalidOutput(_) => {
            return format!("stay within what is asked and the budget; {rules} has the rules");
        }
        TierFault::Trap(_) => "it panicked: answer with a fault instead, or leave the record out",
        _ => "see wit/README.md",
    };
    fix.to_owned()
}

/// The line for plugins.toml that gives it what it needs, with room to spare.
pub(super) fn enough(needs: &Calls, limits: Limits) -> Option<String> {
    let mut parts = Vec::new();
    let memory = needs.memory.saturating_mul(5) / 4 / (1024 * 1024) + 1;
    if memory > u64::from(limits.memory_mb) {
        parts.push(format!("memory_mb = {}", memory.next_multiple_of(32)));
    }
    let slowest = needs.times.last().map_or(0, std::time::Duration::as_millis);
    if slowest * 2 > limits.deadline.as_millis() {
        parts.push(format!("deadline_ms = {}", (slowest * 4).next_multiple_of(500)));
    }
    (!parts.is_empty()).then(|| format!("limits = {{ {} }}", parts.join(", ")))
}

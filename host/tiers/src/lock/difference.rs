//! In what a plugin differs from what was accepted, for people to read.

use super::{Locked, LockedLimits};
use std::collections::BTreeSet;
use std::fmt;

/// One thing that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What it is, such as `sha256` or `limits.memory_mb`.
    pub what: String,
    /// What was accepted; none if it was not there.
    pub was: Option<String>,
    /// What is there now; none if it is gone.
    pub is: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = &self.what;
        match (&self.was, &self.is) {
            (Some(was), Some(is)) => write!(f, "{what} was {was}, is {is}"),
            (None, Some(is)) => write!(f, "{what} {is} is new"),
            (Some(was), None) => write!(f, "{what} {was} is gone"),
            (None, None) => write!(f, "{what} is the same"),
        }
    }
}

/// Compares what was accepted with what is there.
pub(super) fn between(was: &Locked, is: &Locked) -> Vec<Difference> {
    let mut all = Vec::new();
    let mut compare = |what: &str, was: Option<String>, is: Option<String>| {
        if was != is {
            all.push(Difference { what: what.to_owned(), was, is });
        }
    };
    compare("tier", Some(was.tier.clone()), Some(is.tier.clone()));
    compare("kind", Some(was.kind.clone()), Some(is.kind.clone()));
    compare("sha256", Some(was.sha256.clone()), Some(is.sha256.clone()));
    compare("wit", was.wit.clone(), is.wit.clone());
    let sets = [&was.imports, &is.imports].map(|imports| imports.iter().collect::<BTreeSet<_>>());
    for import in sets[0].symmetric_difference(&sets[1]) {
        let of = |set: &BTreeSet<&String>| set.contains(import).then(|| (*import).clone());
        compare("the import", of(&sets[0]), of(&sets[1]));
    }
    for ((name, was), (_, is)) in numbers(&was.limits).into_iter().zip(numbers(&is.limits)) {
        compare(&format!("limits.{name}"), Some(was.to_string()), Some(is.to_string()));
    }
    for name in was.tools.keys().chain(is.tools.keys()).collect::<BTreeSet<_>>() {
        match (was.tools.get(name), is.tools.get(name)) {
            (Some(was), Some(is)) => {
                compare(&format!("the definition of {name}"), Some(was.clone()), Some(is.clone()));
            }
            (was, is) => compare("the tool", was.map(|_| name.clone()), is.map(|_| name.clone())),
        }
    }
    all
}

fn numbers(limits: &LockedLimits) -> [(&'static str, u64); 5] {
    [
        ("deadline_ms", limits.deadline_ms),
        ("memory_mb", limits.memory_mb.into()),
        ("output_kb", limits.output_kb.into()),
        ("reads", limits.reads.into()),
        ("read_kb", limits.read_kb.into()),
    ]
}

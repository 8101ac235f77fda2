//! Which messages belong together.

use crate::limits::THREADS;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::rc::Rc;

/// The first message of each message's thread, as far as it is another one.
///
/// A message names its ancestors, the eldest first, or only the one that it answers. In the second case the thread is that
/// of the message before, if that was read already.
#[derive(Debug, Default)]
pub(super) struct Threads {
    /// A thread's name is held once, however many messages it has.
    roots: HashMap<u64, Rc<str>>,
}

impl Threads {
    /// The id of the message that the thread began with.
    pub(super) fn root(&mut self, id: Option<&str>, ancestors: &[String]) -> Option<String> {
        let Some(eldest) = ancestors.first() else { return id.map(str::to_owned) };
        if self.roots.len() >= THREADS {
            return Some(
                self.roots.get(&number(eldest)).map_or_else(|| eldest.clone(), |root| root.to_string()),
            );
        }
        let root = Rc::clone(self.roots.entry(number(eldest)).or_insert_with(|| eldest.as_str().into()));
        if let Some(id) = id.filter(|id| **id != *root) {
            self.roots.insert(number(id), Rc::clone(&root));
        }
        Some(root.to_string())
    }
}

fn number(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_answers_is_one_thread() {
        let mut threads = Threads::default();
        let mut root = |id: &str, ancestors: &[&str]| {
            let ancestors: Vec<String> = ancestors.iter().map(ToString::to_string).collect();
            threads.root(Some(id), &ancestors).unwrap()
        };
        assert_eq!(root("a", &[]), "a");
        assert_eq!(root("b", &["a"]), "a");
        assert_eq!(root("c", &["b"]), "a", "only the answered message is named");
        assert_eq!(root("d", &["a", "b", "c"]), "a");
        assert_eq!(root("e", &["c", "d"]), "a", "the eldest was cut off");
        assert_eq!(root("x", &["lost"]), "lost");
        assert_eq!(root("y", &["y"]), "y", "a message that answers itself");
    }
}

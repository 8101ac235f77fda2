//! Fits a result into its budget: text by leaving words out before entries, and a whole result by saying less of each.

use crate::reply::Reply;
use stepwell_contract::Bytes;

/// One entry of a list, in forms from the most to the least wordy. The last one is what should not be left out.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) forms: Vec<String>,
    /// What is shown of the first entry if nothing else fits.
    pub(crate) alone: String,
}

/// How many entries of a page should be seen before words are spent on them.
pub(crate) const SEEN: usize = 5;

/// Joins a head, as many entries as fit, and a tail. The head is told how many entries are shown, and says first what was
/// left out, because hosts cut tails.
///
/// Words are spent only once `seen` entries fit. All entries take the same form, so that one wordy record does not starve the others. If not even one fits, the first
/// stands alone whatever the budget says: a list without a single handle would be a dead end.
pub(crate) fn fit(
    head: impl Fn(usize) -> String,
    entries: &[Entry],
    tail: &str,
    budget: Bytes,
    seen: usize,
) -> String {
    let compose = |count: usize, form: usize| {
        let mut text = head(count);
        let words = entries[..count].iter().filter_map(|entry| entry.forms.get(form).or(entry.forms.last()));
        for line in words.map(String::as_str).chain(Some(tail).filter(|tail| !tail.is_empty())) {
            text.push('\n');
            text.push_str(line);
        }
        text
    };
    let forms = entries.iter().map(|entry| entry.forms.len()).max().unwrap_or(1);
    for form in 0..forms {
        let most = (0..=entries.len()).rev().find(|&count| Bytes::of(&compose(count, form)) <= budget);
        match most {
            Some(count) if count >= seen.min(entries.len()) => return compose(count, form),
            Some(count) if form + 1 == forms && count > 0 => return compose(count, form),
            _ => {}
        }
    }
    let alone = entries.first().map(|entry| entry.alone.as_str());
    [head(entries.len().min(1)).as_str()].into_iter().chain(alone).collect::<Vec<_>>().join("\n")
}

/// Composes a result in ever sparer sizes until it fits. Says by how much the last one is too large, if even that is.
pub(crate) fn first_that_fits<S: Copy>(
    sizes: &[S],
    budget: Bytes,
    mut compose: impl FnMut(S) -> Reply,
) -> (Option<Reply>, Bytes) {
    let mut last = (None, Bytes::ZERO);
    for &size in sizes {
        let reply = compose(size);
        let over = reply.wire().saturating_sub(budget);
        last = (Some(reply), over);
        if over == Bytes::ZERO {
            break;
        }
    }
    last
}

/// How many entries to ask for when so many were too large by so much.
pub(crate) fn fewer(entries: usize, budget: Bytes, over: Bytes) -> usize {
    let (budget, whole) = (budget.get(), budget.get() + over.get());
    let share = (entries as u64 * budget / whole.max(1)) as usize;
    share.clamp(1, entries.saturating_sub(1).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(count: usize) -> Vec<Entry> {
        let entry = |n: usize| Entry {
            forms: vec![format!("{n} {}", "x".repeat(50)), format!("{n}")],
            alone: format!("only {n}"),
        };
        (0..count).map(entry).collect()
    }

    #[test]
    fn shows_all_then_shorter_then_at_least_one() {
        let head = |total: usize| {
            move |shown: usize| {
                if shown < total { format!("more={}", total - shown) } else { "all".to_owned() }
            }
        };
        assert_eq!(fit(head(2), &entries(2), "", Bytes(500), SEEN).lines().count(), 3);
        assert_eq!(
            fit(head(9), &entries(9), "tail", Bytes(60), SEEN),
            "all\n0\n1\n2\n3\n4\n5\n6\n7\n8\ntail"
        );
        let some = fit(head(20), &entries(20), "", Bytes(300), SEEN);
        assert!(some.starts_with("more=15") && some.len() <= 300, "{some}");
        assert_eq!(fit(head(3), &entries(3), "tail", Bytes(1), SEEN), "more=2\nonly 0");
        assert_eq!(fit(head(0), &[], "none", Bytes(9), SEEN), "all\nnone");
    }

    #[test]
    fn fewer_is_fewer_and_at_least_one() {
        assert_eq!(fewer(25, Bytes(24_000), Bytes(24_000)), 12);
        assert_eq!(fewer(25, Bytes(24_000), Bytes(1)), 24);
        assert_eq!((fewer(1, Bytes(1), Bytes(99)), fewer(2, Bytes(10), Bytes(1))), (1, 1));
    }
}

//! Fits lines into a budget. The head always stays, an entry is shown whole or counted, and nothing is cut in its middle.

use stepwell_contract::Bytes;

/// One entry of a list, in forms from the most to the least wordy. The last one is what must not be left out.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) forms: Vec<String>,
}

/// How many entries should be seen before words are spent on them.
const SEEN: usize = 5;

/// Joins a head, as many entries as fit, and a tail. `tail` is told how many entries are shown.
///
/// All entries take the same form, so that one wordy record does not starve the others. If not even one fits, the first is
/// shown in its last form whatever the budget says: a list without a single handle would be a dead end.
pub(crate) fn fit(head: &str, entries: &[Entry], budget: Bytes, tail: impl Fn(usize) -> String) -> String {
    let compose = |count: usize, form: usize| {
        let mut text = head.to_owned();
        for entry in &entries[..count] {
            if let Some(words) = entry.forms.get(form).or(entry.forms.last()) {
                text.push('\n');
                text.push_str(words);
            }
        }
        let tail = tail(count);
        if !tail.is_empty() {
            text.push('\n');
            text.push_str(&tail);
        }
        text
    };
    let forms = entries.iter().map(|entry| entry.forms.len()).max().unwrap_or(1);
    for form in 0..forms {
        let most = (0..=entries.len()).rev().find(|&count| Bytes::of(&compose(count, form)) <= budget);
        match most {
            Some(count) if count >= SEEN.min(entries.len()) => return compose(count, form),
            Some(count) if form + 1 == forms && count > 0 => return compose(count, form),
            _ => {}
        }
    }
    compose(entries.len().min(1), forms.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(count: usize) -> Vec<Entry> {
        (0..count).map(|n| Entry { forms: vec![format!("{n} {}", "x".repeat(50)), format!("{n}")] }).collect()
    }

    #[test]
    fn shows_all_then_shorter_then_at_least_one() {
        let tail = |total: usize| {
            move |shown: usize| if shown < total { format!("more={}", total - shown) } else { String::new() }
        };
        assert_eq!(fit("head", &entries(2), Bytes(500), tail(2)).lines().count(), 3);
        assert_eq!(fit("head", &entries(9), Bytes(60), tail(9)), "head\n0\n1\n2\n3\n4\n5\n6\n7\n8");
        let some = fit("head", &entries(20), Bytes(300), tail(20));
        assert!(some.ends_with("more=15") && some.len() <= 300, "{some}");
        assert_eq!(fit("head", &entries(3), Bytes(1), tail(3)), "head\n0\nmore=2");
        assert_eq!(fit("head", &[], Bytes(9), tail(0)), "head");
    }
}

use super::*;
use proptest::option;
use proptest::prelude::*;

fn refused(arguments: WindowArguments) -> String {
    let refusal = Selector::parse(arguments).unwrap_err();
    assert_eq!(refusal.code, Code::InvalidWindowSelector);
    refusal.param.unwrap()
}

#[test]
fn no_selector_means_the_first_default_window() {
    let selector = Selector::parse(WindowArguments::default()).unwrap();
    assert_eq!(selector, Selector::Offset { offset: Chars(0), limit: Chars(4_096) });
}

#[test]
fn a_phrase_brings_its_default_context() {
    let selector =
        Selector::parse(WindowArguments { q: Some("Fjord".into()), ..Default::default() }).unwrap();
    let q = Query::new("Fjord").unwrap();
    assert_eq!(selector, Selector::Match { q, before: Chars(2_048), after: Chars(2_048), limit: None });
}

#[test]
fn a_cursor_takes_a_limit_beside_it_and_nothing_else() {
    let arguments = WindowArguments { cursor: Some("AQ".into()), limit_chars: Some(9), ..Default::default() };
    let selector = Selector::parse(arguments.clone()).unwrap();
    assert_eq!(selector, Selector::Cursor { cursor: "AQ".into(), limit: Some(Chars(9)) });
    assert_eq!(refused(WindowArguments { offset_chars: Some(0), ..arguments.clone() }), "offset_chars");
    assert_eq!(refused(WindowArguments { q: Some("x".into()), ..arguments.clone() }), "q");
    assert_eq!(refused(WindowArguments { before_chars: Some(0), ..arguments.clone() }), "before_chars");
    assert_eq!(refused(WindowArguments { after_chars: Some(0), ..arguments }), "after_chars");
    assert_eq!(refused(WindowArguments { cursor: Some(String::new()), ..Default::default() }), "cursor");
}

#[test]
fn bounds_are_refused_and_never_clamped() {
    let none = WindowArguments::default;
    assert_eq!(refused(WindowArguments { limit_chars: Some(0), ..none() }), "limit_chars");
    assert_eq!(refused(WindowArguments { limit_chars: Some(16_385), ..none() }), "limit_chars");
    let phrase = || WindowArguments { q: Some("x".into()), ..none() };
    assert_eq!(refused(WindowArguments { before_chars: Some(8_193), ..phrase() }), "before_chars");
    assert_eq!(refused(WindowArguments { after_chars: Some(u64::MAX), ..phrase() }), "after_chars");
    assert_eq!(refused(WindowArguments { q: Some(String::new()), ..none() }), "q");
}

#[test]
fn a_phrase_is_measured_in_code_points() {
    assert_eq!(Query::new("🎉".repeat(512)).unwrap().as_str().len(), 2_048);
    assert!(Query::new("🎉".repeat(513)).is_err());
}

/// The rules once more, as the sentences of the design say them.
fn is_legal(a: &WindowArguments) -> bool {
    let around = a.before_chars.is_some() || a.after_chars.is_some();
    let cursor_is_alone = a.cursor.is_none() || (a.offset_chars.is_none() && a.q.is_none() && !around);
    let q_has_no_offset = a.q.is_none() || a.offset_chars.is_none();
    let context_has_q = !around || a.q.is_some();
    cursor_is_alone
        && q_has_no_offset
        && context_has_q
        && a.limit_chars.is_none_or(|n| (1..=16_384).contains(&n))
        && a.before_chars.is_none_or(|n| n <= 8_192)
        && a.after_chars.is_none_or(|n| n <= 8_192)
        && a.q.as_ref().is_none_or(|q| (1..=512).contains(&q.chars().count()))
        && a.cursor.as_ref().is_none_or(|cursor| !cursor.is_empty())
}

proptest! {
    #[test]
    fn accepts_exactly_what_the_rules_allow(
        cursor in option::of("[a-z]{0,3}"), offset_chars in option::of(any::<u64>()),
        limit_chars in option::of(0u64..16_500), q in option::of("[a-zé🎉]{0,4}"),
        before_chars in option::of(0u64..8_400), after_chars in option::of(0u64..8_400),
    ) {
        let arguments = WindowArguments { cursor, offset_chars, limit_chars, q, before_chars, after_chars };
        let parsed = Selector::parse(arguments.clone());
        prop_assert_eq!(parsed.is_ok(), is_legal(&arguments), "{:?}", arguments);
        match parsed {
            Ok(Selector::Cursor { cursor, limit }) => {
                prop_assert_eq!(Some(cursor), arguments.cursor);
                prop_assert_eq!(limit.map(Chars::get), arguments.limit_chars);
            }
            Ok(Selector::Offset { offset, limit }) => {
                prop_assert_eq!(offset.get(), arguments.offset_chars.unwrap_or(0));
                prop_assert_eq!(limit.get(), arguments.limit_chars.unwrap_or(4_096));
            }
            Ok(Selector::Match { q, before, after, limit }) => {
                prop_assert_eq!(Some(q.as_str()), arguments.q.as_deref());
                prop_assert_eq!(before.get(), arguments.before_chars.unwrap_or(2_048));
                prop_assert_eq!(after.get(), arguments.after_chars.unwrap_or(2_048));
                prop_assert_eq!(limit.map(Chars::get), arguments.limit_chars);
            }
            Err(refusal) => prop_assert!(refusal.param.is_some()),
        }
    }
}

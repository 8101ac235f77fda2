use super::*;
use stepwell_sdk::testing::{Memory, context, number, record, text};

/// Composes one record whose fields hold these texts, and resolves what is shown.
fn show(
    record: &RecordShape,
    texts: &[(&str, &str)],
    context: &Context,
) -> (Option<String>, Vec<String>, Sheet) {
    let reader =
        texts.iter().fold(Memory::new(64, 512 * 1024), |reader, (path, text)| reader.with(0, path, text));
    let mut sheets = crate::compose(std::slice::from_ref(record), context, &reader);
    let sheet = sheets.remove(0);
    let resolve = |shown: &Shown| match shown {
        Shown::Verbatim(passage) => {
            let text = texts.iter().find(|(path, _)| *path == passage.path).map_or("", |(_, text)| text);
            slice(text, passage.at).to_owned()
        }
        Shown::Derived(derived) => format!("~{}", derived.text),
    };
    (sheet.title.as_ref().map(resolve), sheet.lines.iter().map(resolve).collect(), sheet)
}

fn total(title: &Option<String>, lines: &[String]) -> usize {
    title.as_ref().map_or(0, String::len)
        + lines.iter().map(|line| line.trim_start_matches('~').len()).sum::<usize>()
}

#[test]
fn a_mail_shows_subject_author_text_and_facts() {
    let texts =
        [("subject", "Lunch on Friday?"), ("from", "Ann <ann@example.org>"), ("body", "Hi Bob,\nshall we?")];
    let mut fields: Vec<_> = texts.iter().map(|(path, content)| text(path, content)).collect();
    fields.insert(0, text("message_id", "abc"));
    fields.push(number("size", "1234"));
    let (title, lines, sheet) = show(&record("messages", fields), &texts, &context(Purpose::Row, 400));
    assert_eq!(title.as_deref(), Some("Lunch on Friday?"));
    assert_eq!(lines, ["Ann <ann@example.org>", "Hi Bob,\nshall we?", "~size: 1234"]);
    assert!(sheet.anchors.is_empty());
}

#[test]
fn a_match_far_inside_is_shown_first_with_whole_words_around_it() {
    let body = format!("{}the needle in the haystack. {}", "word ".repeat(400), "word ".repeat(400));
    let at = 2_004;
    let texts = [("title", "Farm"), ("body", body.as_str())];
    let mut shape = record("notes", texts.iter().map(|(path, content)| text(path, content)).collect());
    shape.hits = vec![Hit { path: "body".into(), at: Some(Span { start: at, end: at + 6 }), snippet: None }];
    let (title, lines, _) = show(&shape, &texts, &context(Purpose::Row, 300));
    assert_eq!(title.as_deref(), Some("Farm"));
    assert!(lines[0].contains("the needle in the haystack") && lines[0].starts_with("word "), "{lines:?}");
    assert!(lines[1].starts_with("word word"), "{lines:?}");
    assert!(total(&title, &lines) <= 300, "{}", total(&title, &lines));
}

#[test]
fn a_source_that_only_has_an_excerpt_gets_it_shown_as_derived() {
    let mut shape = record("notes", vec![text("body", "text")]);
    shape.hits = vec![Hit { path: "body".into(), at: None, snippet: Some(" …a needle… ".into()) }];
    let (_, lines, _) = show(&shape, &[("body", "text")], &context(Purpose::Row, 300));
    assert_eq!(lines[0], "~…a needle…");
}

#[test]
fn an_untitled_text_is_called_by_its_first_line_and_goes_on_after_it() {
    let body = "\n  Dear diary,\nit rained.\n";
    let (title, lines, _) =
        show(&record("notes", vec![text("text", body)]), &[("text", body)], &context(Purpose::Row, 300));
    assert_eq!(title.as_deref(), Some("Dear diary,"));
    assert_eq!(lines, ["it rained."]);
}

#[test]
fn a_title_that_is_the_only_text_is_not_repeated() {
    let (title, lines, _) =
        show(&record("tags", vec![text("name", "red")]), &[("name", "red")], &context(Purpose::Row, 300));
    assert_eq!((title.as_deref(), lines.len()), (Some("red"), 0));
}

#[test]
fn a_document_reads_on_past_the_head_and_offers_places() {
    let body = format!("Start.\n\n# First\n{}\n# Second\n{}", "aé ".repeat(2_000), "bb ".repeat(2_000));
    let texts = [("title", "T"), ("body", body.as_str())];
    let shape = record("notes", texts.iter().map(|(path, content)| text(path, content)).collect());
    let (title, lines, sheet) = show(&shape, &texts, &context(Purpose::Document, 4_000));
    assert!(lines[0].len() > 2_000, "{}", lines[0].len());
    assert_eq!(sheet.anchors.len(), 2);
    assert!(total(&title, &lines) <= 4_000);
}

#[test]
fn any_budget_is_kept_even_a_tiny_one() {
    let texts =
        [("title", "Ä title of some words"), ("body", "日本語のテキスト、とても長い。"), ("from", "someone")];
    let shape = record("notes", texts.iter().map(|(path, content)| text(path, content)).collect());
    for bytes in 0..200 {
        let (title, lines, _) = show(&shape, &texts, &context(Purpose::Row, bytes));
        assert!(total(&title, &lines) <= bytes as usize, "{bytes}: {title:?} {lines:?}");
    }
}

#[test]
fn an_empty_record_has_an_empty_sheet() {
    let (title, lines, sheet) = show(&record("x", Vec::new()), &[], &context(Purpose::Document, 4_000));
    assert_eq!((title, lines.len(), sheet.slot), (None, 0, 0));
}

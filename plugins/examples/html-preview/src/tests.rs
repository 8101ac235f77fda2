use super::*;
use stepwell_sdk::testing::{Memory, context, record, text};

fn show(fields: &[(&str, &str)], context: &Context) -> (Option<String>, Vec<String>) {
    let shape = record("pages", fields.iter().map(|(path, content)| text(path, content)).collect());
    let reader = fields
        .iter()
        .fold(Memory::new(64, 512 * 1024), |reader, (path, content)| reader.with(0, path, content));
    let sheet = compose(&[shape], context, &reader).remove(0);
    let own = |passage: &Passage| {
        let content = fields.iter().find(|(path, _)| *path == passage.path).unwrap().1;
        assert!(passage.at.end <= chars(content), "inside the field: {passage:?}");
        slice(content, passage.at).to_owned()
    };
    let resolve = |shown: &Shown| match shown {
        Shown::Verbatim(passage) => own(passage),
        Shown::Derived(derived) => {
            let covered = chars(&own(derived.covers.as_ref().unwrap()));
            assert!(covered > 0);
            format!("~{}", derived.text)
        }
    };
    let title = sheet.title.as_ref().map(resolve);
    let lines: Vec<_> = sheet.lines.iter().map(resolve).collect();
    let bytes: usize = title.iter().chain(&lines).map(|line| line.trim_start_matches('~').len()).sum();
    assert!(bytes <= context.budget.bytes as usize && lines.len() <= context.budget.lines as usize);
    (title, lines)
}

const PAGE: &str = "<!DOCTYPE html><html><head><title>The &amp; Harbour</title><style>p { color: red }</style></head>\
    <body><h1>Ferries</h1><p>Two a day,&nbsp;caf&eacute; on board.<script>alert('<p>no</p>')</script></p></body></html>";

#[test]
fn a_page_shows_its_words() {
    let (title, lines) = show(&[("body", PAGE), ("from", "Ann")], &context(Purpose::Row, 240));
    assert_eq!(title.as_deref(), Some("~The & Harbour"));
    assert_eq!(lines, ["~Ferries Two a day, café on board.", "Ann"]);
}

#[test]
fn a_declared_type_is_believed_and_a_title_field_goes_first() {
    let mut shape =
        record("pages", vec![text("subject", "News"), text("content", "plain, <i>as</i> declared")]);
    shape.fields[1].mime = Some("text/html; charset=utf-8".into());
    let sheet = compose(&[shape], &context(Purpose::Row, 240), &Memory::new(0, 0)).remove(0);
    assert!(matches!(&sheet.title, Some(Shown::Verbatim(passage)) if passage.path == "subject"));
    assert!(matches!(&sheet.lines[0], Shown::Derived(derived) if derived.text == "plain, as declared"));
}

#[test]
fn other_texts_are_shown_as_they_are() {
    let fields = [("title", "Sums"), ("body", "if a < b and b > c then a < c")];
    let (title, lines) = show(&fields, &context(Purpose::Row, 240));
    assert_eq!((title.as_deref(), lines), (Some("Sums"), vec!["if a < b and b > c then a < c".to_owned()]));
    assert_eq!(show(&[], &context(Purpose::Row, 240)), (None, Vec::new()));
}

#[test]
fn words_behind_a_long_head_are_found() {
    let page =
        format!("<html><head><style>{}</style></head><p>Here it is.</p>", "p { margin: 0 } ".repeat(100));
    assert_eq!(show(&[("body", &page)], &context(Purpose::Row, 240)).1, ["~Here it is."]);
}

#[test]
fn any_budget_is_kept() {
    for bytes in 0..200 {
        show(&[("body", PAGE), ("from", "Ann")], &context(Purpose::Row, bytes));
    }
}

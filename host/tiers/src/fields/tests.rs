use super::*;
use crate::shape::FieldKind;
use std::sync::Mutex;
use std::time::Duration;

/// Answers every read with as many letters as were asked for, and remembers it.
#[derive(Default)]
struct Letters(Mutex<Vec<Wanted>>);

impl Fields for Letters {
    fn read(&self, slot: Slot, path: &str, at: Span) -> Result<String, ReadRefusal> {
        self.0.lock().unwrap().push(Wanted { slot, path: path.to_owned(), at });
        Ok("x".repeat(at.len().get() as usize))
    }

    fn children(&self, _: Slot, pointer: &str) -> Result<Vec<FieldShape>, ReadRefusal> {
        Ok((0..1_000).map(|n| FieldShape::new(format!("{pointer}/{n}"), FieldKind::Text)).collect())
    }
}

fn hand(fields: Arc<dyn Fields>, reads: u32, bytes: u64) -> Hand {
    let sized = |path: &str, kind, size| FieldShape { chars: size, ..FieldShape::new(path, kind) };
    let shapes = vec![
        sized("body", FieldKind::Text, Some(Chars(1_000))),
        sized("stream", FieldKind::Text, None),
        sized("meta", FieldKind::Json, Some(Chars(50))),
        sized("a/b", FieldKind::Json, Some(Chars(50))),
        sized("photo", FieldKind::Binary, None),
    ];
    let until = Instant::now() + Duration::from_secs(60);
    let records = Arc::new(vec![RecordShape::new(Slot(7), "notes", shapes)]);
    Hand::of_records(&records, fields, Allowance { reads, bytes }, until)
}

fn wanted(slot: u32, path: &str, start: u64, end: u64) -> Wanted {
    Wanted { slot: Slot(slot), path: path.into(), at: Span::new(Chars(start), Chars(end)).unwrap() }
}

fn lengths(answers: Vec<Result<String, ReadRefusal>>) -> Vec<Result<usize, ReadRefusal>> {
    answers.into_iter().map(|answer| answer.map(|text| text.len())).collect()
}

#[test]
fn only_what_is_in_hand_reaches_the_source() {
    let source = Arc::new(Letters::default());
    let mut hand = hand(source.clone(), 99, 9_999);
    let answers = hand.read(vec![
        wanted(7, "body", 0, 5),
        wanted(8, "body", 0, 5),
        wanted(7, "secret", 0, 5),
        wanted(7, "photo", 0, 5),
        wanted(7, "/meta/x", 0, 5),
        wanted(7, "/secret/x", 0, 5),
        wanted(7, "/a~1b/x", 0, 5),
        wanted(7, "", 0, 5),
        wanted(7, "/", 0, 5),
    ]);
    let no = Err(ReadRefusal::NotInHand);
    assert_eq!(lengths(answers), [Ok(5), no, no, no, Ok(5), no, Ok(5), no, no]);
    assert_eq!(source.0.lock().unwrap().len(), 3);
    assert_eq!(hand.children(Slot(7), "/secret"), Err(ReadRefusal::NotInHand));
    assert_eq!(hand.children(Slot(7), "meta").map(|all| all.len()), Ok(limits::CHILDREN));
}

#[test]
fn the_allowance_bounds_what_the_source_reads() {
    let source = Arc::new(Letters::default());
    let mut hand = hand(source.clone(), 4, 600);
    let over = Err(ReadRefusal::OverAllowance);
    // The span is cut to the field first, so asking for "all" of a small field is fine.
    let answers = hand.read(vec![
        wanted(7, "meta", 0, u64::from(u32::MAX)),
        wanted(7, "body", 0, 1_000),
        wanted(7, "stream", 0, u64::from(u32::MAX)),
        wanted(7, "body", 0, 1),
        wanted(7, "body", 0, 0),
    ]);
    assert_eq!(lengths(answers), [Ok(50), over, Ok(550), over, over]);
    let asked: u64 = source.0.lock().unwrap().iter().map(|one| one.at.len().get()).sum();
    assert!(asked <= 600, "{asked}");
    assert_eq!(hand.left(), Allowance { reads: 0, bytes: 0 });
}

#[test]
fn a_call_whose_time_is_over_reads_nothing() {
    let mut hand = hand(Arc::new(Letters::default()), 9, 999);
    hand.until = Instant::now();
    assert_eq!(lengths(hand.read(vec![wanted(7, "body", 0, 5)])), [Err(ReadRefusal::OverAllowance)]);
}

#[test]
fn an_answer_that_is_longer_than_asked_is_paid_for() {
    struct Wide;
    impl Fields for Wide {
        fn read(&self, _: Slot, _: &str, at: Span) -> Result<String, ReadRefusal> {
            Ok("日".repeat(at.len().get() as usize))
        }
        fn children(&self, _: Slot, _: &str) -> Result<Vec<FieldShape>, ReadRefusal> {
            Ok(Vec::new())
        }
    }
    let mut hand = hand(Arc::new(Wide), 9, 100);
    let answers = hand.read(vec![wanted(7, "body", 0, 30), wanted(7, "body", 0, 30)]);
    assert_eq!(lengths(answers), [Ok(90), Err(ReadRefusal::OverAllowance)]);
}

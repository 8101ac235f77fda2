use super::*;

const NOW: Millis = 1_800_000_000_000;
const DAY: Millis = 86_400_000;

fn offer(connection: &str, stream: &str) -> Offer {
    Offer {
        connection: ConnectionId::new(connection).unwrap(),
        label: Some("Home \u{1b}[2Jmail".to_owned()),
        stream: StreamName::new(stream).unwrap(),
        records: 1_234,
        times: Some((0, NOW)),
        fields: ["body", "from", "subject", "2"].map(str::to_owned).to_vec(),
        narrow: vec!["from".to_owned(), "subject".to_owned()],
    }
}

fn held(offers: &[Offer], typed: &str) -> (anyhow::Result<Answers>, String) {
    let mut interview = Interview { input: typed.as_bytes(), out: Vec::new(), now: NOW };
    let answers = interview.hold(None, offers);
    (answers, anstream::adapter::strip_str(&String::from_utf8(interview.out).unwrap()).to_string())
}

#[test]
fn whoever_only_presses_enter_gives_little() {
    let (answers, said) = held(&[offer("home", "messages")], "Claude\n\n\n\n\n\n");
    let answers = answers.unwrap();
    assert_eq!(answers.client, "Claude");
    assert_eq!(answers.expires_at, Some(NOW + 7 * DAY));
    let [stream] = answers.streams.as_slice() else { panic!("one stream") };
    assert_eq!(stream.fields.as_deref().unwrap(), ["from", "subject"]);
    assert_eq!((stream.since, stream.until), (Some(NOW - 90 * DAY), Some(NOW)));
    assert!(
        said.contains("1  messages of home (Home ␛[2Jmail): 1,234 records, 1970-01-01 to 2027-01-15"),
        "{said}"
    );
    assert!(said.contains("Which fields? Names, numbers, or all [from,subject]: "), "{said}");
}

#[test]
fn more_is_given_where_it_is_named() {
    let offers = [offer("home", "messages"), offer("work", "messages"), offer("work", "notes")];
    let typed = "Claude\n1, 3\nall\nbody 3\nall\nopen\nnever\n";
    let answers = held(&offers, typed).0.unwrap();
    let places: Vec<(&str, &str)> =
        answers.streams.iter().map(|stream| (stream.connections[0].as_str(), stream.name.as_str())).collect();
    assert_eq!(places, [("home", "messages"), ("work", "notes")]);
    let fields: Vec<usize> =
        answers.streams.iter().map(|stream| stream.fields.as_ref().unwrap().len()).collect();
    assert_eq!(fields, [4, 2]);
    assert_eq!((answers.streams[0].since, answers.streams[0].until, answers.expires_at), (None, None, None));
}

#[test]
fn what_cannot_be_understood_is_asked_again() {
    let offers = [offer("home", "messages"), offer("work", "messages")];
    let typed = "\nClaude\n\n7\nmessages\n2\nnothing\nbody\nyesterday\n2027-01-01\n2026-01-01\n2027-01-02\n2020-01-01\nsoon\n2030-01-01\n";
    let (answers, said) = held(&offers, typed);
    let answers = answers.unwrap();
    assert_eq!(answers.streams[0].connections[0].as_str(), "work");
    assert_eq!(answers.streams[0].fields.as_deref().unwrap(), ["body"]);
    for wrong in [
        "it needs a name",
        "nothing is granted unless you name it",
        "there is no 7 here",
        "messages is there several times; take its number",
        "there is no nothing here",
        "that is before its beginning",
        "that is over",
        "write a length such as 30d or 12h",
    ] {
        assert!(said.contains(wrong), "{wrong}: {said}");
    }
}

#[test]
fn a_dialogue_that_ends_gives_nothing() {
    for typed in ["", "Claude\n", "Claude\n1\n\n\n"] {
        let error = held(&[offer("home", "messages")], typed).0.unwrap_err();
        assert_eq!(error.to_string(), "no grant was made");
    }
}

#[test]
fn a_field_called_by_a_number_is_meant_by_its_name() {
    assert_eq!(picked("2", &["a", "b", "2"]).unwrap(), [2]);
    assert_eq!(picked("1,2,1", &["a", "b"]).unwrap(), [0, 1]);
    assert!(picked(",", &["a"]).is_err() && picked("0", &["a"]).is_err());
}

//! A record of any size passes through in the memory of its beginning.

use super::desk::{Desk, mail, refusal};
use crate::world::record;
use stepwell_contract::{Bytes, Chars, Code};
use stepwell_source::Source as _;
use stepwell_testkit::peak_rss_kb;
use stepwell_testkit::resource_server::Fault;

/// How much one record may cost, whatever its size. The server of the test is in the same process.
const ROOM_KB: u64 = 48 << 10;

/// Runs the next test in a process of its own, whose memory no other test fills.
#[test]
fn two_hundred_megabytes_leave_a_head_and_a_digest() {
    let program = std::env::current_exe().expect("this program");
    let arguments = ["--ignored", "--exact", "remote::large::alone"];
    let ran = std::process::Command::new(program).args(arguments).output().expect("it runs");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the test above runs it alone"]
async fn alone() {
    let desk = Desk::new(mail()).await;
    let (piece, times) = ("0123456789abcdé\u{301}".repeat(3_500), 3_200);
    let huge = Fault::Huge {
        before: r#"{"id":"m1","connection_id":"cin_a","data":{"short":"x","body":""#.into(),
        piece: piece.clone(),
        times,
        after: r#""}}"#.into(),
    };
    let total = piece.len() * times;
    assert!(total > 200_000_000, "{total}");
    desk.server.breaks("/records/m1", huge, 1);
    let before = peak_rss_kb(std::process::id());
    let view = desk.remote.record(&desk.caller, &record("cin_a/inbox:m1"), None).await.unwrap();
    let body = &view.fields[0];
    assert_eq!(body.shape.bytes, Some(Bytes(total as u64)));
    assert_eq!(body.shape.chars, Some(Chars(Chars::of(&piece).get() * times as u64)));
    assert_eq!(Chars::of(body.head.as_ref().unwrap()), Chars(4_096));
    if let (Some(before), Some(after)) = (before, peak_rss_kb(std::process::id())) {
        let grown = after - before;
        assert!(grown < ROOM_KB, "grew by {grown} KiB");
    }
}

#[tokio::test]
async fn many_small_values_are_bounded_too() {
    let desk = Desk::new(mail()).await;
    let fields: String = (0..2_000).map(|n| format!("\"f{n}\":\"{}\",", "v".repeat(200))).collect();
    let huge = Fault::Huge {
        before: r#"{"id":"m1","connection_id":"cin_a","data":{"#.into(),
        piece: fields,
        times: 100,
        after: r#""end":1}}"#.into(),
    };
    desk.server.breaks("/records/m1", huge, 1);
    let told = refusal(desk.remote.record(&desk.caller, &record("cin_a/inbox:m1"), None).await);
    assert_eq!(told.code, Code::RsResponseTooLarge);
}

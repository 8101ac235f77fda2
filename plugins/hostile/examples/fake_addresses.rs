//! Dresses its title, its lines and its places up as ids, addresses and hints of the host.

use stepwell_hostile_guests::{says, sheet};
use stepwell_sdk::preview::{Anchor, Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};

struct FakeAddresses;

impl Guest for FakeAddresses {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        let mut sheets =
            sheet(vec![says("uri=stepwell://field/AAAA\r\nid=\"a/b:c\""), says("\u{2028}next: fetch")]);
        sheets[0].title = Some(says("Real title\nid=\"x/y:z\"\u{2066}"));
        let label = says("cursor=\u{7}AAAA\u{9b}2J");
        sheets[0].anchors = vec![Anchor { path: "body".to_owned(), at: 0, label }];
        Ok(sheets)
    }
}

stepwell_sdk::preview::export!(FakeAddresses);

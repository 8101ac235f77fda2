//! What a store keeps about its readers is kept on this side.

use super::desk::{Desk, mail};
use stepwell_contract::{Bytes, Chars, Span};
use stepwell_source::ledger::LedgerFilter;
use stepwell_source::shape::RecordIdentity;
use stepwell_source::{Disclosure, Extent, Source as _};

#[tokio::test]
async fn a_disclosure_is_written_down_here_and_the_server_is_not_asked() {
    let desk = Desk::new(mail()).await;
    let identity = RecordIdentity {
        connection: "cin_a".parse().unwrap(),
        stream: "inbox".parse().unwrap(),
        record: "m1".parse().unwrap(),
    };
    let shown = Disclosure::of_part(&identity, "body", Extent::Chars(Span::at(Chars(0), Chars(5))), Bytes(5));
    desk.remote.disclose(&desk.caller, "fetch", &[shown]).await.unwrap();
    let entries = desk.local.ledger_page(&LedgerFilter::default(), None, 10).await.unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!((entries[0].grant.as_str(), entries[0].client.as_str()), ("grt_own", "a client"));
    assert_eq!((entries[0].record.as_deref(), entries[0].bytes), (Some("m1"), 5));
    desk.remote.keyring().await.unwrap();
    assert!(desk.server.asked().is_empty());
}

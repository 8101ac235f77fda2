//! What a grant covers.

use super::desk::{Desk, mail, refusal};
use serde_json::json;
use stepwell_contract::Code;
use stepwell_source::Source as _;
use stepwell_testkit::resource_server::Fault;

#[tokio::test]
async fn streams_and_fields_come_from_the_schema_and_are_believed_for_a_while() {
    let desk = Desk::new(mail()).await;
    let scopes = desk.remote.catalogue(&desk.caller).await.unwrap();
    let names: Vec<String> =
        scopes.iter().map(|scope| format!("{}/{}", scope.connection, scope.stream)).collect();
    assert_eq!(names, ["cin_a/inbox", "cin_a/notes", "cin_b/inbox"]);
    assert!(scopes[0].field("body").is_some() && scopes[0].field("secret").is_none());
    assert_eq!(scopes[0].label.as_deref(), Some("The cin_a"));
    desk.remote.catalogue(&desk.caller).await.unwrap();
    assert_eq!(desk.server.asked().len(), 1);
}

#[tokio::test]
async fn a_schema_that_is_too_large_is_asked_for_in_its_short_form() {
    let desk = Desk::new(mail()).await;
    let huge = Fault::Huge {
        before: "{\"x\":\"".into(),
        piece: "y".repeat(1 << 16),
        times: 200,
        after: "\"}".into(),
    };
    desk.server.breaks("/schema", huge, 1);
    assert_eq!(desk.remote.catalogue(&desk.caller).await.unwrap().len(), 3);
    assert_eq!(desk.server.asked()[1].param("view"), Some("compact"));
}

#[tokio::test]
async fn what_is_no_schema_is_refused() {
    let desk = Desk::new(mail()).await;
    for body in
        [json!({ "data": [] }), json!({ "connectors": [{ "streams": [{ "name": "../x" }] }] }), json!(7)]
    {
        desk.server.breaks("/schema", Fault::json(200, &body.to_string()), 1);
        assert_eq!(
            refusal(desk.remote.catalogue(&desk.caller).await).code,
            Code::InvalidRsResponse,
            "{body}"
        );
    }
}

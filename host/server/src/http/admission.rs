//! Lets in what there is room for, and turns the rest away before it costs anything.

use super::Front;
use super::held::held;
use crate::note::Note;
use axum::Extension;
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::middleware::Next;
use axum::response::Response;
use std::time::Duration;
use stepwell_contract::{Code, Refusal};
use stepwell_source::Caller;

/// When whoever found no room may come again.
const SOON: Duration = Duration::from_secs(1);

/// Answers a request of a caller that was checked, within the limits of its grant and of the server.
pub(super) async fn bounded(
    State(front): State<Front>,
    Extension(note): Extension<Note>,
    Extension(caller): Extension<Caller>,
    request: Request,
    next: Next,
) -> Response {
    let share = front.0.shares.of(caller.grant());
    if let Err(wait) = front.0.shares.spend(&share) {
        return front.refuse_until(&note, Code::RateLimited, "the grant asks faster than it may", wait);
    }
    let Some(own) = share.lane.enter().await else {
        let message = "too many requests of this grant are being answered";
        return front.refuse_until(&note, Code::RateLimited, message, SOON);
    };
    let Some(slot) = front.0.lane.enter().await else {
        return front.refuse_until(&note, Code::Overloaded, "the server has too much to do", SOON);
    };
    let in_flight = front.0.server.shared.metrics.enter();
    // Whoever gives up waiting here drops the request, and with it the statement that is running for it.
    let Ok(response) = tokio::time::timeout(front.0.limits.answer(), next.run(request)).await else {
        let refusal = Refusal::new(Code::AnswerTimeout, "the answer took too long and was given up");
        return front.refuse(&note, &refusal.hint("narrow the question"));
    };
    if !is_stream(&response) {
        return held(response, (own, slot, in_flight));
    }
    // A subscription stays for hours and does nothing; it has places of its own.
    match share.subscriptions.clone().try_acquire_owned() {
        Ok(place) => held(response, place),
        Err(_) => {
            let message = "too many subscriptions of this grant are open";
            front.refuse_until(&note, Code::RateLimited, message, SOON)
        }
    }
}

fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

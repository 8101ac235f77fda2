//! Lets in what there is room for, and turns the rest away before it costs anything.

use super::front::Front;
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
pub(super) const SOON: Duration = Duration::from_secs(1);

/// Whose share an owner has. No grant is called so.
const OWNER: &str = "the owner";

/// The door as a layer, for a caller that was checked.
pub(super) async fn of_grant(
    State(front): State<Front>,
    Extension(note): Extension<Note>,
    Extension(caller): Extension<Caller>,
    request: Request,
    next: Next,
) -> Response {
    pass(&front, &note, &caller, request, |request| next.run(request)).await
}

/// Answers a request of a caller that was checked, within the limits of its grant and of the server.
pub(super) async fn pass<F: Future<Output = Response>>(
    front: &Front,
    note: &Note,
    caller: &Caller,
    request: Request,
    next: impl FnOnce(Request) -> F,
) -> Response {
    let patience = Some(front.0.rooms.limits.answer());
    front.admit(note, caller.grant(), patience, request, next).await
}

/// Answers a request of an owner that was checked, within the limits of a grant and of the server. What an owner sends may
/// take as long as it keeps coming.
pub(crate) async fn of_owner(
    State(front): State<Front>,
    Extension(note): Extension<Note>,
    request: Request,
    next: Next,
) -> Response {
    front.admit(&note, OWNER, None, request, |request| next.run(request)).await
}

impl Front {
    async fn admit<F: Future<Output = Response>>(
        &self,
        note: &Note,
        whose: &str,
        patience: Option<Duration>,
        request: Request,
        next: impl FnOnce(Request) -> F,
    ) -> Response {
        let rooms = &self.0.rooms;
        let share = rooms.shares.of(whose);
        if let Err(wait) = rooms.shares.spend(&share) {
            return self.refuse_until(note, Code::RateLimited, "the grant asks faster than it may", wait);
        }
        let Some(own) = share.lane.enter().await else {
            let message = "too many requests of this grant are being answered";
            return self.refuse_until(note, Code::RateLimited, message, SOON);
        };
        let Some(slot) = rooms.lane.enter().await else {
            return self.refuse_until(note, Code::Overloaded, "the server has too much to do", SOON);
        };
        let in_flight = self.0.server.shared.metrics.enter();
        let answer = next(request);
        let response = match patience {
            None => Ok(answer.await),
            // Whoever gives up waiting here drops the request, and with it the statement that is running for it.
            Some(patience) => tokio::time::timeout(patience, answer).await,
        };
        let Ok(response) = response else {
            let refusal = Refusal::new(Code::AnswerTimeout, "the answer took too long and was given up");
            return self.refuse(note, &refusal.hint("narrow the question"));
        };
        if !is_stream(&response) {
            return held(response, (own, slot, in_flight));
        }
        // A subscription stays for hours and does nothing; it has places of its own.
        match share.subscriptions.clone().try_acquire_owned() {
            Ok(place) => held(response, place),
            Err(_) => {
                let message = "too many subscriptions of this grant are open";
                self.refuse_until(note, Code::RateLimited, message, SOON)
            }
        }
    }
}

fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

//! What becomes of a request: it is answered, refused, or given up because its client left. Each is counted and noted.

use crate::answer;
use crate::note::{Note, Said};
use crate::server::Server;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use stepwell_contract::{Code, Refusal};
use stepwell_ladder::LadderError;

impl Server {
    /// Answers until the client leaves, and takes down what became of the request. What is waited for has a place of its own:
    /// the protocol library moves a handler's future many times before it waits for it.
    pub(crate) fn attended<'a, T: 'a>(
        &'a self,
        note: &'a Note,
        context: &'a RequestContext<RoleServer>,
        method: &'static str,
        answer: impl Future<Output = Result<T, ErrorData>> + Send + 'a,
    ) -> impl Future<Output = Result<T, ErrorData>> + Send + 'a {
        let attendance = self.attend(note, method, None);
        let answer = Box::pin(async move {
            let outcome = answer.await;
            attendance.ended(if outcome.is_ok() { "ok" } else { "error" });
            outcome
        });
        async move { context.ct.run_until_cancelled(answer).await.unwrap_or_else(|| Err(cancelled())) }
    }

    /// Begins to answer a request.
    pub(crate) fn attend<'a>(
        &'a self,
        note: &'a Note,
        method: &'static str,
        tool: Option<&'a str>,
    ) -> Attendance<'a> {
        Attendance { server: self, note, method, tool, outcome: None }
    }

    /// Counts what became of a request and takes it down.
    pub(crate) fn ended(&self, note: &Note, method: &'static str, tool: Option<&str>, outcome: &'static str) {
        let said = Said { method, tool: tool.map(str::to_owned), outcome };
        self.shared.metrics.request(&said, note.started().elapsed());
        note.say(said);
    }

    /// A refusal of a request that has no result to carry one.
    pub(crate) fn protocol_error(&self, error: &LadderError, what: &str, note: &Note) -> ErrorData {
        answer::error(&self.told(error, what, note), note.id())
    }

    /// What the client is told. The operator is told the rest, which never holds record text.
    pub(crate) fn told(&self, error: &LadderError, what: &str, note: &Note) -> Refusal {
        let refusal = with_way_on(error.for_client());
        self.shared.metrics.refused(refusal.code);
        let request_id = note.id();
        match error {
            LadderError::Failed(reason) => tracing::error!(request_id, what, reason, "failed"),
            LadderError::Unrecorded(reason) => {
                tracing::error!(request_id, what, reason, "refused, because the ledger could not be written");
            }
            _ => tracing::info!(request_id, what, code = refusal.code.as_str(), "refused"),
        }
        refusal
    }
}

/// A request that is being answered. If this goes before its end, the client left.
pub(crate) struct Attendance<'a> {
    server: &'a Server,
    note: &'a Note,
    method: &'static str,
    tool: Option<&'a str>,
    outcome: Option<&'static str>,
}

impl Attendance<'_> {
    /// Takes down what became of it.
    pub(crate) fn ended(mut self, outcome: &'static str) {
        self.outcome = Some(outcome);
    }
}

impl Drop for Attendance<'_> {
    fn drop(&mut self) {
        let Self { server, note, method, tool, outcome } = self;
        server.ended(note, method, *tool, outcome.unwrap_or("cancelled"));
    }
}

/// Nobody waits for the answer any more, and the protocol library drops it.
pub(crate) fn cancelled() -> ErrorData {
    ErrorData::internal_error("the request was cancelled", None)
}

/// Sends whoever asked for more than was granted to where one sees what was. The store cannot say it: `schema` is a name
/// that only clients of this protocol know.
fn with_way_on(refusal: Refusal) -> Refusal {
    match refusal.code {
        Code::FieldNotGranted | Code::GrantStreamNotAllowed | Code::ConnectionNotFound
            if refusal.hint.is_none() =>
        {
            refusal.hint("schema lists the connections, streams and fields that may be read")
        }
        _ => refusal,
    }
}

//! One call of a tool, by whichever way it came.

use crate::answer::{self, Answer, Outcome};
use crate::arguments::Check;
use crate::clients;
use crate::note::Note;
use crate::server::{Offer, Server};
use rmcp::model::{Implementation, JsonObject};
use stepwell_contract::{Code, Refusal};
use stepwell_ladder::{Asker, Client, LadderError};
use stepwell_source::Caller;

/// A call of a tool that there is.
pub(crate) struct Call<'a> {
    tool: &'a str,
    check: &'a Check,
    arguments: JsonObject,
    manner: Manner,
}

/// How a request was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// Whether it says its version by itself, and is told who answers.
    pub(crate) says_version: bool,
    /// Whether its client shows links.
    pub(crate) follows_links: bool,
}

impl Manner {
    pub(crate) fn new(says_version: bool, client: Option<&Implementation>) -> Self {
        Self {
            says_version,
            follows_links: client.is_some_and(|client| clients::follows_links(&client.name)),
        }
    }
}

impl<'a> Call<'a> {
    /// None if there is no such tool.
    pub(crate) fn new(offer: &'a Offer, tool: &str, arguments: JsonObject, manner: Manner) -> Option<Self> {
        let (tool, check) = offer.tools.check(tool)?;
        Some(Self { tool, check, arguments, manner })
    }
}

impl Server {
    /// Answers a call, be it with a result or a refusal, and takes down what became of it.
    pub(crate) async fn called(
        &self,
        offer: &Offer,
        note: &Note,
        call: Call<'_>,
        caller: impl Future<Output = Result<Caller, LadderError>>,
    ) -> Outcome {
        let (tool, manner) = (call.tool, call.manner);
        let attendance = self.attend(note, "tools/call", Some(tool));
        let outcome = async { self.answer(offer, call, &caller.await?).await };
        let mut outcome = match outcome.await {
            Ok(answer) => {
                attendance.ended("ok");
                Outcome::of(answer, note.id())
            }
            Err(error) => {
                let refusal = self.told(&error, tool, note);
                attendance.ended(refusal.code.as_str());
                answer::refused(&refusal, note.id())
            }
        };
        outcome.result.meta = offer.signed(manner.says_version, outcome.result.meta);
        outcome
    }

    /// Checks the arguments and asks the ladder.
    async fn answer(&self, offer: &Offer, call: Call<'_>, caller: &Caller) -> Result<Answer, LadderError> {
        let Call { tool, check, arguments, manner } = call;
        let (ladder, arguments) = (&offer.ladder, check.apply(arguments)?);
        let asker = self.asker(caller, manner);
        let reply = match tool {
            "aggregate" => ladder.aggregate(&asker, &arguments).await,
            "fetch" => ladder.fetch(&asker, &arguments).await,
            "query_records" => ladder.query_records(&asker, &arguments).await,
            "read_record_field" => return Ok(ladder.read_written_window(&asker, &arguments).await?.into()),
            "schema" => ladder.schema(&asker, &arguments).await,
            "search" => ladder.search(&asker, &arguments).await,
            _ => match offer.tools.plugin(tool) {
                Some(plugin) => ladder.plugin_tool(&asker, plugin, &arguments).await,
                None => Err(absent(tool)),
            },
        };
        Ok(reply?.into())
    }

    /// Who asks, and what is known about the client.
    pub(crate) fn asker<'a>(&'a self, caller: &'a Caller, manner: Manner) -> Asker<'a> {
        let client = Client { follows_links: manner.follows_links };
        Asker { caller, client, exports: self.door.exports() }
    }
}

fn absent(tool: &str) -> LadderError {
    Refusal::new(Code::InvalidArguments, format!("there is no tool {tool}")).into()
}

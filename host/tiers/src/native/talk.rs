//! One call of a native tier: messages of JSON in the shapes of the WIT, and the same door to the fields as a component has.
//!
//! A library is told `{"compose": {"records": […], "context": {…}}}`. It says `{"answer": {"Ok": […]}}`, and before that
//! any number of `{"read": […]}`, `{"children": {…}}`, `"left"` and `{"log": {…}}`; the first three are answered with
//! `{"given": …}`. Records, variants and results are spelled as serde does it by default.

use super::frame::Kind;
use super::process::{Gone, Process};
use super::supervisor::crashed;
use crate::config::Limits;
use crate::fault::TierFault;
use crate::runtime::{State, Stop};
use crate::wit::v0_1::imports::{fields, log};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::time::Instant;

/// A call in progress.
pub(crate) struct Talk<'a> {
    process: Option<Process>,
    state: &'a mut State,
    limits: Limits,
    until: Instant,
}

/// What a library says.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Said {
    Answer(Box<RawValue>),
    Read(Vec<fields::Wanted>),
    Children { slot: u32, pointer: String },
    Left,
    Log(Message),
}

/// A message to the author, counted and gone.
#[derive(Deserialize)]
struct Message {
    level: log::Level,
    message: String,
}

/// What a library gets for its question.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Reply<T> {
    Given(T),
}

impl<'a> Talk<'a> {
    pub(super) const fn new(process: Process, state: &'a mut State, limits: Limits, until: Instant) -> Self {
        Self { process: Some(process), state, limits, until }
    }

    /// Asks a function of the WIT by its name. Arguments and answer have the types that a component would have them in.
    pub(crate) fn ask<A: Serialize, T: DeserializeOwned>(
        &mut self,
        function: &str,
        arguments: &A,
    ) -> Result<T, Stop> {
        // A process serves one call.
        let mut process = self.process.take().ok_or(Stop::Fault(TierFault::Instantiate))?;
        match self.converse(&mut process, function, arguments) {
            Ok(answer) => serde_json::from_str(answer.get()).map_err(|_| malformed()),
            Err(Halt::Stop(stop)) => Err(stop),
            Err(Halt::Gone(Gone::Late)) => Err(Stop::Fault(TierFault::Deadline(self.limits.deadline))),
            Err(Halt::Gone(Gone::TooLarge)) => {
                Err(Stop::Fault(TierFault::OutputTooLarge(self.limits.output_kb)))
            }
            Err(Halt::Gone(Gone::Malformed)) => Err(malformed()),
            Err(Halt::Gone(Gone::Closed)) => Err(Stop::Fault(crashed(process))),
        }
    }

    fn converse<A: Serialize>(
        &mut self,
        process: &mut Process,
        function: &str,
        arguments: &A,
    ) -> Result<Box<RawValue>, Halt> {
        let request = serde_json::to_vec(&std::collections::BTreeMap::from([(function, arguments)]));
        let request = request.map_err(|_| Stop::Fault(TierFault::Instantiate))?;
        process.send(Kind::Call, &request, self.until)?;
        let cap = self.limits.output_kb as usize * 1_024;
        let mut answer = None;
        loop {
            match process.receive(cap, self.until)? {
                (Kind::Put, message) => {
                    let said = serde_json::from_slice(&message).map_err(|_| malformed())?;
                    let reply = self.reply(said, &mut answer)?;
                    process.send(Kind::Deliver, &reply, self.until)?;
                }
                (Kind::Over, _) => return Err(Gone::TooLarge.into()),
                (Kind::End, status) if status == [0; 4] => return answer.ok_or_else(|| malformed().into()),
                (Kind::End, _) => {
                    return Err(Stop::Fault(TierFault::Trap("it reported an error".to_owned())).into());
                }
                _ => return Err(Gone::Malformed.into()),
            }
        }
    }

    /// Does what the library asks for, through the functions that components import.
    fn reply(&mut self, said: Said, answer: &mut Option<Box<RawValue>>) -> Result<Vec<u8>, Stop> {
        match said {
            Said::Answer(given) => {
                *answer = Some(given);
                Ok(Vec::new())
            }
            Said::Read(what) => given(fields::Host::read(self.state, what)),
            Said::Children { slot, pointer } => given(fields::Host::children(self.state, slot, pointer)),
            Said::Left => given(fields::Host::left(self.state)),
            Said::Log(Message { level, message }) => {
                log::Host::write(self.state, level, message).map(|()| Vec::new()).map_err(Stop::Call)
            }
        }
    }
}

/// Why a conversation ended early.
enum Halt {
    Gone(Gone),
    Stop(Stop),
}

impl From<Gone> for Halt {
    fn from(gone: Gone) -> Self {
        Self::Gone(gone)
    }
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

fn malformed() -> Stop {
    Stop::Fault(TierFault::Trap("malformed answer".to_owned()))
}

fn given<T: Serialize>(outcome: wasmtime::Result<T>) -> Result<Vec<u8>, Stop> {
    let given = outcome.map_err(Stop::Call)?;
    serde_json::to_vec(&Reply::Given(given)).map_err(|_| Stop::Fault(TierFault::Instantiate))
}

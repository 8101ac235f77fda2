//! How long each part of an exchange may take. A client that takes longer loses its connection and nothing else.

use std::time::Duration;

/// The times, together, so that each can be seen beside the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Times {
    /// How long the two ends may take to agree on keys.
    pub handshake: Duration,
    /// How long the head of a request may take, from the moment when the connection is free for it. So it is also how long
    /// a connection may stay idle.
    pub head: Duration,
    /// How long the body of a message may take, from its first byte to its last.
    pub body: Duration,
    /// How long an answer may lie there before enough of it was taken; see [`Patient`](super::patient::Patient). Its
    /// request holds a place meanwhile.
    pub answer: Duration,
    /// How long calls in flight may take once the server was asked to end.
    pub last_calls: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(10),
            head: Duration::from_secs(30),
            body: Duration::from_secs(20),
            answer: Duration::from_secs(60),
            last_calls: Duration::from_secs(10),
        }
    }
}

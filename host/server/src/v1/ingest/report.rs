//! What became of the lines.

use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use stepwell_source::embedded::{IngestTarget, StoredBatch};
use stepwell_source::prepare::Rejection;

/// How many rejected lines are named one by one.
const NAMED: usize = 1_000;

/// Counts lines, from zero, as they come.
#[derive(Debug, Default)]
pub(super) struct Report {
    attempted: u64,
    accepted: u64,
    rejected: u64,
    /// Lines that were handed over and are not yet known to be stored.
    waiting: VecDeque<u64>,
    rejections: Vec<Value>,
}

impl Report {
    /// Notes a line that breaks a rule.
    pub(super) fn rejected(&mut self, rejection: &Rejection) {
        self.attempted += 1;
        self.leave_out(self.attempted - 1, rejection);
    }

    fn leave_out(&mut self, index: u64, rejection: &Rejection) {
        self.rejected += 1;
        if self.rejections.len() < NAMED {
            let (code, message) = (rejection.code.as_str(), &rejection.message);
            self.rejections.push(json!({ "code": code, "input_index": index, "message": message }));
        }
    }

    /// Notes a line that is handed over.
    pub(super) fn waits(&mut self) {
        self.waiting.push_back(self.attempted);
        self.attempted += 1;
    }

    /// Notes a batch that is safe now.
    pub(super) fn stored(&mut self, batch: StoredBatch) {
        let lines: Vec<u64> = self.waiting.drain(..batch.count().min(self.waiting.len())).collect();
        self.accepted += (lines.len() - batch.refused.len()) as u64;
        for refused in batch.refused.iter().filter_map(|&place| lines.get(place)) {
            self.leave_out(*refused, &Rejection::append_only());
        }
    }

    /// The report as members of an object.
    pub(super) fn members(&self, target: &IngestTarget) -> Map<String, Value> {
        let mut members = Map::new();
        let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
        put("stream", json!(target.stream.as_str()));
        put("connection_id", json!(target.connection.as_str()));
        put("records_attempted", json!(self.attempted));
        put("records_accepted", json!(self.accepted));
        put("records_rejected", json!(self.rejected));
        let words = |rejection: &Value| {
            let text = |name: &str| rejection[name].as_str().unwrap_or_default().to_owned();
            json!(format!("line {}: {}: {}", rejection["input_index"], text("code"), text("message")))
        };
        put("errors", self.rejections.iter().map(words).collect());
        put("rejections", json!(self.rejections));
        put("rejections_truncated", json!(self.rejected > self.rejections.len() as u64));
        members
    }

    pub(super) fn json(&self, target: &IngestTarget) -> Value {
        Value::Object(self.members(target))
    }
}

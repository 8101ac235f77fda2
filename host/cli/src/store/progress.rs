//! Shows how far a long piece of work is: a bar on a terminal, nothing elsewhere.

use crate::output::{Output, visible};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use std::time::Duration;
use stepwell_source::care::{Problem, Watch};

/// Shows the work and prints what was found.
pub(crate) struct Progress<'a> {
    output: &'a Output,
    bar: ProgressBar,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(output: &'a Output) -> Self {
        let bar = if output.is_json() { ProgressBar::hidden() } else { ProgressBar::no_length() };
        if !output.is_json() {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            if let Ok(style) =
                ProgressStyle::with_template("{bar:32} {msg}: {human_pos} of {human_len}, {eta} left")
            {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(120));
        }
        Self { output, bar }
    }

    /// Takes the bar away.
    pub(crate) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Progress<'_> {
    fn stage(&mut self, name: &'static str, steps: u64) {
        if self.output.is_json() {
            // As below.
            let _ = self.output.json(&json!({ "event": "stage", "name": name, "steps": steps }));
        }
        self.bar.set_message(name);
        self.bar.set_length(steps);
        self.bar.set_position(0);
        self.bar.reset_eta();
    }

    fn advance(&mut self, steps: u64) {
        self.bar.inc(steps);
    }

    fn problem(&mut self, problem: Problem) {
        let Problem { code, place, detail } = &problem;
        // A pipe that closed is noticed by the lines after; there may be none, and then nobody misses one.
        let _ = if self.output.is_json() {
            self.output
                .json(&json!({ "event": "problem", "code": code.as_str(), "place": place, "detail": detail }))
        } else {
            let line = visible(&problem.to_string()).replace('\n', "\u{240a}");
            self.bar.suspend(|| self.output.line(line))
        };
    }
}

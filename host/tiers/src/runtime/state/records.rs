//! `records`, the import of tools, in every version of it. All of them go through the same hand.

use super::State;
use crate::convert;
use crate::wit::v0_1::imports::{fields, records as v0_1, shapes};
use crate::wit::v0_2::records as v0_2;

impl v0_1::Host for State {
    fn select(
        &mut self,
        what: v0_1::Selection,
    ) -> wasmtime::Result<Result<Vec<shapes::RecordShape>, fields::Refusal>> {
        let selected =
            self.reading()?.select(convert::tool::v0_1::selection(what)).map_err(convert::refusal_out);
        self.in_time(selected.map(|selected| selected.records.into_iter().map(convert::record_out).collect()))
    }
}

impl v0_2::Host for State {
    fn select(&mut self, what: v0_2::Selection) -> wasmtime::Result<Result<v0_2::Selected, fields::Refusal>> {
        let selected =
            self.reading()?.select(convert::tool::v0_2::selection(what)).map_err(convert::refusal_out);
        self.in_time(selected.map(|selected| v0_2::Selected {
            records: selected.records.into_iter().map(convert::record_out).collect(),
            has_more: selected.has_more,
        }))
    }
}

//! Tables.

mod csv;
mod jsonl;
mod sqlite;

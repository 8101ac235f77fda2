//! Values on their way into a statement and out of one, the same for both engines.

use crate::error::Failure;

/// A bound value.
#[derive(Clone, Debug, PartialEq)]
pub enum Param {
    /// A whole number.
    Int(Option<i64>),
    /// A text.
    Text(Option<String>),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl From<i64> for Param {
    fn from(value: i64) -> Self {
        Self::Int(Some(value))
    }
}

impl From<Option<i64>> for Param {
    fn from(value: Option<i64>) -> Self {
        Self::Int(value)
    }
}

impl From<&str> for Param {
    fn from(value: &str) -> Self {
        Self::Text(Some(value.to_owned()))
    }
}

impl From<String> for Param {
    fn from(value: String) -> Self {
        Self::Text(Some(value))
    }
}

impl From<Option<String>> for Param {
    fn from(value: Option<String>) -> Self {
        Self::Text(value)
    }
}

impl From<&[u8]> for Param {
    fn from(value: &[u8]) -> Self {
        Self::Bytes(value.to_vec())
    }
}

/// A value that a statement gave back.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// No value.
    Null,
    /// A whole number.
    Int(i64),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// A row, taken apart from left to right.
#[derive(Clone, Debug)]
pub struct Row {
    statement: &'static str,
    cells: Vec<Cell>,
    next: usize,
}

impl Row {
    /// Wraps the cells that the statement of this name gave back.
    #[must_use]
    pub fn new(statement: &'static str, cells: Vec<Cell>) -> Self {
        Self { statement, cells, next: 0 }
    }

    /// How many bytes of text and blobs it carries.
    #[must_use]
    pub fn content_bytes(&self) -> u64 {
        self.content_bytes_of(self.cells.len())
    }

    /// The same of its first columns.
    pub(crate) fn content_bytes_of(&self, columns: usize) -> u64 {
        let of = |cell: &Cell| match cell {
            Cell::Text(text) => text.len() as u64,
            Cell::Bytes(bytes) => bytes.len() as u64,
            Cell::Null | Cell::Int(_) => 0,
        };
        self.cells.iter().take(columns).map(of).sum()
    }

    /// The cells as they came.
    pub(crate) fn into_cells(self) -> Vec<Cell> {
        self.cells
    }

    fn take(&mut self) -> Cell {
        let cell =
            self.cells.get_mut(self.next).map_or(Cell::Null, |cell| std::mem::replace(cell, Cell::Null));
        self.next += 1;
        cell
    }

    fn unexpected(&self) -> Failure {
        Failure::Row { statement: self.statement, column: self.next - 1 }
    }

    /// Takes the next number, which may be missing.
    pub fn int_or_null(&mut self) -> Result<Option<i64>, Failure> {
        match self.take() {
            Cell::Int(value) => Ok(Some(value)),
            Cell::Null => Ok(None),
            _ => Err(self.unexpected()),
        }
    }

    /// Takes the next number.
    pub fn int(&mut self) -> Result<i64, Failure> {
        self.int_or_null()?.ok_or_else(|| self.unexpected())
    }

    /// Takes the next text, which may be missing.
    pub fn text_or_null(&mut self) -> Result<Option<String>, Failure> {
        match self.take() {
            Cell::Text(value) => Ok(Some(value)),
            Cell::Null => Ok(None),
            _ => Err(self.unexpected()),
        }
    }

    /// Takes the next text.
    pub fn text(&mut self) -> Result<String, Failure> {
        self.text_or_null()?.ok_or_else(|| self.unexpected())
    }

    /// Takes the next bytes, which may be missing.
    pub fn bytes_or_null(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        match self.take() {
            Cell::Bytes(value) => Ok(Some(value)),
            Cell::Null => Ok(None),
            _ => Err(self.unexpected()),
        }
    }

    /// Takes the next 32 bytes: a digest or a key.
    pub fn array(&mut self) -> Result<[u8; 32], Failure> {
        let bytes = self.bytes_or_null()?.ok_or_else(|| self.unexpected())?;
        bytes.try_into().map_err(|_| self.unexpected())
    }
}

/// Collects bound values.
#[macro_export]
#[doc(hidden)]
macro_rules! bind {
    ($($value:expr),* $(,)?) => { vec![$($crate::embedded::row::Param::from($value)),*] };
}

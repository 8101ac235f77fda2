//! Rows in the order of a key, a page at a time, however many there are.

use crate::care::session::Session;
use crate::embedded::row::{Param, Row};
use crate::error::Failure;
use std::collections::VecDeque;

/// How a kind of row is read: by a statement that takes the key of the row before, and then how many rows to give.
pub(crate) struct Reading<T> {
    /// The name of the rows.
    pub(crate) name: &'static str,
    /// The statement.
    pub(crate) sql: &'static str,
    /// Comes before the key of every row.
    pub(crate) start: fn() -> Vec<Param>,
    /// How many rows are held at a time.
    pub(crate) page: i64,
    /// Takes a row apart.
    pub(crate) read: fn(&mut Row) -> Result<T, Failure>,
    /// The key of a row.
    pub(crate) key: fn(&T) -> Vec<Param>,
}

/// A walk through all rows of a kind.
pub(crate) struct Pages<T: 'static> {
    reading: &'static Reading<T>,
    after: Vec<Param>,
    held: VecDeque<T>,
    ended: bool,
}

impl<T> Pages<T> {
    pub(crate) fn of(reading: &'static Reading<T>) -> Self {
        Self { reading, after: (reading.start)(), held: VecDeque::new(), ended: false }
    }

    /// Looks at the next row.
    pub(crate) async fn peek(&mut self, session: &Session) -> Result<Option<&T>, Failure> {
        let Reading { name, sql, page, read, key, .. } = self.reading;
        if self.held.is_empty() && !self.ended {
            let mut params = self.after.clone();
            params.push(Param::from(*page));
            let rows = session.rows(name, sql, params).await?;
            self.ended = (rows.len() as i64) < *page;
            self.held = rows.into_iter().map(|mut row| read(&mut row)).collect::<Result<_, _>>()?;
            if let Some(last) = self.held.back() {
                self.after = key(last);
            }
        }
        Ok(self.held.front())
    }

    /// Takes the next row.
    pub(crate) async fn next(&mut self, session: &Session) -> Result<Option<T>, Failure> {
        self.peek(session).await?;
        Ok(self.held.pop_front())
    }
}

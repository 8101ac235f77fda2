//! Looks for a phrase in a field.
//!
//! The route's own search gives the first match from the start, folds the case of ASCII alone on some engines, and on
//! others counts in a text whose length folding changed. So its answer is a hint: it is believed where the phrase has no
//! letter that folds in another way, and only after the text around it was looked at. Otherwise the field is read through,
//! window by window, by the scanner that all sources share.

use super::Remote;
use super::limits::WINDOW;
use super::window::{code_of, of, readable, window_of};
use crate::error::Result;
use crate::scan::{Search, scanner};
use crate::shape::{Field, Place};
use crate::token::Caller;
use stepwell_contract::selector::Query;
use stepwell_contract::{Chars, Code, Refusal, Span};
use tokio::time::timeout;

impl Remote {
    pub(super) async fn find_phrase(
        &self,
        caller: &Caller,
        field: &Field,
        q: &Query,
        from: Chars,
    ) -> Result<Option<Span>> {
        let total = readable(field)?;
        let look = async {
            let is_remote = matches!(field.place, Place::Remote { .. });
            if from == Chars::ZERO && is_remote && folds_as_ascii(q.as_str()) {
                match self.hinted(caller, field, q, total).await? {
                    Hint::Nowhere => return Ok(None),
                    Hint::At(hit) => return Ok(Some(hit)),
                    Hint::Doubtful => {}
                }
            }
            let mut search = Search::new(q, from, total)?;
            while let Some(at) = search.next() {
                let piece = self.read_span(caller, field, Span::at(at, Chars(WINDOW))).await?;
                if let Some(hit) = search.feed(&piece) {
                    return Ok(Some(hit));
                }
            }
            Ok(None)
        };
        timeout(self.client.limits().find, look).await.unwrap_or_else(|_| {
            let message = "looking through the field takes too long at this resource server";
            let refusal = Refusal::new(Code::QueryTooBroad, message).param("q");
            Err(refusal.hint("read on by offset_chars, or search for words instead").into())
        })
    }

    /// Asks the server where the phrase is, and looks whether it is there and no earlier.
    async fn hinted(&self, caller: &Caller, field: &Field, q: &Query, total: Chars) -> Result<Hint> {
        let length = Chars::of(q.as_str());
        let ask = window_of(&of(field), field.path.top()).with("q", q.as_str()).with("limit_chars", length);
        let part = match self.part(caller, &ask, length.get()).await {
            Ok(part) => part,
            Err(error) if code_of(&error) == Some(Code::QueryNotFound) => return Ok(Hint::Nowhere),
            Err(error) => return Err(error),
        };
        let Some(start) = part.match_start.filter(|start| start.saturating_add(length) <= total) else {
            return Ok(Hint::Doubtful);
        };
        // What was counted in a text of another length is off by little, so it shows in the window that ends here.
        let end = start + length;
        let from = end.saturating_sub(Chars(WINDOW));
        let near = self.window(caller, field, from, end - from).await?;
        let found = scanner(q, from)?.feed(&near);
        Ok(found.filter(|found| found.start() == start).map_or(Hint::Doubtful, Hint::At))
    }
}

enum Hint {
    Nowhere,
    At(Span),
    Doubtful,
}

/// Whether only ASCII letters fold to the phrase's. The Kelvin sign folds to k and the long s to s.
fn folds_as_ascii(q: &str) -> bool {
    q.bytes().all(|byte| byte.is_ascii() && !matches!(byte, b'k' | b'K' | b's' | b'S'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_letters_that_fold_alike_everywhere_are_left_to_the_server() {
        assert!(folds_as_ascii("The heron, 42!") && !folds_as_ascii("Zürich"));
        // Each of these finds more by simple folding than by that of ASCII.
        for c in '\0'..='\u{7f}' {
            let others = ('\u{80}'..=char::MAX).filter(|other| {
                unicode_case_mapping::case_folded(*other).and_then(|folded| char::from_u32(folded.get()))
                    == Some(c.to_ascii_lowercase())
            });
            let is_plain = others.count() == 0;
            assert_eq!(folds_as_ascii(&c.to_string()), is_plain, "{c:?}");
        }
    }
}

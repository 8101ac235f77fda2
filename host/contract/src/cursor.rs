//! Sealed cursors: opaque continuations that work for one record, field and grant, and for nothing else.
//!
//! A cursor is a compact binary body and a tag over the body and over what it is bound to, in base64url. It carries no
//! nonce, so equal calls within an hour give equal bytes and a result can be compared or cached.

mod codec;

use crate::budget::{CURSOR_LIFETIME, CURSOR_ROUNDING};
use crate::error::{Code, Refusal};
use crate::unit::{Chars, Span};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use codec::{Body, TAG_LENGTH};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::fmt;

/// Keeps this use of the key apart from any other.
const LABEL: &[u8] = b"stepwell field cursor";

/// A secret under which cursors are sealed.
#[derive(Clone)]
pub struct SealingKey {
    id: u32,
    /// The secret, mixed in once: what is left to do is to add what is sealed.
    keyed: Hmac<Sha256>,
}

impl SealingKey {
    /// Names a secret. The number stands in each cursor, so that a rotated key can still be found.
    #[must_use]
    pub fn new(id: u32, secret: [u8; 32]) -> Self {
        // HMAC pads a short key with zeros to one block; done here, no length is left that could be wrong.
        let mut block = [0; 64];
        block[..secret.len()].copy_from_slice(&secret);
        Self { id, keyed: Hmac::new(&block.into()) }
    }

    /// The number under which cursors refer to the key.
    #[must_use]
    pub const fn id(&self) -> u32 {
        self.id
    }

    fn mac(&self, binding: &CursorBinding<'_>, body: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.keyed.clone();
        // Each part is preceded by its length, so that no two bindings run together to the same bytes.
        for part in
            [LABEL, binding.grant.as_bytes(), binding.record.as_bytes(), binding.field.as_bytes(), body]
        {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac
    }
}

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealingKey").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The key that seals, and the one before it, whose cursors still open while keys are rotated.
#[derive(Clone, Debug)]
pub struct Keyring {
    current: SealingKey,
    previous: Option<SealingKey>,
}

/// What a cursor is good for. It goes into the tag and not into the cursor, which therefore names nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CursorBinding<'a> {
    /// The id of the grant.
    pub grant: &'a str,
    /// The record's id, self-contained.
    pub record: &'a str,
    /// The field's canonical pointer.
    pub field: &'a str,
}

/// Where a cursor goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    /// With the window that starts there.
    Window {
        /// The first code point to read.
        span_start: Chars,
        /// How many to read at most.
        limit: Chars,
    },
    /// With the window that ends there, when paging backwards.
    WindowEndingAt {
        /// The first code point not to read.
        end: Chars,
        /// How many to read at most.
        limit: Chars,
    },
    /// With the next match of a phrase. The phrase is what stands in the field at the last match, so a cursor is short
    /// and holds nobody's words.
    NextMatch {
        /// The last match.
        hit: Span,
        /// How much to show before the match.
        before: Chars,
        /// How much to show after the match.
        after: Chars,
        /// Caps the window.
        limit: Option<Chars>,
    },
}

impl Position {
    /// The offset at which to start again if the cursor no longer works.
    #[must_use]
    pub fn restart(&self) -> Chars {
        match self {
            Self::Window { span_start, .. } => *span_start,
            Self::WindowEndingAt { end, limit } => end.saturating_sub(*limit),
            Self::NextMatch { hit, .. } => hit.end(),
        }
    }
}

/// What a field looked like when a cursor was made.
#[derive(Clone, Copy, Debug, Eq)]
pub enum FieldVersion {
    /// The SHA-256 digest of its text.
    Digest([u8; 32]),
    /// Its length, for sources that know no digest.
    Size(Chars),
}

impl PartialEq for FieldVersion {
    /// Compares what a cursor keeps: of a digest the first half, which is plenty to notice a change.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Digest(one), Self::Digest(two)) => one[..codec::DIGEST_KEPT] == two[..codec::DIGEST_KEPT],
            (Self::Size(one), Self::Size(two)) => one == two,
            _ => false,
        }
    }
}

/// What an opened cursor says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CursorState {
    /// Where to go on.
    pub position: Position,
    /// What the field looked like. Of a digest the second half is zero; comparing leaves it out.
    pub version: FieldVersion,
    /// Until when the cursor works, in Unix seconds.
    pub expires_at: u64,
}

impl CursorState {
    /// Refuses to go on in a field that has changed: the windows before and after would not belong together.
    pub fn check_fresh(&self, current: &FieldVersion) -> Result<(), Refusal> {
        if self.version == *current {
            return Ok(());
        }
        Err(restart(Code::StaleCursor, "the field changed since the cursor was issued", &self.position))
    }
}

impl Keyring {
    /// Puts the keys together.
    #[must_use]
    pub const fn new(current: SealingKey, previous: Option<SealingKey>) -> Self {
        Self { current, previous }
    }

    /// Makes a cursor that works for a day, rounded up to the hour.
    #[must_use]
    pub fn seal(
        &self,
        binding: &CursorBinding<'_>,
        position: &Position,
        version: &FieldVersion,
        now_unix: u64,
    ) -> String {
        let expires_in_hours = now_unix.saturating_add(CURSOR_LIFETIME).div_ceil(CURSOR_ROUNDING);
        let mut bytes = Body { key: self.current.id, expires_in_hours, version: *version, position }.encode();
        let tag = self.current.mac(binding, &bytes).finalize().into_bytes();
        bytes.extend_from_slice(&tag[..TAG_LENGTH]);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Opens a cursor for the record, field and grant that it was made for.
    ///
    /// Nothing in it is believed before the tag was checked, and a refusal says nothing about what it was made for.
    pub fn open(
        &self,
        binding: &CursorBinding<'_>,
        cursor: &str,
        now_unix: u64,
    ) -> Result<CursorState, Refusal> {
        let state = self.open_sealed(binding, cursor).ok_or_else(|| {
            Refusal::new(
                Code::InvalidCursor,
                "the cursor was not issued for this record, field and grant, or was changed; \
                 pass it exactly as it was shown, or read with offset_chars",
            )
            .param("cursor")
        })?;
        if now_unix >= state.expires_at {
            return Err(restart(Code::ExpiredCursor, "the cursor is more than a day old", &state.position));
        }
        Ok(state)
    }

    /// Whether a text is a cursor under a key that is not among these.
    #[must_use]
    pub fn is_foreign(&self, cursor: &str) -> bool {
        let key = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| codec::key_of(&bytes));
        let known = [Some(&self.current), self.previous.as_ref()];
        key.is_some_and(|key| !known.into_iter().flatten().any(|known| known.id == key))
    }

    fn open_sealed(&self, binding: &CursorBinding<'_>, cursor: &str) -> Option<CursorState> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (body, tag) = bytes.split_last_chunk::<TAG_LENGTH>()?;
        let key = codec::key_of(body)?;
        let mut keys = [Some(&self.current), self.previous.as_ref()].into_iter().flatten();
        // Two keys with the same number are a mistake in the configuration; their cursors open all the same.
        keys.any(|k| k.id == key && k.mac(binding, body).verify_truncated_left(tag).is_ok())
            .then(|| codec::decode(body))
            .flatten()
    }
}

/// Refuses a cursor that was good once, and says where to start again.
fn restart(code: Code, what: &str, position: &Position) -> Refusal {
    let offset = position.restart();
    Refusal::new(code, format!("{what}; read again with offset_chars {offset}"))
        .param("cursor")
        .with("restart_offset_chars", offset.get())
}

#[cfg(test)]
mod tests;

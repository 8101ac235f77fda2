//! What passes between the host and `stepwell tier-host`: a kind, a length, and so many bytes.

/// A kind and a length.
pub(super) const HEADER: usize = 5;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// To the host: the library is loaded.
    Ready,
    /// To the host: the library is not loaded, and why.
    Refused,
    /// To the library: what it is asked.
    Call,
    /// To the host: a message of the library, which waits for [`Kind::Deliver`].
    Put,
    /// To the library: the answer to its message, empty if there is none.
    Deliver,
    /// To the host: a message was larger than allowed, and was not passed on.
    Over,
    /// To the host: the call is over, with its status.
    End,
}

impl Kind {
    const ALL: [Self; 7] =
        [Self::Ready, Self::Refused, Self::Call, Self::Put, Self::Deliver, Self::Over, Self::End];

    const fn letter(self) -> u8 {
        match self {
            Self::Ready => b'r',
            Self::Refused => b'x',
            Self::Call => b'c',
            Self::Put => b'p',
            Self::Deliver => b'd',
            Self::Over => b'o',
            Self::End => b'e',
        }
    }
}

/// A header and its payload, ready to be written. None for a payload that no frame holds.
pub(super) fn encode(kind: Kind, payload: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(payload.len()).ok()?;
    let mut frame = Vec::with_capacity(HEADER + payload.len());
    frame.push(kind.letter());
    frame.extend(length.to_le_bytes());
    frame.extend(payload);
    Some(frame)
}

/// What a header announces. None if it is no header.
pub(super) fn decode(header: [u8; HEADER]) -> Option<(Kind, usize)> {
    let [letter, length @ ..] = header;
    let kind = Kind::ALL.into_iter().find(|kind| kind.letter() == letter)?;
    Some((kind, usize::try_from(u32::from_le_bytes(length)).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_as_they_went_and_nothing_else_is_one() {
        for kind in Kind::ALL {
            let frame = encode(kind, b"some bytes").unwrap();
            let header = frame[..HEADER].try_into().unwrap();
            assert_eq!(decode(header), Some((kind, 10)));
            assert_eq!(&frame[HEADER..], b"some bytes");
        }
        assert_eq!(decode(*b"hello"), None);
    }
}

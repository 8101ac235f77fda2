//! `mbox`: many messages in one file.

use super::separator::arrived;
use super::split::{Messages, Raw};
use super::{Envelope, Post};
use crate::error::ImportError;
use crate::extract::Extractor;
use crate::input;
use crate::intake::Intake;
use crate::kind::Kind;
use crate::limits::MESSAGE_MAX;
use crate::skip::{Place, Reason};
use std::path::{Path, PathBuf};

pub(crate) fn import(
    paths: &[PathBuf],
    extractor: Option<&Extractor>,
    intake: &mut Intake<'_>,
) -> Result<(), ImportError> {
    let mut post = Post::new(extractor, intake)?;
    paths.iter().try_for_each(|path| archive(path, &mut post))
}

fn archive(path: &Path, post: &mut Post<'_, '_>) -> Result<(), ImportError> {
    let opened = Messages::open(input::open(path)?, input::open(path)?).map_err(ImportError::io(path))?;
    let Some(mut messages) = opened else {
        return Err(ImportError::not(Kind::Mbox, path, "it does not begin with a line \"From \""));
    };
    let (file, folder) = (input::name(path), input::stem(path));
    for number in 1.. {
        let Some(Raw { separator, message, bytes }) = messages.next().map_err(ImportError::io(path))? else {
            break;
        };
        let place = Place::part(&file, "message", number);
        match message {
            Some(message) => {
                let (is_read, is_starred) = status(&message);
                let envelope =
                    Envelope { folder: folder.clone(), arrived: arrived(&separator), is_read, is_starred };
                post.deliver(&message, &envelope, place)?;
            }
            None => {
                let detail = format!("longer than {MESSAGE_MAX} bytes");
                post.intake.skip(place, Reason::TooLarge, detail)?;
            }
        }
        post.intake.advance(bytes);
    }
    Ok(())
}

/// What mail programs note in headers of their own: `Status: RO`, `X-Status: F`.
fn status(message: &[u8]) -> (Option<bool>, Option<bool>) {
    let lines = message.split(|&byte| byte == b'\n').take_while(|line| !line.trim_ascii().is_empty());
    let (mut is_read, mut is_starred) = (None, None);
    for line in lines {
        if let Some(flags) = line.strip_prefix(b"Status:") {
            is_read = Some(flags.contains(&b'R'));
        } else if let Some(flags) = line.strip_prefix(b"X-Status:") {
            is_starred = Some(flags.contains(&b'F'));
        }
    }
    (is_read, is_starred)
}

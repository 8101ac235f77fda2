//! `mbox` and `maildir`.

mod hostile;
mod maildir;
mod mbox;

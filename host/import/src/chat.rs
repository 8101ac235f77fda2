//! Exports of conversations.

pub(crate) mod chatgpt;
pub(crate) mod claude;
mod export;
mod shape;
pub(crate) mod slack;
pub(crate) mod telegram;
pub(crate) mod whatsapp;

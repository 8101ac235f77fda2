//! Exports of conversations.

mod broken;
mod chatgpt;
mod claude;
mod slack;
mod telegram;
mod whatsapp;

//! Care of the store: what the owner does to all of it.

mod checking;
mod erasing;
mod foreseeing;
mod moving;
mod room;
mod shelf;
mod upgrading;

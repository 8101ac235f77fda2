//! The official SDKs as clients, which hold results against the schemas that were announced.

mod check;
mod climb;
mod sdk;
mod setup;

pub(crate) use sdk::Sdk;
pub(crate) use setup::{find_python, folder_for, is_new, need_node, npm_ci};

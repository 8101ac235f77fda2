//! Loads tiers (WebAssembly components, or native libraries), limits them, and checks what they answer.
//!
//! A tier decides, the host delivers: [`Tiers`] asks it for a plan and gives back a plan that was checked
//! against the shapes it was made for. What a plan names is read by the caller, under the caller's grant. This crate
//! knows neither MCP nor sources; a tier reaches data only through the [`Fields`] that it is handed for one call.
//!
//! | file | holds |
//! |---|---|
//! | `config` | `plugins.toml` |
//! | `shape`, `plan`, `toolbox` | what a tier is shown and what it answers, in plain Rust |
//! | `fields` | the capability, and the allowance in front of it |
//! | `check/` | what every answer must satisfy |
//! | `native/` | tiers that are shared libraries, in processes of their own |
//! | `runtime/` | engine, cache, admission, store: the only files that know wasmtime, with `wit` and `convert` |
//! | `examine` | what a file says about itself, before it is loaded |
//! | `lock` | `plugins.lock`: what was accepted |
//! | `watch` | what an author may see of calls, and a server does not |
//! | `tier`, `tiers` | a loaded tier with its breaker and counters; all of them together |

mod breaker;
pub mod check;
pub mod config;
mod convert;
mod examine;
mod fault;
mod fields;
pub mod limits;
pub mod lock;
mod native;
mod pace;
mod phase;
mod plan;
mod runtime;
mod shape;
mod status;
mod tier;
mod tiers;
mod toolbox;
mod watch;
mod wit;

pub use config::{
    Config, ConfigError, FaultPolicy, File, Kind, Limits, Links, Mistakes, OnFault, Origin, PreviewConfig,
    ResourcesConfig, Rule, Section, TierConfig, ToolConfig, Wasi,
};
pub use examine::{Examined, examine};
pub use fault::{BadDefinition, GuestRefusal, Invalid, TierFault};
pub use fields::{Allowance, EmptyHand, Fields, ReadRefusal, Wanted};
pub use lock::{Lock, LockState, Locked};
pub use native::tier_host;
pub use phase::Phase;
pub use plan::{Anchor, Asked, BlobShape, Card, Derived, Mode, Offer, Part, Passage, Sheet, Shown, Target};
pub use runtime::{LoadError, Runtime};
pub use shape::{Budget, Context, FieldKind, FieldShape, Hit, Options, Purpose, RecordShape, Slot};
pub use status::{Health, TierStatus};
pub use tiers::{
    Composed, ExportTier, Place, PreviewTier, Previews, ResourcesTier, Terms, Tiers, ToolCall, ToolTier,
    WindowTier,
};
pub use toolbox::{Answer, AnswerLine, Definition, Selected, Selection};
pub use watch::{Messages, Observed, Watch};

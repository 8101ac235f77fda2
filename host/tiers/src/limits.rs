//! Every limit of this crate in one place, each with its reason.

use std::time::Duration;

/// Calls that run at the same time, over all tiers. The pool holds enough instances, so none is refused for want
/// of one, and a flood of calls queues instead of taking all threads.
pub const CONCURRENT_CALLS: u32 = 16;

/// How long a call waits for its turn before the tier counts as busy.
pub const QUEUE: Duration = Duration::from_secs(2);

/// How often deadlines are looked at while a call runs. A tenth of a usual deadline; no cost when nothing runs.
pub const TICK: Duration = Duration::from_millis(5);

/// Ticks without a call after which the clock sleeps: a conversation's next call mostly comes before, and need not wake it.
pub const IDLE_TICKS: u32 = 40;

/// How long a call may take to count as a short one, which is made on the thread that asks for it.
pub const BRIEF: Duration = Duration::from_micros(500);

/// When a call that was tried on the thread that asks is given up there: other requests wait for that thread.
pub const BRIEF_MAX: Duration = Duration::from_millis(5);

/// The largest component that is compiled. Compilation has no deadline: 18 MB took 12 CPU seconds.
pub const COMPONENT_BYTES: u64 = 32 * 1024 * 1024;

/// The largest library of a native tier. It is read and hashed whole; nothing is compiled.
pub const NATIVE_BYTES: u64 = 256 * 1024 * 1024;

/// How long a component may take to come to life when it is loaded, if a call of it has less.
pub const TRIAL_START: Duration = Duration::from_secs(2);

/// How long a native tier's process may take to load its library, outside of calls.
pub const NATIVE_START: Duration = Duration::from_secs(2);

/// The largest memory that `plugins.toml` can give to a tier.
pub const MEMORY_MB: u32 = 1_024;

/// Memory of a finished call that is kept resident for the next one, so that a call costs 6 µs instead of 30.
pub const KEEP_RESIDENT: usize = 1024 * 1024;

/// The native stack of a guest: wasmtime's own default, stated so that it stays.
pub const STACK_BYTES: usize = 512 * 1024;

/// Table elements of one table. Rust guests use hundreds, scripted ones thousands.
pub const TABLE_ELEMENTS: usize = 20_000;

/// Handles to inert streams that a guest holds at once. A standard library holds three and a few more for a moment.
pub const INERT_HANDLES: u32 = 64;
/// Core instances of one component. One of Rust has three, one with a whole Python in it about forty.
pub const CORE_INSTANCES: u32 = 64;

/// Memories of one component, which together have what it may have. One that was put together from several, as the tools
/// for scripted languages do it, has one for each part.
pub const MEMORIES: u32 = 4;

/// Tables of one component: one for each part, and one for each shim between them.
pub const TABLES: u32 = 8;

/// Faults in a row after which a tier rests.
pub const BREAKER_FAULTS: u32 = 3;

/// The first rest. It doubles with every fault that follows, up to `BREAKER_LONGEST_REST`.
pub const BREAKER_FIRST_REST: Duration = Duration::from_secs(1);

/// The longest rest: an operator who repaired something should not wait for longer.
pub const BREAKER_LONGEST_REST: Duration = Duration::from_secs(60);

/// Custom previews. A page is cut into at most one call for each, which all wait for their turn.
pub const PREVIEWS: usize = 32;

/// Members that `children` lists.
pub const CHILDREN: usize = 256;

/// Places to jump to in one sheet, whatever the budget says.
pub const ANCHORS: usize = 20;

/// Lines of one sheet, and entries of one list of links or parts, whatever the budget says.
pub const ENTRIES: usize = 64;

/// Bytes of a title or of an anchor's label.
pub const TITLE_BYTES: usize = 256;

/// Bytes of a file name, its ending included: what file systems take, with room for a suffix.
pub const FILE_NAME_BYTES: usize = 200;

/// Bytes of a remark on a blob.
pub const NOTE_BYTES: usize = 200;

/// Plugins that add tools.
pub const TOOL_PLUGINS: usize = 16;

/// Tools of one plugin. A model chooses badly among many.
pub const TOOLS: usize = 16;

/// Bytes of a tool's own name, before it is shortened for the list.
pub const TOOL_NAME_BYTES: usize = 128;

/// Bytes of a tool's description: every conversation pays for it before its first question.
pub const DESCRIPTION_BYTES: usize = 1_024;

/// Bytes of a tool's input schema.
pub const SCHEMA_BYTES: usize = 4_096;

/// How deep a tool's input schema may nest.
pub const SCHEMA_DEPTH: usize = 12;

/// Arguments of one tool that carry record ids.
pub const RECORD_PARAMETERS: usize = 8;

/// Records that a tool may have in hand in one call, named or selected: the largest page of a list.
pub const IN_HAND: usize = 100;

/// Lines of a tool's answer that are looked at, whatever the budget shows of them.
pub const ANSWER_LINES: usize = 1_000;

/// Bytes of one line of a tool's answer: a few sentences.
pub const LINE_BYTES: usize = 600;

/// Bytes of what a tool answers for machines, and of the arguments that go on.
pub const DATA_BYTES: usize = 4_096;

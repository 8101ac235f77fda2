//! All limits of importers, each with its reason.

use std::time::Duration;

/// The longest message of a mail archive, as it is encoded. Mail servers take 25 to 150 MB; one message is in memory at a
/// time, and about three times its size.
pub const MESSAGE_MAX: usize = 64 * 1024 * 1024;

/// The longest item of a JSON export that is held at once: one conversation with all its messages.
pub const ITEM_MAX: usize = 256 * 1024 * 1024;

/// The longest row of a table, as the store's own longest line.
pub const ROW_MAX: usize = 64 * 1024 * 1024;

/// The longest file of a folder, and of a ZIP where it becomes a record.
pub const FILE_MAX: u64 = 64 * 1024 * 1024;

/// How much larger than its packed form an entry of a ZIP may be. JSON shrinks to a tenth, rarely to a fiftieth; a bomb
/// grows a thousandfold.
pub const ZIP_RATIO: u64 = 200;

/// From this size on the ratio counts, because tiny entries may shrink to nearly nothing.
pub const ZIP_RATIO_FROM: u64 = 16 * 1024 * 1024;

/// How many entries of a ZIP are looked at: their names are held.
pub const ZIP_ENTRIES: usize = 500_000;

/// How deep folders are followed.
pub const FOLDER_DEPTH: usize = 64;

/// How many rows of a table are looked at to learn the types of its columns.
pub const SAMPLE_ROWS: usize = 10_000;

/// How many columns a table may have.
pub const COLUMNS: usize = 1_000;

/// How many headers of one message are kept, and how long one's name may be.
pub const HEADERS: usize = 500;
/// See [`HEADERS`].
pub const HEADER_NAME: usize = 128;

/// How many files of one message become records.
pub const ATTACHMENTS: usize = 500;

/// How many mails are remembered for the sake of their threads.
pub const THREADS: usize = 1_000_000;

/// How long the text of one DOCX may take.
pub const TEXT_DEADLINE: Duration = Duration::from_secs(20);
/// How much processor time its process has, in seconds: the deadline ends it before, unless nobody keeps that.
pub const TEXT_CPU_S: u64 = 30;
/// How much memory its process has beyond what it starts with, in MB: a few times the largest attachment.
pub const TEXT_MEMORY_MB: u64 = 512;
/// The longest text that is taken, in bytes: a book has one or two million.
pub const TEXT_MAX: usize = 32 * 1024 * 1024;

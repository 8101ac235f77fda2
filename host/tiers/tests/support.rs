//! Records, contexts and tiers for the tests.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use stepwell_contract::{Bytes, Chars, Span, unit};
use stepwell_tiers::{
    Budget, Config, Context, FieldKind, FieldShape, Fields, Origin, Place, Purpose, ReadRefusal, RecordShape,
    Runtime, Slot, TierConfig, Tiers,
};

/// One engine for all tests, as in a server.
pub(crate) static RUNTIME: LazyLock<Arc<Runtime>> = LazyLock::new(|| Arc::new(Runtime::new().unwrap()));

/// Texts in memory, all in slot 0.
#[derive(Debug, Default)]
pub(crate) struct Memory(HashMap<String, String>);

impl Memory {
    pub(crate) fn of(fields: &[(&str, &str)]) -> Arc<Self> {
        Arc::new(Self(fields.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()))
    }
}

impl Fields for Memory {
    fn read(&self, _slot: Slot, path: &str, at: Span) -> Result<String, ReadRefusal> {
        self.0.get(path).map(|text| unit::slice(text, at).to_owned()).ok_or(ReadRefusal::NotInHand)
    }

    fn children(&self, _slot: Slot, pointer: &str) -> Result<Vec<FieldShape>, ReadRefusal> {
        Ok(vec![FieldShape::new(format!("/{pointer}/0"), FieldKind::Text)])
    }
}

/// A record in slot 0 with these texts.
pub(crate) fn record(fields: &[(&str, &str)]) -> RecordShape {
    let shapes = fields.iter().map(|(path, text)| FieldShape::text(*path, text, Chars(512))).collect();
    RecordShape::new(Slot(0), "messages", shapes)
}

pub(crate) fn context(purpose: Purpose, bytes: u64) -> Context {
    Context::new(purpose, Budget { bytes: Bytes(bytes), lines: 8, anchors: 20 }, "2026-01-01T00:00:00Z")
}

pub(crate) fn row() -> Context {
    context(Purpose::Row, 400)
}

/// A cache that outlives the tests, so that no guest is compiled twice.
pub(crate) fn place() -> Place {
    Place { cache: Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled-tiers")), ..Place::default() }
}

/// The default tiers.
pub(crate) fn defaults() -> Tiers {
    Tiers::load_in(&RUNTIME, &Config::default(), &place())
}

/// The deadline of guests that are to meet it.
pub(crate) const SHORT: Duration = Duration::from_millis(200);

/// A configuration that is the default but for one component, with a deadline that a busy machine keeps too.
pub(crate) fn with(file: &Path, change: impl FnOnce(&mut Config) -> &mut TierConfig) -> Config {
    let mut config = Config::default();
    let tier = change(&mut config);
    tier.component = Origin::File(file.to_owned());
    tier.limits.deadline = Duration::from_secs(20);
    tier.limits.reads = 10;
    config
}

/// The default tiers with one of them replaced.
pub(crate) fn replaced(file: &Path, change: impl FnOnce(&mut Config) -> &mut TierConfig) -> Tiers {
    Tiers::load_in(&RUNTIME, &with(file, change), &place())
}

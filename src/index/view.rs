//! The tables of a store as a reader sees them: one version of all of them, and those that most
//! questions read, opened once.

use super::tables::{
    EXPIRY, ExpiryKey, IDS, NAMES, NameKey, PARTS, PageKey, PartKey, SUMMARIES, TRIGRAMS,
    TrigramKey,
};
use crate::log::{LOG, LogKey};
use crate::storage::{Bytes, OpenedTable, ReadView, Readable, Reading, StoreError, once};
use std::sync::OnceLock;

/// One version of all tables.
pub(crate) type View = ReadView<OpenedTables>;

/// The tables that most questions read.
#[derive(Default)]
pub(crate) struct OpenedTables {
    log: OpenedTable<LogKey>,
    parts: OpenedTable<PartKey>,
    summaries: OpenedTable<PageKey>,
    names: OpenedTable<NameKey>,
    trigrams: OpenedTable<TrigramKey>,
    ids: OpenedTable<Bytes>,
    expiry: OpenedTable<ExpiryKey>,
    last_cycle: OnceLock<Option<u64>>,
}

impl View {
    /// The log, from which everything else is derived.
    pub(crate) fn log(&self) -> Result<&Reading<LogKey, Bytes>, StoreError> {
        self.kept.log.get(self, LOG)
    }

    /// Versions of parts, and commits.
    pub(crate) fn parts(&self) -> Result<&Reading<PartKey, Bytes>, StoreError> {
        self.kept.parts.get(self, PARTS)
    }

    pub(super) fn summaries(&self) -> Result<&Reading<PageKey, Bytes>, StoreError> {
        self.kept.summaries.get(self, SUMMARIES)
    }

    pub(super) fn names(&self) -> Result<&Reading<NameKey, Bytes>, StoreError> {
        self.kept.names.get(self, NAMES)
    }

    pub(super) fn trigrams(&self) -> Result<&Reading<TrigramKey, Bytes>, StoreError> {
        self.kept.trigrams.get(self, TRIGRAMS)
    }

    pub(super) fn ids(&self) -> Result<&Reading<Bytes, Bytes>, StoreError> {
        self.kept.ids.get(self, IDS)
    }

    pub(super) fn expiry(&self) -> Result<&Reading<ExpiryKey, Bytes>, StoreError> {
        self.kept.expiry.get(self, EXPIRY)
    }

    /// The newest cycle that has a row.
    pub(crate) fn last_cycle(&self) -> Result<Option<u64>, StoreError> {
        let newest = || {
            let last = self.parts()?.last()?;
            Ok(last.map(|(key, _)| key.value().0).filter(|cycle| *cycle > 0))
        };
        once(&self.kept.last_cycle, newest).copied()
    }
}

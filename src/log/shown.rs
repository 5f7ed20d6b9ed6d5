//! The newest state of the tables, opened once for all who read, until somebody writes.
//!
//! To begin a transaction and to find a table in it takes longer than to read a row. No past page
//! is pinned by it: whoever begins to write hides what is shown, and whoever reads meanwhile holds
//! on to it for one call.

use super::StoreError;
use super::tables::{
    BlockKey, EXPIRY, ExpiryKey, FEATURES, GRAMS, IDS, LOG, PARTS, PartKey, SKETCHES,
};
use redb::{Key, ReadOnlyTable, ReadTransaction, ReadableTable, TableDefinition, Value};
use std::sync::OnceLock;

type Rows<K> = OnceLock<ReadOnlyTable<K, &'static [u8]>>;

/// A state of the tables. Those that most questions read are found once.
pub(super) struct Shown {
    txn: ReadTransaction,
    log: Rows<(u64, u32)>,
    parts: Rows<PartKey>,
    sketches: Rows<BlockKey>,
    features: Rows<(u32, u64)>,
    grams: Rows<(u64, u32)>,
    ids: Rows<&'static str>,
    expiry: OnceLock<ReadOnlyTable<ExpiryKey, ()>>,
    last_cycle: OnceLock<Option<u64>>,
}

impl Shown {
    pub(super) fn new(txn: ReadTransaction) -> Shown {
        Shown {
            txn,
            log: OnceLock::new(),
            parts: OnceLock::new(),
            sketches: OnceLock::new(),
            features: OnceLock::new(),
            grams: OnceLock::new(),
            ids: OnceLock::new(),
            expiry: OnceLock::new(),
            last_cycle: OnceLock::new(),
        }
    }

    /// Any table.
    pub(super) fn open_table<K: Key + 'static, V: Value + 'static>(
        &self,
        definition: TableDefinition<'_, K, V>,
    ) -> Result<ReadOnlyTable<K, V>, StoreError> {
        Ok(self.txn.open_table(definition)?)
    }

    pub(super) fn log(&self) -> Result<&ReadOnlyTable<(u64, u32), &'static [u8]>, StoreError> {
        once(&self.log, || self.open_table(LOG))
    }

    pub(super) fn parts(&self) -> Result<&ReadOnlyTable<PartKey, &'static [u8]>, StoreError> {
        once(&self.parts, || self.open_table(PARTS))
    }

    pub(super) fn sketches(&self) -> Result<&ReadOnlyTable<BlockKey, &'static [u8]>, StoreError> {
        once(&self.sketches, || self.open_table(SKETCHES))
    }

    pub(super) fn features(&self) -> Result<&ReadOnlyTable<(u32, u64), &'static [u8]>, StoreError> {
        once(&self.features, || self.open_table(FEATURES))
    }

    pub(super) fn grams(&self) -> Result<&ReadOnlyTable<(u64, u32), &'static [u8]>, StoreError> {
        once(&self.grams, || self.open_table(GRAMS))
    }

    pub(super) fn ids(&self) -> Result<&ReadOnlyTable<&'static str, &'static [u8]>, StoreError> {
        once(&self.ids, || self.open_table(IDS))
    }

    pub(super) fn expiry(&self) -> Result<&ReadOnlyTable<ExpiryKey, ()>, StoreError> {
        once(&self.expiry, || self.open_table(EXPIRY))
    }

    /// The newest cycle that has a row.
    pub(super) fn last_cycle(&self) -> Result<Option<u64>, StoreError> {
        let newest = || {
            let last = self.parts()?.last()?;
            Ok(last.map(|(key, _)| key.value().0).filter(|cycle| *cycle > 0))
        };
        once(&self.last_cycle, newest).copied()
    }
}

fn once<T>(
    cell: &OnceLock<T>,
    make: impl FnOnce() -> Result<T, StoreError>,
) -> Result<&T, StoreError> {
    match cell.get() {
        Some(known) => Ok(known),
        None => {
            let made = make()?;
            Ok(cell.get_or_init(|| made))
        }
    }
}

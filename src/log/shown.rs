//! The newest state of the tables, opened once for all who read, until somebody writes.
//!
//! To begin a transaction and to find a table in it takes longer than to read a row. No past page
//! is pinned by it: whoever begins to write hides what is shown, and whoever reads meanwhile holds
//! on to it for one call.

use super::StoreError;
use super::guarded::{Readable, Reading, guard};
use super::tables::{
    BlockKey, EXPIRY, ExpiryKey, FEATURES, GRAMS, IDS, LOG, PARTS, PartKey, SKETCHES, Side,
};
use redb::{Key, ReadTransaction, TableDefinition, TableHandle, Value};
use std::sync::OnceLock;

type Rows<K> = OnceLock<Reading<K, &'static [u8]>>;

/// A state of the tables. Those that most questions read are found once.
pub(super) struct Shown {
    txn: ReadTransaction,
    side: Side,
    log: Rows<(u64, u32)>,
    parts: Rows<PartKey>,
    sketches: Rows<BlockKey>,
    features: Rows<(u32, u64)>,
    grams: Rows<(u64, u32)>,
    ids: Rows<&'static str>,
    expiry: Rows<ExpiryKey>,
    last_cycle: OnceLock<Option<u64>>,
}

impl Shown {
    pub(super) fn new(txn: ReadTransaction, side: Side) -> Shown {
        Shown {
            txn,
            side,
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

    /// Which derived tables it shows.
    pub(super) fn side(&self) -> Side {
        self.side
    }

    /// Any table.
    pub(super) fn open_table<K: Key + 'static, V: Value + 'static>(
        &self,
        definition: TableDefinition<'_, K, V>,
    ) -> Result<Reading<K, V>, StoreError> {
        let name = self.side.name(definition.name());
        let named = TableDefinition::<K, V>::new(&name);
        Ok(Reading(guard(|| self.txn.open_table(named))?))
    }

    /// Whether there is a table of that name and kind.
    pub(super) fn has<K: Key + 'static, V: Value + 'static>(
        &self,
        definition: TableDefinition<'_, K, V>,
    ) -> Result<bool, StoreError> {
        guard(|| match self.txn.open_table(definition) {
            Ok(_) => Ok(true),
            Err(redb::TableError::Storage(error)) => Err(error),
            Err(_) => Ok(false),
        })
    }

    /// Whether somebody began to make derived tables beside these.
    pub(super) fn has_beside(&self) -> Result<bool, StoreError> {
        self.has::<PartKey, &[u8]>(TableDefinition::new(&Side::Beside.name("parts")))
    }

    pub(super) fn log(&self) -> Result<&Reading<(u64, u32), &'static [u8]>, StoreError> {
        once(&self.log, || self.open_table(LOG))
    }

    pub(super) fn parts(&self) -> Result<&Reading<PartKey, &'static [u8]>, StoreError> {
        once(&self.parts, || self.open_table(PARTS))
    }

    pub(super) fn sketches(&self) -> Result<&Reading<BlockKey, &'static [u8]>, StoreError> {
        once(&self.sketches, || self.open_table(SKETCHES))
    }

    pub(super) fn features(&self) -> Result<&Reading<(u32, u64), &'static [u8]>, StoreError> {
        once(&self.features, || self.open_table(FEATURES))
    }

    pub(super) fn grams(&self) -> Result<&Reading<(u64, u32), &'static [u8]>, StoreError> {
        once(&self.grams, || self.open_table(GRAMS))
    }

    pub(super) fn ids(&self) -> Result<&Reading<&'static str, &'static [u8]>, StoreError> {
        once(&self.ids, || self.open_table(IDS))
    }

    pub(super) fn expiry(&self) -> Result<&Reading<ExpiryKey, &'static [u8]>, StoreError> {
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

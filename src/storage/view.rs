//! A read transaction: the tables as the newest commit left them, for everybody who reads until the
//! next write begins.
//!
//! To begin a transaction and to open a table in it takes longer than to read a row, so a view is
//! shared and keeps the tables that its user opened in it. It pins no old pages: whoever begins to
//! write drops it, and readers hold on to it for one call only. Whoever reads longer asks for it by
//! name (`Base::long_view`).

use super::error::StoreError;
use super::guarded::{Reading, guard};
use super::table::{Bytes, Side, Table};
use redb::{Key, ReadTransaction, TableDefinition};
use std::sync::OnceLock;

/// One version of all tables. `T` holds those of them that are opened once, see [`OpenedTable`].
pub(crate) struct ReadView<T> {
    txn: ReadTransaction,
    side: Side,
    /// What the user of the view keeps with it.
    pub(crate) kept: T,
}

impl<T: Default> ReadView<T> {
    pub(super) fn new(txn: ReadTransaction, side: Side) -> ReadView<T> {
        ReadView { txn, side, kept: T::default() }
    }

    /// Which derived tables it reads.
    pub(crate) fn side(&self) -> Side {
        self.side
    }

    /// Opens a table.
    pub(crate) fn open_table<K: Key + 'static>(
        &self,
        table: Table<K>,
    ) -> Result<Reading<K, Bytes>, StoreError> {
        let name = table.name_on(self.side);
        Ok(Reading(guard(|| self.txn.open_table(TableDefinition::new(&name)))?))
    }

    /// Whether there is such a table on one side.
    pub(crate) fn has<K: Key + 'static>(
        &self,
        side: Side,
        table: Table<K>,
    ) -> Result<bool, StoreError> {
        let name = table.name_on(side);
        guard(|| match self.txn.open_table(TableDefinition::<K, Bytes>::new(&name)) {
            Ok(_) => Ok(true),
            Err(redb::TableError::Storage(error)) => Err(error),
            Err(_) => Ok(false),
        })
    }
}

/// A table that is opened when it is first needed.
pub(crate) struct OpenedTable<K: Key + 'static>(OnceLock<Reading<K, Bytes>>);

impl<K: Key + 'static> Default for OpenedTable<K> {
    fn default() -> OpenedTable<K> {
        OpenedTable(OnceLock::new())
    }
}

impl<K: Key + 'static> OpenedTable<K> {
    /// The table, opened in a view.
    pub(crate) fn get<T: Default>(
        &self,
        view: &ReadView<T>,
        table: Table<K>,
    ) -> Result<&Reading<K, Bytes>, StoreError> {
        once(&self.0, || view.open_table(table))
    }
}

/// What a cell holds, or what can be put into it.
pub(crate) fn once<T>(
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

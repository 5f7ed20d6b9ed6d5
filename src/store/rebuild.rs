//! Making the index anew from the log, in shadow tables beside the ones that are read.

use super::handle::Store;
use super::replay::{Report, Verified};
use crate::index::{PARTS, create_derived, derived_row, drop_derived, exchange_derived};
use crate::log::{FORMAT, META, identity_row};
use crate::storage::{Side, StoreError};

/// Derived tables that were made anew, and have not taken the place of the others yet.
pub struct Rebuilt {
    beside: Store,
    /// What was replayed.
    verified: Verified,
}

impl Store {
    /// Makes everything derived again from the log, beside what there is. Nothing that is read
    /// changes before [`Store::exchange`]; if this fails, the store is as it was.
    pub fn rebuild(&self, report: Report<'_>) -> Result<Rebuilt, StoreError> {
        self.head().check()?;
        self.db().check_pages()?;
        let beside = self.beside()?;
        beside.clear_beside(true)?;
        match beside.replay(&self.reader, report) {
            Ok(verified) => Ok(Rebuilt { beside, verified }),
            Err(error) => {
                // If this fails, the next opening does it.
                let _ = beside.clear_beside(false);
                Err(error)
            }
        }
    }

    /// Puts what was made anew in the place of what there was, in one transaction.
    pub fn exchange(&self, rebuilt: Rebuilt) -> Result<Verified, StoreError> {
        let mut head = self.head();
        let db = self.db_mut();
        let txn = db.begin_write(Side::Main)?;
        exchange_derived(&txn)?;
        {
            let mut meta = txn.open_table(META)?;
            meta.insert("derived", derived_row().as_slice())?;
            meta.insert("identity", identity_row(FORMAT, self.generation).as_slice())?;
        }
        db.commit(txn)?;
        let Rebuilt { beside, verified } = rebuilt;
        self.reader.clear_cache();
        *self.reader.memtable_mut() = beside.reader.memtable().clone();
        head.skeleton_at = beside.head().skeleton_at;
        Ok(verified)
    }

    /// Throws away what an earlier rebuild left unfinished, if there is something.
    pub fn forget_rebuild(&self) -> Result<(), StoreError> {
        let left = self.reader.with(|view| view.has(Side::Beside, PARTS))?;
        if left { self.beside()?.clear_beside(false) } else { Ok(()) }
    }

    /// Throws the shadow tables away, and makes empty ones if wanted.
    fn clear_beside(&self, make: bool) -> Result<(), StoreError> {
        let db = self.db();
        let txn = db.begin_write(Side::Beside)?;
        drop_derived(&txn, Side::Beside)?;
        if make {
            create_derived(&txn)?;
        }
        db.commit(txn)
    }
}

//! All or nothing, for work that takes many transactions.
//!
//! Only the last of them waits for the disk, and makes all of them durable at once. Until then a
//! crash leaves the store as it was, and so does going back: the database is closed without a
//! commit and opened again on what is there.

use super::handle::Store;
use super::head::Head;
use crate::index::Memtable;
use crate::log::LogEnd;
use crate::storage::{Side, StoreError};

/// A moment to which a store can go back, as long as nothing after it is durable.
pub struct Mark {
    end: LogEnd,
    skeleton_at: u64,
    writes: u64,
    memtable: Memtable,
}

impl Store {
    /// Marks this moment; everything before it is on disk when this returns.
    pub fn mark(&self) -> Result<Mark, StoreError> {
        let mut head = self.head();
        head.check()?;
        self.sync_after(&mut head)?;
        let memtable = self.reader.memtable().clone();
        let (end, skeleton_at, writes) = (head.end, head.skeleton_at, head.writes);
        Ok(Mark { end, skeleton_at, writes, memtable })
    }

    /// Waits until everything is on disk.
    pub fn sync(&self) -> Result<(), StoreError> {
        let mut head = self.head();
        head.check()?;
        self.sync_after(&mut head)
    }

    fn sync_after(&self, head: &mut Head) -> Result<(), StoreError> {
        if head.unsynced {
            let db = self.db();
            db.commit(db.begin_write(Side::Main)?)?;
            head.unsynced = false;
        }
        Ok(())
    }

    /// Goes back to a moment. If that cannot be done, the store takes no more events, and what is
    /// on disk is found out by opening it again.
    pub fn go_back(&self, mark: Mark) -> Result<(), StoreError> {
        let gone_back = self.try_to_go_back(mark);
        if gone_back.is_err() {
            self.stop();
        }
        gone_back
    }

    fn try_to_go_back(&self, mark: Mark) -> Result<(), StoreError> {
        let mut head = self.head();
        if head.writes == mark.writes {
            self.reader.announced_mut().clear();
            *self.reader.memtable_mut() = mark.memtable;
            return Ok(());
        }
        {
            // Nobody reads while what was read is forgotten.
            let mut db = self.db_mut();
            self.reader.clear_cache();
            self.reader.announced_mut().clear();
            *self.reader.memtable_mut() = mark.memtable;
            db.go_back()?;
        }
        if Head::find(&self.reader)?.end != mark.end {
            let message = "a write that failed is on disk all the same: open the store again";
            return Err(StoreError::Io(message.into()));
        }
        head.end = mark.end;
        head.skeleton_at = mark.skeleton_at;
        head.unsynced = false;
        Ok(())
    }
}

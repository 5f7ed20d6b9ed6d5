//! All or nothing, for work that takes many transactions.
//!
//! Only the last of them waits for the disk, and makes all of them durable at once. Until then a
//! crash leaves the store as it was, and so does going back: the database is closed without a commit
//! and opened again on what is there.

use super::StoreError;
use super::index::Tail;
use super::open::find_head;
use super::record::ChainHash;
use super::store::{Head, Store};
use super::tables::Side;
use std::sync::PoisonError;

/// A moment to which a store can go back, as long as nothing after it is durable.
pub struct Mark {
    next_seq: u64,
    hash: ChainHash,
    skeleton_at: u64,
    writes: u64,
    tail: Tail,
}

impl Store {
    /// Marks this moment; everything before it is on disk when this returns.
    pub fn mark(&self) -> Result<Mark, StoreError> {
        let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        head.check()?;
        self.sync_after(&mut head)?;
        let tail = self.reader.tail.read().unwrap_or_else(PoisonError::into_inner).clone();
        let (next_seq, hash, skeleton_at) = (head.next_seq, head.hash, head.skeleton_at);
        Ok(Mark { next_seq, hash, skeleton_at, writes: head.writes, tail })
    }

    /// Waits until everything is on disk.
    pub fn sync(&self) -> Result<(), StoreError> {
        let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        head.check()?;
        self.sync_after(&mut head)
    }

    fn sync_after(&self, head: &mut Head) -> Result<(), StoreError> {
        if head.unsynced {
            let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
            db.commit(db.begin_write(Side::Main)?)?;
            head.unsynced = false;
        }
        Ok(())
    }

    /// Goes back to a moment. If that cannot be done, the store takes no more events, and what is on
    /// disk is found out by opening it again.
    pub fn go_back(&self, mark: Mark) -> Result<(), StoreError> {
        let gone_back = self.try_to_go_back(mark);
        if gone_back.is_err() {
            self.stop();
        }
        gone_back
    }

    fn try_to_go_back(&self, mark: Mark) -> Result<(), StoreError> {
        let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        if head.writes == mark.writes {
            self.reader.ahead.write().unwrap_or_else(PoisonError::into_inner).clear();
            *self.reader.tail.write().unwrap_or_else(PoisonError::into_inner) = mark.tail;
            return Ok(());
        }
        {
            // Nobody reads while what was read is forgotten.
            let mut db = self.db.write().unwrap_or_else(PoisonError::into_inner);
            self.reader.clear_cache();
            self.reader.ahead.write().unwrap_or_else(PoisonError::into_inner).clear();
            *self.reader.tail.write().unwrap_or_else(PoisonError::into_inner) = mark.tail;
            db.go_back()?;
        }
        let found = find_head(&self.reader)?;
        if (found.next_seq, found.hash) != (mark.next_seq, mark.hash) {
            let message = "a write that failed is on disk all the same: open the store again";
            return Err(StoreError::Io(message.into()));
        }
        head.next_seq = mark.next_seq;
        head.hash = mark.hash;
        head.skeleton_at = mark.skeleton_at;
        head.unsynced = false;
        Ok(())
    }
}

//! The whole store written into a new file, which takes the place of the old one: to pack it, or to
//! be rid of rows for good. The handle goes on with the new file.
//!
//! A kill at any point leaves the old file or the new one, whole. It does not know what rows mean:
//! whoever calls it says what becomes of each.

use super::handle::Store;
use super::head::Head;
use super::replay::{Progress, Report, VerifyStep};
use crate::index::{EachTable, OpenedTables, View, checkpoint_name, each_table, repack_derived};
use crate::log::{LOG, META, pack_row, repack_log};
use crate::storage::{
    ChangeRow, Copying, Fate, Key, OfRow, Readable, Side, StoreError, Successor, Table,
};

/// What is left alone of a disk: a full one is of no use to anybody.
const SPARE: u64 = 8 << 20;

/// How a store was packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packed {
    /// Into a new file.
    Copied,
    /// In its file, which cannot be replaced: it has a second name, or lies in a folder that may not be
    /// written to, or is none.
    InPlace,
    /// The disk has no room for the tables a second time: only free pages were given back.
    Trimmed,
}

impl Store {
    /// Writes every row into a new file, as `change` says, and puts it in the place of the old one.
    /// Returns whether that was done: not if the file cannot be replaced. What is not on disk yet is
    /// then. The caches are emptied; the memtable stays, so whoever changes what the newest commits
    /// added to the index sees to it. Nobody writes meanwhile; who reads does not wait.
    pub fn rewrite(
        &self,
        room: Option<u64>,
        change: ChangeRow<'_>,
        report: Report<'_>,
    ) -> Result<bool, StoreError> {
        let mut head = self.head();
        head.check()?;
        self.db().check_pages()?;
        let live = self.db().measure()?.live;
        check_room(live, room)?;
        self.copy(&mut head, change, report)
    }

    /// Packs the tables densely and gives free room back to the file system: into a new file if that
    /// can be had.
    pub fn compact(&self, room: Option<u64>, report: Report<'_>) -> Result<Packed, StoreError> {
        self.head().check()?;
        let live = self.db().measure()?.live;
        let mut compressor = Head::compressor()?;
        let pack = &mut |row: OfRow<'_>| {
            // The tables that an unfinished rebuild left behind are not copied either.
            if row.table == META.name() && row.key == checkpoint_name(Side::Beside).as_bytes() {
                return Ok(Fate::Goes);
            }
            let packed = match row.table == LOG.name() {
                true => pack_row(row.key, row.row, &mut compressor)?,
                false => None,
            };
            Ok(packed.map_or(Fate::Stays, Fate::Becomes))
        };
        if check_room(live, room).is_ok() && self.rewrite(room, pack, report)? {
            return Ok(Packed::Copied);
        }
        let mut head = self.head();
        self.db().check_pages()?;
        let packs = room.is_none_or(|room| room > live.saturating_mul(2).saturating_add(SPARE));
        let mut db = self.db_mut();
        if packs {
            let txn = db.begin_write(Side::Main)?;
            repack_log(&txn, &mut head.compressor)?;
            repack_derived(&txn)?;
            db.commit(txn)?;
        }
        db.compact()?;
        Ok(if packs { Packed::InPlace } else { Packed::Trimmed })
    }

    fn copy(
        &self,
        head: &mut Head,
        change: ChangeRow<'_>,
        report: Report<'_>,
    ) -> Result<bool, StoreError> {
        let Some(mut new) = Successor::of(&self.db(), self.page_cache())? else { return Ok(false) };
        let view = self.db().shown(Side::Main)?;
        let total = count(&view)?;
        let step = VerifyStep::Copy;
        new.write(|txn| {
            let report = &mut |done| report(Progress { step, done, total });
            let mut copying = Copying { from: &view, to: txn, change, report, done: 0 };
            copying.table(META)?;
            copying.table(LOG)?;
            each_table(&mut copying)
        })?;
        report(Progress { step, done: total, total });
        drop(view);
        let sync_name = {
            let mut db = self.db_mut();
            // What was read must have been what was written.
            db.check_pages_read()?;
            let sync_name = new.take_over(&mut db)?;
            self.reader.clear_cache();
            sync_name
        };
        head.unsynced = false;
        // After a power cut the old file could come back: nothing may be acknowledged before.
        sync_name().inspect_err(|_| head.stopped = true)?;
        Ok(true)
    }
}

fn check_room(live: u64, room: Option<u64>) -> Result<(), StoreError> {
    let needed = live.saturating_add(live / 4).saturating_add(SPARE);
    match room {
        Some(room) if room <= needed => {
            let message = format!(
                "a copy needs about {} MB, and the disk has {} MB left: make room first",
                needed.div_ceil(1_000_000),
                room / 1_000_000
            );
            Err(StoreError::Io(message.into()))
        }
        _ => Ok(()),
    }
}

impl EachTable for Copying<'_, OpenedTables> {
    fn table<K: Key + 'static>(&mut self, table: Table<K>) -> Result<(), StoreError> {
        Copying::table(self, table)
    }
}

struct Count<'a>(&'a View, u64);

impl EachTable for Count<'_> {
    fn table<K: Key + 'static>(&mut self, table: Table<K>) -> Result<(), StoreError> {
        self.1 += self.0.open_table(table)?.len()?;
        Ok(())
    }
}

/// How many rows there are.
fn count(view: &View) -> Result<u64, StoreError> {
    let mut count = Count(view, 0);
    count.table(META)?;
    count.table(LOG)?;
    each_table(&mut count)?;
    Ok(count.1)
}

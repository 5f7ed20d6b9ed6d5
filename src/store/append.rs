//! Writing a store: the events of one edit, batch or commit, and all that is derived from them, in
//! one transaction.

use super::handle::Store;
use super::head::Head;
use super::reader::{Base, StoreReader};
use crate::change::{Closed, Event, State};
use crate::index::{
    ClosedCycle, CycleKind, new_cycle, part_key, write_checkpoint, write_closed, write_side_rows,
    write_slice,
};
use crate::limits::CHECKPOINT_EVERY;
use crate::log::{LOG, LogEnd, NewEvent, Stamp, append_events};
use crate::storage::{Side, StoreError, Writer};
use std::sync::Arc;

/// What one transaction writes.
pub struct Append<'a> {
    /// The events, in order: a batch if there are several.
    pub events: &'a [NewEvent],
    /// The wall clock.
    pub time: i64,
    /// The cycle that the last event closes, and the state after it.
    pub closed: Option<(&'a Closed, &'a State, CycleKind)>,
    /// Whether to wait until it is on disk.
    pub durable: bool,
}

impl<'a> Append<'a> {
    /// The cycle that it closes, by an event of that number and time.
    fn closed_cycle(&self, seq: u64, time: i64) -> Option<ClosedCycle<'a>> {
        self.closed.map(|(closed, next, kind)| ClosedCycle { closed, next, kind, seq, time })
    }
}

/// An event that may have rows beside the tree, and its sequence number.
pub(super) type SideEvent = (u64, Arc<Event>);

/// What was written for a closed cycle.
struct Derived {
    /// The cycle whose row has the newest whole skeleton now.
    skeleton_at: u64,
    /// How many commits of its 64 there are with it; 0 if they are complete.
    position: u64,
}

impl Store {
    /// Writes everything, or nothing. Returns the sequence number of the first event.
    pub fn append(&self, append: &Append<'_>) -> Result<u64, StoreError> {
        self.append_stamped(append, &[])
    }

    /// Writes everything, or nothing. Events that have a stamp must get the hash in it.
    pub(super) fn append_stamped(
        &self,
        append: &Append<'_>,
        stamps: &[Stamp],
    ) -> Result<u64, StoreError> {
        let mut head = self.head();
        head.check()?;
        head.writes += 1;
        let db = self.db();
        let txn = begin(&db, self.reader.side, append.durable)?;
        let first = head.end.next_seq;
        let end = write_events(&txn, &mut head, append, stamps)?;
        // What is written again keeps its time.
        let time = stamps.last().map_or(append.time, |stamp| stamp.time);
        let closed = append.closed_cycle(end.next_seq - 1, time);
        let derived = match &closed {
            Some(cycle) => Some(self.write_derived(&txn, &head, cycle, None)?),
            None => None,
        };
        db.commit(txn)?;
        head.unsynced = !append.durable;
        head.end = end;
        if let (Some(derived), Some(cycle)) = (derived, &closed) {
            head.skeleton_at = derived.skeleton_at;
            self.learn(cycle, Some(derived.position));
        }
        Ok(first)
    }

    /// Tells readers of a closed cycle that is about to be written, so that the next one can be
    /// judged. It is written by [`Store::append_announced`].
    pub fn announce(&self, append: &Append<'_>) {
        // Nobody asks for the number of its event before it is written.
        let Some(cycle) = append.closed_cycle(0, append.time) else { return };
        self.learn(&cycle, None);
        let closed = cycle.closed;
        let mut announced = self.reader.announced_mut();
        for part in &closed.parts {
            announced.insert(part_key(part.place, closed.cycle), part.new.clone());
        }
    }

    /// Writes everything that was announced, or nothing. Only the last of it may be a checkpoint.
    /// If this fails, the store is to be stopped.
    pub fn append_announced(
        &self,
        appends: &[Append<'_>],
        durable: bool,
    ) -> Result<(), StoreError> {
        let mut head = self.head();
        head.check()?;
        head.writes += 1;
        let db = self.db();
        let txn = begin(&db, self.reader.side, durable)?;
        let mut position = None;
        for append in appends {
            head.end = write_events(&txn, &mut head, append, &[])?;
            if let Some(cycle) = append.closed_cycle(head.end.next_seq - 1, append.time) {
                let derived = self.write_derived(&txn, &head, &cycle, None)?;
                head.skeleton_at = derived.skeleton_at;
                position = Some(derived.position);
            }
        }
        db.commit(txn)?;
        head.unsynced = !durable;
        if let Some(position) = position {
            self.reader.memtable_mut().advance(position);
        }
        self.reader.announced_mut().clear();
        Ok(())
    }

    /// Writes the rows derived from a closed cycle alone: this is how they are rebuilt, from the
    /// log of `from`.
    pub(super) fn append_derived(
        &self,
        from: &StoreReader,
        cycle: &ClosedCycle<'_>,
        side: &[SideEvent],
        durable: bool,
    ) -> Result<(), StoreError> {
        let mut head = self.head();
        let db = self.db();
        let txn = begin(&db, self.reader.side, durable)?;
        for (seq, event) in side {
            write_side_rows(&txn, *seq, event)?;
        }
        let derived = self.write_derived(&txn, &head, cycle, Some(from))?;
        db.commit(txn)?;
        head.skeleton_at = derived.skeleton_at;
        self.learn(cycle, Some(derived.position));
        Ok(())
    }

    /// Writes the rows of events beside the tree alone, and waits until everything before them is
    /// on disk.
    pub(super) fn write_side(&self, side: &[SideEvent]) -> Result<(), StoreError> {
        let db = self.db();
        let txn = begin(&db, self.reader.side, true)?;
        for (seq, event) in side {
            write_side_rows(&txn, *seq, event)?;
        }
        db.commit(txn)
    }

    /// Adds a closed cycle to the memtable, and says at which position it was written, if it was.
    fn learn(&self, cycle: &ClosedCycle<'_>, position: Option<u64>) {
        let mut memtable = self.reader.memtable_mut();
        memtable.add(new_cycle(cycle));
        if let Some(position) = position {
            memtable.advance(position);
        }
    }

    /// Writes what is derived from a closed cycle, and the slice of the memtable that is due with it.
    /// Contents are in the log of `from`, or in this one.
    fn write_derived(
        &self,
        txn: &Writer,
        head: &Head,
        cycle: &ClosedCycle<'_>,
        from: Option<&StoreReader>,
    ) -> Result<Derived, StoreError> {
        let skeleton_at = write_closed(txn, cycle, head.skeleton_at)?;
        let ClosedCycle { closed, next, .. } = cycle;
        let snapshots = next.history.len();
        let position = snapshots % CHECKPOINT_EVERY;
        if position == 0 {
            write_checkpoint(txn, closed.cycle, &next.turns_hash)?;
            return Ok(Derived { skeleton_at, position });
        }
        let memtable = self.reader.memtable();
        match from {
            Some(from) => {
                from.with(|view| write_slice(txn, &memtable, position, snapshots, view.log()?))?
            }
            None => write_slice(txn, &memtable, position, snapshots, &txn.open_table(LOG)?)?,
        }
        Ok(Derived { skeleton_at, position })
    }
}

/// Begins a transaction, which need not be on disk when it ends if it is not `durable`.
fn begin(db: &Base, side: Side, durable: bool) -> Result<Writer, StoreError> {
    let mut txn = db.begin_write(side)?;
    if !durable {
        txn.relax()?;
    }
    Ok(txn)
}

/// Writes events, and their rows beside the tree. Returns where the log ends then.
fn write_events(
    txn: &Writer,
    head: &mut Head,
    append: &Append<'_>,
    stamps: &[Stamp],
) -> Result<LogEnd, StoreError> {
    let Append { events, time, .. } = append;
    let end = append_events(txn, head.end, events, *time, stamps, &mut head.compressor)?;
    for (seq, new) in (head.end.next_seq..).zip(*events) {
        write_side_rows(txn, seq, &new.event)?;
    }
    Ok(end)
}

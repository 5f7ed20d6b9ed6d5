//! Writing a store: the events of one edit, batch or commit, and all that is derived from them,
//! in one transaction.

use super::StoreError;
use super::base::Base;
use super::checked::{get_number, put};
use super::codec::{encode, seal};
use super::extras::WholeAttempt;
use super::guarded::Readable;
use super::index::{Tail, Version};
use super::read::LogReader;
use super::record::{ChainHash, content_digest, write_content, write_record};
use super::rows::{CycleKind, end_part, write_cycle, write_part};
use super::store::{Head, Store};
use super::tables::{
    ATTEMPT_CYCLES, ATTEMPTS, LOG, META, OPEN_ATTEMPTS, ORIGINS, PARTS, PartKey, Side,
    attempt_key_bytes, cycle_key, log_key_bytes, part_key, place_key,
};
use super::writing::Writer;
use crate::change::{Attempt, AttemptStatus, Closed, Event, State};
use crate::json::Json;
use crate::limits::CHECKPOINT_EVERY;
use crate::model::Place;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

/// An event to be written, with the contents that it brings.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// What happened.
    pub event: Arc<Event>,
    /// Its contents, as parts 1, 2, …
    pub contents: Vec<Json>,
}

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

/// What a record has that is written again as it was: its batch, its time and its hash.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stamp {
    pub(super) group: u64,
    pub(super) time: i64,
    pub(super) hash: ChainHash,
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
        let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        head.check()?;
        head.writes += 1;
        let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
        let txn = begin(&db, self.reader.side, append.durable)?;
        let first = head.next_seq;
        let hash = write_events(&txn, &mut head, append, stamps)?;
        let seq = first + append.events.len() as u64;
        let derived = match append.closed {
            Some((closed, next, kind)) => {
                let rows = Rows { closed, next, kind, seq: seq - 1, learnt: false };
                Some(self.write_derived(&txn, &head, &rows, None)?)
            }
            None => None,
        };
        db.commit(txn)?;
        head.unsynced = !append.durable;
        head.next_seq = seq;
        head.hash = hash;
        if let (Some(derived), Some((closed, ..))) = (derived, append.closed) {
            head.skeleton_at = derived.skeleton_at;
            self.learn(closed, derived.flushed);
        }
        Ok(first)
    }

    /// Tells readers of a closed cycle that is about to be written, so that the next one can be
    /// judged. It is written by [`Store::append_announced`].
    pub fn announce(&self, closed: &Closed) {
        self.learn(closed, false);
        let mut ahead = self.reader.ahead.write().unwrap_or_else(PoisonError::into_inner);
        for part in &closed.parts {
            ahead.insert(part_key(part.place, closed.cycle), part.new.clone());
        }
    }

    /// Writes everything that was announced, or nothing. Only the last of it may be a cycle at
    /// which the indexes are written. If this fails, the store is to be stopped.
    pub fn append_announced(
        &self,
        appends: &[Append<'_>],
        durable: bool,
    ) -> Result<(), StoreError> {
        let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        head.check()?;
        head.writes += 1;
        let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
        let txn = begin(&db, self.reader.side, durable)?;
        let mut flushed = false;
        for append in appends {
            head.hash = write_events(&txn, &mut head, append, &[])?;
            head.next_seq += append.events.len() as u64;
            if let Some((closed, next, kind)) = append.closed {
                let seq = head.next_seq - 1;
                let rows = Rows { closed, next, kind, seq, learnt: true };
                let derived = self.write_derived(&txn, &head, &rows, None)?;
                head.skeleton_at = derived.skeleton_at;
                flushed |= derived.flushed;
            }
        }
        db.commit(txn)?;
        head.unsynced = !durable;
        if flushed {
            *self.reader.tail.write().unwrap_or_else(PoisonError::into_inner) = Tail::default();
        }
        self.reader.ahead.write().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(())
    }

    /// Writes the rows derived from a closed cycle alone: this is how they are rebuilt, from the
    /// log of `from`.
    pub(super) fn append_derived(
        &self,
        from: &LogReader,
        rows: &Rows<'_>,
        notes: &[Note],
        durable: bool,
    ) -> Result<(), StoreError> {
        let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
        let txn = begin(&db, self.reader.side, durable)?;
        for note in notes {
            write_note(&txn, note)?;
        }
        let derived = self.write_derived(&txn, &head, rows, Some(from))?;
        db.commit(txn)?;
        head.skeleton_at = derived.skeleton_at;
        self.learn(rows.closed, derived.flushed);
        Ok(())
    }

    /// Writes notes alone, and waits until everything before them is on disk.
    pub(super) fn write_notes(&self, notes: &[Note]) -> Result<(), StoreError> {
        let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
        let txn = begin(&db, self.reader.side, true)?;
        for note in notes {
            write_note(&txn, note)?;
        }
        db.commit(txn)?;
        Ok(())
    }

    fn learn(&self, closed: &Closed, flushed: bool) {
        let mut tail = self.reader.tail.write().unwrap_or_else(PoisonError::into_inner);
        if flushed {
            *tail = Tail::default();
        } else {
            tail.learn(closed.cycle, &closed.delta, versions(closed));
        }
    }

    fn write_derived(
        &self,
        txn: &Writer,
        head: &Head,
        rows: &Rows<'_>,
        from: Option<&LogReader>,
    ) -> Result<Derived, StoreError> {
        let Rows { closed, next, kind, seq, learnt } = *rows;
        // A commit that only appends its turn needs no skeleton of its own.
        let dropped = closed.parts.iter().any(|part| part.new.is_none());
        let extends = kind == CycleKind::Commit && !dropped && !closed.headers_changed;
        let skeleton_at = extends.then_some(head.skeleton_at).filter(|at| *at > 0);
        let mut rows: BTreeMap<PartKey, Vec<u8>> = BTreeMap::new();
        let key = cycle_key(closed.cycle);
        rows.insert(key, write_cycle(key, closed, next, seq, kind, skeleton_at)?);
        let mut table = txn.open_table(PARTS)?;
        for part in &closed.parts {
            let key = part_key(part.place, closed.cycle);
            rows.insert(key, write_part(key, 0, part.new.as_deref()));
            // The version before this one holds until now.
            let (slot, rank) = place_key(part.place);
            let ended = match table.range((slot, rank, 0)..key)?.next_back() {
                Some(entry) => {
                    let (old, row) = entry?;
                    let old = old.value();
                    Some((old, end_part(old, row.value(), closed.cycle)?))
                }
                None => None,
            };
            rows.extend(ended);
        }
        let last = table.last()?.map(|(key, _)| key.value());
        let appended = rows.split_off(&last.map_or((0, 0, 0), |(a, b, c)| (a, b, c + 1)));
        for (key, row) in &rows {
            table.insert(*key, row.as_slice())?;
        }
        let mut end = table.append()?;
        for (key, row) in &appended {
            end.insert(*key, row.as_slice())?;
        }
        end.close()?;
        drop(table);
        let flushed = next.history.len().is_multiple_of(CHECKPOINT_EVERY);
        if flushed {
            self.checkpoint(txn, closed, next, learnt, from)?;
        }
        Ok(Derived { skeleton_at: skeleton_at.unwrap_or(closed.cycle), flushed })
    }

    /// Writes the tail to the index tables, with what this cycle adds to it. Contents are in the log
    /// of `from`, or in this one.
    fn checkpoint(
        &self,
        txn: &Writer,
        closed: &Closed,
        next: &State,
        learnt: bool,
        from: Option<&LogReader>,
    ) -> Result<(), StoreError> {
        let mut tail = self.reader.tail.read().unwrap_or_else(PoisonError::into_inner).clone();
        if !learnt {
            tail.learn(closed.cycle, &closed.delta, versions(closed));
        }
        match from {
            Some(from) => from.with(|shown| tail.flush(txn, closed.cycle, shown.log()?))?,
            None => tail.flush(txn, closed.cycle, &txn.open_table(LOG)?)?,
        }
        let mut meta = txn.open_table(META)?;
        let row = encode(&(closed.cycle, next.turns_hash.to_bytes()))?;
        let row = seal("meta", b"checkpoint", row);
        meta.insert(txn.side().checkpoint(), row.as_slice())?;
        Ok(())
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

/// The versions of turns that a closed cycle made.
fn versions(closed: &Closed) -> impl Iterator<Item = (Place, Version)> + '_ {
    closed.parts.iter().map(|part| match &part.new {
        Some(turn) => (part.place, Version::Held(turn.clone())),
        None => (part.place, Version::Gone),
    })
}

/// What the derived rows of a cycle are made from.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) closed: &'a Closed,
    /// The state after it, before cadences.
    pub(super) next: &'a State,
    pub(super) kind: CycleKind,
    /// The sequence number of the event that closed it.
    pub(super) seq: u64,
    /// Whether the tail knows of it already.
    pub(super) learnt: bool,
}

struct Derived {
    skeleton_at: u64,
    flushed: bool,
}

/// An event that has rows of its own beside the tree, and its sequence number.
pub(super) type Note = (u64, Arc<Event>);

fn write_note(txn: &Writer, (seq, event): &Note) -> Result<(), StoreError> {
    match &**event {
        Event::Attempt(attempt) => write_attempt(txn, attempt),
        Event::Origin(origin) => {
            let mut table = txn.open_table(ORIGINS)?;
            for key in origin.keys() {
                if get_number(&table, "origins", key.as_str())?.is_none() {
                    put(&mut table, "origins", key.as_str(), *seq)?;
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn write_events(
    txn: &Writer,
    head: &mut Head,
    append: &Append<'_>,
    stamps: &[Stamp],
) -> Result<[u8; 32], StoreError> {
    let (mut hash, first) = (head.hash, head.next_seq);
    let mut table = txn.open_table(LOG)?;
    let mut end = table.append()?;
    for (i, new) in append.events.iter().enumerate() {
        let seq = first + i as u64;
        let stamp = stamps.get(i);
        let (group, time) = stamp.map_or((first, append.time), |stamp| (stamp.group, stamp.time));
        let digests = new.contents.iter().map(content_digest).collect();
        let (row, next) = write_record(seq, group, time, &new.event, digests, &hash)?;
        if stamp.is_some_and(|stamp| stamp.hash != next) {
            return Err(StoreError::corrupt(format!("event {seq} does not match its hash")));
        }
        end.insert((seq, 0), row.as_slice())?;
        hash = next;
        for (k, content) in new.contents.iter().enumerate() {
            let part = k as u32 + 1;
            let row = write_content(content, &mut head.compressor);
            let row = seal("log", &log_key_bytes(seq, part), row);
            end.insert((seq, part), row.as_slice())?;
        }
        write_note(txn, &(seq, new.event.clone()))?;
    }
    end.close()?;
    Ok(hash)
}

fn write_attempt(txn: &Writer, attempt: &Attempt) -> Result<(), StoreError> {
    let id = attempt.attempt_id.as_str();
    let row = seal(
        "attempts",
        &attempt_key_bytes((attempt.cycle_id, id)),
        encode(&WholeAttempt::from(attempt))?,
    );
    txn.open_table(ATTEMPTS)?.insert((attempt.cycle_id, id), row.as_slice())?;
    put(&mut txn.open_table(ATTEMPT_CYCLES)?, "attempt_cycles", id, attempt.cycle_id)?;
    let mut open = txn.open_table(OPEN_ATTEMPTS)?;
    if attempt.status == AttemptStatus::Running {
        put(&mut open, "open_attempts", id, attempt.cycle_id)?;
    } else {
        open.remove(id)?;
    }
    Ok(())
}

//! Replay: the derived tables from the log, into the store itself or beside it to compare.
//!
//! Verification replays the whole log into a store in memory and then compares, so what it proves
//! is exactly the promise: the chain holds, every content is what was written, every commit
//! arrives at its digest, and everything derived is what the log says, byte for byte.

use super::StoreError;
use super::contents::content_from_row;
use super::guarded::Readable;
use super::open::{apply_record, each_record};
use super::read::LogReader;
use super::record::{Record, content_digest};
use super::rows::CycleKind;
use super::shown::Shown;
use super::store::Store;
use super::tables::{self, FORMAT, META, Side, derived_row, identity_row};
use super::write::{Note, Rows};
use crate::change::{Closed, Event, State, Working, close_commit, close_import, close_restore};
use crate::model::{ReadError, Tree, TurnSource};
use redb::backends::InMemoryBackend;
use redb::{Key, TableDefinition, Value};
use std::sync::{Arc, PoisonError};

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerifyStep {
    /// Events are read, checked and replayed.
    Replay,
    /// Contents are read and checked.
    Contents,
    /// What is derived is compared.
    Compare,
}

/// How far long work has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub step: VerifyStep,
    /// How much of it is done.
    pub done: u64,
    /// How much there is.
    pub total: u64,
}

/// What a verification looked at; all of it was right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Verified {
    /// Events, each checked against the one before.
    pub events: u64,
    /// Contents, each checked against its digest.
    pub contents: u64,
    /// Commits, imports and restores, each replayed to its digest.
    pub commits: u64,
    /// Derived rows, each compared with a rebuilt one.
    pub rows: u64,
}

/// Derived tables that were made anew, and have not taken the place of the others yet.
pub struct Rebuilt {
    beside: Store,
    /// What was replayed.
    verified: Verified,
}

type Report<'a> = &'a mut dyn FnMut(Progress);

impl Store {
    /// Checks everything, and names the first thing that is wrong.
    pub fn verify(&self, report: Report<'_>) -> Result<Verified, StoreError> {
        let copy = Store::create_on(InMemoryBackend::new(), self.generation)?;
        let mut verified = self.replay_into(&copy, report)?;
        verified.contents = self.check_contents(report)?;
        verified.rows = self.compare_derived(&copy, report)?;
        self.db.read().unwrap_or_else(PoisonError::into_inner).check_pages()?;
        Ok(verified)
    }

    /// Makes everything derived again from the log, beside what there is. Nothing that is read
    /// changes before [`Store::exchange`]; if this fails, the store is as it was.
    pub fn rebuild(&self, report: Report<'_>) -> Result<Rebuilt, StoreError> {
        self.head.lock().unwrap_or_else(PoisonError::into_inner).check()?;
        self.db.read().unwrap_or_else(PoisonError::into_inner).check_pages()?;
        let beside = self.beside()?;
        beside.clear_beside(true)?;
        match self.replay_into(&beside, report) {
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
        let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        let db = self.db.write().unwrap_or_else(PoisonError::into_inner);
        let txn = db.begin_write(Side::Main)?;
        tables::exchange_derived(&txn)?;
        {
            let mut meta = txn.open_table(META)?;
            meta.insert("derived", derived_row().as_slice())?;
            meta.insert("identity", identity_row(FORMAT, self.generation).as_slice())?;
        }
        db.commit(txn)?;
        let Rebuilt { beside, verified } = rebuilt;
        self.reader.clear_cache();
        let tail = beside.reader.tail.write().unwrap_or_else(PoisonError::into_inner).clone();
        *self.reader.tail.write().unwrap_or_else(PoisonError::into_inner) = tail;
        let made = beside.head.lock().unwrap_or_else(PoisonError::into_inner);
        head.skeleton_at = made.skeleton_at;
        Ok(verified)
    }

    /// Throws away what an earlier rebuild left unfinished, if there is something.
    pub fn forget_rebuild(&self) -> Result<(), StoreError> {
        let left = self.reader.with(|shown| shown.has_beside())?;
        if left { self.beside()?.clear_beside(false) } else { Ok(()) }
    }

    /// Empties the tables that are made beside, or throws them away.
    fn clear_beside(&self, make: bool) -> Result<(), StoreError> {
        let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
        let txn = db.begin_write(Side::Beside)?;
        tables::drop_derived(&txn, Side::Beside)?;
        if make {
            tables::create_derived(&txn)?;
        }
        db.commit(txn)
    }

    /// Replays this store's log into the derived tables of another, or of itself.
    fn replay_into(&self, target: &Store, report: Report<'_>) -> Result<Verified, StoreError> {
        let total = self.next_seq().saturating_sub(1);
        let mut verified = Verified::default();
        let source: Arc<dyn TurnSource> = target.reader.clone();
        let mut working = Working::fresh(State::new(self.generation, Tree::empty(source)));
        let mut notes: Vec<Note> = Vec::new();
        each_record(&self.reader, 0, |record| {
            verified.events += 1;
            if verified.events.is_multiple_of(256) {
                report(Progress { step: VerifyStep::Replay, done: verified.events, total });
            }
            if matches!(record.event, Event::Attempt(_) | Event::Origin(_)) {
                notes.push((record.seq, Arc::new(record.event.clone())));
            }
            if !record.event.closes_cycle() {
                return apply_record(&mut working, record);
            }
            verified.commits += 1;
            working = replay_close(&self.reader, target, &working, &record, &notes)?;
            notes.clear();
            Ok(())
        })?;
        target.write_notes(&notes)?;
        report(Progress { step: VerifyStep::Replay, done: total, total });
        Ok(verified)
    }

    fn check_contents(&self, report: Report<'_>) -> Result<u64, StoreError> {
        let total = self.next_seq().saturating_sub(1);
        let mut checked = 0;
        each_record(&self.reader, 0, |record| {
            self.reader.with(|txn| {
                let table = txn.log()?;
                for (i, digest) in record.contents.iter().enumerate() {
                    let (seq, part) = (record.seq, i as u32 + 1);
                    let Some(row) = table.get((seq, part))? else {
                        let message = format!("content {part} of event {seq} is missing");
                        return Err(StoreError::corrupt(message));
                    };
                    if content_digest(&content_from_row(seq, part, row.value())?) != *digest {
                        let message = format!(
                            "content {part} of event {seq} is not the one that the event brought"
                        );
                        return Err(StoreError::corrupt(message));
                    }
                    checked += 1;
                }
                Ok(())
            })?;
            if record.seq.is_multiple_of(256) {
                report(Progress { step: VerifyStep::Contents, done: record.seq, total });
            }
            Ok(())
        })?;
        // The chain cannot know whether an end was cut off it; the table's own count can.
        let rows = self.next_seq().saturating_sub(1) + checked;
        self.reader.with(|txn| check_count("log", txn.log()?.len()?, rows))?;
        report(Progress { step: VerifyStep::Contents, done: total, total });
        Ok(checked)
    }

    fn compare_derived(&self, copy: &Store, report: Report<'_>) -> Result<u64, StoreError> {
        let total = 14;
        let mut rows = 0;
        let mut step = 0;
        let mut note = |count: u64| {
            rows += count;
            step += 1;
            report(Progress { step: VerifyStep::Compare, done: step, total });
        };
        self.reader.with(|ours| {
            copy.reader.with(|theirs| {
                note(compare(ours, theirs, tables::PARTS)?);
                note(compare(ours, theirs, tables::SKETCHES)?);
                note(compare(ours, theirs, tables::FEATURES)?);
                note(compare(ours, theirs, tables::GRAMS)?);
                note(compare(ours, theirs, tables::IDS)?);
                note(compare(ours, theirs, tables::EXPIRY)?);
                note(compare(ours, theirs, tables::REFS)?);
                note(compare(ours, theirs, tables::PRUNES)?);
                note(compare(ours, theirs, tables::INSTANCES)?);
                note(compare(ours, theirs, tables::RUNNING)?);
                note(compare(ours, theirs, tables::ATTEMPTS)?);
                note(compare(ours, theirs, tables::ATTEMPT_CYCLES)?);
                note(compare(ours, theirs, tables::OPEN_ATTEMPTS)?);
                note(compare(ours, theirs, tables::ORIGINS)?);
                compare_checkpoint(ours, theirs)
            })
        })?;
        Ok(rows)
    }
}

/// Closes a cycle again and writes what is derived from it.
fn replay_close(
    source: &LogReader,
    target: &Store,
    working: &Working,
    record: &Record,
    notes: &[Note],
) -> Result<Working, StoreError> {
    let Ending { closed, kind, before, next } = close_again(working, record.seq, &record.event)?;
    // A sync now and then bounds what the file has to keep for a rebuild that is cut off.
    let durable = closed.cycle.is_multiple_of(1024);
    let rows = Rows { closed: &closed, next: &before, kind, seq: record.seq, learnt: false };
    target.append_derived(source, &rows, notes, durable)?;
    Ok(Working::fresh(next))
}

/// A cycle that was closed again, the state before its cadences, and the one after them.
pub(super) struct Ending {
    pub(super) closed: Closed,
    pub(super) kind: CycleKind,
    pub(super) before: State,
    pub(super) next: State,
}

/// Closes a cycle as its event says, which must arrive at the event's digest.
pub(super) fn close_again(
    working: &Working,
    seq: u64,
    event: &Event,
) -> Result<Ending, StoreError> {
    let wrong =
        |error: ReadError| StoreError::corrupt(format!("event {seq} does not apply: {error}"));
    let (closed, digest, materialized, kind): (Closed, [u8; 32], &[_], CycleKind) = match event {
        Event::Committed(commit) => {
            let closed = close_commit(&working.state, commit).map_err(wrong)?;
            (closed, commit.digest, &commit.materialized, CycleKind::Commit)
        }
        Event::Imported(import) => {
            let closed = close_import(&working.state, import).map_err(wrong)?;
            (closed, import.digest, &[], CycleKind::Import)
        }
        Event::Restored(restore) => {
            let closed = close_restore(working, restore).map_err(wrong)?;
            let kind = CycleKind::Restore(restore.at);
            (closed, restore.digest, &restore.materialized, kind)
        }
        _ => return Err(StoreError::corrupt("an edit cannot close a cycle")),
    };
    if closed.digest != digest {
        return Err(StoreError::corrupt(format!(
            "cycle {} (event {seq}) does not arrive at its digest",
            closed.cycle
        )));
    }
    let before = closed.next_state(&[]).map_err(wrong)?;
    let next = closed.next_state(materialized).map_err(wrong)?;
    Ok(Ending { closed, kind, before, next })
}

fn compare<K: Key + 'static, V: Value + 'static>(
    ours: &Shown,
    theirs: &Shown,
    definition: TableDefinition<'_, K, V>,
) -> Result<u64, StoreError> {
    use redb::TableHandle;
    let name = definition.name().to_owned();
    let (table, theirs) = (ours.open_table(definition)?, theirs.open_table(definition)?);
    let (mut found, mut expected) = (table.iter()?, theirs.iter()?);
    let mut rows = 0;
    loop {
        let (ours, theirs) = (found.next().transpose()?, expected.next().transpose()?);
        let same = match (&ours, &theirs) {
            (None, None) => break,
            (Some((k1, v1)), Some((k2, v2))) => {
                K::as_bytes(&k1.value()).as_ref() == K::as_bytes(&k2.value()).as_ref()
                    && V::as_bytes(&v1.value()).as_ref() == V::as_bytes(&v2.value()).as_ref()
            }
            _ => false,
        };
        if !same {
            let key = theirs.or(ours).map(|(key, _)| format!("{:?}", key.value()));
            return Err(StoreError::corrupt(format!(
                "the derived table '{name}' differs from the log at {}; rebuild it",
                key.unwrap_or_default()
            )));
        }
        rows += 1;
    }
    check_count(&name, table.len()?, rows)?;
    Ok(rows)
}

/// Compares the number of rows that were met with the number that the table says it has.
fn check_count(name: &str, count: u64, met: u64) -> Result<(), StoreError> {
    if count != met {
        let message = format!("the table '{name}' should have {count} rows, {met} can be read");
        return Err(StoreError::corrupt(message));
    }
    Ok(())
}

fn compare_checkpoint(ours: &Shown, theirs: &Shown) -> Result<(), StoreError> {
    let row = |txn: &Shown| -> Result<Option<Vec<u8>>, StoreError> {
        Ok(txn.open_table(META)?.get("checkpoint")?.map(|row| row.value().to_vec()))
    };
    if row(ours)? != row(theirs)? {
        return Err(StoreError::corrupt("the checkpoint differs from the log; rebuild it"));
    }
    Ok(())
}

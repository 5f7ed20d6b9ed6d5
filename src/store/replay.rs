//! Replaying the log: events are applied and cycles closed as they were the first time, through the
//! same code, and what is derived from them is written again.

use super::append::SideEvent;
use super::handle::Store;
use super::reader::StoreReader;
use crate::budget;
use crate::change::{
    Closed, Event, Pending, State, Working, apply, close_commit, close_import, close_restore,
};
use crate::index::{ClosedCycle, CycleKind, has_side_rows};
use crate::log::{Record, chain_start, next_records};
use crate::model::{ReadError, Tree, TurnSource};
use crate::storage::StoreError;
use std::sync::Arc;

/// How many records are read at once.
const BATCH: usize = 512;

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerifyStep {
    /// Events are read, checked and replayed.
    Replay,
    /// Contents are read and checked.
    Contents,
    /// What is derived is compared.
    Compare,
    /// Rows are copied into a new file.
    Copy,
}

/// How far long work has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// What is being done.
    pub step: VerifyStep,
    /// How much of it is done.
    pub done: u64,
    /// How much there is.
    pub total: u64,
}

/// What a verification looked at; all of it was right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
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

pub(super) type Report<'a> = &'a mut dyn FnMut(Progress);

impl Store {
    /// Replays the log that a reader sees into the derived tables of this store.
    pub(super) fn replay(
        &self,
        from: &StoreReader,
        report: Report<'_>,
    ) -> Result<Verified, StoreError> {
        let total = from.events()?;
        let mut verified = Verified::default();
        let source: Arc<dyn TurnSource> = self.reader.clone();
        let mut working = Working::fresh(State::new(self.generation, Tree::empty(source)));
        let mut side: Vec<SideEvent> = Vec::new();
        each_record(from, |record| {
            verified.events += 1;
            if verified.events.is_multiple_of(256) {
                report(Progress { step: VerifyStep::Replay, done: verified.events, total });
            }
            if has_side_rows(&record.event) {
                side.push((record.seq, Arc::new(record.event.clone())));
            }
            if !record.event.closes_cycle() {
                return apply_record(&mut working, record);
            }
            verified.commits += 1;
            working = replay_close(from, self, &working, &record, &side)?;
            side.clear();
            Ok(())
        })?;
        self.write_side(&side)?;
        report(Progress { step: VerifyStep::Replay, done: total, total });
        Ok(verified)
    }
}

/// Applies an edit from the log.
pub(super) fn apply_record(working: &mut Working, record: Record) -> Result<(), StoreError> {
    let Record { seq, group, event, .. } = record;
    apply(working, &event).map_err(|error| does_not_apply(seq, error))?;
    working.pending.push(Pending { seq, group, event: Arc::new(event), undone: false });
    Ok(())
}

/// What is wrong with an event, unless replaying it was only given up.
fn does_not_apply(seq: u64, error: ReadError) -> StoreError {
    match error {
        ReadError::Stopped(stopped) => StoreError::Stopped(stopped),
        error => StoreError::corrupt(format!("event {seq} does not apply: {error}")),
    }
}

/// Reads all records in order, each checked against the one before.
pub(super) fn each_record(
    reader: &StoreReader,
    mut run: impl FnMut(Record) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let (mut seq, mut hash) = (0, chain_start());
    loop {
        budget::reached("events were looked at", seq, None)?;
        let batch = reader.with(|view| next_records(view.log()?, seq, hash, BATCH))?;
        if batch.is_empty() {
            return Ok(());
        }
        for record in batch {
            (seq, hash) = (record.seq, record.hash);
            run(record)?;
        }
    }
}

/// Closes a cycle again and writes what is derived from it.
fn replay_close(
    source: &StoreReader,
    target: &Store,
    working: &Working,
    record: &Record,
    side: &[SideEvent],
) -> Result<Working, StoreError> {
    let Ending { closed, kind, before, next } = close_again(working, record.seq, &record.event)?;
    // A sync now and then bounds what the file has to keep for a rebuild that is cut off.
    let durable = closed.cycle.is_multiple_of(1024);
    let cycle =
        ClosedCycle { closed: &closed, next: &before, kind, seq: record.seq, time: record.time };
    target.append_derived(source, &cycle, side, durable)?;
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
    let wrong = |error: ReadError| does_not_apply(seq, error);
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

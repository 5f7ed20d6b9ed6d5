//! From a file to a state: the newest commit, the tail of the indexes, and the events since.
//!
//! What this reads does not grow with history: one commit's row, `^sys` and `^ah`, at most 64 more
//! commits for the tail, and the uncommitted events.

use super::StoreError;
use super::checked::number;
use super::codec::{decode, unseal};
use super::guarded::Readable;
use super::history::read_cycle;
use super::index::{Tables, Tail};
use super::read::{LogReader, missing_event};
use super::record::{Record, chain_start, hash_of, read_record};
use super::shown::Shown;
use super::store::{Head, Store, last_log_key};
use super::tables::{META, OPEN_ATTEMPTS, derived_row};
use crate::change::{Event, Newest, Pending, State, Working, apply};
use crate::model::{Name, Tree, TurnSource};
use crate::snapshot::TurnsHash;
use std::sync::{Arc, PoisonError};

/// A store and its state in progress.
pub struct Opened {
    /// The store.
    pub store: Store,
    /// The state.
    pub working: Working,
}

/// Where the log ends.
pub(super) fn find_head(reader: &LogReader) -> Result<Head, StoreError> {
    let (next_seq, hash, skeleton_at) = reader.with(|txn| {
        let (next_seq, hash) = match last_log_key(txn)? {
            Some((seq, _)) => {
                let table = txn.log()?;
                let row = table.get((seq, 0))?.ok_or_else(|| missing_event(seq))?;
                (seq + 1, hash_of(seq, row.value())?)
            }
            None => (1, chain_start()),
        };
        // What another version derived is made anew before anybody asks for it.
        let last = if derived_is_current(txn)? { txn.last_cycle()? } else { None };
        let skeleton_at = match last {
            Some(cycle) => read_cycle(txn, cycle)?.skeleton_at(),
            None => 0,
        };
        Ok((next_seq, hash, skeleton_at))
    })?;
    Head::at(next_seq, hash, skeleton_at)
}

pub(super) fn derived_is_current(txn: &Shown) -> Result<bool, StoreError> {
    let meta = txn.open_table(META)?;
    let row = meta.get("derived")?;
    Ok(row.is_some_and(|row| row.value() == derived_row().as_slice()))
}

impl Store {
    /// Whether the derived tables were made by this version of the code, and completely.
    pub fn derived_is_current(&self) -> Result<bool, StoreError> {
        self.reader.with(derived_is_current)
    }

    /// Reads the state in progress.
    pub fn recover(self) -> Result<Opened, StoreError> {
        let last = self.reader.with(|txn| txn.last_cycle())?;
        let (state, from) = match last {
            Some(cycle) => self.committed_state(cycle)?,
            None => {
                let source: Arc<dyn TurnSource> = self.reader.clone();
                (State::new(self.generation, Tree::empty(source)), 0)
            }
        };
        let mut working = Working::fresh(state);
        self.apply_pending(&mut working, from)?;
        Ok(Opened { store: self, working })
    }

    /// The state after the commit of a cycle, and the sequence number of its event.
    fn committed_state(&self, cycle: u64) -> Result<(State, u64), StoreError> {
        let row = self.reader.cycle_row(cycle)?;
        let (_, history) = self.reader.skeleton_and_history(cycle)?;
        let (tail, turns_hash) = self.reader.with(|txn| read_tail(txn, &history))?;
        *self.reader.tail.write().unwrap_or_else(PoisonError::into_inner) = tail;
        let source: Arc<dyn TurnSource> = self.reader.clone();
        let mut state = State::new(self.generation, Tree::at(cycle, source)?);
        state.newest = Some(Newest::of(&state.tree)?);
        state.last_cycle = cycle;
        state.history = history;
        state.last_ns = row.last_ns;
        state.next_id = row.next_id;
        state.used.clear();
        state.policies = row.policies()?;
        state.totals = row.totals;
        state.turns_hash = Arc::new(turns_hash);
        state.cadences = self.running_cadences()?;
        state.running = self.reader.with(open_attempts)?;
        let record = self.reader.record(row.seq)?.ok_or_else(|| missing_event(row.seq))?;
        let materialized = match &record.event {
            Event::Committed(commit) => commit.materialized.as_slice(),
            Event::Restored(restore) => restore.materialized.as_slice(),
            Event::Imported(_) => &[],
            _ => {
                let message = format!("event {} should close cycle {cycle}", row.seq);
                return Err(StoreError::corrupt(message));
            }
        };
        crate::change::materialize(&mut state, materialized)?;
        Ok((state, row.seq))
    }

    fn running_cadences(
        &self,
    ) -> Result<std::collections::BTreeMap<Name, crate::model::Instance>, StoreError> {
        let mut keys = self.reader.with(|txn| Tables(txn).running())?;
        {
            let tail = self.reader.tail.read().unwrap_or_else(PoisonError::into_inner);
            keys.extend(tail.instances().keys().cloned());
        }
        let mut running = std::collections::BTreeMap::new();
        for key in keys {
            if let Some(instance) = self.reader.newest_instance(&key)?
                && instance.runs()
            {
                running.insert(key, instance);
            }
        }
        Ok(running)
    }

    fn apply_pending(&self, working: &mut Working, after: u64) -> Result<(), StoreError> {
        for seq in after + 1..self.next_seq() {
            let record = self.reader.record(seq)?.ok_or_else(|| missing_event(seq))?;
            apply_record(working, record)?;
        }
        Ok(())
    }
}

/// Applies an edit from the log.
pub(super) fn apply_record(working: &mut Working, record: Record) -> Result<(), StoreError> {
    let Record { seq, group, event, .. } = record;
    apply(working, &event)
        .map_err(|error| StoreError::corrupt(format!("event {seq} does not apply: {error}")))?;
    working.pending.push(Pending { seq, group, event: Arc::new(event), undone: false });
    Ok(())
}

fn read_tail(
    txn: &Shown,
    history: &crate::change::History,
) -> Result<(Tail, TurnsHash), StoreError> {
    let (checkpoint, mut turns_hash) = read_checkpoint(txn)?;
    let mut tail = Tail::default();
    let mut newer: Vec<u64> =
        history.iter().rev().take_while(|cycle| *cycle > checkpoint).collect();
    newer.reverse();
    for cycle in newer {
        let row = read_cycle(txn, cycle)?;
        tail.learn(cycle, &row.delta()?, row.versions());
        row.add_to(&mut turns_hash);
    }
    Ok((tail, turns_hash))
}

fn read_checkpoint(txn: &Shown) -> Result<(u64, TurnsHash), StoreError> {
    let meta = txn.open_table(META)?;
    let Some(row) = meta.get(txn.side().checkpoint())? else {
        return Ok((0, TurnsHash::default()));
    };
    let what = || "the checkpoint".to_owned();
    let bytes = unseal("meta", b"checkpoint", row.value(), what)?;
    let (cycle, lanes): (u64, Vec<u8>) = decode(bytes, &what())?;
    let hash = TurnsHash::from_bytes(&lanes)
        .ok_or_else(|| StoreError::corrupt("the checkpoint has no hash of the turns"))?;
    Ok((cycle, hash))
}

fn open_attempts(
    txn: &Shown,
) -> Result<std::collections::BTreeMap<String, crate::change::Attempt>, StoreError> {
    let open = txn.open_table(OPEN_ATTEMPTS)?;
    let mut found = std::collections::BTreeMap::new();
    for entry in open.iter()? {
        let entry = entry?;
        let (id, cycle) = (entry.0.value().to_owned(), number("open_attempts", &entry)?);
        let attempt = super::read::attempt_in(txn, cycle, &id)?
            .ok_or_else(|| StoreError::corrupt(format!("the attempt {id} is missing")))?;
        found.insert(id, attempt);
    }
    Ok(found)
}

/// Reads the records after a sequence number in order, each checked against the one before.
pub(super) fn each_record(
    reader: &LogReader,
    after: u64,
    mut run: impl FnMut(Record) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut seq = after;
    let mut hash = match after {
        0 => chain_start(),
        _ => reader.record(after)?.ok_or_else(|| missing_event(after))?.hash,
    };
    loop {
        let batch = reader.with(|txn| {
            let table = txn.log()?;
            let mut batch = Vec::new();
            for entry in table.range((seq + 1, 0)..)? {
                let (key, row) = entry?;
                let (found, part) = key.value();
                if part != 0 {
                    continue;
                }
                if found != seq + 1 + batch.len() as u64 {
                    return Err(missing_event(seq + 1 + batch.len() as u64));
                }
                let record = read_record(found, row.value(), Some(&hash))?;
                hash = record.hash;
                batch.push(record);
                if batch.len() == 512 {
                    break;
                }
            }
            Ok(batch)
        })?;
        if batch.is_empty() {
            return Ok(());
        }
        for record in batch {
            seq = record.seq;
            run(record)?;
        }
    }
}

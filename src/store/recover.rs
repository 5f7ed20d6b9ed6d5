//! From a file to a state: the newest commit, the memtable of the index, and the events since.
//!
//! What this reads does not grow with history: one commit's row, `^sys` and `^ah`, fewer than 128 more
//! commits for the memtable, and the uncommitted events.

use super::handle::Store;
use super::replay::apply_record;
use crate::change::{Event, History, Newest, State, Working, materialize};
use crate::index::{self, Memtable, NewCycle, View, all_is_written, get_cycle, read_checkpoint};
use crate::limits::CHECKPOINT_EVERY;
use crate::log::missing_event;
use crate::model::{Instance, Name, Tree, TurnSource};
use crate::snapshot::TurnsHash;
use crate::storage::StoreError;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A store and its state in progress.
pub struct Opened {
    /// The store.
    pub store: Store,
    /// The state.
    pub working: Working,
}

impl Store {
    /// Reads the state in progress.
    pub fn recover(self) -> Result<Opened, StoreError> {
        let last = self.reader.with(|view| view.last_cycle())?;
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
        let (memtable, turns_hash) = self.reader.with(|view| read_memtable(view, &history))?;
        *self.reader.memtable_mut() = memtable;
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
        state.roles = row.thread.roles;
        state.turns_hash = Arc::new(turns_hash);
        state.cadences = self.running_cadences()?;
        state.running = self.reader.with(index::open_attempts)?;
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
        materialize(&mut state, materialized)?;
        Ok((state, row.seq))
    }

    fn running_cadences(&self) -> Result<BTreeMap<Name, Instance>, StoreError> {
        let mut keys = self.reader.with(index::running)?;
        keys.extend(self.reader.memtable().keys().cloned());
        let mut running = BTreeMap::new();
        for key in keys {
            if let Some(instance) = self.reader.instance(&key)?
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

/// What the commits that are not in the tables add to the index, and the sum of the turns' hashes.
fn read_memtable(view: &View, history: &History) -> Result<(Memtable, TurnsHash), StoreError> {
    let (checkpoint, mut turns_hash) = read_checkpoint(view)?;
    let mut memtable = Memtable::default();
    let after = history.iter().rev().take_while(|cycle| *cycle > checkpoint).count();
    let position = after as u64;
    // The 64 before the checkpoint too, as long as they are being written.
    let older = match checkpoint == 0 || all_is_written(position) {
        true => 0,
        false => CHECKPOINT_EVERY as usize,
    };
    let mut cycles: Vec<u64> = history.iter().rev().take(after + older).collect();
    cycles.reverse();
    for cycle in cycles {
        let row = get_cycle(view, cycle)?;
        let delta = row.delta()?;
        let figures = row.figures(cycle);
        memtable.add(NewCycle { delta: &delta, parts: row.versions(), figures });
        if cycle == checkpoint {
            memtable.advance(0);
        }
        if cycle > checkpoint {
            row.add_to(&mut turns_hash);
        }
    }
    if position > 0 {
        memtable.advance(position);
    }
    Ok((memtable, turns_hash))
}

//! The working state as it was right after an event of the log.
//!
//! It is the snapshot before the event with the events of that one cycle applied again, up to the
//! one that is asked for. What comes later does not show.

use super::handle::Db;
use super::read::Snapshot;
use crate::change::{Event, History, State, Working, apply, materialize};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::log::Record;
use crate::model::{ReadError, Tree, TurnSource};
use crate::query::{EventState, Read};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Events that are read at a time.
const PAGE: usize = 256;

impl Db {
    /// The working state as it was right after an event; its cycle is the last one committed by
    /// then. An event inside a batch has none.
    pub fn after_event(&self, seq: u64) -> Result<Snapshot> {
        self.at_event(seq, &format!("@e{seq}"))
    }

    /// The same; `name` is what the event was called.
    pub(super) fn at_event(&self, seq: u64, name: &str) -> Result<Snapshot> {
        let _derived = self.reading();
        match self.event_state(&self.working(), seq)? {
            EventState::After(after) => {
                let (tree, _) = self.tree_after(seq, after)?;
                Ok(Snapshot::of_event(self, tree, after, seq))
            }
            EventState::Inside { last } => {
                let message =
                    format!("{name} lies inside a batch: @e{last} is the state after all of it");
                Err(Error::new(Code::SnapshotNotFound, message))
            }
            EventState::Unknown { newest } => {
                let message =
                    format!("{name} is no event of this store: they are numbered 1 to {newest}");
                Err(Error::new(Code::SnapshotNotFound, message))
            }
        }
    }

    /// What is known of an event, as far as a state has come.
    pub(super) fn event_state(&self, working: &Working, seq: u64) -> Read<EventState> {
        let newest = self.newest_event(working)?;
        if seq == 0 || seq > newest {
            return Ok(EventState::Unknown { newest });
        }
        let group = self.record_of(seq)?.group;
        // The events of a batch are neighbours: the last one is found by halving.
        let (mut last, mut beyond) = (seq, newest + 1);
        if seq < newest && self.record_of(seq + 1)?.group != group {
            beyond = seq + 1;
        }
        while beyond - last > 1 {
            let middle = last + (beyond - last) / 2;
            match self.record_of(middle)?.group == group {
                true => last = middle,
                false => beyond = middle,
            }
        }
        if last > seq {
            return Ok(EventState::Inside { last });
        }
        let history = &working.state.history;
        let closed = self.closed_by(history, seq)?;
        Ok(EventState::After(nth(history, closed)))
    }

    /// The newest event that shows in a state.
    pub(super) fn newest_event(&self, working: &Working) -> Read<u64> {
        if let Some(pending) = working.pending.last() {
            return Ok(pending.seq);
        }
        match working.state.last_cycle {
            // Every log begins with the event that made the store.
            0 => Ok(1),
            cycle => Ok(self.inner.store.reader().cycle(cycle)?.seq),
        }
    }

    fn record_of(&self, seq: u64) -> Read<Record> {
        let record = self.inner.store.reader().record(seq)?;
        record.ok_or_else(|| missing(seq))
    }

    /// How many cycles of a history were closed by an event or before it.
    pub(super) fn closed_by(&self, history: &History, seq: u64) -> Read<u64> {
        let (mut low, mut high) = (0, history.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let closing = self.inner.store.reader().cycle(nth(history, middle + 1))?.seq;
            match closing <= seq {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        Ok(low)
    }

    /// The tree right after an event that has a state of its own, and how many events were applied
    /// for it. `after` is the last cycle committed by then.
    pub(super) fn tree_after(&self, seq: u64, after: u64) -> Read<(Tree, u64)> {
        let (mut working, closing) = self.state_from(after)?;
        let records = self.records_between(closing + 1, seq)?;
        // What was taken back by then is left out instead of being applied and taken back.
        let mut undone = BTreeSet::new();
        for record in &records {
            if let Event::Undone { group } = record.event {
                undone.insert(group);
            }
        }
        for Record { event, group, .. } in &records {
            let taken_back = event.is_undoable() && undone.contains(group);
            if !taken_back && !matches!(event, Event::Undone { .. }) {
                apply(&mut working, event)?;
            }
        }
        Ok((working.state.tree, records.len() as u64))
    }

    /// The events from one to another, both included.
    fn records_between(&self, from: u64, to: u64) -> Read<Vec<Record>> {
        let mut found: Vec<Record> = Vec::new();
        loop {
            let next = from + found.len() as u64;
            let left = usize::try_from((to + 1).saturating_sub(next)).unwrap_or(usize::MAX);
            if left == 0 {
                return Ok(found);
            }
            let page = self.inner.store.reader().records(next, PAGE.min(left))?;
            if page.is_empty() {
                return Err(missing(next));
            }
            found.extend(page);
        }
    }

    /// The state that the events after a cycle were made in, and the event that closed the cycle.
    pub(super) fn state_from(&self, cycle: u64) -> Read<(Working, u64)> {
        let source: Arc<dyn TurnSource> = self.inner.store.reader().clone();
        if cycle == 0 {
            let state = State::new(self.generation(), Tree::empty(source));
            return Ok((Working::fresh(state), 0));
        }
        let closing = self.inner.store.reader().cycle(cycle)?.seq;
        let mut state = State::new(self.generation(), Tree::at(cycle, source)?);
        state.last_cycle = cycle;
        match &self.record_of(closing)?.event {
            Event::Committed(commit) => materialize(&mut state, &commit.materialized)?,
            Event::Restored(restore) => materialize(&mut state, &restore.materialized)?,
            _ => {}
        }
        Ok((Working::fresh(state), closing))
    }
}

/// The n-th cycle of a history, counted from 1; 0 before the first.
fn nth(history: &History, n: u64) -> u64 {
    history.len().checked_sub(n).filter(|_| n > 0).and_then(|back| history.back(back)).unwrap_or(0)
}

fn missing(seq: u64) -> ReadError {
    ReadError::Corrupt(format!("event {seq} is missing from the log"))
}

//! The records of another log, written again as they were.
//!
//! Every event is applied and every cycle closed as it was the first time, through the same code,
//! so a store that was made this way is one that its own log explains. What does not fit, or does
//! not arrive at its hash or digest, is refused.

use super::append::Append;
use super::handle::Store;
use super::replay::{Ending, apply_record, close_again};
use crate::change::{Event, State, Working};
use crate::json::Json;
use crate::log::{Entry, NewEvent, Record, Stamp};
use crate::model::{ContentRef, Tree, TurnSource, violations};
use crate::snapshot::{Contents, content_bytes};
use crate::storage::StoreError;
use std::sync::Arc;

/// Edits that are held back until there are so many of them, or a cycle closes.
const HELD: usize = 512;

/// Cycles between two waits for the disk: they bound what the file keeps for a failure.
const SYNC_EVERY: u64 = 1024;

/// A store that takes records.
pub struct Transfer {
    store: Store,
    working: Working,
    events: Vec<NewEvent>,
    stamps: Vec<Stamp>,
    /// The batch that the last event belongs to.
    group: u64,
}

impl Transfer {
    /// Starts with a store that has no events yet.
    pub fn into(store: Store) -> Result<Transfer, StoreError> {
        if store.next_seq() != 1 {
            return Err(StoreError::Format("the store has events already: take a new one".into()));
        }
        let source: Arc<dyn TurnSource> = store.reader.clone();
        let working = Working::fresh(State::new(store.generation, Tree::empty(source)));
        Ok(Transfer { store, working, events: Vec::new(), stamps: Vec::new(), group: 0 })
    }

    /// Takes the next record.
    pub fn take(&mut self, entry: Entry) -> Result<(), StoreError> {
        let Entry { record, contents } = entry;
        self.check(&record, &contents)?;
        let stamp = Stamp { group: record.group, time: record.time, hash: record.hash };
        let event = Arc::new(record.event.clone());
        self.group = record.group;
        self.stamps.push(stamp);
        self.events.push(NewEvent { event: event.clone(), contents });
        if event.closes_cycle() {
            let end = close_again(&self.working, record.seq, &event)?;
            let durable = end.closed.cycle.is_multiple_of(SYNC_EVERY);
            self.write(Some(&end), durable)?;
            self.working = Working::fresh(end.next);
            return Ok(());
        }
        apply_record(&mut self.working, record)?;
        if self.events.len() >= HELD { self.write(None, false) } else { Ok(()) }
    }

    /// Ends: everything is on disk, and the tree keeps the rules.
    pub fn finish(mut self) -> Result<Store, StoreError> {
        if self.next_seq() == 1 {
            return Err(StoreError::corrupt("there is no event, and every log has one"));
        }
        self.write(None, false)?;
        self.store.write_side(&[])?;
        match violations(&self.working.state.tree)?.first() {
            None => Ok(self.store),
            Some(what) => Err(StoreError::corrupt(format!("the tree breaks a rule: {what}"))),
        }
    }

    fn next_seq(&self) -> u64 {
        self.store.next_seq() + self.events.len() as u64
    }

    fn write(&mut self, end: Option<&Ending>, durable: bool) -> Result<(), StoreError> {
        if self.events.is_empty() {
            return Ok(());
        }
        let closed = end.map(|end| (&end.closed, &end.before, end.kind));
        let append = Append { events: &self.events, time: 0, closed, durable };
        self.store.append_stamped(&append, &self.stamps)?;
        self.events.clear();
        self.stamps.clear();
        Ok(())
    }

    /// Refuses what applying would take on trust.
    fn check(&mut self, record: &Record, contents: &[Json]) -> Result<(), StoreError> {
        let Record { seq, group, event, .. } = record;
        let wrong = |what: String| Err(StoreError::corrupt(format!("event {seq}: {what}")));
        if *seq != self.next_seq() {
            return wrong(format!("event {} should come here", self.next_seq()));
        }
        if *group != *seq && (*group > *seq || *group != self.group) {
            return wrong(format!("{group} is not the start of its batch"));
        }
        let state = &self.working.state;
        match event {
            Event::Created { generation } if *seq == 1 && *generation == state.generation => {}
            Event::Created { .. } => return wrong("a log is made once, by its first event".into()),
            _ if *seq == 1 => return wrong("the first event makes the log".into()),
            Event::Committed(commit) if commit.cycle != state.cycle() => {
                return wrong(format!("it closes cycle {}, not {}", commit.cycle, state.cycle()));
            }
            Event::Restored(restore)
                if restore.cycle != state.cycle() || !state.history.contains(restore.at) =>
            {
                return wrong(format!("it cannot restore cycle {} here", restore.at));
            }
            Event::Imported(import) if import.cycle <= state.last_cycle => {
                return wrong(format!("cycle {} is not after the last one", import.cycle));
            }
            _ => {}
        }
        for content in event.contents() {
            self.check_content(*seq, &content, contents)?;
        }
        Ok(())
    }

    /// A node may name a content of its own event, or one that is there already.
    fn check_content(
        &mut self,
        seq: u64,
        named: &ContentRef,
        own: &[Json],
    ) -> Result<(), StoreError> {
        let missing = || {
            let ContentRef { seq: at, item, .. } = named;
            StoreError::corrupt(format!("event {seq} names content {item} of event {at}"))
        };
        let item = (named.item as usize).checked_sub(1).ok_or_else(missing)?;
        if named.seq == seq {
            let content = own.get(item).ok_or_else(missing)?;
            return match content_bytes(content) == named.bytes {
                true => Ok(()),
                false => Err(missing()),
            };
        }
        if named.seq >= self.store.next_seq() {
            self.write(None, false)?;
        }
        self.store.reader.content(named).map(|_| ()).map_err(|_| missing())
    }
}

//! A store as queries see it: its states, and what changed between them.

use super::handle::Db;
use crate::change::{History, Working};
use crate::index::{CycleInfo, Indexed, Lookup, SummaryPage};
use crate::model::{ChangedPart, Generation, Place, Slot, Subtree, Tree};
use crate::query::{EventState, Read, Timeline};
use crate::snapshot::Contents;
use crate::store::StoreReader;
#[cfg(feature = "sql")]
use crate::{
    change::{Attempt, Event},
    log::Record,
};
use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::{Arc, RwLockReadGuard};

/// The store at one moment. Commits that follow do not show in it. It is read only while the
/// [`HeldView`] that it came from lives: then nothing that is derived is exchanged meanwhile.
#[derive(Clone)]
pub(crate) struct View {
    db: Db,
    working: Arc<Working>,
}

/// A moment of the store that can be read.
pub(crate) struct HeldView<'a> {
    view: View,
    _derived: RwLockReadGuard<'a, ()>,
}

impl Deref for HeldView<'_> {
    type Target = View;

    fn deref(&self) -> &View {
        &self.view
    }
}

#[cfg(feature = "sql")]
impl HeldView<'_> {
    /// The moment, for somebody who is gone before this is.
    pub(crate) fn shared(&self) -> Arc<View> {
        Arc::new(self.view.clone())
    }
}

impl View {
    fn reader(&self) -> &Arc<StoreReader> {
        self.db.inner.store.reader()
    }

    /// What the commit of a cycle did, which history has.
    pub(crate) fn commit(&self, cycle: u64) -> Read<CycleInfo> {
        Ok(self.reader().cycle(cycle)?)
    }
}

/// What questions in SQL ask beside.
#[cfg(feature = "sql")]
impl View {
    /// The store.
    pub(crate) fn db(&self) -> &Db {
        &self.db
    }

    /// The newest event that shows in it.
    pub(crate) fn newest_event(&self) -> Read<u64> {
        self.db.newest_event(&self.working)
    }

    /// Events from one on, as many as are asked for and show in it.
    pub(crate) fn records(&self, from: u64, most: usize) -> Read<Vec<Record>> {
        let left = (self.newest_event()? + 1).saturating_sub(from);
        Ok(self.reader().records(from, most.min(usize::try_from(left).unwrap_or(most)))?)
    }

    /// The cycle that an event belongs to: the one that it closes, or that was in progress.
    pub(crate) fn cycle_of_event(&self, seq: u64) -> Read<u64> {
        let history = self.history();
        let closed = self.db.closed_by(history, seq.saturating_sub(1))?;
        let closing = history.len().checked_sub(closed + 1).and_then(|back| history.back(back));
        Ok(closing.unwrap_or(self.last_cycle() + 1))
    }

    /// Provider calls, as they were at this moment.
    pub(crate) fn attempts(&self) -> Read<Vec<Attempt>> {
        let newest = self.newest_event()?;
        let mut list = self.reader().attempts(None)?;
        let mut later = newest + 1;
        // Those that began or ended since are as the log had them.
        loop {
            let page = self.reader().records(later, 256)?;
            let Some(last) = page.last() else { return Ok(list) };
            later = last.seq + 1;
            for record in &page {
                if let Event::Attempt(changed) = &record.event {
                    self.as_it_was(&mut list, &changed.attempt_id, newest)?;
                }
            }
        }
    }

    fn as_it_was(&self, list: &mut Vec<Attempt>, id: &str, newest: u64) -> Read<()> {
        let Some(at) = list.iter().position(|attempt| attempt.attempt_id == id) else {
            return Ok(());
        };
        let started = list[at].at_event.map(|before| before + 1).filter(|seq| *seq <= newest);
        let record = started.map(|seq| self.reader().record(seq)).transpose()?.flatten();
        match record.map(|record| record.event) {
            Some(Event::Attempt(attempt)) if attempt.attempt_id == id => list[at] = attempt,
            _ => drop(list.remove(at)),
        }
        Ok(())
    }
}

impl Timeline for View {
    fn generation(&self) -> Generation {
        self.working.state.generation
    }

    fn history(&self) -> &History {
        &self.working.state.history
    }

    fn last_cycle(&self) -> u64 {
        self.working.state.last_cycle
    }

    fn working(&self) -> Read<Tree> {
        Ok(self.working.state.tree.clone())
    }

    fn at(&self, cycle: u64) -> Read<Tree> {
        self.db.tree_at(cycle)
    }

    fn newest_until(&self, ns: i64) -> Read<Option<u64>> {
        Ok(self.reader().newest_until(self.history(), ns)?)
    }

    fn event(&self, seq: u64) -> Read<EventState> {
        self.db.event_state(&self.working, seq)
    }

    fn after_event(&self, seq: u64, after: u64) -> Read<(Tree, u64)> {
        self.db.tree_after(seq, after)
    }

    fn contents(&self) -> &dyn Contents {
        &**self.reader()
    }

    fn changed_parts(&self, cycle: u64) -> Read<Vec<ChangedPart>> {
        Ok(self.reader().changed_parts(cycle)?)
    }

    fn same_top(&self, one: u64, other: u64) -> Read<bool> {
        Ok(self.reader().same_top(one, other)?)
    }

    fn places_of(&self, id: &str) -> Read<Vec<(u64, Place)>> {
        Ok(self.reader().places_of(id)?)
    }

    fn finite_places(&self, cycle: u64, most: u64) -> Read<Vec<Place>> {
        Ok(self.reader().finite_places(cycle, most)?)
    }

    fn turns_with(&self, cycle: u64, lookup: &Lookup, most: usize) -> Read<Option<Vec<Slot>>> {
        Ok(self.reader().turns_with(cycle, lookup, most)?)
    }

    fn summary_page(&self, slot: Slot) -> Read<Option<Arc<SummaryPage>>> {
        Ok(self.reader().summary_page(slot)?)
    }

    fn unindexed(&self, cycle: u64) -> BTreeSet<Slot> {
        (*self.reader().newer_turns(cycle)).clone()
    }

    fn summaries(
        &self,
        cycle: u64,
        turns: &[Slot],
        contents: bool,
        matters: &mut dyn FnMut(&Arc<Subtree>) -> bool,
        each: &mut dyn FnMut(usize, Indexed<'_>),
    ) -> Read<()> {
        Ok(self.reader().summaries(cycle, turns, contents, matters, each)?)
    }

    fn versions(&self, place: Place, from: u64, upto: u64) -> Read<Vec<u64>> {
        Ok(self.reader().versions(place, from, upto)?)
    }
}

impl Db {
    /// The store as it is now.
    pub(crate) fn view(&self) -> HeldView<'_> {
        let derived = self.reading();
        let view = View { db: self.clone(), working: self.working() };
        HeldView { view, _derived: derived }
    }
}

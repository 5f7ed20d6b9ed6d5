//! A store as queries see it: its states, and what changed between them.

use super::handle::Db;
use super::ops::{Diff, Select};
use crate::change::{History, Working};
use crate::error::{Error, Result};
use crate::index::{Indexed, Lookup, SummaryPage};
use crate::language::ast::Selector;
use crate::language::{Dialect, parse_selector};
use crate::model::{ChangedPart, Generation, Place, Slot, Subtree, Tree};
use crate::query::{
    self, DiffBlock, DiffReply, EventState, Explanation, Read, ReadStates, RichDiffReply, Selected,
    SelectedNodes, Timeline,
};
use crate::snapshot::Contents;
use crate::store::StoreReader;
#[cfg(feature = "sql")]
use crate::{
    change::{Attempt, Event},
    index::CycleInfo,
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

    /// What the commit of a cycle did, which history has.
    pub(crate) fn commit(&self, cycle: u64) -> Read<CycleInfo> {
        Ok(self.reader().cycle(cycle)?)
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
        self.reader().newer_turns(cycle)
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

    /// The dialect that queries of this store are in unless they say otherwise.
    pub fn dialect(&self) -> Dialect {
        Dialect::from(self.generation())
    }

    /// Answers a selector: ids, or what changed from cycle to cycle.
    ///
    /// ```
    /// use pactdb::{Add, Commit, Db, Generation, Select, Selected};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.add(Add::user("Where is the key?").id("q1"))?;
    /// db.commit(Commit::new())?;
    /// db.add(Add::user("And the door?").id("q2"))?;
    /// db.commit(Commit::new())?;
    /// assert_eq!(db.select("@t0 .cb[role='user']")?.ids().len(), 2);
    /// assert_eq!(db.select(Select::new("@* .cb").limit(1))?.ids().len(), 1);
    /// // Of a range it says what changed from one snapshot to the next.
    /// let Selected::Range(range) = db.select("@c1..@c2 .cb")? else { unreachable!() };
    /// assert_eq!(range.diffs.len(), 1);
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub fn select(&self, question: impl Into<Select>) -> Result<Selected> {
        let Select { q, dialect, options } = question.into();
        let dialect = dialect.unwrap_or(self.dialect());
        let answer = self
            .selector(&q, dialect)
            .and_then(|selector| query::answer(&*self.view(), &q, &selector, dialect, &options));
        answer.map_err(|error| Error::from(error).in_text(&q))
    }

    /// Answers a selector; what changed over a range is given to `each` block by block, newest first,
    /// and is not in the answer. It ends early if that says no.
    pub(crate) fn select_by_block(
        &self,
        question: Select,
        each: &mut dyn FnMut(DiffBlock) -> bool,
    ) -> Result<Selected> {
        let Select { q, dialect, options } = question;
        let dialect = dialect.unwrap_or(self.dialect());
        let answer = self.selector(&q, dialect).and_then(|selector| {
            query::answer_by_block(&*self.view(), &q, &selector, dialect, &options, each)
        });
        answer.map_err(|error| Error::from(error).in_text(&q))
    }

    /// A selector, read now or before.
    pub(crate) fn selector(
        &self,
        text: &str,
        dialect: Dialect,
    ) -> std::result::Result<Arc<Selector>, query::QueryError> {
        if let Some(known) = self.inner.selectors.get(&Asked(dialect, text)) {
            return Ok(known);
        }
        let selector = Arc::new(parse_selector(text, dialect)?);
        self.inner.selectors.insert((dialect, text.into()), selector.clone());
        Ok(selector)
    }

    /// Answers a selector with node objects.
    ///
    /// ```
    /// use pactdb::{Add, Db, Generation, Json};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.add(Add::user("Where is the key?"))?;
    /// let found = db.nodes("^ah .cb[role='user']")?.nodes;
    /// assert_eq!(found[0]["content"], Json::from("Where is the key?"));
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub fn nodes(&self, question: impl Into<Select>) -> Result<SelectedNodes> {
        let Select { q, dialect, options } = question.into();
        query::nodes(&*self.view(), &q, dialect.unwrap_or(self.dialect()), &options)
            .map_err(|error| Error::from(error).in_text(&q))
    }

    /// What changed between two states, from the older to the newer one; not in detail, whatever
    /// the request says about that. For an example see [`Diff`].
    pub fn diff(&self, request: &Diff) -> Result<DiffReply> {
        let dialect = request.dialect.unwrap_or(self.dialect());
        let (a, b) = (request.a.as_deref(), request.b.as_deref());
        let text = request.q.as_deref().unwrap_or("*");
        Ok(query::diff(&*self.view(), a, b, text, dialect)?)
    }

    /// The same in more detail, whatever the request says about that. For an example of a request
    /// see [`Diff`].
    pub fn rich_diff(&self, request: &Diff) -> Result<RichDiffReply> {
        let dialect = request.dialect.unwrap_or(self.dialect());
        let (a, b) = (request.a.as_deref(), request.b.as_deref());
        let text = request.q.as_deref().unwrap_or("*");
        Ok(query::rich_diff(&*self.view(), a, b, text, dialect)?)
    }

    /// Which states a selector is about; nothing is read.
    pub(crate) fn asked(&self, text: &str, dialect: Option<Dialect>) -> Result<ReadStates> {
        let dialect = dialect.unwrap_or(self.dialect());
        self.selector(text, dialect)
            .and_then(|selector| query::states_read(&*self.view(), &selector, dialect))
            .map_err(|error| Error::from(error).in_text(text))
    }

    /// What a selector means, what it will read, and what could be written better.
    ///
    /// ```
    /// use pactdb::{Db, Generation};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// let explained = db.explain("^ah .cb[role='user']", None)?;
    /// assert!(!explained.plan.is_empty());
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub fn explain(&self, text: &str, dialect: Option<Dialect>) -> Result<Explanation> {
        query::explain(&*self.view(), text, dialect.unwrap_or(self.dialect()))
            .map_err(|error| Error::from(error).in_text(text))
    }
}

/// A selector that is looked up by its text, without a copy of it.
#[derive(Hash)]
struct Asked<'a>(Dialect, &'a str);

impl quick_cache::Equivalent<(Dialect, Box<str>)> for Asked<'_> {
    fn equivalent(&self, known: &(Dialect, Box<str>)) -> bool {
        (self.0, self.1) == (known.0, &*known.1)
    }
}

//! Everything that reads a store. Reading writes nothing, not one byte.

use super::handle::Db;
use super::ops::Stats;
use super::resolve;
use crate::change::{History, Working};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::index::CycleInfo;
use crate::json::Json;
use crate::language::ast::TimeKind;
use crate::log::Record;
use crate::model::{Node, Place, Subtree, Tree, TurnSource, violations};
use crate::query::Read;
use crate::snapshot::{export, node_object, thread};
use crate::store::TableSizes;
use std::sync::Arc;

/// A state of the tree, to be read: a snapshot, or the working state as it was when it was taken
/// or right after an event.
/// It stays the same whatever happens to the store.
///
/// ```
/// use pactdb::{Add, Address, Commit, Db, Generation};
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// db.add(Add::user("Where is the key?").id("q1"))?;
/// db.commit(Commit::new())?;
/// let first = db.snapshot(1)?;
/// db.add(Add::assistant("Under the mat.").id("a1"))?;
/// db.commit(Commit::new())?;
/// assert_eq!((first.cycle(), first.turns()), (1, 1));
/// assert_eq!(first.address(), Some(Address::Cycle(1)));
/// assert!(first.node("a1")?.is_none());
/// assert!(db.at(Some("@t0"))?.node("a1")?.is_some());
/// # Ok::<(), pactdb::Error>(())
/// ```
#[derive(Clone)]
pub struct Snapshot {
    db: Db,
    tree: Tree,
    cycle: u64,
    at: Option<Address>,
    /// The last event that the state knows, if it is not a snapshot.
    event: u64,
}

/// The address of a state of the past, the same in every dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Address {
    /// `@c42`, the snapshot of a cycle.
    Cycle(u64),
    /// `@e7`, the working state right after an event.
    Event(u64),
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Address::Cycle(cycle) => write!(f, "@c{cycle}"),
            Address::Event(seq) => write!(f, "@e{seq}"),
        }
    }
}

impl Snapshot {
    /// The working state as it was right after an event.
    pub(super) fn of_event(db: &Db, tree: Tree, cycle: u64, seq: u64) -> Snapshot {
        Snapshot { db: db.clone(), tree, cycle, at: Some(Address::Event(seq)), event: seq }
    }

    /// The cycle of the snapshot; of the working state, the last one committed.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Whether this is a committed snapshot, and not the working state.
    pub fn is_committed(&self) -> bool {
        matches!(self.at, Some(Address::Cycle(_)))
    }

    /// The address at which it is found again; none for the working state as it is now.
    pub fn address(&self) -> Option<Address> {
        self.at
    }

    /// Older states of a store have smaller ones.
    #[doc(hidden)]
    pub fn age(&self) -> (u64, u64) {
        match self.at {
            Some(Address::Cycle(cycle)) => (cycle, 0),
            Some(Address::Event(seq)) => (self.cycle, seq),
            None => (u64::MAX, u64::MAX),
        }
    }

    /// The exact bytes of its export (R9.2).
    pub fn export(&self) -> Result<String> {
        let _derived = self.db.reading();
        let contents = &**self.db.inner.store.reader();
        Ok(export(&self.tree, self.db.generation(), self.cycle, contents)?)
    }

    /// The exact bytes of its provider thread (R9.5).
    pub fn thread(&self) -> Result<String> {
        let _derived = self.db.reading();
        let contents = &**self.db.inner.store.reader();
        Ok(thread(&self.tree, self.db.generation(), contents)?)
    }

    /// The tree itself.
    #[doc(hidden)]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The object of one node, as an export has it, without children.
    pub fn node(&self, id: &str) -> Result<Option<Json>> {
        let _derived = self.db.reading();
        let Some(node) = self.tree.get(id)? else { return Ok(None) };
        Ok(Some(Json::Map(node_object(&node, self.cycle, self.content(&node)?.as_deref()))))
    }

    /// The content of a node.
    #[doc(hidden)]
    pub fn content(&self, node: &Node) -> Result<Option<Arc<Json>>> {
        use crate::snapshot::Contents;
        let reader = self.db.inner.store.reader();
        Ok(node.content.as_ref().map(|content| reader.content(content)).transpose()?)
    }

    /// The same place in an earlier snapshot; `None` if it was not there.
    #[doc(hidden)]
    pub fn earlier(&self, place: Place, cycle: u64) -> Result<Option<Arc<Subtree>>> {
        let tree = self.db.snapshot(cycle)?.tree;
        let _derived = self.db.reading();
        match place.slot().is_none_or(|slot| tree.spine().contains(slot)) {
            true => Ok(Some(tree.subtree(place)?)),
            false => Ok(None),
        }
    }

    /// The cycles in which a part changed, up to this state, oldest first.
    #[doc(hidden)]
    pub fn versions(&self, place: Place) -> Result<Vec<u64>> {
        Ok(self.db.inner.store.reader().versions(place, 0, self.cycle)?)
    }

    /// What the commit of a cycle did, if this state comes after it.
    #[doc(hidden)]
    pub fn commit_of(&self, cycle: u64) -> Result<Option<CycleInfo>> {
        match cycle <= self.cycle && self.db.history().contains(cycle) {
            true => Ok(Some(self.db.cycle_info(cycle)?)),
            false => Ok(None),
        }
    }

    /// The events of a cycle, as far as this state knows them.
    #[doc(hidden)]
    pub fn events_of(&self, cycle: u64) -> Result<Vec<Record>> {
        let history = self.db.history();
        let last = match self.commit_of(cycle)? {
            Some(info) => info.seq,
            None => self.event,
        };
        let before = match history.steps_back_to(cycle) {
            Some(steps) => history.back(steps + 1).unwrap_or(0),
            None => self.cycle,
        };
        let first = self.db.seq_of_cycle(before)? + 1;
        let count = usize::try_from((last + 1).saturating_sub(first)).unwrap_or(usize::MAX);
        self.db.records(first, count)
    }

    /// What is wrong with the tree, in words; nothing, unless the engine has a fault.
    #[doc(hidden)]
    pub fn violations(&self) -> Result<Vec<String>> {
        let _derived = self.db.reading();
        Ok(violations(&self.tree)?)
    }

    /// How many turns there are.
    pub fn turns(&self) -> u64 {
        self.tree.spine().len()
    }
}

impl Db {
    /// The last cycle committed; 0 before the first.
    pub fn last_cycle(&self) -> u64 {
        self.working().state.last_cycle
    }

    /// How many events there are since the last commit that are not undone.
    pub fn uncommitted(&self) -> u64 {
        uncommitted(&self.working())
    }

    /// The cycles that have a snapshot.
    pub fn history(&self) -> History {
        self.working().state.history.clone()
    }

    /// The working state as it is now.
    ///
    /// ```
    /// use pactdb::{Add, Db, Generation};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.add(Add::user("Where is the key?").id("q1"))?;
    /// assert!(db.working_state().node("q1")?.is_some());
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub fn working_state(&self) -> Snapshot {
        let working = self.working();
        Snapshot {
            db: self.clone(),
            tree: working.state.tree.clone(),
            cycle: working.state.last_cycle,
            at: None,
            event: working.pending.last().map_or(0, |pending| pending.seq),
        }
    }

    /// The snapshot of a cycle. For an example see [`Snapshot`].
    pub fn snapshot(&self, cycle: u64) -> Result<Snapshot> {
        self.check_snapshot(cycle)?;
        let tree = {
            let _derived = self.reading();
            self.tree_at(cycle)?
        };
        let at = Some(Address::Cycle(cycle));
        Ok(Snapshot { db: self.clone(), tree, cycle, at, event: 0 })
    }

    /// The tree of a cycle that has a snapshot.
    pub(super) fn tree_at(&self, cycle: u64) -> Read<Tree> {
        if let Some(tree) = self.inner.snapshots.get(&cycle) {
            return Ok(tree);
        }
        let source: Arc<dyn TurnSource> = self.inner.store.reader().clone();
        let tree = Tree::at(cycle, source)?;
        self.inner.snapshots.insert(cycle, tree.clone());
        Ok(tree)
    }

    pub(super) fn check_snapshot(&self, cycle: u64) -> Result<()> {
        if self.working().state.history.contains(cycle) {
            return Ok(());
        }
        let message = format!("there is no snapshot @c{cycle} in this store");
        Err(Error::new(Code::SnapshotNotFound, message))
    }

    /// The state at a time address such as `@t0`, `@c4` or `@e7`; the working state if there is
    /// none.
    ///
    /// ```
    /// use pactdb::{Commit, Db, Generation};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.commit(Commit::new())?;
    /// db.commit(Commit::new())?;
    /// assert_eq!(db.at(Some("@t-1"))?.cycle(), 1);
    /// assert!(!db.at(None)?.is_committed());
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub fn at(&self, address: Option<&str>) -> Result<Snapshot> {
        let Some(text) = address else { return Ok(self.working_state()) };
        match resolve::time(text)? {
            TimeKind::Event(seq) => self.at_event(seq, text.trim()),
            TimeKind::Relative(0) if self.dialect().t0_is_working_state() => {
                Ok(self.working_state())
            }
            _ => {
                let cycle = resolve::snapshot_cycle(self, &self.working().state, text)?;
                self.snapshot(cycle)
            }
        }
    }

    /// The exact bytes of an export; of the working state if no address is given.
    ///
    /// ```
    /// use pactdb::{Commit, Db, Generation};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.commit(Commit::new())?;
    /// assert_eq!(db.export(Some("@c1"))?, db.snapshot(1)?.export()?);
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub fn export(&self, at: Option<&str>) -> Result<String> {
        self.at(at)?.export()
    }

    /// The exact bytes of a provider thread; of the working state if no address is given.
    ///
    /// ```
    /// use pactdb::{Add, Db, Generation};
    /// # fn main() -> pactdb::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.add(Add::user("Where is the key?"))?;
    /// assert!(db.thread(None)?.contains("Where is the key?"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn thread(&self, at: Option<&str>) -> Result<String> {
        self.at(at)?.thread()
    }

    /// What the commit of a cycle did.
    #[doc(hidden)]
    pub fn cycle_info(&self, cycle: u64) -> Result<CycleInfo> {
        self.check_snapshot(cycle)?;
        Ok(self.inner.store.reader().cycle(cycle)?)
    }

    /// Figures of the store, as it was last published: nobody who writes is waited for.
    ///
    /// ```
    /// use pactdb::{Add, Commit, Db, Generation};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.add(Add::user("Where is the key?"))?;
    /// db.commit(Commit::new())?;
    /// let stats = db.stats()?;
    /// assert_eq!((stats.cycle, stats.blocks), (1, 1));
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub fn stats(&self) -> Result<Stats> {
        let working = self.working();
        let Working { state, .. } = &*working;
        let totals = state.totals.of(None);
        Ok(Stats {
            spec: self.generation().name().to_owned(),
            cycle: state.last_cycle,
            snapshots: state.history.len(),
            turns: state.tree.spine().len(),
            nodes: totals.nodes,
            blocks: totals.blocks,
            content_bytes: totals.bytes,
            events: self.newest_event(&working)?,
            uncommitted: uncommitted(&working),
            read_only: self.inner.store.why_only_read().map(str::to_owned),
            sizes: self.inner.store.sizes()?,
            tables: None,
        })
    }

    /// How large each table of the store is, in the order of their names.
    pub fn table_sizes(&self) -> Result<Vec<TableSizes>> {
        Ok(self.inner.store.table_sizes()?)
    }
}

fn uncommitted(working: &Working) -> u64 {
    working.pending.iter().filter(|p| !p.undone && p.event.is_undoable()).count() as u64
}

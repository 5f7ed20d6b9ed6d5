//! The state that edits are judged against and events are applied to.
//!
//! [`State`] is the working tree and every counter that the next event depends on. [`Working`]
//! adds what `undo` needs: the state after the last commit and the events since. Both are plain
//! values; nobody here reads a clock or a file.

use super::Event;
use crate::lifecycle::{Policy, RegionTotals};
use crate::model::{
    Class, Generation, Id, Instance, Name, Node, ReadError, RoleBytes, Skeleton, Subtree, Tree,
};
use crate::snapshot::TurnsHash;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The working tree and the counters beside it.
#[derive(Debug, Clone)]
pub struct State {
    /// The store's generation of the specification.
    pub generation: Generation,
    /// The working tree.
    pub tree: Tree,
    /// The last cycle committed; 0 before the first.
    pub last_cycle: u64,
    /// The cycles that have a snapshot.
    pub history: History,
    /// The greatest `created_at_ns` given to a node.
    pub last_ns: i64,
    /// The creation index of the next node of the cycle in progress.
    pub next_index: u64,
    /// The number for the next id that the engine makes.
    pub next_id: u64,
    /// Ids used since the last commit; what was undone stays among them.
    pub used: BTreeSet<Id>,
    /// For a node, others that came to refer to it since the last commit.
    pub new_refs: BTreeMap<Id, BTreeSet<Id>>,
    /// The policies in force.
    pub policies: Vec<Policy>,
    /// Keys with a cadence that runs, and keys whose newest instance changed since the last
    /// commit.
    pub cadences: BTreeMap<Name, Instance>,
    /// Keys among `cadences` that changed since the last commit.
    pub touched_keys: BTreeSet<Name>,
    /// Provider calls that have not ended.
    pub running: BTreeMap<String, super::Attempt>,
    /// Totals of the newest snapshot.
    pub totals: RegionTotals,
    /// The bytes of the newest snapshot by role.
    pub roles: RoleBytes,
    /// The incremental hash over the turns of the newest snapshot.
    pub turns_hash: Arc<TurnsHash>,
    /// Whether the tree was edited since the last commit.
    pub edited: bool,
    /// The newest snapshot without its turns; none before the first.
    pub newest: Option<Arc<Newest>>,
}

/// What every commit compares itself with.
#[derive(Debug, Clone)]
pub struct Newest {
    /// What holds the parts together.
    pub skeleton: Skeleton,
    /// `^sys`.
    pub sys: Arc<Subtree>,
    /// `^ah`.
    pub ah: Arc<Subtree>,
}

impl Newest {
    /// That of a tree which was committed, or is about to be.
    pub fn of(tree: &Tree) -> Result<Arc<Newest>, ReadError> {
        let (root, seq) = (tree.root().clone(), tree.seq().clone());
        Ok(Arc::new(Newest {
            skeleton: Skeleton { root, seq, spine: tree.spine().clone() },
            sys: tree.sys()?.clone(),
            ah: tree.ah()?.clone(),
        }))
    }
}

impl State {
    /// The state of a store that was just made.
    pub fn new(generation: Generation, tree: Tree) -> State {
        let used = ["root", "sys", "seq", "ah"].into_iter().map(Id::from).collect::<BTreeSet<Id>>();
        State {
            generation,
            tree,
            last_cycle: 0,
            history: History::default(),
            last_ns: 0,
            next_index: 0,
            next_id: 1,
            used,
            new_refs: BTreeMap::new(),
            policies: Vec::new(),
            cadences: BTreeMap::new(),
            touched_keys: BTreeSet::new(),
            running: BTreeMap::new(),
            totals: RegionTotals::default(),
            roles: RoleBytes::default(),
            turns_hash: Arc::new(TurnsHash::default()),
            edited: false,
            newest: None,
        }
    }

    /// The cycle in progress.
    pub fn cycle(&self) -> u64 {
        self.last_cycle + 1
    }

    /// The store's word for a class.
    pub fn word(&self, class: Class) -> &'static str {
        self.generation.word(class)
    }

    /// Whether an id was ever used.
    pub fn was_used(&self, id: &str) -> Result<bool, ReadError> {
        if self.used.contains(id) {
            return Ok(true);
        }
        if self.last_cycle == 0 {
            return Ok(false);
        }
        self.tree.source().was_used(id)
    }

    /// A node as it is in the newest snapshot that has it; only for a state without edits.
    pub fn last_seen(&self, id: &str) -> Result<Option<Arc<Node>>, ReadError> {
        if self.last_cycle == 0 {
            return Ok(None);
        }
        match self.tree.get(id)? {
            Some(node) => Ok(Some(node)),
            None => self.tree.source().last_seen(id),
        }
    }

    /// Live nodes that refer to a live node.
    pub fn referrers(&self, id: &str) -> Result<Vec<Id>, ReadError> {
        let mut found: BTreeSet<Id> = self.new_refs.get(id).cloned().unwrap_or_default();
        if self.last_cycle > 0 {
            found.extend(self.tree.source().may_refer_to(id)?);
        }
        let mut live = Vec::new();
        for referrer in found {
            let node = self.tree.get(&referrer)?;
            if node.is_some_and(|node| node.refs.iter().any(|target| &**target == id)) {
                live.push(referrer);
            }
        }
        Ok(live)
    }

    /// The newest instance of a key that was ever made.
    pub fn newest_instance(&self, key: &str) -> Result<Option<Instance>, ReadError> {
        if let Some(instance) = self.cadences.get(key) {
            return Ok(Some(instance.clone()));
        }
        if self.last_cycle == 0 {
            return Ok(None);
        }
        self.tree.source().newest_instance(key)
    }
}

/// The cycles that have a snapshot, as runs of neighbours; imports may leave gaps.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct History {
    runs: Vec<(u64, u64)>,
}

impl History {
    /// How many snapshots there are.
    pub fn len(&self) -> u64 {
        self.runs.iter().map(|(from, to)| to - from + 1).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Adds the newest one.
    pub fn push(&mut self, cycle: u64) {
        match self.runs.last_mut() {
            Some((_, to)) if *to + 1 == cycle => *to = cycle,
            _ => self.runs.push((cycle, cycle)),
        }
    }

    /// Adds the newest ones, `from..=to`.
    pub fn extend(&mut self, from: u64, to: u64) {
        if from > to {
            return;
        }
        self.push(from);
        if let Some((_, end)) = self.runs.last_mut() {
            *end = to;
        }
    }

    /// Whether a cycle has a snapshot.
    pub fn contains(&self, cycle: u64) -> bool {
        self.runs.iter().any(|(from, to)| (*from..=*to).contains(&cycle))
    }

    /// The cycle of a snapshot counted from the oldest, which is 0.
    pub fn nth(&self, number: u64) -> Option<u64> {
        self.back(self.len().checked_sub(number.checked_add(1)?)?)
    }

    /// The cycle of a snapshot counted back from the newest, which is 0.
    pub fn back(&self, mut steps: u64) -> Option<u64> {
        for (from, to) in self.runs.iter().rev() {
            let len = to - from + 1;
            if steps < len {
                return Some(to - steps);
            }
            steps -= len;
        }
        None
    }

    /// How many snapshots are older than a cycle, which need not have one.
    pub fn before(&self, cycle: u64) -> u64 {
        let older = |(from, to): &(u64, u64)| (to + 1).min(cycle).saturating_sub(*from);
        self.runs.iter().map(older).sum()
    }

    /// The first cycle after another that has a snapshot.
    pub fn after(&self, cycle: u64) -> Option<u64> {
        let run = self.runs.iter().find(|(_, to)| *to > cycle)?;
        Some(run.0.max(cycle + 1))
    }

    /// How many snapshots are newer than that of `cycle`.
    pub fn steps_back_to(&self, cycle: u64) -> Option<u64> {
        let mut newer = 0;
        for (from, to) in self.runs.iter().rev() {
            if (*from..=*to).contains(&cycle) {
                return Some(newer + to - cycle);
            }
            newer += to - from + 1;
        }
        None
    }

    /// The runs, oldest first, both ends included.
    pub fn runs(&self) -> &[(u64, u64)] {
        &self.runs
    }

    /// Every cycle with a snapshot, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = u64> + '_ {
        self.runs.iter().flat_map(|(from, to)| *from..=*to)
    }
}

/// An event since the last commit.
#[derive(Debug, Clone)]
pub struct Pending {
    /// Its sequence number.
    pub seq: u64,
    /// The first sequence number of its batch; its own if it stands alone.
    pub group: u64,
    /// The event.
    pub event: Arc<Event>,
    /// Whether it was taken back.
    pub undone: bool,
}

/// The state in progress, with what `undo` needs.
#[derive(Debug, Clone)]
pub struct Working {
    /// The state right after the last commit.
    pub base: Arc<State>,
    /// The state now.
    pub state: State,
    /// The events between the two.
    pub pending: Vec<Pending>,
}

impl Working {
    /// The state right after a commit.
    pub fn fresh(state: State) -> Working {
        Working { base: Arc::new(state.clone()), state, pending: Vec::new() }
    }

    /// The newest edit or batch that can be taken back: the sequence number of its first event.
    pub fn newest_undoable(&self) -> Option<u64> {
        let newest = self.pending.iter().rev();
        newest.filter(|p| !p.undone && p.event.is_undoable()).map(|p| p.group).next()
    }
}

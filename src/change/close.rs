//! Closing a cycle: the snapshot that a commit makes, and the state that the next cycle starts
//! from.
//!
//! A closing event makes a new state out of the old one and leaves the old one alone, so a commit
//! that fails on its way to disk has not happened. What storage has to write is the difference
//! between the two, and is collected here.

use super::decide::next_time;
use super::instances::materialize_due;
use super::part_change::PartChange;
use super::thread_change::{Compared, ThreadChange};
use super::{Addition, ChangeError, Commit, Newest, State, apply, ids};
use crate::lifecycle::{self, Limits, Outcome, Removed, Sealing, Totals};
use crate::model::{Class, Id, Instance, Lifetime, Name, Node, Place, ReadError, Subtree, Tree};
use crate::snapshot::{SnapshotParts, TurnsHash, snapshot_digest, subtree_hash};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the indexes learn from a cycle.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IndexDelta {
    /// Ids that were used.
    pub used: BTreeSet<Id>,
    /// Nodes that came to lie in a place.
    pub placed: Vec<(Id, Place)>,
    /// References: the target, and who names it.
    pub refs: BTreeSet<(Id, Id)>,
    /// Places to look at for expiry.
    pub expiry: BTreeSet<Expiry>,
    /// Keys with a new newest instance.
    pub instances: Vec<(Name, Instance)>,
}

/// A place that may hold a node with a finite ttl.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct Expiry {
    /// How long it lives, as a power of two: it is there for less than `2^span` cycles before it
    /// is due. So whoever looks for nodes that live at a cycle knows how far ahead to look.
    pub span: u8,
    /// The cycle at which it is due.
    pub due: u64,
    /// Where it is.
    pub place: Place,
}

impl Expiry {
    fn of(life: Lifetime, place: Place) -> Expiry {
        let ttl = life.expires_at.saturating_sub(life.since);
        Expiry { span: (u64::BITS - ttl.leading_zeros()) as u8, due: life.expires_at, place }
    }

    /// What is overdue was spared for a reference: to be looked at again by the next commit.
    fn overdue(cycle: u64, place: Place) -> Expiry {
        Expiry { span: 1, due: cycle + 1, place }
    }
}

/// A closed cycle.
#[derive(Debug, Clone)]
pub struct Closed {
    /// The cycle.
    pub cycle: u64,
    /// The snapshot; the parts that are new are held in it.
    pub tree: Tree,
    /// What the commit removed.
    pub removed: Removed,
    /// The parts that differ from the snapshot before.
    pub parts: Vec<PartChange>,
    /// What the indexes learn.
    pub delta: IndexDelta,
    /// The digest of the snapshot.
    pub digest: [u8; 32],
    /// Whether the root's or the headers of `^seq` differ from the snapshot before.
    pub headers_changed: bool,
    /// What became of the thread.
    pub thread: ThreadChange,
    /// Whether sealing needed the core that was offered.
    pub core_made: bool,
    /// The state at the start of the next cycle, before cadences; its tree still holds the new
    /// parts itself.
    state: State,
}

impl Closed {
    /// The instances due at the start of the next cycle.
    pub fn due_instances(
        &self,
        given_time: Option<i64>,
        now: i64,
    ) -> Result<Vec<Addition>, ChangeError> {
        materialize_due(&mut self.state.clone(), given_time, now)
    }

    /// The state that the next cycle starts from, once the snapshot is stored.
    pub fn next_state(&self, materialized: &[Addition]) -> Result<State, ReadError> {
        let mut state = self.state.clone();
        state.tree = self.tree.rebased(self.cycle);
        state.newest = Some(Newest::of(&state.tree)?);
        state.used.clear();
        state.new_refs.clear();
        state.touched_keys.clear();
        state.cadences.retain(|_, instance| instance.runs());
        apply::materialize(&mut state, materialized)?;
        Ok(state)
    }
}

/// The inputs of a commit. The digest is filled in when the cycle is closed, the instances after
/// that.
pub fn plan_commit(
    state: &State,
    given_time: Option<i64>,
    now: i64,
) -> Result<Commit, ChangeError> {
    let cycle = state.cycle();
    if cycle > crate::limits::MAX_NUMBER as u64 {
        let message =
            format!("cycle {} is the last one: start a new store", crate::limits::MAX_NUMBER);
        return Err(ChangeError::new(crate::code::Code::Limit, message));
    }
    Ok(Commit {
        cycle,
        turn: ids::cycle_id(state, Class::Turn, cycle)?,
        core: Some(ids::cycle_id(state, Class::Container, cycle)?),
        created_at_ns: next_time(state, given_time, now)?,
        materialized: Vec::new(),
        digest: [0; 32],
    })
}

/// Runs a commit on the state.
pub fn close_commit(state: &State, commit: &Commit) -> Result<Closed, ReadError> {
    let node = |class, id: &Id, made: u64| {
        let mut node = Node::bare(id.clone(), state.word(class).into(), class);
        node.cycle = commit.cycle;
        node.created_at_ns = commit.created_at_ns + made as i64;
        node.creation_index = state.next_index + made;
        Arc::new(node)
    };
    let turn = node(Class::Turn, &commit.turn, 0);
    let offered = commit.core.clone().unwrap_or_else(|| "".into());
    let core = node(Class::Container, &offered, 1);
    let hints = |id: &str| -> Result<Vec<Id>, ReadError> {
        let mut hints: BTreeSet<Id> = state.new_refs.get(id).cloned().unwrap_or_default();
        if state.last_cycle > 0 {
            hints.extend(state.tree.source().may_refer_to(id)?);
        }
        Ok(hints.into_iter().collect())
    };
    let sealing = Sealing { cycle: commit.cycle, turn: turn.clone(), core: core.clone() };
    let limits = Limits { policies: &state.policies, totals: &state.totals };
    let Outcome { tree, removed, spared } =
        lifecycle::commit(state.tree.clone(), sealing, limits, &hints)?;
    let core_made = tree.get(&offered)?.is_some_and(|node| Arc::ptr_eq(&node, &core));
    if core_made && offered.is_empty() {
        return Err(ReadError::Corrupt(
            "the turn needs a core that the event does not name".into(),
        ));
    }
    let mut state = state.clone();
    apply::made(&mut state, &turn)?;
    if core_made {
        apply::made(&mut state, &core)?;
    }
    let mut closed = close(state, commit.cycle, tree, removed)?;
    closed.core_made = core_made;
    // The head's own are in the new turn, which is looked at as a whole.
    let spared = spared.into_iter().filter(|place| *place != Place::Ah);
    closed.delta.expiry.extend(spared.map(|place| Expiry::overdue(commit.cycle, place)));
    Ok(closed)
}

/// Everything that follows from the new snapshot's tree.
pub(super) fn close(
    mut state: State,
    cycle: u64,
    tree: Tree,
    removed: Removed,
) -> Result<Closed, ReadError> {
    let before = state.newest.take();
    let parts = changed_parts(&state, &tree, before.as_deref())?;
    let mut turns_hash = (*state.turns_hash).clone();
    let mut totals = state.totals;
    for part in &parts {
        let region = match part.place {
            Place::Sys => &mut totals.sys,
            Place::Ah => &mut totals.ah,
            Place::Turn(_) => {
                hash_change(&mut turns_hash, part);
                &mut totals.seq
            }
        };
        let [old, new] = part.totals;
        *region = region.plus(new).minus(old);
    }
    let before_it = before.as_deref();
    let compared = Compared {
        state: &state,
        before: before_it,
        tree: &tree,
        parts: &parts,
        removed: &removed,
    };
    let thread = compared.change()?;
    let digest = snapshot_digest(&SnapshotParts {
        spec_version: state.generation.spec_version(),
        cycle,
        root: tree.root(),
        seq: tree.seq(),
        sys: tree.sys()?,
        ah: tree.ah()?,
        turns: tree.spine().len(),
        turns_hash: &turns_hash,
    });
    let headers_changed = before
        .is_none_or(|old| old.skeleton.root != *tree.root() || old.skeleton.seq != *tree.seq());
    let delta = delta(&state, cycle, &parts);
    state.tree = tree.clone();
    state.last_cycle = cycle;
    state.history.push(cycle);
    state.next_index = 0;
    state.totals = totals;
    state.roles = thread.roles;
    state.turns_hash = Arc::new(turns_hash);
    state.edited = false;
    Ok(Closed {
        cycle,
        tree,
        removed,
        parts,
        delta,
        digest,
        headers_changed,
        thread,
        core_made: false,
        state,
    })
}

fn hash_change(turns: &mut TurnsHash, part: &PartChange) {
    let [old, new] = &part.hashes;
    if let Some(old) = old {
        turns.subtract(old);
    }
    if let Some(new) = new {
        turns.add(new);
    }
}

/// The parts of the new tree that differ from the last snapshot.
fn changed_parts(
    state: &State,
    tree: &Tree,
    before: Option<&Newest>,
) -> Result<Vec<PartChange>, ReadError> {
    let mut parts = Vec::new();
    let source = tree.source();
    let old = |place: Place| -> Result<Option<Arc<Subtree>>, ReadError> {
        let Some(before) = before else { return Ok(None) };
        match place {
            Place::Sys => Ok(Some(before.sys.clone())),
            Place::Ah => Ok(Some(before.ah.clone())),
            Place::Turn(slot) => before
                .skeleton
                .spine
                .contains(slot)
                .then(|| source.part(place, state.last_cycle))
                .transpose(),
        }
    };
    let mut compare = |place: Place, new: Option<&Arc<Subtree>>| -> Result<(), ReadError> {
        let old = old(place)?;
        if old.as_ref() != new {
            let hash = |part: Option<&Arc<Subtree>>| part.map(|part| subtree_hash(part));
            let hashes = match place {
                Place::Turn(_) => [hash(old.as_ref()), hash(new)],
                _ => [None, None],
            };
            let count =
                |part: Option<&Arc<Subtree>>| part.map(|part| Totals::of(part)).unwrap_or_default();
            let totals = [count(old.as_ref()), count(new)];
            parts.push(PartChange { place, old, new: new.cloned(), hashes, totals });
        }
        Ok(())
    };
    compare(Place::Sys, Some(tree.sys()?))?;
    if let Some(Newest { skeleton: before, .. }) = before
        && !before.spine.is_prefix_of(tree.spine())
    {
        for slot in before.spine.iter().filter(|slot| !tree.spine().contains(*slot)) {
            compare(Place::Turn(slot), None)?;
        }
    }
    for (slot, turn) in tree.changed_turns() {
        compare(Place::Turn(*slot), Some(turn))?;
    }
    compare(Place::Ah, Some(tree.ah()?))?;
    Ok(parts)
}

fn delta(state: &State, cycle: u64, parts: &[PartChange]) -> IndexDelta {
    let mut delta = IndexDelta { used: state.used.clone(), ..IndexDelta::default() };
    for (target, referrers) in &state.new_refs {
        delta.refs.extend(referrers.iter().map(|referrer| (target.clone(), referrer.clone())));
    }
    for key in &state.touched_keys {
        if let Some(instance) = state.cadences.get(key) {
            delta.instances.push((key.clone(), instance.clone()));
        }
    }
    for part in parts {
        let Some(new) = &part.new else { continue };
        let known: BTreeMap<&str, ()> = part
            .old
            .iter()
            .flat_map(|old| old.entries())
            .map(|entry| (&*entry.node.id, ()))
            .collect();
        for entry in new.entries() {
            let node = &entry.node;
            if !known.contains_key(&*node.id) {
                delta.used.remove(&node.id);
                delta.placed.push((node.id.clone(), part.place));
            }
            if let Some(life) = node.lifetime {
                delta.expiry.insert(match life.expires_at > cycle {
                    true => Expiry::of(life, part.place),
                    false => Expiry::overdue(cycle, part.place),
                });
            }
        }
    }
    delta
}

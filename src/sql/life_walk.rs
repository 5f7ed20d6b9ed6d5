//! The lives of nodes: one walk over the commits, by what each of them changed.
//!
//! A node lives from the first snapshot that has it. Where it has gone, the state right before the
//! commit says how: what an edit removed is not there any more, the rest went with the topmost node
//! that the commit names. The working state counts as the snapshot that comes next.

use crate::budget;
use crate::change::Event;
use crate::db::View;
use crate::error::Result;
use crate::index::{CycleInfo, CycleKind};
use crate::model::{Id, Node, Place, Subtree, Tree};
use crate::query::Timeline;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The life of a node.
#[derive(Debug, Clone)]
pub(super) struct Life {
    /// The node as it was last.
    pub(super) node: Arc<Node>,
    /// The first snapshot that has it.
    pub(super) born: u64,
    /// The turn that it lies or lay in.
    pub(super) turn: Option<Id>,
    /// The first snapshot that does not have it any more, and how it went.
    pub(super) ended: Option<(u64, &'static str)>,
}

/// What is walked for.
pub(super) struct Wanted<'a> {
    /// Only this node.
    pub(super) id: Option<&'a str>,
    /// Only such nodes.
    pub(super) keep: &'a dyn Fn(&Node) -> bool,
}

/// The lives of nodes, in the order of their births.
pub(super) fn lives(view: &View, wanted: &Wanted<'_>) -> Result<Vec<Life>> {
    let only = wanted.id.map(|id| view.db().cycles_of(id)).transpose()?;
    // The root and `^seq` lie in no part whose versions say when they changed.
    let only = only.filter(|cycles| !cycles.is_empty());
    let only: Option<BTreeSet<u64>> = only.map(|cycles| cycles.into_iter().collect());
    let mut walk = Walk { view, wanted, lives: Vec::new(), known: HashMap::new() };
    let mut before = 0;
    let total = view.history().len();
    for (done, cycle) in view.history().iter().enumerate() {
        budget::reached("commits were walked through", done as u64, Some(total))?;
        if only.as_ref().is_none_or(|only| only.contains(&cycle)) {
            walk.commit(before, cycle)?;
        }
        before = cycle;
    }
    walk.working(before)?;
    Ok(walk.lives)
}

struct Walk<'a> {
    view: &'a View,
    wanted: &'a Wanted<'a>,
    lives: Vec<Life>,
    known: HashMap<Id, usize>,
}

impl Walk<'_> {
    fn commit(&mut self, before: u64, cycle: u64) -> Result<()> {
        let new = self.view.at(cycle)?;
        let old = if before == 0 { None } else { Some(self.view.at(before)?) };
        let (mut gone, mut there) = (Vec::new(), Vec::new());
        for changed in self.view.changed_parts(cycle)? {
            if let (Some(old), true) = (&old, changed.before) {
                gone.push(old.subtree(changed.place)?);
            }
            if changed.after {
                there.push((changed.place, new.subtree(changed.place)?));
            }
        }
        if before == 0 {
            // What the first one has may be anywhere, also where no part says that it changed.
            there = parts(&new)?;
        }
        let gone = self.settle(cycle, (old.as_ref(), &gone), (&new, &there));
        if gone.is_empty() {
            return Ok(());
        }
        let info = self.view.commit(cycle)?;
        let how = How::of(self.view, &info, before, old.as_ref())?;
        for at in gone {
            let ended = how.ended(&self.lives[at].node.id)?;
            self.lives[at].ended = Some((cycle, ended));
        }
        Ok(())
    }

    /// The working state, as the snapshot that comes next.
    fn working(&mut self, last: u64) -> Result<()> {
        let new = self.view.working()?;
        let cycle = last.saturating_add(1);
        let (mut gone, mut there) = (Vec::new(), Vec::new());
        let changed = new.changed_turns().keys().map(|slot| Place::Turn(*slot));
        let places = [Place::Sys, Place::Ah].into_iter().chain(changed);
        let old = if last == 0 { None } else { Some(self.view.at(last)?) };
        for place in places {
            let known = place
                .slot()
                .is_none_or(|slot| old.as_ref().is_some_and(|old| old.spine().contains(slot)));
            if let (Some(old), true) = (&old, known) {
                gone.push(old.subtree(place)?);
            }
            if place.slot().is_none_or(|slot| new.spine().contains(slot)) {
                there.push((place, new.subtree(place)?));
            }
        }
        for at in self.settle(cycle, (old.as_ref(), &gone), (&new, &there)) {
            self.lives[at].ended = Some((cycle, "removed"));
        }
        Ok(())
    }

    /// Takes what is there now of the parts that changed, and says which lives of those before are
    /// not.
    fn settle(
        &mut self,
        cycle: u64,
        (old, before): (Option<&Tree>, &[Arc<Subtree>]),
        (new, there): (&Tree, &[(Place, Arc<Subtree>)]),
    ) -> Vec<usize> {
        let mut alive: BTreeSet<usize> = BTreeSet::new();
        alive.extend(self.meet(cycle, new.root(), None));
        alive.extend(self.meet(cycle, new.seq(), None));
        for (place, part) in there {
            let turn = place.slot().map(|_| part.top().id.clone());
            for entry in part.entries() {
                if let Some(at) = self.meet(cycle, &entry.node, turn.as_ref()) {
                    alive.insert(at);
                }
            }
        }
        let ids = before.iter().flat_map(|part| part.entries()).map(|entry| &entry.node.id);
        let ids = ids.chain(old.into_iter().flat_map(|old| [&old.root().id, &old.seq().id]));
        let known = ids.filter_map(|id| self.known.get(id).copied());
        known.filter(|at| !alive.contains(at)).collect()
    }

    fn meet(&mut self, cycle: u64, node: &Arc<Node>, turn: Option<&Id>) -> Option<usize> {
        if let Some(at) = self.known.get(&node.id) {
            let life = &mut self.lives[*at];
            (life.node, life.turn, life.ended) = (node.clone(), turn.cloned(), None);
            return Some(*at);
        }
        let Wanted { id, keep } = self.wanted;
        if id.is_some_and(|id| id != &*node.id) || !keep(node) {
            return None;
        }
        self.known.insert(node.id.clone(), self.lives.len());
        let turn = turn.cloned();
        self.lives.push(Life { node: node.clone(), born: cycle, turn, ended: None });
        Some(self.lives.len() - 1)
    }
}

fn parts(tree: &Tree) -> Result<Vec<(Place, Arc<Subtree>)>> {
    let part = |place| Ok((place, tree.subtree(place)?));
    tree.places().map(part).collect()
}

/// How nodes went with a commit.
enum How {
    /// All in the same way.
    All(&'static str),
    /// With what the commit names, in the state right before it.
    Named { before: Tree, named: HashMap<Id, &'static str> },
}

impl How {
    fn of(view: &View, info: &CycleInfo, before: u64, old: Option<&Tree>) -> Result<How> {
        match info.kind {
            CycleKind::Restore(_) => return Ok(How::All("restored")),
            CycleKind::Import => return Ok(How::All("removed")),
            CycleKind::Commit => {}
        }
        let removed = &info.removed;
        let lists = [
            (&removed.expired, "expired"),
            (&removed.cascaded, "cascaded"),
            (&removed.pruned, "pruned"),
        ];
        let named: HashMap<Id, &'static str> = lists
            .into_iter()
            .flat_map(|(ids, how)| ids.iter().map(move |id| (id.clone(), how)))
            .collect();
        if named.is_empty() {
            return Ok(How::All("removed"));
        }
        // Where no edit took anything away or elsewhere, the snapshot before says the same.
        let first = if before == 0 { 1 } else { view.commit(before)?.seq + 1 };
        let count = usize::try_from(info.seq.saturating_sub(first)).unwrap_or(usize::MAX);
        let moves = view.records(first, count)?.iter().any(|record| {
            matches!(
                record.event,
                Event::Removed { .. } | Event::Moved { .. } | Event::Undone { .. }
            )
        });
        let before = match old.filter(|_| !moves) {
            Some(old) => old.clone(),
            None => view.after_event(info.seq - 1, before)?.0,
        };
        Ok(How::Named { before, named })
    }

    fn ended(&self, id: &Id) -> Result<&'static str> {
        let (before, named) = match self {
            How::All(how) => return Ok(how),
            How::Named { before, named } => (before, named),
        };
        let Some(position) = before.find(id)? else { return Ok("removed") };
        let part = before.subtree(position.place)?;
        let mut next = Some(position.index);
        while let Some(index) = next {
            if let Some(how) = named.get(&part.node(index).id) {
                return Ok(how);
            }
            next = part.parent(index);
        }
        Ok("removed")
    }
}

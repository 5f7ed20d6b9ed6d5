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
use std::collections::{HashMap, HashSet};
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
    /// Only nodes that were born in these cycles.
    pub(super) born: Option<(u64, u64)>,
    /// Only such nodes.
    pub(super) keep: &'a dyn Fn(&Node) -> bool,
}

/// The lives of nodes, in the order of their births. Of one node, and of those that were born in some
/// cycles, it costs what happened to them; of all nodes, the whole history.
pub(super) fn lives(view: &View, wanted: &Wanted<'_>) -> Result<Vec<Life>> {
    match (wanted.id, wanted.born) {
        (Some(id), _) => life_of(view, id, wanted.keep),
        (None, Some(born)) => born_within(view, born, wanted.keep),
        (None, None) => every(view, None, wanted.keep),
    }
}

/// The life of one node: only the commits that changed something where it lay are walked through.
fn life_of(view: &View, id: &str, keep: &dyn Fn(&Node) -> bool) -> Result<Vec<Life>> {
    if let Some(region) = region(view, id)? {
        return Ok(Vec::from_iter(Some(region).filter(|life| keep(&life.node))));
    }
    let cycles = view.db().cycles_of(id)?;
    // The root and `^seq` lie in no part whose versions say when they changed.
    let working = view.working()?;
    if [working.root(), working.seq()].iter().any(|node| &*node.id == id) {
        return every(view, Some(id), keep);
    }
    let mut walk = Walk::new(view, Some(id), keep);
    // The view may be older than the store.
    for cycle in cycles.into_iter().filter(|cycle| view.history().contains(*cycle)) {
        walk.commit(older(view, cycle), cycle)?;
    }
    walk.working(view.history().back(0).unwrap_or(0))?;
    Ok(walk.lives)
}

fn every(view: &View, id: Option<&str>, keep: &dyn Fn(&Node) -> bool) -> Result<Vec<Life>> {
    let mut walk = Walk::new(view, id, keep);
    let mut before = 0;
    let total = view.history().len();
    for (done, cycle) in view.history().iter().enumerate() {
        budget::reached("commits were walked through", done as u64, Some(total))?;
        walk.commit(before, cycle)?;
        before = cycle;
    }
    walk.working(before)?;
    Ok(walk.lives)
}

/// The lives that begin in some cycles: whoever is new there is looked at alone.
fn born_within(
    view: &View,
    (least, most): (u64, u64),
    keep: &dyn Fn(&Node) -> bool,
) -> Result<Vec<Life>> {
    let (mut met, mut out) = (HashSet::new(), Vec::new());
    let newest = view.history().back(0).unwrap_or(0);
    let mut number = view.history().before(least);
    while let Some(cycle) = view.history().nth(number).filter(|cycle| *cycle <= most) {
        budget::reached("commits were walked through", number, Some(view.history().len()))?;
        let before = older(view, cycle);
        let mut walk = Walk::new(view, None, keep);
        walk.commit(before, cycle)?;
        out.extend(walk.begun(before, &mut met)?);
        number += 1;
    }
    if (least..=most).contains(&newest.saturating_add(1)) {
        let mut walk = Walk::new(view, None, keep);
        walk.working(newest)?;
        out.extend(walk.begun(newest, &mut met)?);
    }
    let mut lives = Vec::with_capacity(out.len());
    for id in out {
        let life = life_of(view, &id, keep)?;
        lives.extend(life.into_iter().filter(|life| (least..=most).contains(&life.born)));
    }
    Ok(lives)
}

/// The life of the root or a region, which the first snapshot has and the working state still has: they
/// change with every commit, and nothing has to be walked through to know this.
fn region(view: &View, id: &str) -> Result<Option<Life>> {
    let named = |tree: &Tree| -> Result<Option<Arc<Node>>> {
        let [sys, ah] = [tree.subtree(Place::Sys)?, tree.subtree(Place::Ah)?];
        let nodes = [tree.root(), tree.seq(), sys.top(), ah.top()];
        Ok(nodes.into_iter().find(|node| &*node.id == id).cloned())
    };
    let Some(node) = named(&view.working()?)? else { return Ok(None) };
    let born = match view.history().nth(0) {
        Some(first) if named(&view.at(first)?)?.is_none() => return Ok(None),
        Some(first) => first,
        None => 1,
    };
    Ok(Some(Life { node, born, turn: None, ended: None }))
}

/// The snapshot before one; 0 before the first.
fn older(view: &View, cycle: u64) -> u64 {
    let history = view.history();
    history.before(cycle).checked_sub(1).and_then(|number| history.nth(number)).unwrap_or(0)
}

struct Walk<'a> {
    view: &'a View,
    /// Only this node, and only such nodes.
    id: Option<&'a str>,
    keep: &'a dyn Fn(&Node) -> bool,
    lives: Vec<Life>,
    /// The newest snapshot that each of them was met in.
    met: Vec<u64>,
    /// The numbers of lives by their ids.
    known: HashMap<Id, usize>,
    /// The snapshot that was walked through last.
    last: Option<(u64, Tree)>,
}

impl<'a> Walk<'a> {
    fn new(view: &'a View, id: Option<&'a str>, keep: &'a dyn Fn(&Node) -> bool) -> Walk<'a> {
        let (lives, met, known) = (Vec::new(), Vec::new(), HashMap::new());
        Walk { view, id, keep, lives, met, known, last: None }
    }

    /// Of the nodes that one step met, those that the snapshot before it does not have and that were
    /// not met yet.
    fn begun(self, before: u64, met: &mut HashSet<Id>) -> Result<Vec<Id>> {
        let old = if before == 0 { None } else { Some(self.view.at(before)?) };
        let mut begun = Vec::new();
        for life in self.lives {
            let id = life.node.id.clone();
            let was = match &old {
                Some(old) => old.root().id == id || old.seq().id == id || old.find(&id)?.is_some(),
                None => false,
            };
            if !was && met.insert(id.clone()) {
                begun.push(id);
            }
        }
        Ok(begun)
    }

    fn commit(&mut self, before: u64, cycle: u64) -> Result<()> {
        let new = self.view.at(cycle)?;
        let old = self.snapshot(before)?;
        self.last = Some((cycle, new.clone()));
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
        let mut how = How::of(self.view, info, before, old);
        for at in gone {
            let ended = how.ended(&self.lives[at].node.id)?;
            self.lives[at].ended = Some((cycle, ended));
        }
        Ok(())
    }

    /// A snapshot; none before the first.
    fn snapshot(&mut self, cycle: u64) -> Result<Option<Tree>> {
        match self.last.take() {
            _ if cycle == 0 => Ok(None),
            Some((known, tree)) if known == cycle => Ok(Some(tree)),
            _ => Ok(Some(self.view.at(cycle)?)),
        }
    }

    /// The working state, as the snapshot that comes next.
    fn working(&mut self, last: u64) -> Result<()> {
        let new = self.view.working()?;
        let cycle = last.saturating_add(1);
        let (mut gone, mut there) = (Vec::new(), Vec::new());
        let changed = new.changed_turns().keys().map(|slot| Place::Turn(*slot));
        let places = [Place::Sys, Place::Ah].into_iter().chain(changed);
        let old = self.snapshot(last)?;
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
        self.meet(cycle, new.root(), None);
        self.meet(cycle, new.seq(), None);
        for (place, part) in there {
            let turn = place.slot().map(|_| part.top().id.clone());
            for entry in part.entries() {
                self.meet(cycle, &entry.node, turn.as_ref());
            }
        }
        let ids = before.iter().flat_map(|part| part.entries()).map(|entry| &entry.node.id);
        let ids = ids.chain(old.into_iter().flat_map(|old| [&old.root().id, &old.seq().id]));
        let known = ids.filter_map(|id| self.known.get(id).copied());
        known.filter(|at| self.met[*at] != cycle).collect()
    }

    fn meet(&mut self, cycle: u64, node: &Arc<Node>, turn: Option<&Id>) {
        if let Some(at) = self.known.get(&node.id) {
            let life = &mut self.lives[*at];
            (life.node, life.turn, life.ended) = (node.clone(), turn.cloned(), None);
            self.met[*at] = cycle;
            return;
        }
        if self.id.is_some_and(|id| id != &*node.id) || !(self.keep)(node) {
            return;
        }
        self.known.insert(node.id.clone(), self.lives.len());
        self.met.push(cycle);
        let turn = turn.cloned();
        self.lives.push(Life { node: node.clone(), born: cycle, turn, ended: None });
    }
}

fn parts(tree: &Tree) -> Result<Vec<(Place, Arc<Subtree>)>> {
    let part = |place| Ok((place, tree.subtree(place)?));
    tree.places().map(part).collect()
}

/// How nodes went with a commit.
enum How<'a> {
    /// All in the same way.
    All(&'static str),
    /// With what the commit names.
    Named(Box<Named<'a>>),
}

/// What a commit names of what it removed: the topmost nodes.
struct Named<'a> {
    view: &'a View,
    /// The cycle of the snapshot before, and the event that made the commit.
    last: (u64, u64),
    old: Option<Tree>,
    how: HashMap<Id, &'static str>,
    /// The state right before the commit, once it was needed.
    before: Option<Tree>,
}

impl<'a> How<'a> {
    fn of(view: &'a View, info: CycleInfo, last: u64, old: Option<Tree>) -> How<'a> {
        match info.kind {
            CycleKind::Restore(_) => return How::All("restored"),
            CycleKind::Import => return How::All("removed"),
            CycleKind::Commit => {}
        }
        let removed = info.removed;
        let lists = [
            (removed.expired, "expired"),
            (removed.cascaded, "cascaded"),
            (removed.pruned, "pruned"),
        ];
        let how: HashMap<Id, &'static str> = lists
            .into_iter()
            .flat_map(|(ids, how)| ids.into_iter().map(move |id| (id, how)))
            .collect();
        match how.is_empty() {
            true => How::All("removed"),
            false => {
                How::Named(Box::new(Named { view, last: (last, info.seq), old, how, before: None }))
            }
        }
    }

    fn ended(&mut self, id: &Id) -> Result<&'static str> {
        match self {
            How::All(how) => Ok(how),
            How::Named(named) => match named.how.get(id) {
                Some(how) => Ok(how),
                None => named.above(id),
            },
        }
    }
}

impl Named<'_> {
    /// How a node went that is not named: with the topmost above it that is, else by an edit.
    fn above(&mut self, id: &Id) -> Result<&'static str> {
        let before = match self.before.take() {
            Some(before) => before,
            None => self.right_before()?,
        };
        let before = self.before.insert(before);
        let Some(position) = before.find(id)? else { return Ok("removed") };
        let part = before.subtree(position.place)?;
        let mut next = Some(position.index);
        while let Some(index) = next {
            if let Some(how) = self.how.get(&part.node(index).id) {
                return Ok(how);
            }
            next = part.parent(index);
        }
        Ok("removed")
    }

    /// The state right before the commit. Where no edit took anything away or elsewhere, the snapshot
    /// before says the same.
    fn right_before(&self) -> Result<Tree> {
        let (last, seq) = self.last;
        let first = if last == 0 { 1 } else { self.view.commit(last)?.seq + 1 };
        let count = usize::try_from(seq.saturating_sub(first)).unwrap_or(usize::MAX);
        let moves = self.view.records(first, count)?.iter().any(|record| {
            matches!(
                record.event,
                Event::Removed { .. } | Event::Moved { .. } | Event::Undone { .. }
            )
        });
        match self.old.as_ref().filter(|_| !moves) {
            Some(old) => Ok(old.clone()),
            None => Ok(self.view.after_event(seq - 1, last)?.0),
        }
    }
}

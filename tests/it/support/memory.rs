//! A store in memory: the engine's own decide, apply and close over maps, with no log and no file.
//!
//! It implements [`TurnSource`] and [`Timeline`] in the plainest way that is right, and is what
//! queries are tested on.

#![allow(clippy::unwrap_used, clippy::expect_used, dead_code)]

use pactdb::internals::change::decide::decide;
use pactdb::internals::change::{
    Add, ChangeError, Closed, Context, Edit, Move, Parent, Remove, Set, State, Working, apply,
    close_commit, close_import, plan_commit, plan_import,
};
use pactdb::internals::index::{Indexed, Lookup, SummaryPage, Trigrams, name_hashes};
use pactdb::internals::model::{
    ChangedPart, ContentRef, Id, Instance, Node, Place, ReadError, Skeleton, Slot, Subtree, Tree,
    TurnSource,
};
use pactdb::internals::query::{EventState, Timeline};
use pactdb::internals::snapshot::{Contents, read_document};
use pactdb::json::parse;
use pactdb::{Generation, History, Json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

/// Everything that was committed.
#[derive(Debug, Default)]
struct Committed {
    parts: BTreeMap<Place, BTreeMap<u64, Option<Arc<Subtree>>>>,
    skeletons: BTreeMap<u64, Skeleton>,
    placed: BTreeMap<Id, Vec<(u64, Place)>>,
    used: BTreeSet<Id>,
    refs: BTreeSet<(Id, Id)>,
    instances: BTreeMap<String, Instance>,
    changed: BTreeMap<u64, Vec<ChangedPart>>,
    /// For each cycle the places that hold a node with a finite ttl.
    finite: BTreeMap<u64, BTreeSet<Place>>,
}

/// The committed parts, and how many were read.
#[derive(Debug, Default)]
struct Shelf(RwLock<Committed>, AtomicUsize);

impl Committed {
    fn part(&self, place: Place, cycle: u64) -> Result<Arc<Subtree>, ReadError> {
        let versions = self.parts.get(&place).into_iter();
        let version = versions.flat_map(|versions| versions.range(..=cycle)).next_back();
        match version {
            Some((_, Some(part))) => Ok(part.clone()),
            _ => Err(ReadError::Corrupt(format!("no {place:?} at {cycle}"))),
        }
    }
}

impl TurnSource for Shelf {
    fn part(&self, place: Place, cycle: u64) -> Result<Arc<Subtree>, ReadError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.read().unwrap().part(place, cycle)
    }

    fn skeleton(&self, cycle: u64) -> Result<Skeleton, ReadError> {
        let shelf = self.0.read().unwrap();
        let found = shelf.skeletons.get(&cycle).cloned();
        found.ok_or_else(|| ReadError::Corrupt(format!("no snapshot {cycle}")))
    }

    fn place_of(&self, id: &str, cycle: u64) -> Result<Option<Place>, ReadError> {
        let shelf = self.0.read().unwrap();
        let mut places = shelf.placed.get(id).into_iter().flatten();
        Ok(places.rfind(|(from, _)| *from <= cycle).map(|(_, place)| *place))
    }

    fn last_seen(&self, id: &str) -> Result<Option<Arc<Node>>, ReadError> {
        let shelf = self.0.read().unwrap();
        let parts = shelf.parts.values().flatten();
        let seen = parts.filter_map(|(cycle, part)| {
            let part = part.as_ref()?;
            Some((cycle, part.node(part.find(id)?).clone()))
        });
        Ok(seen.max_by_key(|(cycle, _)| **cycle).map(|(_, node)| node))
    }

    fn was_used(&self, id: &str) -> Result<bool, ReadError> {
        Ok(self.0.read().unwrap().used.contains(id))
    }

    fn may_refer_to(&self, id: &str) -> Result<Vec<Id>, ReadError> {
        let shelf = self.0.read().unwrap();
        let named = shelf.refs.iter().filter(|(target, _)| &**target == id);
        Ok(named.map(|(_, referrer)| referrer.clone()).collect())
    }

    fn newest_instance(&self, key: &str) -> Result<Option<Instance>, ReadError> {
        Ok(self.0.read().unwrap().instances.get(key).cloned())
    }

    fn may_expire(&self, _: u64, _: u64) -> Result<BTreeSet<Place>, ReadError> {
        Ok(self.0.read().unwrap().finite.values().next_back().cloned().unwrap_or_default())
    }
}

#[derive(Debug, Default)]
struct Bodies(BTreeMap<(u64, u32), Arc<Json>>);

impl Contents for Bodies {
    fn content(&self, content: &ContentRef) -> Result<Arc<Json>, ReadError> {
        let found = self.0.get(&(content.seq, content.item)).cloned();
        found.ok_or_else(|| ReadError::Corrupt("no such content".into()))
    }
}

/// A store in memory.
pub struct Memory {
    generation: Generation,
    shelf: Arc<Shelf>,
    bodies: Bodies,
    working: Working,
    history: History,
    seq: u64,
    /// The last cycle committed and the tree, right after each event.
    events: BTreeMap<u64, (u64, Tree)>,
    /// Which turns have a sketch.
    pub sketched: fn(Slot) -> bool,
}

impl Memory {
    pub fn new(generation: Generation) -> Memory {
        let shelf = Arc::new(Shelf::default());
        let tree = Tree::empty(shelf.clone());
        Memory {
            generation,
            shelf,
            bodies: Bodies::default(),
            working: Working::fresh(State::new(generation, tree)),
            history: History::default(),
            seq: 1,
            events: BTreeMap::new(),
            sketched: |_| true,
        }
    }

    /// A store with these snapshots, in JSON.
    pub fn of(generation: Generation, snapshots: &[&str]) -> Memory {
        let mut memory = Memory::new(generation);
        for snapshot in snapshots {
            memory.import(&parse(snapshot).unwrap());
        }
        memory
    }

    pub fn import(&mut self, document: &Json) {
        let next = self.working.state.last_cycle + 1;
        let document = read_document(document, self.generation, next, &|_| false).unwrap();
        let context = self.context();
        let (import, contents) =
            plan_import(&self.working.state, document, &self.bodies, context).unwrap();
        self.keep(contents);
        let closed = close_import(&self.working.state, &import).unwrap();
        self.close(closed, &[]);
        self.note();
    }

    pub fn edit(&mut self, edit: Edit) -> Result<Vec<Id>, ChangeError> {
        let decided = decide(&self.working.state, edit, &self.bodies, self.context())?;
        self.keep(decided.contents);
        apply(&mut self.working, &decided.event).unwrap();
        self.note();
        Ok(decided.ids)
    }

    /// Remembers the state after the event that was just applied.
    fn note(&mut self) {
        let State { last_cycle, tree, .. } = &self.working.state;
        self.events.insert(self.seq - 1, (*last_cycle, tree.clone()));
    }

    /// The events, each with the last cycle committed and the tree right after it.
    pub fn events(&self) -> &BTreeMap<u64, (u64, Tree)> {
        &self.events
    }

    pub fn add(&mut self, add: Add) -> Result<Vec<Id>, ChangeError> {
        self.edit(Edit::Add(Box::new(add)))
    }

    /// A block with a text in the head's core.
    pub fn say(&mut self, id: &str, role: &str, text: &str) {
        let add = Add {
            parent: Parent::HeadCore,
            id: Some(id.into()),
            role: Some(role.into()),
            content: Some(text.into()),
            ..Add::default()
        };
        self.add(add).unwrap();
    }

    pub fn set(&mut self, set: Set) -> Result<Vec<Id>, ChangeError> {
        self.edit(Edit::Set(Box::new(set)))
    }

    pub fn remove(&mut self, id: &str) -> Result<Vec<Id>, ChangeError> {
        self.edit(Edit::Remove(Remove { targets: vec![id.into()], force: true }))
    }

    pub fn relocate(&mut self, id: &str, to: &str, offset: i64) -> Result<Vec<Id>, ChangeError> {
        let targets = vec![id.into()];
        let offset = Some(offset);
        self.edit(Edit::Move(Move { targets, to: to.into(), offset, created_at_ns: None }))
    }

    pub fn commit(&mut self) -> u64 {
        let now = self.context().now;
        let mut commit = plan_commit(&self.working.state, None, now).unwrap();
        let closed = close_commit(&self.working.state, &commit).unwrap();
        commit.materialized = closed.due_instances(None, now).unwrap();
        let materialized = commit.materialized.clone();
        self.close(closed, &materialized);
        self.seq += 1;
        self.note();
        commit.cycle
    }

    /// How many parts were read so far.
    pub fn reads(&self) -> usize {
        self.shelf.1.load(Ordering::Relaxed)
    }

    /// How many parts were read while something was done.
    pub fn reads_of<T>(&self, work: impl FnOnce() -> T) -> (T, usize) {
        let before = self.reads();
        let done = work();
        (done, self.reads() - before)
    }

    pub fn tree(&self) -> &Tree {
        &self.working.state.tree
    }

    fn context(&self) -> Context {
        Context { seq: self.seq, now: self.seq as i64 * 1000 }
    }

    fn keep(&mut self, contents: Vec<Json>) {
        for (i, content) in contents.into_iter().enumerate() {
            self.bodies.0.insert((self.seq, i as u32 + 1), Arc::new(content));
        }
        self.seq += 1;
    }

    fn close(&mut self, closed: Closed, materialized: &[pactdb::internals::change::Addition]) {
        let cycle = closed.cycle;
        {
            let mut shelf = self.shelf.0.write().unwrap();
            let skeleton = Skeleton {
                root: closed.tree.root().clone(),
                seq: closed.tree.seq().clone(),
                spine: closed.tree.spine().clone(),
            };
            shelf.skeletons.insert(cycle, skeleton);
            let mut finite = shelf.finite.values().next_back().cloned().unwrap_or_default();
            for part in &closed.parts {
                shelf.parts.entry(part.place).or_default().insert(cycle, part.new.clone());
                let (before, after) = (part.old.is_some(), part.new.is_some());
                let changed = ChangedPart { place: part.place, before, after };
                shelf.changed.entry(cycle).or_default().push(changed);
                match part.new.as_deref().is_some_and(|part| {
                    part.entries().iter().any(|entry| entry.node.lifetime.is_some())
                }) {
                    true => finite.insert(part.place),
                    false => finite.remove(&part.place),
                };
                let ids = part.new.iter().flat_map(|part| part.entries());
                shelf.used.extend(ids.map(|entry| entry.node.id.clone()));
            }
            shelf.finite.insert(cycle, finite);
            for (id, place) in &closed.delta.placed {
                shelf.placed.entry(id.clone()).or_default().push((cycle, *place));
            }
            shelf.used.extend(closed.delta.used.iter().cloned());
            for id in [closed.tree.root(), closed.tree.seq()] {
                shelf.used.insert(id.id.clone());
            }
            shelf.refs.extend(closed.delta.refs.iter().cloned());
            for (key, instance) in &closed.delta.instances {
                shelf.instances.insert(key.to_string(), instance.clone());
            }
        }
        self.history.push(cycle);
        self.working = Working::fresh(closed.next_state(materialized).unwrap());
    }
}

impl Timeline for Memory {
    fn generation(&self) -> Generation {
        self.generation
    }

    fn history(&self) -> &History {
        &self.history
    }

    fn last_cycle(&self) -> u64 {
        self.working.state.last_cycle
    }

    fn working(&self) -> Result<Tree, ReadError> {
        Ok(self.working.state.tree.clone())
    }

    fn at(&self, cycle: u64) -> Result<Tree, ReadError> {
        Tree::at(cycle, self.shelf.clone())
    }

    fn event(&self, seq: u64) -> Result<EventState, ReadError> {
        Ok(match self.events.get(&seq) {
            Some((after, _)) => EventState::After(*after),
            None => EventState::Unknown { newest: self.seq - 1 },
        })
    }

    fn after_event(&self, seq: u64, _: u64) -> Result<(Tree, u64), ReadError> {
        let (_, tree) = self.events.get(&seq).unwrap();
        Ok((tree.clone(), 0))
    }

    fn contents(&self) -> &dyn Contents {
        &self.bodies
    }

    fn changed_parts(&self, cycle: u64) -> Result<Vec<ChangedPart>, ReadError> {
        Ok(self.shelf.0.read().unwrap().changed.get(&cycle).cloned().unwrap_or_default())
    }

    fn versions(&self, place: Place, from: u64, upto: u64) -> Result<Vec<u64>, ReadError> {
        let shelf = self.shelf.0.read().unwrap();
        let versions = shelf.parts.get(&place).into_iter();
        Ok(versions.flat_map(|all| all.range(from..=upto)).map(|(cycle, _)| *cycle).collect())
    }

    fn places_of(&self, id: &str) -> Result<Vec<(u64, Place)>, ReadError> {
        Ok(self.shelf.0.read().unwrap().placed.get(id).cloned().unwrap_or_default())
    }

    fn finite_places(&self, cycle: u64, most: u64) -> Result<Vec<Place>, ReadError> {
        let shelf = self.shelf.0.read().unwrap();
        let mut found = Vec::new();
        for place in shelf.finite.get(&cycle).into_iter().flatten() {
            let part = shelf.part(*place, cycle)?;
            let mut nodes = part.entries().iter().map(|entry| &entry.node);
            if nodes.any(|node| node.ttl_at(cycle).is_some_and(|ttl| ttl <= most)) {
                found.push(*place);
            }
        }
        Ok(found)
    }

    fn turns_with(
        &self,
        cycle: u64,
        lookup: &Lookup,
        _: usize,
    ) -> Result<Option<Vec<Slot>>, ReadError> {
        let spine = self.shelf.skeleton(cycle)?.spine;
        let mut found = Vec::new();
        for slot in spine.iter() {
            let part = self.shelf.0.read().unwrap().part(Place::Turn(slot), cycle)?;
            let mut has = !(self.sketched)(slot);
            match lookup {
                Lookup::Names(wanted) | Lookup::Attributes(wanted) => {
                    has |= name_hashes(&part).iter().any(|hash| wanted.contains(hash));
                }
                Lookup::Texts(texts) => {
                    for content in part.entries().iter().filter_map(|entry| entry.node.content) {
                        let body = self.bodies.content(&content)?;
                        let grams = Trigrams::of(body.text().as_bytes());
                        let all = grams.as_ref().map_or(&[][..], Trigrams::hashes);
                        let stands =
                            |text: &Trigrams| text.hashes().iter().all(|hash| all.contains(hash));
                        has |= texts.iter().any(stands);
                    }
                }
            }
            if has {
                found.push(slot);
            }
        }
        Ok(Some(found))
    }

    fn summary_page(&self, slot: Slot) -> Result<Option<Arc<SummaryPage>>, ReadError> {
        let shelf = self.shelf.0.read().unwrap();
        let near = |other: &Slot| other.page() == slot.page() && (self.sketched)(*other);
        let turns = shelf.parts.iter().filter_map(|(place, all)| Some((place.slot()?, all)));
        let versions: Vec<_> = turns
            .filter(|(other, _)| near(other))
            .flat_map(|(other, all)| {
                all.iter().map(move |(from, part)| (other, *from, part.clone()))
            })
            .collect();
        Ok(Some(Arc::new(SummaryPage::of(&versions))))
    }

    fn summaries(
        &self,
        cycle: u64,
        turns: &[Slot],
        _: bool,
        matters: &mut dyn FnMut(&Arc<Subtree>) -> bool,
        each: &mut dyn FnMut(usize, Indexed<'_>),
    ) -> Result<(), ReadError> {
        for (i, slot) in turns.iter().enumerate() {
            let part = self.shelf.0.read().unwrap().part(Place::Turn(*slot), cycle)?;
            let page = SummaryPage::of(&[(*slot, cycle, Some(part))]);
            let known = page.at(*slot, cycle).filter(|_| (self.sketched)(*slot));
            let indexed = match known {
                None => Indexed::No,
                Some(sketch) if !matters(sketch.template) => Indexed::CannotMatch,
                Some(sketch) => Indexed::Summary(sketch),
            };
            each(i, indexed);
        }
        Ok(())
    }
}

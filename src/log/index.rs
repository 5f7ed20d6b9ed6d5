//! The indexes: ids, expiry, references and instances, and what turns can be found by.
//!
//! What the newest commits taught them is held in memory, the tail, and written to the tables by
//! every 64th commit, so most commits touch none of these tables. The commits' own rows have the
//! same facts, from which opening a store makes the tail again.

use super::StoreError;
use super::checked::{absent, look, mark};
use super::clues::{NewVersion, flush_clues};
use super::codec::{decode, encode, seal, unseal};
use super::extras::WholeNode;
use super::guarded::Readable;
use super::nodes::Names;
use super::prunes::flush_prunes;
use super::rows::PartRow;
use super::shown::Shown;
use super::sketches::flush_sketches;
use super::tables::{
    EXPIRY, IDS, INSTANCES, PARTS, REFS, RUNNING, part_key, place_from_key, place_key,
};
use super::writing::Writer;
use crate::change::{Expiry, IndexDelta};
use crate::model::{Id, Instance, Name, Place, Slot, Subtree};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the indexes learnt since they were last written.
#[derive(Debug, Clone, Default)]
pub(super) struct Tail {
    /// For each id, where its node came to lie and from which cycle; nowhere if it was only used.
    ids: BTreeMap<Id, Vec<(u64, Place)>>,
    refs: BTreeSet<(Id, Id)>,
    expiry: BTreeSet<Expiry>,
    instances: BTreeMap<Name, Instance>,
    /// New versions of turns, each by the cycle that it holds from.
    pub(super) turns: BTreeMap<(Slot, u64), Version>,
}

/// A version of a turn that has no sketch yet.
#[derive(Debug, Clone)]
pub(super) enum Version {
    /// The turn.
    Held(Arc<Subtree>),
    /// It has to be read.
    Stored,
    /// The turn has gone.
    Gone,
}

impl Tail {
    /// Adds what a cycle taught.
    pub(super) fn learn(
        &mut self,
        cycle: u64,
        delta: &IndexDelta,
        turns: impl Iterator<Item = (Place, Version)>,
    ) {
        for (place, version) in turns {
            if let Place::Turn(slot) = place {
                self.turns.insert((slot, cycle), version);
            }
        }
        for id in &delta.used {
            self.ids.entry(id.clone()).or_default();
        }
        for (id, place) in &delta.placed {
            self.ids.entry(id.clone()).or_default().push((cycle, *place));
        }
        self.refs.extend(delta.refs.iter().cloned());
        self.expiry.extend(delta.expiry.iter().copied());
        self.instances.extend(delta.instances.iter().cloned());
    }

    pub(super) fn places(&self, id: &str) -> Option<&[(u64, Place)]> {
        self.ids.get(id).map(Vec::as_slice)
    }

    pub(super) fn referrers(&self, id: &str) -> Vec<Id> {
        let from: (Id, Id) = (id.into(), "".into());
        let same = |(target, _): &&(Id, Id)| &**target == id;
        self.refs.range(from..).take_while(same).map(|(_, referrer)| referrer.clone()).collect()
    }

    /// Places that may hold a node due at one of the cycles `after + 1 ..= upto`.
    pub(super) fn expiring(&self, after: u64, upto: u64) -> impl Iterator<Item = Place> + '_ {
        let due = move |expiry: &&Expiry| (after + 1..=upto).contains(&expiry.due);
        self.expiry.iter().filter(due).map(|expiry| expiry.place)
    }

    /// Places that may hold a node with a finite ttl at a cycle, of which at most so much remains.
    pub(super) fn finite(&self, cycle: u64, most: u64) -> impl Iterator<Item = Place> + '_ {
        let lives = move |expiry: &&Expiry| {
            expiry.due > cycle && expiry.due <= last_due(cycle, expiry.span, most)
        };
        self.expiry.iter().filter(lives).map(|expiry| expiry.place)
    }

    pub(super) fn instance(&self, key: &str) -> Option<&Instance> {
        self.instances.get(key)
    }

    pub(super) fn instances(&self) -> &BTreeMap<Name, Instance> {
        &self.instances
    }

    /// The versions of turns that are not in the tables.
    fn new_versions(&self, txn: &Writer) -> Result<Vec<NewVersion>, StoreError> {
        let parts = txn.open_table(PARTS)?;
        let read = |slot: Slot, from: u64| {
            let key = part_key(Place::Turn(slot), from);
            let row = parts.get(key)?.ok_or_else(|| {
                StoreError::corrupt(format!("a version of the turn {slot:?} is missing"))
            })?;
            PartRow::read(key, row.value())?.part(&mut Names::default())
        };
        let versions = self.turns.iter().map(|((slot, from), version)| {
            let turn = match version {
                Version::Held(turn) => Some(turn.clone()),
                Version::Gone => None,
                Version::Stored => read(*slot, *from)?,
            };
            Ok(((*slot, *from), turn))
        });
        versions.collect()
    }

    /// Writes everything to the tables, at the commit of a cycle. Contents are read from `log`.
    pub(super) fn flush(
        &self,
        txn: &Writer,
        cycle: u64,
        log: &impl Readable<(u64, u32), &'static [u8]>,
    ) -> Result<(), StoreError> {
        let mut ids = txn.open_table(IDS)?;
        for (id, places) in &self.ids {
            let mut all = match ids.get(&**id)? {
                Some(row) => read_places(id, row.value())?,
                None => Vec::new(),
            };
            all.extend_from_slice(places);
            let row = seal("ids", id.as_bytes(), encode(&all)?);
            ids.insert(&**id, row.as_slice())?;
        }
        let mut refs = txn.open_table(REFS)?;
        for (target, referrer) in &self.refs {
            mark(&mut refs, "refs", (&**target, &**referrer))?;
        }
        let mut expiry = txn.open_table(EXPIRY)?;
        for Expiry { span, due, place } in &self.expiry {
            let (slot, rank) = place_key(*place);
            mark(&mut expiry, "expiry", (*span, *due, slot, rank))?;
        }
        let versions = self.new_versions(txn)?;
        flush_sketches(txn, &versions)?;
        flush_clues(txn, cycle, &versions, log)?;
        flush_prunes(txn, &versions)?;
        let mut instances = txn.open_table(INSTANCES)?;
        let mut running = txn.open_table(RUNNING)?;
        for (key, instance) in &self.instances {
            let node = WholeNode::from(&*instance.node);
            let row = encode(&(node, instance.ended, instance.removed))?;
            let row = seal("instances", key.as_bytes(), row);
            instances.insert(&**key, row.as_slice())?;
            if instance.runs() {
                mark(&mut running, "running", &**key)?;
            } else {
                running.remove(&**key)?;
            }
        }
        Ok(())
    }
}

/// The tables of the indexes, read at one moment.
pub(super) struct Tables<'a>(pub(super) &'a Shown);

impl Tables<'_> {
    pub(super) fn places(&self, id: &str) -> Result<Option<Vec<(u64, Place)>>, StoreError> {
        let table = self.0.ids()?;
        match table.get(id)? {
            Some(row) => read_places(id, row.value()).map(Some),
            None => absent(table, "ids", id).map(|()| None),
        }
    }

    pub(super) fn referrers(&self, id: &str) -> Result<Vec<Id>, StoreError> {
        let table = self.0.open_table(REFS)?;
        absent(&table, "refs", (id, ""))?;
        let mut found = Vec::new();
        for entry in table.range((id, "")..)? {
            let (key, row) = entry?;
            look("refs", &key, &row)?;
            let (target, referrer) = key.value();
            if target != id {
                break;
            }
            found.push(referrer.into());
        }
        Ok(found)
    }

    pub(super) fn expiring(&self, after: u64, upto: u64) -> Result<Vec<Place>, StoreError> {
        self.due(|_| (after, upto))
    }

    pub(super) fn finite(&self, cycle: u64, most: u64) -> Result<Vec<Place>, StoreError> {
        self.due(|span| (cycle, last_due(cycle, span, most)))
    }

    /// Places due after one cycle and up to another, which may depend on the span.
    fn due(&self, window: impl Fn(u8) -> (u64, u64)) -> Result<Vec<Place>, StoreError> {
        let table = self.0.expiry()?;
        let mut found = Vec::new();
        let mut from = 0u8;
        // One look for each span that is in use.
        while let Some(first) = table.range((from, 0, 0, 0)..)?.next() {
            let (key, row) = first?;
            look("expiry", &key, &row)?;
            let span = key.value().0;
            let (after, upto) = window(span);
            let first = (span, after.saturating_add(1), 0, 0);
            let end = (span, upto.saturating_add(1), 0, 0);
            // The rows on both sides of the window are looked at too, see `checked`.
            if let Some(before) = table.range(..first)?.next_back() {
                let (key, row) = before?;
                look("expiry", &key, &row)?;
            }
            for entry in table.range(first..)? {
                let (key, row) = entry?;
                look("expiry", &key, &row)?;
                if key.value() >= end {
                    break;
                }
                let (_, _, slot, rank) = key.value();
                let place = place_from_key(slot, rank).ok_or_else(|| {
                    let message = format!("the expiry index names an unknown place {slot}/{rank}");
                    StoreError::corrupt(message)
                })?;
                found.push(place);
            }
            let Some(next) = span.checked_add(1) else { break };
            from = next;
        }
        Ok(found)
    }

    pub(super) fn instance(&self, key: &str) -> Result<Option<Instance>, StoreError> {
        let table = self.0.open_table(INSTANCES)?;
        let Some(row) = table.get(key)? else {
            return absent(&table, "instances", key).map(|()| None);
        };
        let what = || format!("the newest instance of the key {key}");
        let bytes = unseal("instances", key.as_bytes(), row.value(), what)?;
        let (node, ended, removed): (WholeNode, bool, bool) = decode(bytes, &what())?;
        Ok(Some(Instance { node: Arc::new(node.into_node()?), ended, removed }))
    }

    /// Keys whose cadence runs, as far as the tables know.
    pub(super) fn running(&self) -> Result<Vec<Name>, StoreError> {
        let table = self.0.open_table(RUNNING)?;
        let names = table.iter()?.map(|entry| {
            let (key, row) = entry?;
            look("running", &key, &row)?;
            Ok(Name::from(key.value()))
        });
        names.collect()
    }
}

/// The last cycle at which a node that lives at `cycle` can be due.
fn horizon(cycle: u64, span: u8) -> u64 {
    cycle.saturating_add(1u64.checked_shl(span.into()).unwrap_or(u64::MAX))
}

/// The same for a node of which at most so much remains. What is overdue has nothing left, and is
/// due again at the next commit.
fn last_due(cycle: u64, span: u8, most: u64) -> u64 {
    horizon(cycle, span).min(cycle.saturating_add(most.max(1)))
}

fn read_places(id: &str, row: &[u8]) -> Result<Vec<(u64, Place)>, StoreError> {
    let what = || format!("the index entry of {id}");
    decode(unseal("ids", id.as_bytes(), row, what)?, &what())
}

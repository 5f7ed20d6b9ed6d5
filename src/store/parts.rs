//! Reading parts of the tree as they are in the snapshot of a cycle, through the cache.

use super::reader::StoreReader;
use crate::index::{PartKey, PartRow, part_key, place_key};
use crate::model::{Node, Place, Subtree};
use crate::storage::{Readable, StoreError};
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};

/// How many versions of a part are remembered.
const VERSIONS: usize = 4;

impl StoreReader {
    /// The cycles of `from..=upto` in which a part changed, oldest first.
    pub fn versions(&self, place: Place, from: u64, upto: u64) -> Result<Vec<u64>, StoreError> {
        self.with(|view| {
            let table = view.parts()?;
            let (slot, rank) = place_key(place);
            let range = table.range((slot, rank, from)..=(slot, rank, upto))?;
            range.map(|entry| Ok(entry?.0.value().2)).collect()
        })
    }

    /// A node in the last version that has it, of the part that it was put in last, at the cycle
    /// `from`. It stayed there for some versions, and is in none after them: coming back would have
    /// put it there anew.
    pub(super) fn last_version(
        &self,
        id: &str,
        place: Place,
        from: u64,
    ) -> Result<Option<Arc<Node>>, StoreError> {
        let mut versions: BTreeSet<u64> =
            self.versions(place, from, u64::MAX)?.into_iter().collect();
        let (slot, rank) = place_key(place);
        {
            let announced = self.announced();
            let range = announced.range((slot, rank, from)..=(slot, rank, u64::MAX));
            versions.extend(range.map(|((.., version), _)| *version));
        }
        let versions: Vec<u64> = versions.into_iter().collect();
        let (mut low, mut high) = (0, versions.len());
        let mut found = None;
        while low < high {
            let middle = low + (high - low) / 2;
            let part = self.version(place, versions[middle])?;
            let node = part.and_then(|part| part.find(id).map(|index| part.node(index).clone()));
            match node {
                Some(_) => (found, low) = (node, middle + 1),
                None => high = middle,
            }
        }
        Ok(found)
    }

    /// A version of a part; none if the part went with it.
    fn version(&self, place: Place, version: u64) -> Result<Option<Arc<Subtree>>, StoreError> {
        let (slot, rank) = place_key(place);
        let key = (slot, rank, version);
        {
            let announced = self.announced();
            if let Some(part) = announced.get(&key) {
                return Ok(part.clone());
            }
        }
        self.with(|view| {
            let table = view.parts()?;
            let Some(row) = table.get(key)? else { return Ok(None) };
            let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
            PartRow::read(key, row.value())?.part(&mut names)
        })
    }

    /// A version that is about to be written, if there is one for that cycle.
    fn announced_part(&self, place: Place, cycle: u64) -> Option<Arc<Subtree>> {
        let announced = self.announced();
        if announced.is_empty() {
            return None;
        }
        let (slot, rank) = place_key(place);
        let mut versions = announced.range((slot, rank, 0)..=(slot, rank, cycle));
        versions.next_back().and_then(|(_, part)| part.clone())
    }

    fn cached_part(&self, key: &PartKey) -> Option<Arc<Subtree>> {
        let large = || {
            let large = self.large.lock().unwrap_or_else(PoisonError::into_inner);
            large.as_ref().filter(|(at, _)| at == key).map(|(_, part)| part.clone())
        };
        self.parts.get(key).or_else(large)
    }

    fn cache_part(&self, key: PartKey, part: &Arc<Subtree>) {
        self.parts.insert(key, part.clone());
        if self.parts.peek(&key).is_none() {
            *self.large.lock().unwrap_or_else(PoisonError::into_inner) = Some((key, part.clone()));
        }
    }

    pub(super) fn read_part(&self, place: Place, cycle: u64) -> Result<Arc<Subtree>, StoreError> {
        if let Some(part) = self.announced_part(place, cycle) {
            return Ok(part);
        }
        let (slot, rank) = place_key(place);
        let known = self.versions.get(&(slot, rank)).unwrap_or_default();
        let version = known.iter().find(|(from, upto)| (*from..=*upto).contains(&cycle));
        if let Some((from, _)) = version
            && let Some(part) = self.cached_part(&(slot, rank, *from))
        {
            return Ok(part);
        }
        self.with(|view| {
            let table = view.parts()?;
            let missing = || {
                let (slot, rank, _) = part_key(place, cycle);
                StoreError::corrupt(format!(
                    "the part {slot}/{rank} as of cycle {cycle} is missing"
                ))
            };
            // Most turns are as they were sealed.
            let first = match place {
                Place::Turn(slot) if slot.cycle <= cycle => {
                    table.get(part_key(place, slot.cycle))?.map(|row| (slot.cycle, row))
                }
                _ => None,
            };
            let holds = |row: &[u8]| {
                let until = row.first_chunk::<8>().map_or(0, |until| u64::from_le_bytes(*until));
                until == 0 || until > cycle
            };
            let (version, row) = match first.filter(|(_, row)| holds(row.value())) {
                Some(first) => first,
                None => {
                    let mut range = table.range((slot, rank, 0)..=(slot, rank, cycle))?;
                    let Some(entry) = range.next_back() else { return Err(missing()) };
                    let (key, row) = entry?;
                    (key.value().2, row)
                }
            };
            let key = (slot, rank, version);
            let row = PartRow::read(key, row.value())?;
            if row.until > 0 && row.until <= cycle {
                return Err(missing());
            }
            // The newest version holds at least up to the last commit.
            let upto = match row.until {
                0 => view.last_cycle()?.unwrap_or_default(),
                until => until - 1,
            };
            let part = match self.cached_part(&key) {
                Some(part) => part,
                None => {
                    let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
                    let part = row.part(&mut names)?.ok_or_else(missing)?;
                    self.cache_part(key, &part);
                    part
                }
            };
            let mut versions = known;
            versions.retain(|(from, _)| *from != key.2);
            versions.truncate(VERSIONS - 1);
            versions.insert(0, (key.2, upto));
            self.versions.insert((slot, rank), versions);
            Ok(part)
        })
    }
}

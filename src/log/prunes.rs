//! The `prunes` table: the blocks of the sealed turns in the order in which a policy would remove
//! them, so that a commit above a limit reads those that go, and not every turn that lives.
//!
//! It is written with the other indexes. Turns that came or changed since are in the tail, and are
//! looked at themselves.

use super::StoreError;
use super::checked::look;
use super::clues::NewVersion;
use super::codec::{Numbers, put_number, seal};
use super::guarded::Readable;
use super::read::LogReader;
use super::sketches::version_before;
use super::tables::{PARTS, PRUNES, PruneKey};
use super::writing::Writer;
use crate::lifecycle::prunable;
use crate::model::{PruneRank, Slot, prune_rank};
use redb::Value;
use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::PoisonError;

/// How many blocks are read at once.
const CHUNK: usize = 64;

/// Puts the blocks of new versions of turns in the place of those of the old ones.
pub(super) fn flush_prunes(txn: &Writer, versions: &[NewVersion]) -> Result<(), StoreError> {
    let parts = txn.open_table(PARTS)?;
    let mut table = txn.open_table(PRUNES)?;
    for turn in versions.chunk_by(|a, b| a.0.0 == b.0.0) {
        let (Some(((slot, from), _)), Some((_, new))) = (turn.first(), turn.last()) else {
            continue;
        };
        let ranks = |turn: &crate::model::Subtree| -> BTreeSet<PruneRank> {
            prunable(turn).map(prune_rank).collect()
        };
        let old = version_before(&parts, *slot, *from)?.map_or_else(BTreeSet::new, |t| ranks(&t));
        let new = new.as_deref().map_or_else(BTreeSet::new, ranks);
        for (priority, age, id) in old.difference(&new) {
            table.remove((*priority, *age, &**id))?;
        }
        let mut place = Vec::new();
        put_number(slot.cycle, &mut place);
        put_number(u64::from(slot.rank), &mut place);
        for (priority, age, id) in new.difference(&old) {
            let key = (*priority, *age, &**id);
            let row = seal("prunes", PruneKey::as_bytes(&key).as_ref(), place.clone());
            table.insert(key, row.as_slice())?;
        }
    }
    Ok(())
}

impl LogReader {
    /// The turns that the table does not know as they are at a cycle; none if it knows other cycles.
    pub(super) fn unranked_turns(&self, cycle: u64) -> Result<Option<BTreeSet<Slot>>, StoreError> {
        let newest = self.with(|shown| shown.last_cycle())?.unwrap_or_default();
        if newest > cycle {
            return Ok(None);
        }
        let tail = self.tail.read().unwrap_or_else(PoisonError::into_inner);
        Ok(Some(tail.turns.keys().map(|(slot, _)| *slot).collect()))
    }

    /// The next blocks in order.
    pub(super) fn ranked_blocks(
        &self,
        after: Option<&PruneRank>,
    ) -> Result<Vec<(PruneRank, Slot)>, StoreError> {
        self.with(|shown| {
            let table = shown.open_table(PRUNES)?;
            let start = match after {
                Some((priority, age, id)) => Bound::Excluded((*priority, *age, &**id)),
                None => Bound::Unbounded,
            };
            let mut found = Vec::new();
            for entry in table.range((start, Bound::Unbounded))?.take(CHUNK) {
                let (key, row) = entry?;
                let mut place = Numbers(look("prunes", &key, &row)?);
                let slot = place.next().zip(place.next().and_then(|rank| rank.try_into().ok()));
                let (cycle, rank) =
                    slot.ok_or_else(|| StoreError::corrupt("a row of 'prunes' names no turn"))?;
                let (priority, age, id) = key.value();
                found.push(((priority, age, id.into()), Slot { cycle, rank }));
            }
            Ok(found)
        })
    }
}

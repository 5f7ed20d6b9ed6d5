//! The table `prunes`: the blocks of the sealed turns in the order in which a policy would remove
//! them, so that a commit above a limit reads those that go, and not every turn that lives.
//!
//! It is written when 64 commits are complete. Turns that came or changed since are in the memtable, and are read
//! themselves.

use super::parts::{TurnVersion, version_before};
use super::schedule::Piece;
use super::tables::{PARTS, PRUNES};
use super::view::View;
use crate::lifecycle::prunable;
use crate::model::{PruneRank, Slot, Subtree, prune_rank};
use crate::storage::{
    Numbers, Readable, StoreError, Writer, checked_bytes, insert_bytes, put_number,
};
use std::collections::BTreeSet;
use std::ops::Bound;

/// How many blocks are read at once.
const CHUNK: usize = 64;

/// Puts the blocks of new versions of turns, or of a piece of these turns, in the place of those of the old ones.
pub(super) fn write_prunes(
    txn: &Writer,
    versions: &[TurnVersion],
    piece: Piece,
) -> Result<(), StoreError> {
    let parts = txn.open_table(PARTS)?;
    let mut table = txn.open_table(PRUNES)?;
    let ranks =
        |turn: &Subtree| -> BTreeSet<PruneRank> { prunable(turn).map(prune_rank).collect() };
    let turns: Vec<_> = versions.chunk_by(|a, b| a.0.0 == b.0.0).collect();
    for turn in &turns[piece.range(turns.len())] {
        let (Some(((slot, from), _)), Some((_, new))) = (turn.first(), turn.last()) else {
            continue;
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
            insert_bytes(&mut table, PRUNES, (*priority, *age, &**id), place.clone())?;
        }
    }
    Ok(())
}

/// The next blocks in order, after one of them or from the first.
pub(crate) fn ranked_blocks(
    view: &View,
    after: Option<&PruneRank>,
) -> Result<Vec<(PruneRank, Slot)>, StoreError> {
    let table = view.open_table(PRUNES)?;
    let start = match after {
        Some((priority, age, id)) => Bound::Excluded((*priority, *age, &**id)),
        None => Bound::Unbounded,
    };
    let mut found = Vec::new();
    for entry in table.range((start, Bound::Unbounded))?.take(CHUNK) {
        let (key, row) = entry?;
        let mut place = Numbers(checked_bytes(PRUNES, &key, &row)?);
        let slot = place.next().zip(place.next().and_then(|rank| rank.try_into().ok()));
        let (cycle, rank) =
            slot.ok_or_else(|| StoreError::corrupt("a row of 'prunes' names no turn"))?;
        let (priority, age, id) = key.value();
        found.push(((priority, age, id.into()), Slot { cycle, rank }));
    }
    Ok(found)
}

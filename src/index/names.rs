//! The table of names, `features`: an inverted index from the hash of a name to the turns that have
//! it.
//!
//! A name is a role, kind, key, tag or type of a node, or the name of an attribute of the user's own. When 64 commits
//! are complete, a row is added for each name of the turns that came or changed in them; none is changed. Newer versions are in the
//! memtable, and count as having every name.

use super::lookup::name_hashes;
use super::parts::TurnVersion;
use super::schedule::Piece;
use super::tables::{NAMES, name_key_bytes};
use super::view::View;
use crate::model::{Slot, Spine};
use crate::storage::{Readable, StoreError, Writer, decode, encode, seal, unseal};
use std::collections::{BTreeMap, BTreeSet};

/// Adds rows for new versions of turns, which were committed up to a cycle, or a piece of these rows.
pub(super) fn write_names(
    txn: &Writer,
    cycle: u64,
    versions: &[TurnVersion],
    piece: Piece,
) -> Result<(), StoreError> {
    let mut turns: BTreeMap<u32, Spine> = BTreeMap::new();
    for versions in versions.chunk_by(|a, b| a.0.0 == b.0.0) {
        let hashes: BTreeSet<u32> =
            versions.iter().filter_map(|(_, turn)| turn.as_deref()).flat_map(name_hashes).collect();
        for hash in hashes {
            push(turns.entry(hash).or_default(), versions[0].0.0);
        }
    }
    let mut table = txn.open_table(NAMES)?;
    let range = piece.range(turns.len());
    for (hash, slots) in turns.iter().skip(range.start).take(range.len()) {
        let key = (*hash, cycle);
        let row = seal(NAMES.name(), &name_key_bytes(key), encode(slots)?);
        table.insert(key, row.as_slice())?;
    }
    Ok(())
}

/// Adds a turn to a list of turns; they come in order.
pub(super) fn push(slots: &mut Spine, slot: Slot) {
    match slot.rank {
        0 => slots.push_sealed(slot.cycle),
        _ => slots.push_imported(slot),
    }
}

/// Adds the turns that may have one of the names with these hashes; false if there are too many.
pub(crate) fn with_names(
    view: &View,
    hashes: &[u32],
    most: usize,
    found: &mut Vec<Slot>,
) -> Result<bool, StoreError> {
    let table = view.names()?;
    for hash in hashes {
        for entry in table.range((*hash, 0)..=(*hash, u64::MAX))? {
            let (key, row) = entry?;
            let key = key.value();
            let what = || format!("the turns with a feature as of cycle {}", key.1);
            let bytes = unseal(NAMES.name(), &name_key_bytes(key), row.value(), what)?;
            let slots: Spine = decode(bytes, &what())?;
            if found.len() as u64 + slots.len() > most as u64 {
                return Ok(false);
            }
            found.extend(slots.iter());
        }
    }
    Ok(true)
}

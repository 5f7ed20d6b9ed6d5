//! Ids and references: where the node of an id lay and lies, and who named it in `refs`.
//!
//! Tables: `ids`, with the places of an id and the cycles from which; `refs`, with pairs of ids.

use super::schedule::Piece;
use super::tables::{IDS, REFS};
use super::view::View;
use crate::model::{Id, Place};
use crate::storage::{
    Readable, StoreError, Writer, check_neighbours, checked_bytes, decode, encode, insert_key,
    seal, unseal,
};
use std::collections::{BTreeMap, BTreeSet};

/// The places that the node of an id came to lie in, each with the cycle, as far as the table
/// knows; none if it was never used.
pub(crate) fn places(view: &View, id: &str) -> Result<Option<Vec<(u64, Place)>>, StoreError> {
    let table = view.ids()?;
    match table.get(id.as_bytes())? {
        Some(row) => read_places(id, row.value()).map(Some),
        None => check_neighbours(table, IDS, id.as_bytes()).map(|()| None),
    }
}

/// Nodes that named an id in their `refs` at some time, as far as the table knows.
pub(crate) fn referrers(view: &View, id: &str) -> Result<Vec<Id>, StoreError> {
    let table = view.open_table(REFS)?;
    check_neighbours(&table, REFS, (id, ""))?;
    let mut found = Vec::new();
    for entry in table.range((id, "")..)? {
        let (key, row) = entry?;
        checked_bytes(REFS, &key, &row)?;
        let (target, referrer) = key.value();
        if target != id {
            break;
        }
        found.push(referrer.into());
    }
    Ok(found)
}

/// Writes new places of ids, or a piece of them.
pub(super) fn write_ids(
    txn: &Writer,
    new: &BTreeMap<Id, Vec<(u64, Place)>>,
    piece: Piece,
) -> Result<(), StoreError> {
    let mut ids = txn.open_table(IDS)?;
    let range = piece.range(new.len());
    for (id, places) in new.iter().skip(range.start).take(range.len()) {
        let mut all = match ids.get(id.as_bytes())? {
            Some(row) => read_places(id, row.value())?,
            None => Vec::new(),
        };
        all.extend_from_slice(places);
        let row = seal(IDS.name(), id.as_bytes(), encode(&all)?);
        ids.insert(id.as_bytes(), row.as_slice())?;
    }
    Ok(())
}

/// Writes new references.
pub(super) fn write_refs(txn: &Writer, new: &BTreeSet<(Id, Id)>) -> Result<(), StoreError> {
    let mut refs = txn.open_table(REFS)?;
    for (target, referrer) in new {
        insert_key(&mut refs, REFS, (&**target, &**referrer))?;
    }
    Ok(())
}

fn read_places(id: &str, row: &[u8]) -> Result<Vec<(u64, Place)>, StoreError> {
    let what = || format!("the index entry of {id}");
    decode(unseal(IDS.name(), id.as_bytes(), row, what)?, &what())
}

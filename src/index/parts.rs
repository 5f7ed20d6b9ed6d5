//! Versions of parts of the tree: rows of the table `parts`.
//!
//! A part is `^sys`, `^ah` or a turn, each with all nodes below it. It has a version for each cycle
//! that changed it, as in a multi-version store (MVCC): a version is never changed, but for its
//! end. A row begins with the cycle that the next version holds from, 0 while it is the newest. So
//! whoever finds a version knows that no newer one was missed, and for how long it holds.

use super::nodes::{Interner, read_nodes, write_nodes};
use super::tables::{PARTS, PartKey, part_key, part_key_bytes};
use crate::model::{Place, Slot, Subtree};
use crate::storage::{Bytes, Readable, StoreError, seal, unseal};
use std::sync::Arc;

/// A turn, the cycle that a version of it holds from, and that version; none if the turn has gone.
pub(super) type TurnVersion = ((Slot, u64), Option<Arc<Subtree>>);

/// What to call a row in an error.
pub(super) fn row_name(key: PartKey) -> String {
    match key {
        (0, 1, version) => format!("^sys of cycle {version}"),
        (0, 2, version) => format!("^ah of cycle {version}"),
        (cycle, 0, _) => format!("the commit of cycle {cycle}"),
        (cycle, _, version) => format!("the turn of cycle {cycle} as of cycle {version}"),
    }
}

/// The row of a version; `None` says that the part has gone, and has no nodes.
pub(super) fn write_part(key: PartKey, until: u64, part: Option<&Subtree>) -> Vec<u8> {
    let mut row = until.to_le_bytes().to_vec();
    if let Some(part) = part {
        write_nodes(part, &mut row);
    }
    seal(PARTS.name(), &part_key_bytes(key), row)
}

/// The same row with another end.
pub(super) fn end_part(key: PartKey, row: &[u8], until: u64) -> Result<Vec<u8>, StoreError> {
    let bytes = unseal(PARTS.name(), &part_key_bytes(key), row, || row_name(key))?;
    let mut ended = until.to_le_bytes().to_vec();
    ended.extend_from_slice(bytes.get(8..).unwrap_or_default());
    Ok(seal(PARTS.name(), &part_key_bytes(key), ended))
}

/// A version's bytes, once its checksum is right.
pub(crate) struct PartRow<'a> {
    key: PartKey,
    /// The cycle that the next version holds from; 0 if there is none.
    pub(crate) until: u64,
    nodes: &'a [u8],
}

impl<'a> PartRow<'a> {
    pub(crate) fn read(key: PartKey, row: &'a [u8]) -> Result<PartRow<'a>, StoreError> {
        let bytes = unseal(PARTS.name(), &part_key_bytes(key), row, || row_name(key))?;
        let Some((until, nodes)) = bytes.split_first_chunk::<8>() else {
            return Err(StoreError::corrupt(format!("{} is too short", row_name(key))));
        };
        Ok(PartRow { key, until: u64::from_le_bytes(*until), nodes })
    }

    /// The part; `None` if it has gone.
    pub(crate) fn part(&self, names: &mut Interner) -> Result<Option<Arc<Subtree>>, StoreError> {
        if self.nodes.is_empty() {
            return Ok(None);
        }
        read_nodes(self.nodes, names, &|| row_name(self.key)).map(|part| Some(Arc::new(part)))
    }
}

/// The version of a turn before the one that holds from a cycle.
pub(super) fn version_before(
    parts: &impl Readable<PartKey, Bytes>,
    slot: Slot,
    from: u64,
) -> Result<Option<Arc<Subtree>>, StoreError> {
    let place = Place::Turn(slot);
    let mut before = parts.range(part_key(place, 0)..part_key(place, from))?;
    let Some(row) = before.next_back() else { return Ok(None) };
    let (key, row) = row?;
    PartRow::read(key.value(), row.value())?.part(&mut Interner::default())
}

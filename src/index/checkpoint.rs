//! A checkpoint writes the memtable to the tables of the index, and says up to which cycle they are
//! complete. It happens at every 64th commit, in the transaction of that commit.

use super::expiry::write_expiry;
use super::figure_rows::write_figures;
use super::ids::write_ids;
use super::instances::write_instances;
use super::memtable::{Memtable, NewTurn};
use super::names::write_names;
use super::nodes::Interner;
use super::parts::{PartRow, TurnVersion};
use super::prunes::write_prunes;
use super::summaries::write_summaries;
use super::tables::{PARTS, checkpoint_name, part_key};
use super::trigrams::write_trigrams;
use super::turn_sizes::write_turn_sizes;
use super::view::View;
use crate::log::{LogKey, META};
use crate::model::{Place, Slot};
use crate::snapshot::TurnsHash;
use crate::storage::{Bytes, Readable, StoreError, Writer, decode, encode, seal, unseal};

/// Writes a memtable that ends with the commit of a cycle, when there are so many snapshots. Contents are read from `log`; `turns` is
/// the sum of the turns' hashes after that commit.
pub(crate) fn write_checkpoint(
    txn: &Writer,
    memtable: &Memtable,
    (cycle, snapshots): (u64, u64),
    turns: &TurnsHash,
    log: &impl Readable<LogKey, Bytes>,
) -> Result<(), StoreError> {
    write_ids(txn, memtable)?;
    write_expiry(txn, &memtable.expiry)?;
    let versions = new_versions(txn, memtable)?;
    write_summaries(txn, &versions)?;
    write_names(txn, cycle, &versions)?;
    write_trigrams(txn, cycle, &versions, log)?;
    write_prunes(txn, &versions)?;
    write_instances(txn, &memtable.instances)?;
    write_figures(txn, memtable.figures().copied().collect(), snapshots)?;
    write_turn_sizes(txn, &memtable.sizes)?;
    let row = seal(META.name(), b"checkpoint", encode(&(cycle, turns.to_bytes()))?);
    txn.open_table(META)?.insert(checkpoint_name(txn.side()), row.as_slice())
}

/// The versions of turns that are not in the tables yet.
fn new_versions(txn: &Writer, memtable: &Memtable) -> Result<Vec<TurnVersion>, StoreError> {
    let parts = txn.open_table(PARTS)?;
    let read = |slot: Slot, from: u64| {
        let key = part_key(Place::Turn(slot), from);
        let row = parts.get(key)?.ok_or_else(|| {
            StoreError::corrupt(format!("a version of the turn {slot:?} is missing"))
        })?;
        PartRow::read(key, row.value())?.part(&mut Interner::default())
    };
    let versions = memtable.turns.iter().map(|((slot, from), version)| {
        let turn = match version {
            NewTurn::Held(turn) => Some(turn.clone()),
            NewTurn::Gone => None,
            NewTurn::Stored => read(*slot, *from)?,
        };
        Ok(((*slot, *from), turn))
    });
    versions.collect()
}

/// The cycle of the last checkpoint, 0 if there is none, and the sum of the turns' hashes then.
pub(crate) fn read_checkpoint(view: &View) -> Result<(u64, TurnsHash), StoreError> {
    let meta = view.open_table(META)?;
    let Some(row) = meta.get(checkpoint_name(view.side()))? else {
        return Ok((0, TurnsHash::default()));
    };
    let what = || "the checkpoint".to_owned();
    let bytes = unseal(META.name(), b"checkpoint", row.value(), what)?;
    let (cycle, lanes): (u64, Vec<u8>) = decode(bytes, &what())?;
    let hash = TurnsHash::from_bytes(&lanes)
        .ok_or_else(|| StoreError::corrupt("the checkpoint has no hash of the turns"))?;
    Ok((cycle, hash))
}

//! Writing the memtable to the tables of the index.
//!
//! Every 64th commit is a checkpoint: a layer of the memtable is complete, and the row `checkpoint`
//! says with which cycle. The commits after it write that layer, a slice each (see `schedule`), each
//! in its own transaction.

use super::expiry::write_expiry;
use super::figure_rows::write_figures;
use super::ids::{write_ids, write_refs};
use super::instances::write_instances;
use super::memtable::{Layer, Memtable, NewTurn};
use super::names::write_names;
use super::nodes::Interner;
use super::parts::{PartRow, TurnVersion};
use super::prunes::write_prunes;
use super::schedule::{Slice, slice_at};
use super::summaries::write_summaries;
use super::tables::{PARTS, checkpoint_name, part_key};
use super::trigrams::write_trigrams;
use super::turn_sizes::write_turn_sizes;
use super::view::View;
use crate::log::{LogKey, META};
use crate::model::{Place, Slot};
use crate::snapshot::TurnsHash;
use crate::storage::{Bytes, Readable, StoreError, Writer, decode, encode, seal, unseal};

/// Says that a layer of the memtable ends with the commit of a cycle; `turns` is the sum of the
/// turns' hashes after that commit.
pub(crate) fn write_checkpoint(
    txn: &Writer,
    cycle: u64,
    turns: &TurnsHash,
) -> Result<(), StoreError> {
    let row = seal(META.name(), b"checkpoint", encode(&(cycle, turns.to_bytes()))?);
    txn.open_table(META)?.insert(checkpoint_name(txn.side()), row.as_slice())
}

/// Writes what is due with the commit at a position among its 64, when there are so many snapshots.
/// Contents are read from `log`.
pub(crate) fn write_slice(
    txn: &Writer,
    memtable: &Memtable,
    position: u64,
    snapshots: u64,
    log: &impl Readable<LogKey, Bytes>,
) -> Result<(), StoreError> {
    let layer = &memtable.older;
    let Some((slice, piece)) = slice_at(position).filter(|_| layer.last > 0) else {
        return Ok(());
    };
    match slice {
        Slice::Summaries => write_summaries(txn, &new_versions(txn, layer)?, piece),
        Slice::Names => write_names(txn, layer.last, &new_versions(txn, layer)?, piece),
        Slice::Trigrams => write_trigrams(txn, layer.last, &new_versions(txn, layer)?, piece, log),
        Slice::Prunes => write_prunes(txn, &new_versions(txn, layer)?, piece),
        Slice::Ids => write_ids(txn, &layer.ids, piece),
        Slice::Rest => {
            write_refs(txn, &layer.refs)?;
            write_expiry(txn, &layer.expiry)?;
            write_instances(txn, &layer.instances)?;
            write_figures(txn, layer.figures.values().copied().collect(), snapshots)?;
            write_turn_sizes(txn, &layer.sizes)
        }
    }
}

/// The versions of turns of a layer.
fn new_versions(txn: &Writer, layer: &Layer) -> Result<Vec<TurnVersion>, StoreError> {
    let parts = txn.open_table(PARTS)?;
    let read = |slot: Slot, from: u64| {
        let key = part_key(Place::Turn(slot), from);
        let row = parts.get(key)?.ok_or_else(|| {
            StoreError::corrupt(format!("a version of the turn {slot:?} is missing"))
        })?;
        PartRow::read(key, row.value())?.part(&mut Interner::default())
    };
    let versions = layer.turns.iter().map(|((slot, from), version)| {
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

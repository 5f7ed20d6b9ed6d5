//! The tables of a store and their keys.
//!
//! Keys grow at the right edge wherever that is possible, because a copy-on-write tree pays a
//! page for each place it is touched in.

use super::StoreError;
use super::codec::{seal, unseal};
use super::guarded::Readable;
use super::record::pack_content;
use super::writing::Writer;
use crate::model::{Generation, Place, Slot};
use redb::{Key, TableDefinition, Value};
use std::borrow::Cow;

/// The version of the file as a whole. A newer one is refused.
pub(super) const FORMAT: u32 = 1;

/// The version of the derived tables. Another one means: rebuild them from the log.
pub(super) const DERIVED: u32 = 12;

/// What the store is: `format`, `generation`, and `identity`, which has both and a check; `derived`;
/// and `checkpoint`.
pub(super) const META: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("meta");

/// Part 0 of a sequence number is the event's record, parts 1, 2, … are its contents.
pub(super) const LOG: TableDefinition<'_, (u64, u32), &[u8]> = TableDefinition::new("log");

/// Versions of the parts of the tree, and the commits. See [`part_key`].
pub(super) const PARTS: TableDefinition<'_, PartKey, &[u8]> = TableDefinition::new("parts");

/// Sketches of turns, many in a row. See [`Slot::page`].
pub(super) const SKETCHES: TableDefinition<'_, BlockKey, &[u8]> = TableDefinition::new("sketches");

/// For a feature and the cycle of a checkpoint, the turns that had it in a version made before.
pub(super) const FEATURES: TableDefinition<'_, (u32, u64), &[u8]> =
    TableDefinition::new("features");

/// For the cycle of a checkpoint and a number, some turns and the runs of letters in their contents.
pub(super) const GRAMS: TableDefinition<'_, (u64, u32), &[u8]> = TableDefinition::new("grams");

/// For an id, the places that its node came to lie in, each with the cycle.
pub(super) const IDS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("ids");

/// A span of life, a cycle, and a place that may hold a node of that span due then.
pub(super) const EXPIRY: TableDefinition<'_, ExpiryKey, &[u8]> = TableDefinition::new("expiry");

/// A node, and one that named it in its `refs` at some time.
pub(super) const REFS: TableDefinition<'_, (&str, &str), &[u8]> = TableDefinition::new("refs");

/// The blocks that a policy may remove, by priority, age and id, with their turns.
pub(super) const PRUNES: TableDefinition<'_, PruneKey, &[u8]> = TableDefinition::new("prunes");

/// For a key, its newest instance.
pub(super) const INSTANCES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("instances");

/// Keys whose cadence runs.
pub(super) const RUNNING: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("running");

/// Provider calls by cycle and name.
pub(super) const ATTEMPTS: TableDefinition<'_, (u64, &str), &[u8]> =
    TableDefinition::new("attempts");

/// Provider calls by name, with their cycles.
pub(super) const ATTEMPT_CYCLES: TableDefinition<'_, &str, &[u8]> =
    TableDefinition::new("attempt_cycles");

/// Provider calls that have not ended, with their cycles.
pub(super) const OPEN_ATTEMPTS: TableDefinition<'_, &str, &[u8]> =
    TableDefinition::new("open_attempts");

/// Where parts of the log came from, by every name that finds them, with the event that first
/// said so.
pub(super) const ORIGINS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("origins");

/// A span, a cycle, and the cycle and rank of a slot.
pub(super) type ExpiryKey = (u8, u64, u64, u32);

/// A priority, a time and an id: the order in which a policy removes blocks.
pub(super) type PruneKey = (i64, i64, &'static str);

/// A part and a version of it: the cycle and rank of a slot, and the cycle that it holds from.
pub(super) type PartKey = (u64, u32, u64);

/// Turns whose sketches share a row.
pub(super) type BlockKey = (u64, u32);

/// The bytes of a block's key, for its check.
pub(super) fn block_key_bytes(key: BlockKey) -> [u8; 12] {
    log_key_bytes(key.0, key.1)
}

/// The key of a version of a part. Slots of cycle 0 do not exist, so the regions lie there; rank
/// 0 of every other cycle is its commit, and turns follow from 1.
pub(super) fn part_key(place: Place, version: u64) -> PartKey {
    let (cycle, rank) = place_key(place);
    (cycle, rank, version)
}

/// A place as a pair of numbers.
pub(super) fn place_key(place: Place) -> (u64, u32) {
    match place {
        Place::Sys => (0, 1),
        Place::Ah => (0, 2),
        Place::Turn(slot) => (slot.cycle, slot.rank + 1),
    }
}

/// The place of a pair of numbers.
pub(super) fn place_from_key(cycle: u64, rank: u32) -> Option<Place> {
    match (cycle, rank) {
        (0, 1) => Some(Place::Sys),
        (0, 2) => Some(Place::Ah),
        (0, _) | (_, 0) => None,
        (cycle, rank) => Some(Place::Turn(Slot { cycle, rank: rank - 1 })),
    }
}

/// The key of a commit.
pub(super) fn cycle_key(cycle: u64) -> PartKey {
    (cycle, 0, cycle)
}

/// The bytes of a part's key, for its check.
pub(super) fn part_key_bytes(key: PartKey) -> [u8; 20] {
    let mut bytes = [0; 20];
    bytes[..8].copy_from_slice(&key.0.to_le_bytes());
    bytes[8..12].copy_from_slice(&key.1.to_le_bytes());
    bytes[12..].copy_from_slice(&key.2.to_le_bytes());
    bytes
}

/// The bytes of a log key, for its check.
pub(super) fn log_key_bytes(seq: u64, part: u32) -> [u8; 12] {
    let mut bytes = [0; 12];
    bytes[..8].copy_from_slice(&seq.to_le_bytes());
    bytes[8..].copy_from_slice(&part.to_le_bytes());
    bytes
}

/// The bytes of the key of a provider call, for its check.
pub(super) fn attempt_key_bytes((cycle, id): (u64, &str)) -> Vec<u8> {
    [&cycle.to_le_bytes(), id.as_bytes()].concat()
}

/// The row of `meta` that says which version of the derived tables there is.
pub(super) fn derived_row() -> Vec<u8> {
    seal("meta", b"derived", DERIVED.to_le_bytes().to_vec())
}

/// The row of `meta` that says what the store is, with a check.
pub(super) fn identity_row(format: u32, generation: Generation) -> Vec<u8> {
    let mut bytes = format.to_le_bytes().to_vec();
    bytes.extend_from_slice(generation.name().as_bytes());
    seal("meta", b"identity", bytes)
}

/// Which derived tables are meant: those that are read, or those that are made anew beside them and
/// take their names when they are whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Main,
    Beside,
}

/// The derived tables.
const DERIVED_TABLES: [&str; 14] = [
    "parts",
    "sketches",
    "features",
    "grams",
    "ids",
    "expiry",
    "refs",
    "prunes",
    "instances",
    "running",
    "attempts",
    "attempt_cycles",
    "open_attempts",
    "origins",
];

impl Side {
    /// The name of a table on this side; what is not derived has one side.
    pub(super) fn name(self, table: &str) -> Cow<'_, str> {
        match self {
            Side::Beside if DERIVED_TABLES.contains(&table) => format!("{table}.beside").into(),
            _ => table.into(),
        }
    }

    /// The row of `meta` that says up to where the indexes were written.
    pub(super) fn checkpoint(self) -> &'static str {
        match self {
            Side::Main => "checkpoint",
            Side::Beside => "checkpoint.beside",
        }
    }
}

/// Makes every table, so that readers find them all.
pub(super) fn create_all(txn: &Writer) -> Result<(), StoreError> {
    txn.open_table(META)?;
    txn.open_table(LOG)?;
    create_derived(txn)
}

/// Makes the derived tables.
pub(super) fn create_derived(txn: &Writer) -> Result<(), StoreError> {
    txn.open_table(PARTS)?;
    txn.open_table(SKETCHES)?;
    txn.open_table(FEATURES)?;
    txn.open_table(GRAMS)?;
    txn.open_table(IDS)?;
    txn.open_table(EXPIRY)?;
    txn.open_table(REFS)?;
    txn.open_table(PRUNES)?;
    txn.open_table(INSTANCES)?;
    txn.open_table(RUNNING)?;
    txn.open_table(ATTEMPTS)?;
    txn.open_table(ATTEMPT_CYCLES)?;
    txn.open_table(OPEN_ATTEMPTS)?;
    txn.open_table(ORIGINS)?;
    Ok(())
}

/// Throws the derived tables of one side away.
pub(super) fn drop_derived(txn: &Writer, side: Side) -> Result<(), StoreError> {
    for table in DERIVED_TABLES {
        txn.delete(side, table)?;
    }
    txn.open_table(META)?.remove(side.checkpoint())
}

/// Puts the derived tables that were made beside in the place of the others.
pub(super) fn exchange_derived(txn: &Writer) -> Result<(), StoreError> {
    let made = {
        let meta = txn.open_table(META)?;
        meta.get(Side::Beside.checkpoint())?.map(|row| row.value().to_vec())
    };
    drop_derived(txn, Side::Main)?;
    for table in DERIVED_TABLES {
        txn.rename(&Side::Beside.name(table), table)?;
    }
    let mut meta = txn.open_table(META)?;
    meta.remove(Side::Beside.checkpoint())?;
    if let Some(made) = made {
        meta.insert(Side::Main.checkpoint(), made.as_slice())?;
    }
    Ok(())
}

/// Writes the large tables anew in key order, which fills their pages, and compresses contents.
/// Growing at the right edge leaves pages half empty where a row did not fit.
pub(super) fn repack(
    txn: &Writer,
    compressor: &mut zstd::bulk::Compressor<'_>,
) -> Result<(), StoreError> {
    repack_table(txn, LOG, "log", &mut |(seq, part), row| {
        if part == 0 {
            return Ok(None);
        }
        let key = log_key_bytes(seq, part);
        let plain = unseal("log", &key, row, || format!("content {part} of event {seq}"))?;
        Ok(pack_content(plain, compressor).map(|packed| seal("log", &key, packed)))
    })?;
    repack_table(txn, PARTS, "parts", &mut |_, _| Ok(None))?;
    repack_table(txn, SKETCHES, "sketches", &mut |_, _| Ok(None))?;
    repack_table(txn, GRAMS, "grams", &mut |_, _| Ok(None))?;
    repack_table(txn, IDS, "ids", &mut |_, _| Ok(None))
}

/// What becomes of a row: other bytes, or the same.
type Repacked<'a, K> = &'a mut dyn for<'k> FnMut(
    <K as Value>::SelfType<'k>,
    &[u8],
) -> Result<Option<Vec<u8>>, StoreError>;

fn repack_table<K: Key + 'static>(
    txn: &Writer,
    definition: TableDefinition<'_, K, &'static [u8]>,
    name: &str,
    change: Repacked<'_, K>,
) -> Result<(), StoreError> {
    let packed_name = format!("{name}.packed");
    let packed: TableDefinition<'_, K, &'static [u8]> = TableDefinition::new(&packed_name);
    {
        let old = txn.open_table(definition)?;
        let mut new = txn.open_table(packed)?;
        let mut rows = new.append()?;
        for entry in old.iter()? {
            let (key, value) = entry?;
            let changed = change(key.value(), value.value())?;
            let row = changed.as_deref().unwrap_or(value.value());
            rows.insert(key.value(), row)?;
        }
        rows.close()?;
    }
    txn.delete(Side::Main, name)?;
    txn.rename(&packed_name, name)
}

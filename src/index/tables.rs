//! The derived tables and their keys.
//!
//! Keys grow at their end wherever that is possible, because a copy-on-write B-tree rewrites a page
//! for each place it is touched in.

use crate::log::{META, log_key_bytes};
use crate::model::{Place, Slot};
use crate::storage::{Bytes, Key, Readable, Side, StoreError, Table, Writer, repack, seal};

/// The version of the derived tables. Another one means: rebuild them from the log.
const DERIVED: u32 = 17;

/// Versions of the parts of the tree, and commits. See [`part_key`].
pub(crate) const PARTS: Table<PartKey> = Table::derived("parts");

/// Summaries of turns, a page of them in a row. See [`Slot::page`].
pub(crate) const SUMMARIES: Table<PageKey> = Table::derived("sketches");

/// The inverted index of names: for the hash of a name and the cycle of a checkpoint, the turns
/// that had the name in a version made since the checkpoint before.
pub(crate) const NAMES: Table<NameKey> = Table::derived("features");

/// For the cycle of a checkpoint and a number, some turns and a Bloom filter of the trigrams in
/// their contents.
pub(crate) const TRIGRAMS: Table<TrigramKey> = Table::derived("grams");

/// For the bytes of an id, the places that its node came to lie in, each with the cycle. The type is
/// not a text: whoever looks for one pays for looking whether each key on the way is UTF-8.
pub(crate) const IDS: Table<Bytes> = Table::derived("ids");

/// A span of life, a cycle, and a place that may hold a node of that span due then.
pub(crate) const EXPIRY: Table<ExpiryKey> = Table::derived("expiry");

/// A node, and one that named it in its `refs` at some time.
pub(crate) const REFS: Table<(&'static str, &'static str)> = Table::derived("refs");

/// The blocks that a policy may remove, by priority, age and id, with their turns.
pub(crate) const PRUNES: Table<PruneKey> = Table::derived("prunes");

/// For a key, its newest instance.
pub(crate) const INSTANCES: Table<&'static str> = Table::derived("instances");

/// Keys whose cadence runs.
pub(crate) const RUNNING: Table<&'static str> = Table::derived("running");

/// Provider calls by cycle and name.
pub(crate) const ATTEMPTS: Table<AttemptKey> = Table::derived("attempts");

/// Provider calls by name, with their cycles.
pub(crate) const ATTEMPT_CYCLES: Table<&'static str> = Table::derived("attempt_cycles");

/// Provider calls that have not ended, with their cycles.
pub(crate) const OPEN_ATTEMPTS: Table<&'static str> = Table::derived("open_attempts");

/// Provider calls that failed, by cycle and name.
pub(crate) const FAILED_ATTEMPTS: Table<AttemptKey> = Table::derived("failed_attempts");

/// Where stretches of the log came from, by every name that finds them, with the event that first
/// said so.
pub(crate) const ORIGINS: Table<&'static str> = Table::derived("origins");

/// The figures of snapshots, 64 in a row, and of many together on the levels above.
pub(crate) const FIGURES: Table<FigureKey> = Table::derived("figures");

/// How much of the thread each live turn has, many turns in a row.
pub(crate) const TURN_SIZES: Table<PageKey> = Table::derived("turn_sizes");

/// A part and a version of it: the cycle and rank of a slot, and the cycle that the version holds
/// from.
pub(crate) type PartKey = (u64, u32, u64);

/// The page that the summaries of some turns share.
pub(super) type PageKey = (u64, u32);

/// The hash of a name, and a cycle.
pub(super) type NameKey = (u32, u64);

/// A cycle, and a number among the rows of that checkpoint.
pub(super) type TrigramKey = (u64, u32);

/// A span, a cycle, and the cycle and rank of a slot.
pub(super) type ExpiryKey = (u8, u64, u64, u32);

/// A priority, a time and an id: the order in which a policy removes blocks.
pub(super) type PruneKey = (i64, i64, &'static str);

/// A level, and a number among its rows.
pub(super) type FigureKey = (u8, u64);

/// A cycle and the name of a provider call.
pub(super) type AttemptKey = (u64, &'static str);

/// The key of a version of a part. Slots of cycle 0 do not exist, so the regions lie there; rank
/// 0 of every other cycle is its commit, and turns follow from 1.
pub(crate) fn part_key(place: Place, version: u64) -> PartKey {
    let (cycle, rank) = place_key(place);
    (cycle, rank, version)
}

/// A place as a pair of numbers.
pub(crate) fn place_key(place: Place) -> (u64, u32) {
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
pub(crate) fn cycle_key(cycle: u64) -> PartKey {
    (cycle, 0, cycle)
}

/// The bytes of a part's key, for its checksum.
pub(super) fn part_key_bytes(key: PartKey) -> [u8; 20] {
    let mut bytes = [0; 20];
    bytes[..8].copy_from_slice(&key.0.to_le_bytes());
    bytes[8..12].copy_from_slice(&key.1.to_le_bytes());
    bytes[12..].copy_from_slice(&key.2.to_le_bytes());
    bytes
}

/// The bytes of a page's key, for its checksum.
pub(super) fn page_key_bytes((cycles, ranks): PageKey) -> [u8; 12] {
    log_key_bytes(cycles, ranks)
}

/// The bytes of a name's key, for its checksum.
pub(super) fn name_key_bytes((hash, cycle): NameKey) -> [u8; 12] {
    log_key_bytes(cycle, hash)
}

/// The bytes of the key of a row of trigrams, for its checksum.
pub(super) fn trigram_key_bytes((cycle, number): TrigramKey) -> [u8; 12] {
    log_key_bytes(cycle, number)
}

/// The bytes of the key of a provider call, for its checksum.
pub(super) fn attempt_key_bytes((cycle, id): (u64, &str)) -> Vec<u8> {
    [&cycle.to_le_bytes(), id.as_bytes()].concat()
}

/// The row of `meta` that says which version of the derived tables there is.
pub(crate) fn derived_row() -> Vec<u8> {
    seal(META.name(), b"derived", DERIVED.to_le_bytes().to_vec())
}

/// The row of `meta` that says up to which cycle the index was written, and the sum of the turns'
/// hashes.
pub(crate) fn checkpoint_name(side: Side) -> &'static str {
    match side {
        Side::Main => "checkpoint",
        Side::Beside => "checkpoint.beside",
    }
}

/// Something to be done with every derived table.
pub(crate) trait EachTable {
    /// Does it with one of them.
    fn table<K: Key + 'static>(&mut self, table: Table<K>) -> Result<(), StoreError>;
}

/// Does something with every derived table: this is the list of them.
pub(crate) fn each_table(run: &mut impl EachTable) -> Result<(), StoreError> {
    run.table(PARTS)?;
    run.table(SUMMARIES)?;
    run.table(NAMES)?;
    run.table(TRIGRAMS)?;
    run.table(IDS)?;
    run.table(EXPIRY)?;
    run.table(REFS)?;
    run.table(PRUNES)?;
    run.table(INSTANCES)?;
    run.table(RUNNING)?;
    run.table(ATTEMPTS)?;
    run.table(ATTEMPT_CYCLES)?;
    run.table(OPEN_ATTEMPTS)?;
    run.table(FAILED_ATTEMPTS)?;
    run.table(ORIGINS)?;
    run.table(FIGURES)?;
    run.table(TURN_SIZES)
}

/// How many derived tables there are.
pub(crate) const TABLES: u64 = 17;

struct Create<'a>(&'a Writer);

impl EachTable for Create<'_> {
    fn table<K: Key + 'static>(&mut self, table: Table<K>) -> Result<(), StoreError> {
        self.0.open_table(table).map(drop)
    }
}

struct Delete<'a>(&'a Writer, Side);

impl EachTable for Delete<'_> {
    fn table<K: Key + 'static>(&mut self, table: Table<K>) -> Result<(), StoreError> {
        self.0.delete(&self.1.name_of(table.name())).map(drop)
    }
}

struct Rename<'a>(&'a Writer);

impl EachTable for Rename<'_> {
    fn table<K: Key + 'static>(&mut self, table: Table<K>) -> Result<(), StoreError> {
        self.0.rename(&Side::Beside.name_of(table.name()), table.name())
    }
}

/// Makes the derived tables, on the side that the transaction writes to.
pub(crate) fn create_derived(txn: &Writer) -> Result<(), StoreError> {
    each_table(&mut Create(txn))
}

/// Throws the derived tables of one side away.
pub(crate) fn drop_derived(txn: &Writer, side: Side) -> Result<(), StoreError> {
    each_table(&mut Delete(txn, side))?;
    txn.open_table(META)?.remove(checkpoint_name(side))
}

/// Puts the shadow tables in the place of the others.
pub(crate) fn exchange_derived(txn: &Writer) -> Result<(), StoreError> {
    let made = {
        let meta = txn.open_table(META)?;
        meta.get(checkpoint_name(Side::Beside))?.map(|row| row.value().to_vec())
    };
    drop_derived(txn, Side::Main)?;
    each_table(&mut Rename(txn))?;
    let mut meta = txn.open_table(META)?;
    meta.remove(checkpoint_name(Side::Beside))?;
    if let Some(made) = made {
        meta.insert(checkpoint_name(Side::Main), made.as_slice())?;
    }
    Ok(())
}

/// Writes the large tables anew in key order.
pub(crate) fn repack_derived(txn: &Writer) -> Result<(), StoreError> {
    repack(txn, PARTS, &mut |_, _| Ok(None))?;
    repack(txn, SUMMARIES, &mut |_, _| Ok(None))?;
    repack(txn, TRIGRAMS, &mut |_, _| Ok(None))?;
    repack(txn, IDS, &mut |_, _| Ok(None))
}

/// The row of the last checkpoint.
pub(crate) fn checkpoint_row(
    meta: &impl Readable<&'static str, Bytes>,
) -> Result<Option<Vec<u8>>, StoreError> {
    Ok(meta.get(checkpoint_name(Side::Main))?.map(|row| row.value().to_vec()))
}

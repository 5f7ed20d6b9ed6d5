//! How much of the thread each live turn has, so that it is quickly told how much lies before a turn:
//! there the threads of two snapshots may part.
//!
//! Table: `turn_sizes`. A row has the turns of 256 cycles and 256 ranks that have blocks in the
//! newest snapshot, and begins with their sum. What changed since the last checkpoint is in the
//! memtable.

use super::tables::{PageKey, TURN_SIZES};
use super::view::View;
use crate::model::{Slot, ThreadSize};
use crate::storage::{
    Numbers, Readable, StoreError, Writer, checked_bytes, insert_bytes, put_number,
};
use std::collections::BTreeMap;

/// Cycles, and ranks of an import, in a row.
const PAGE: u32 = 256;

/// By how much a turn grew or shrank: blocks, and bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SizeChange {
    pub(crate) blocks: i64,
    pub(crate) bytes: i64,
}

impl SizeChange {
    /// From one size to another.
    pub(crate) fn between(old: ThreadSize, new: ThreadSize) -> SizeChange {
        let change = |old: u64, new: u64| new.wrapping_sub(old) as i64;
        SizeChange { blocks: change(old.blocks, new.blocks), bytes: change(old.bytes, new.bytes) }
    }

    /// This and that.
    pub(crate) fn plus(self, other: SizeChange) -> SizeChange {
        SizeChange {
            blocks: self.blocks.wrapping_add(other.blocks),
            bytes: self.bytes.wrapping_add(other.bytes),
        }
    }

    /// A size that has changed so.
    pub(crate) fn of(self, size: ThreadSize) -> ThreadSize {
        ThreadSize {
            blocks: size.blocks.saturating_add_signed(self.blocks),
            bytes: size.bytes.saturating_add_signed(self.bytes),
        }
    }
}

fn page(slot: Slot) -> PageKey {
    (slot.cycle / u64::from(PAGE), slot.rank / PAGE)
}

type Sizes = BTreeMap<Slot, ThreadSize>;

/// Writes what changed since the last checkpoint.
pub(super) fn write_turn_sizes(
    txn: &Writer,
    changes: &BTreeMap<Slot, SizeChange>,
) -> Result<(), StoreError> {
    let mut pages: BTreeMap<PageKey, Vec<(Slot, SizeChange)>> = BTreeMap::new();
    for (slot, change) in changes.iter().filter(|(_, change)| **change != SizeChange::default()) {
        pages.entry(page(*slot)).or_default().push((*slot, *change));
    }
    let mut table = txn.open_table(TURN_SIZES)?;
    for (key, changes) in pages {
        let row = table.range(key..=key)?.next().transpose()?;
        let mut sizes = match &row {
            Some((found, row)) => read_row(key, checked_bytes(TURN_SIZES, found, row)?)?.1,
            None => Sizes::new(),
        };
        drop(row);
        for (slot, change) in changes {
            let size = change.of(sizes.get(&slot).copied().unwrap_or_default());
            match size == ThreadSize::default() {
                true => sizes.remove(&slot),
                false => sizes.insert(slot, size),
            };
        }
        match sizes.is_empty() {
            true => table.remove(key)?,
            false => insert_bytes(&mut table, TURN_SIZES, key, write_row(&sizes))?,
        }
    }
    Ok(())
}

fn write_row(sizes: &Sizes) -> Vec<u8> {
    let sum = sum(sizes.values());
    let mut bytes = Vec::new();
    put_number(sum.blocks, &mut bytes);
    put_number(sum.bytes, &mut bytes);
    for (slot, size) in sizes {
        put_number(slot.cycle % u64::from(PAGE), &mut bytes);
        put_number(u64::from(slot.rank % PAGE), &mut bytes);
        put_number(size.blocks, &mut bytes);
        put_number(size.bytes, &mut bytes);
    }
    bytes
}

fn sum<'a>(sizes: impl Iterator<Item = &'a ThreadSize>) -> ThreadSize {
    sizes.fold(ThreadSize::default(), |sum, size| sum.plus(*size))
}

/// The sum of a row, and the sizes of its turns.
fn read_row(key: PageKey, bytes: &[u8]) -> Result<(ThreadSize, Sizes), StoreError> {
    let what = || format!("the sizes of the turns {}/{}", key.0, key.1);
    let mut rest = Numbers(bytes);
    let mut read = || {
        let sum = ThreadSize { blocks: rest.next()?, bytes: rest.next()? };
        let mut sizes = Sizes::new();
        while !rest.0.is_empty() {
            let [cycle, rank, blocks, bytes] = rest.four()?;
            let cycle = key.0.checked_mul(u64::from(PAGE))?.checked_add(cycle)?;
            let rank = key.1.checked_mul(PAGE)?.checked_add(u32::try_from(rank).ok()?)?;
            sizes.insert(Slot { cycle, rank }, ThreadSize { blocks, bytes });
        }
        Some((sum, sizes))
    };
    read().ok_or_else(|| StoreError::corrupt(format!("{} cannot be decoded", what())))
}

/// How much the table has in turns before a slot, or from it on.
pub(crate) fn stored_size(view: &View, slot: Slot, before: bool) -> Result<ThreadSize, StoreError> {
    let table = view.open_table(TURN_SIZES)?;
    let own = page(slot).0;
    // The row on the other side is looked at too: a bad byte in a key hides a row there.
    let rows = match before {
        true => table.range::<PageKey>(..)?,
        false => {
            if let Some(entry) = table.range::<PageKey>(..(own, 0))?.next_back() {
                let (key, row) = entry?;
                checked_bytes(TURN_SIZES, &key, &row)?;
            }
            table.range::<PageKey>((own, 0)..)?
        }
    };
    let mut size = ThreadSize::default();
    for entry in rows {
        let (key, row) = entry?;
        let bytes = checked_bytes(TURN_SIZES, &key, &row)?;
        if before && key.value().0 > own {
            break;
        }
        let (whole, sizes) = read_row(key.value(), bytes)?;
        size = size.plus(match key.value().0 == own {
            false => whole,
            true => {
                sum(sizes.iter().filter(|(at, _)| (**at < slot) == before).map(|(_, size)| size))
            }
        });
    }
    Ok(size)
}

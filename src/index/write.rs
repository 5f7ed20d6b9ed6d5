//! Writing what is derived from a closed cycle: its commit, and the versions of the parts that it
//! changed.

use super::closed_cycle::{ClosedCycle, CycleKind};
use super::commits::{size_change, write_cycle};
use super::figures::{Closing, Figures};
use super::memtable::{NewCycle, NewPart, NewTurn};
use super::parts::{end_part, write_part};
use super::tables::{PARTS, PartKey, cycle_key, part_key, place_key};
use crate::change::PartChange;
use crate::lifecycle::Removed;
use crate::storage::{Readable, StoreError, Writer};
use std::collections::BTreeMap;

/// Writes the rows of a closed cycle to the table `parts`. `skeleton_at` is the cycle whose row has
/// the newest whole skeleton, 0 if there is none; returns the same for the next cycle.
pub(crate) fn write_closed(
    txn: &Writer,
    cycle: &ClosedCycle<'_>,
    skeleton_at: u64,
) -> Result<u64, StoreError> {
    let ClosedCycle { closed, kind, .. } = *cycle;
    // A commit that only appends its turn needs no skeleton of its own.
    let dropped = closed.parts.iter().any(|part| part.new.is_none());
    let extends = kind == CycleKind::Commit && !dropped && !closed.headers_changed;
    let skeleton_at = extends.then_some(skeleton_at).filter(|at| *at > 0);
    let mut rows: BTreeMap<PartKey, Vec<u8>> = BTreeMap::new();
    let key = cycle_key(closed.cycle);
    rows.insert(key, write_cycle(key, cycle, skeleton_at)?);
    let mut table = txn.open_table(PARTS)?;
    for part in &closed.parts {
        let key = part_key(part.place, closed.cycle);
        rows.insert(key, write_part(key, 0, part.new.as_deref()));
        // The version before this one holds until now.
        let (slot, rank) = place_key(part.place);
        let ended = match table.range((slot, rank, 0)..key)?.next_back() {
            Some(entry) => {
                let (old, row) = entry?;
                let old = old.value();
                Some((old, end_part(old, row.value(), closed.cycle)?))
            }
            None => None,
        };
        rows.extend(ended);
    }
    let last = table.last()?.map(|(key, _)| key.value());
    let appended = rows.split_off(&last.map_or((0, 0, 0), |(a, b, c)| (a, b, c + 1)));
    for (key, row) in &rows {
        table.insert(*key, row.as_slice())?;
    }
    let mut end = table.append()?;
    for (key, row) in &appended {
        end.insert(*key, row.as_slice())?;
    }
    end.close()?;
    Ok(skeleton_at.unwrap_or(closed.cycle))
}

/// What a closed cycle brought, for the memtable.
pub(crate) fn new_cycle<'a>(
    cycle: &ClosedCycle<'a>,
) -> NewCycle<'a, impl Iterator<Item = NewPart> + 'a> {
    let ClosedCycle { closed, next, kind, time, .. } = *cycle;
    let new_part = |part: &PartChange| NewPart {
        place: part.place,
        version: match &part.new {
            Some(turn) => NewTurn::Held(turn.clone()),
            None => NewTurn::Gone,
        },
        size: size_change(part),
    };
    let Removed { expired, cascaded, pruned } = &closed.removed;
    let figures = Figures::of(&Closing {
        cycle: closed.cycle,
        time,
        kind,
        totals: &next.totals,
        removed: [expired, cascaded, pruned].map(Vec::len),
        thread: &closed.thread,
    });
    NewCycle { delta: &closed.delta, parts: closed.parts.iter().map(new_part), figures }
}

//! Writing what is derived from a closed cycle: its commit, and the versions of the parts that it
//! changed.

use super::commits::{CycleKind, write_cycle};
use super::memtable::NewTurn;
use super::parts::{end_part, write_part};
use super::tables::{PARTS, PartKey, cycle_key, part_key, place_key};
use crate::change::{Closed, State};
use crate::model::Place;
use crate::storage::{Readable, StoreError, Writer};
use std::collections::BTreeMap;

/// What the derived rows of a cycle are made from.
#[derive(Clone, Copy)]
pub(crate) struct ClosedCycle<'a> {
    pub(crate) closed: &'a Closed,
    /// The state after it, before cadences.
    pub(crate) next: &'a State,
    pub(crate) kind: CycleKind,
    /// The sequence number of the event that closed it.
    pub(crate) seq: u64,
}

/// Writes the rows of a closed cycle to the table `parts`. `skeleton_at` is the cycle whose row has
/// the newest whole skeleton, 0 if there is none; returns the same for the next cycle.
pub(crate) fn write_closed(
    txn: &Writer,
    cycle: &ClosedCycle<'_>,
    skeleton_at: u64,
) -> Result<u64, StoreError> {
    let ClosedCycle { closed, next, kind, seq } = *cycle;
    // A commit that only appends its turn needs no skeleton of its own.
    let dropped = closed.parts.iter().any(|part| part.new.is_none());
    let extends = kind == CycleKind::Commit && !dropped && !closed.headers_changed;
    let skeleton_at = extends.then_some(skeleton_at).filter(|at| *at > 0);
    let mut rows: BTreeMap<PartKey, Vec<u8>> = BTreeMap::new();
    let key = cycle_key(closed.cycle);
    rows.insert(key, write_cycle(key, closed, next, seq, kind, skeleton_at)?);
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

/// The versions of turns that a closed cycle made, for the memtable.
pub(crate) fn new_turns(closed: &Closed) -> impl Iterator<Item = (Place, NewTurn)> + '_ {
    closed.parts.iter().map(|part| match &part.new {
        Some(turn) => (part.place, NewTurn::Held(turn.clone())),
        None => (part.place, NewTurn::Gone),
    })
}

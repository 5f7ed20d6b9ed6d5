//! Expiry: places that may hold a node with a finite ttl, by the cycle at which it is due.
//!
//! Table: `expiry`. The first column of its key is a span, the logarithm of how long a node lives,
//! so that those that live at a cycle are found in a window of each span.

use super::tables::{EXPIRY, place_from_key, place_key};
use super::view::View;
use crate::change::Expiry;
use crate::model::Place;
use crate::storage::{Readable, StoreError, Writer, checked_bytes, insert_key};
use std::collections::BTreeSet;

/// Places that may hold a node due at one of the cycles `after + 1 ..= upto`.
pub(crate) fn expiring(view: &View, after: u64, upto: u64) -> Result<Vec<Place>, StoreError> {
    due(view, |_| (after, upto))
}

/// Places that may hold a node with a finite ttl at a cycle, of which at most so much remains.
pub(crate) fn finite(view: &View, cycle: u64, most: u64) -> Result<Vec<Place>, StoreError> {
    due(view, |span| (cycle, last_due(cycle, span, most)))
}

/// Places due after one cycle and up to another, which may depend on the span.
fn due(view: &View, window: impl Fn(u8) -> (u64, u64)) -> Result<Vec<Place>, StoreError> {
    let table = view.expiry()?;
    let mut found = Vec::new();
    let mut from = 0u8;
    // One seek for each span that is in use.
    while let Some(first) = table.range((from, 0, 0, 0)..)?.next() {
        let (key, row) = first?;
        checked_bytes(EXPIRY, &key, &row)?;
        let span = key.value().0;
        let (after, upto) = window(span);
        let first = (span, after.saturating_add(1), 0, 0);
        let end = (span, upto.saturating_add(1), 0, 0);
        // The rows on both sides of the window are looked at too, see `checked`.
        if let Some(before) = table.range(..first)?.next_back() {
            let (key, row) = before?;
            checked_bytes(EXPIRY, &key, &row)?;
        }
        for entry in table.range(first..)? {
            let (key, row) = entry?;
            checked_bytes(EXPIRY, &key, &row)?;
            if key.value() >= end {
                break;
            }
            let (_, _, slot, rank) = key.value();
            let place = place_from_key(slot, rank).ok_or_else(|| {
                let message = format!("the expiry index names an unknown place {slot}/{rank}");
                StoreError::corrupt(message)
            })?;
            found.push(place);
        }
        let Some(next) = span.checked_add(1) else { break };
        from = next;
    }
    Ok(found)
}

/// Writes new entries.
pub(super) fn write_expiry(txn: &Writer, entries: &BTreeSet<Expiry>) -> Result<(), StoreError> {
    let mut expiry = txn.open_table(EXPIRY)?;
    for Expiry { span, due, place } in entries {
        let (slot, rank) = place_key(*place);
        insert_key(&mut expiry, EXPIRY, (*span, *due, slot, rank))?;
    }
    Ok(())
}

/// The last cycle at which a node that lives at `cycle` can be due.
fn horizon(cycle: u64, span: u8) -> u64 {
    cycle.saturating_add(1u64.checked_shl(span.into()).unwrap_or(u64::MAX))
}

/// The same for a node of which at most so much remains. What is overdue has nothing left, and is
/// due again at the next commit.
pub(super) fn last_due(cycle: u64, span: u8, most: u64) -> u64 {
    horizon(cycle, span).min(cycle.saturating_add(most.max(1)))
}

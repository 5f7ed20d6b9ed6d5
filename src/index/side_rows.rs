//! Rows of events that have nothing to do with the tree: provider calls and origins. They are
//! written with the event, not at checkpoints.
//!
//! Tables: `attempts`, `attempt_cycles`, `open_attempts` and `failed_attempts` for provider calls; `origins` for where
//! stretches of the log came from.

use super::tables::{
    ATTEMPT_CYCLES, ATTEMPTS, FAILED_ATTEMPTS, OPEN_ATTEMPTS, ORIGINS, attempt_key_bytes,
};
use super::view::View;
use crate::budget;
use crate::change::{Attempt, AttemptStatus, Event};
use crate::log::WholeAttempt;
use crate::storage::{
    Readable, StoreError, Writer, checked_bytes, checked_number, decode, encode, get_number,
    insert_key, insert_number, seal, unseal,
};
use std::collections::{BTreeMap, BTreeSet};

/// Writes the rows of an event, if it is of this sort.
pub(crate) fn write_side_rows(txn: &Writer, seq: u64, event: &Event) -> Result<(), StoreError> {
    match event {
        Event::Attempt(attempt) => write_attempt(txn, attempt),
        Event::Origin(origin) => {
            let mut table = txn.open_table(ORIGINS)?;
            for key in origin.keys() {
                if get_number(&table, ORIGINS, key.as_str())?.is_none() {
                    insert_number(&mut table, ORIGINS, key.as_str(), seq)?;
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Whether an event has rows of this sort.
pub(crate) fn has_side_rows(event: &Event) -> bool {
    matches!(event, Event::Attempt(_) | Event::Origin(_))
}

fn write_attempt(txn: &Writer, attempt: &Attempt) -> Result<(), StoreError> {
    let id = attempt.attempt_id.as_str();
    let row = seal(
        ATTEMPTS.name(),
        &attempt_key_bytes((attempt.cycle_id, id)),
        encode(&WholeAttempt::from(attempt))?,
    );
    txn.open_table(ATTEMPTS)?.insert((attempt.cycle_id, id), row.as_slice())?;
    insert_number(&mut txn.open_table(ATTEMPT_CYCLES)?, ATTEMPT_CYCLES, id, attempt.cycle_id)?;
    if attempt.status == AttemptStatus::Error {
        let mut failed = txn.open_table(FAILED_ATTEMPTS)?;
        insert_key(&mut failed, FAILED_ATTEMPTS, (attempt.cycle_id, id))?;
    }
    let mut open = txn.open_table(OPEN_ATTEMPTS)?;
    if attempt.status == AttemptStatus::Running {
        insert_number(&mut open, OPEN_ATTEMPTS, id, attempt.cycle_id)
    } else {
        open.remove(id)
    }
}

/// Provider calls, of one cycle or of all.
pub(crate) fn attempts(view: &View, cycle: Option<u64>) -> Result<Vec<Attempt>, StoreError> {
    let table = view.open_table(ATTEMPTS)?;
    let range = match cycle {
        Some(cycle) => table.range((cycle, "")..(cycle.saturating_add(1), ""))?,
        None => table.range((0, "")..)?,
    };
    range
        .map(|entry| {
            let (key, row) = entry?;
            read_attempt(key.value(), row.value())
        })
        .collect()
}

/// The cycles `from..=to` of the provider calls that failed, one for each call, in order.
pub(crate) fn failed_attempts(view: &View, from: u64, to: u64) -> Result<Vec<u64>, StoreError> {
    let table = view.open_table(FAILED_ATTEMPTS)?;
    // The rows on both sides are looked at too: a bad byte in a key hides a row there.
    if let Some(before) = table.range(..(from, ""))?.next_back() {
        let (key, row) = before?;
        checked_bytes(FAILED_ATTEMPTS, &key, &row)?;
    }
    let mut cycles = Vec::new();
    for entry in table.range((from, "")..)? {
        budget::check()?;
        let (key, row) = entry?;
        checked_bytes(FAILED_ATTEMPTS, &key, &row)?;
        let cycle = key.value().0;
        if cycle > to {
            break;
        }
        cycles.push(cycle);
    }
    Ok(cycles)
}

/// The cycle of a provider call, if there is one of that name.
pub(crate) fn attempt_cycle(view: &View, id: &str) -> Result<Option<u64>, StoreError> {
    get_number(&view.open_table(ATTEMPT_CYCLES)?, ATTEMPT_CYCLES, id)
}

/// Provider calls that have not ended, by name.
pub(crate) fn open_attempts(view: &View) -> Result<BTreeMap<String, Attempt>, StoreError> {
    let open = view.open_table(OPEN_ATTEMPTS)?;
    let all = view.open_table(ATTEMPTS)?;
    let mut found = BTreeMap::new();
    for entry in open.iter()? {
        let entry = entry?;
        let (id, cycle) = (entry.0.value().to_owned(), checked_number(OPEN_ATTEMPTS, &entry)?);
        let row = all.get((cycle, id.as_str()))?;
        let row = row.ok_or_else(|| StoreError::corrupt(format!("the attempt {id} is missing")))?;
        let attempt = read_attempt((cycle, &id), row.value())?;
        found.insert(id, attempt);
    }
    Ok(found)
}

fn read_attempt(key: (u64, &str), row: &[u8]) -> Result<Attempt, StoreError> {
    let what = || format!("the attempt {}", key.1);
    let bytes = unseal(ATTEMPTS.name(), &attempt_key_bytes(key), row, what)?;
    decode::<WholeAttempt>(bytes, &what())?.into_attempt()
}

/// The event that first said where something came from, by one of its names.
pub(crate) fn origin(view: &View, key: &str) -> Result<Option<u64>, StoreError> {
    get_number(&view.open_table(ORIGINS)?, ORIGINS, key)
}

/// The events that say where something came from.
pub(crate) fn origins(view: &View) -> Result<BTreeSet<u64>, StoreError> {
    let table = view.open_table(ORIGINS)?;
    table.iter()?.map(|entry| checked_number(ORIGINS, &entry?)).collect()
}

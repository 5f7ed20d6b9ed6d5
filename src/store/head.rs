//! The head of a store: where the log ends, and what the next write needs to know.

use super::reader::StoreReader;
use crate::cause::Failure;
use crate::index::{View, derived_row, get_cycle};
use crate::log::{LogEnd, META, find_end};
use crate::storage::{Readable, StoreError};

/// Where the log ends, and what goes with it.
pub(super) struct Head {
    pub(super) end: LogEnd,
    /// The cycle whose row has the newest whole skeleton.
    pub(super) skeleton_at: u64,
    pub(super) compressor: zstd::bulk::Compressor<'static>,
    /// How many writes were begun.
    pub(super) writes: u64,
    /// Whether something was written that need not be on disk yet.
    pub(super) unsynced: bool,
    /// Whether what is written and what readers see have come apart. Then nothing more is written.
    pub(super) stopped: bool,
}

impl Head {
    pub(super) fn at(end: LogEnd, skeleton_at: u64) -> Result<Head, StoreError> {
        let compressor = Head::compressor()?;
        Ok(Head { end, skeleton_at, compressor, writes: 0, unsynced: false, stopped: false })
    }

    /// What compresses contents.
    pub(super) fn compressor() -> Result<zstd::bulk::Compressor<'static>, StoreError> {
        zstd::bulk::Compressor::new(1).map_err(|error| {
            StoreError::Io(Failure::from(error).of("compression cannot be set up"))
        })
    }

    /// Finds it in the tables.
    pub(super) fn find(reader: &StoreReader) -> Result<Head, StoreError> {
        let (end, skeleton_at) = reader.with(|view| {
            // What another version derived is made anew before anybody asks for it.
            let last = if derived_is_current(view)? { view.last_cycle()? } else { None };
            let skeleton_at = match last {
                Some(cycle) => get_cycle(view, cycle)?.skeleton_at(),
                None => 0,
            };
            Ok((find_end(view.log()?)?, skeleton_at))
        })?;
        Head::at(end, skeleton_at)
    }

    /// Refuses to go on where a write failed half way.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        match self.stopped {
            true => {
                Err(StoreError::Io("an earlier write failed half way: open the store again".into()))
            }
            false => Ok(()),
        }
    }
}

/// Whether the derived tables were made by this version of the code, and completely.
pub(super) fn derived_is_current(view: &View) -> Result<bool, StoreError> {
    let meta = view.open_table(META)?;
    let row = meta.get("derived")?;
    Ok(row.is_some_and(|row| row.value() == derived_row().as_slice()))
}

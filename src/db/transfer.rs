//! Logs as a whole: reading one record by record, and making a store out of records.
//!
//! A store in the making has no name before it is whole, so whatever goes wrong, there is no half of
//! a store, and nothing remains of it.

use super::handle::Db;
use super::options::Options;
use crate::change::{Event, Origin, Working};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::limits::CACHE_BYTES;
use crate::log::{ChainHash, Entry, Record, chain_start};
use crate::model::Generation;
use crate::snapshot::Contents;
use crate::storage::StorageBackend;
use crate::store::{Store, Transfer};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// A note of where something came from, as it stands in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// The event.
    pub seq: u64,
    /// The cycle that it belongs to.
    pub cycle: u64,
    /// When it was written, in nanoseconds since 1970.
    pub time_ns: i64,
    /// What it says.
    pub origin: Origin,
}

impl Db {
    /// Events from a sequence number on with their contents, at most so many.
    #[doc(hidden)]
    pub fn entries(&self, from: u64, count: usize) -> Result<Vec<Entry>> {
        Ok(self.inner.store.reader().entries(from, count)?)
    }

    /// The same without their contents.
    #[doc(hidden)]
    pub fn records(&self, from: u64, count: usize) -> Result<Vec<Record>> {
        Ok(self.inner.store.reader().records(from, count)?)
    }

    /// How many events there are: the last one that shows in the state.
    pub fn events(&self) -> u64 {
        self.wait_for_event(u64::MAX, Duration::ZERO)
    }

    /// The hash of an event in the chain; of the start of the chain for event 0.
    #[doc(hidden)]
    pub fn chain_hash(&self, seq: u64) -> Result<ChainHash> {
        if seq == 0 {
            return Ok(chain_start());
        }
        match self.inner.store.reader().record(seq)? {
            Some(record) => Ok(record.hash),
            None => Err(Error::new(Code::NodeNotFound, format!("there is no event {seq}"))),
        }
    }

    /// Where parts of the log came from, oldest first: the first time that each came.
    pub fn sources(&self) -> Result<Vec<Source>> {
        let reader = self.inner.store.reader();
        let mut found = Vec::new();
        for seq in reader.origins()? {
            if let Some(record) = reader.record(seq)? {
                found.extend(self.source(record)?);
            }
        }
        Ok(found)
    }

    /// The first time that something of one of these names came.
    pub(super) fn known_source(&self, origin: &Origin) -> Result<Option<Source>> {
        let reader = self.inner.store.reader();
        for key in origin.keys() {
            if let Some(seq) = reader.origin(&key)?
                && let Some(record) = reader.record(seq)?
            {
                return self.source(record);
            }
        }
        Ok(None)
    }

    fn source(&self, record: Record) -> Result<Option<Source>> {
        let Event::Origin(origin) = record.event else { return Ok(None) };
        let cycle = self.cycle_of_event(record.seq)?;
        Ok(Some(Source { seq: record.seq, cycle, time_ns: record.time, origin }))
    }

    /// The state that the events after a cycle were made in, to apply them again: its tree is the
    /// cycle's, with the instances that cadences put into the next head. Cycle 0 is the start.
    #[doc(hidden)]
    pub fn state_after(&self, cycle: u64) -> Result<Working> {
        if cycle > 0 {
            self.check_snapshot(cycle)?;
        }
        Ok(self.state_from(cycle)?.0)
    }

    /// The cycles in which a node came to lie somewhere, or in which something changed beside it;
    /// none if no snapshot ever had it.
    #[doc(hidden)]
    pub fn cycles_of(&self, id: &str) -> Result<Vec<u64>> {
        let reader = self.inner.store.reader();
        let places = reader.places_of(id)?;
        let mut cycles = BTreeSet::new();
        for (i, (from, place)) in places.iter().enumerate() {
            let upto = places.get(i + 1).map_or(self.last_cycle(), |(next, _)| *next);
            cycles.insert(*from);
            cycles.extend(reader.versions(*place, *from, upto)?);
        }
        Ok(cycles.into_iter().collect())
    }

    /// The contents of nodes.
    #[doc(hidden)]
    pub fn contents(&self) -> &dyn Contents {
        &**self.inner.store.reader()
    }

    /// Notes where this store came from.
    #[doc(hidden)]
    pub fn record_origin(&self, origin: Origin) -> Result<()> {
        let _writer = self.write_lock()?;
        self.write_event(Event::Origin(origin), Vec::new(), self.inner.settings.now())
    }
}

/// A store in the making, which takes the records of another log in order.
pub struct NewStore {
    transfer: Option<Transfer>,
}

impl NewStore {
    /// Begins a store in a file that does not exist.
    pub fn create(path: impl AsRef<Path>, generation: Generation) -> Result<NewStore> {
        let path = path.as_ref();
        let io = |what: &str| Error::new(Code::StoreIo, format!("{}: {what}", path.display()));
        if path.exists() {
            return Err(io("it exists already: choose another name"));
        }
        if path.file_name().is_none() {
            return Err(io("it has no name"));
        }
        let transfer = Transfer::into(Store::create(path, generation, CACHE_BYTES)?)?;
        Ok(NewStore { transfer: Some(transfer) })
    }

    /// Begins a store on empty storage of another sort.
    pub fn create_on(storage: impl StorageBackend, generation: Generation) -> Result<NewStore> {
        let transfer = Transfer::into(Store::create_on(storage, generation, CACHE_BYTES)?)?;
        Ok(NewStore { transfer: Some(transfer) })
    }

    /// Takes the next record. It is checked against its hash, and a cycle against its digest.
    pub fn take(&mut self, entry: Entry) -> Result<()> {
        let transfer = self.transfer.as_mut().ok_or_else(ended)?;
        let taken = transfer.take(entry);
        if taken.is_err() {
            self.transfer = None;
        }
        Ok(taken?)
    }

    /// Ends, gives the store its name, and opens it.
    pub fn finish(mut self, options: Options) -> Result<Db> {
        let store = self.transfer.take().ok_or_else(ended)?.finish()?;
        store.place()?;
        Db::attach(store, options.settings)
    }
}

fn ended() -> Error {
    Error::request("the store in the making has failed already: begin again")
}

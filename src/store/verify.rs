//! Verification: the whole log is replayed into a store in memory, and the two are compared.
//!
//! So what it proves is exactly the promise: the chain holds, every content is what was written,
//! every commit arrives at its digest, and everything derived is what the log says, byte for byte.
//!
//! It is about the state at its start, which it reads for as long as it takes; nobody who writes
//! waits for it. Only where somebody needs the file alone meanwhile, it begins again.

use super::handle::Store;
use super::reader::StoreReader;
use super::replay::{Progress, Report, Verified, VerifyStep, each_record};
use crate::budget;
use crate::index::{EachTable, TABLES, View, checkpoint_row, each_table};
use crate::limits::CACHE_BYTES;
use crate::log::{LOG, META, content_digest, get_content};
use crate::storage::{InMemoryBackend, Key, Readable, StoreError, Table};
use std::ops::Bound;

/// How many rows are compared at a time.
const ROWS: u64 = 1024;

impl Store {
    /// Checks everything, and names the first thing that is wrong.
    pub fn verify(&self, report: Report<'_>) -> Result<Verified, StoreError> {
        loop {
            let state = self.reader.of_now()?;
            match self.verify_state(&state, report) {
                Err(StoreError::Stopped(stopped)) => return Err(stopped.into()),
                Err(_) if state.lost_its_state() => {}
                done => return done,
            }
        }
    }

    fn verify_state(
        &self,
        state: &StoreReader,
        report: Report<'_>,
    ) -> Result<Verified, StoreError> {
        let copy = Store::create_on(InMemoryBackend::new(), self.generation, CACHE_BYTES)?;
        let mut verified = copy.replay(state, report)?;
        verified.contents = check_contents(state, report)?;
        verified.rows = compare_derived(state, &copy, report)?;
        let check_pages = self.db().page_check();
        check_pages()?;
        Ok(verified)
    }
}

fn check_contents(state: &StoreReader, report: Report<'_>) -> Result<u64, StoreError> {
    let total = state.events()?;
    let mut checked = 0;
    each_record(state, |record| {
        state.with(|view| {
            let log = view.log()?;
            for (i, digest) in record.contents.iter().enumerate() {
                let (seq, item) = (record.seq, i as u32 + 1);
                if content_digest(&get_content(log, (seq, item))?) != *digest {
                    let message = format!(
                        "content {item} of event {seq} is not the one that the event brought"
                    );
                    return Err(StoreError::corrupt(message));
                }
                checked += 1;
            }
            Ok(())
        })?;
        if record.seq.is_multiple_of(256) {
            report(Progress { step: VerifyStep::Contents, done: record.seq, total });
        }
        Ok(())
    })?;
    // The chain cannot know whether an end was cut off it; the table's own count can.
    state.with(|view| check_count(LOG.name(), view.log()?.len()?, total + checked))?;
    report(Progress { step: VerifyStep::Contents, done: total, total });
    Ok(checked)
}

fn compare_derived(
    state: &StoreReader,
    copy: &Store,
    report: Report<'_>,
) -> Result<u64, StoreError> {
    copy.reader.with(|theirs| {
        let mut compared = Comparison { ours: state, theirs, report, rows: 0, done: 0 };
        each_table(&mut compared)?;
        let row = |view: &View| checkpoint_row(&view.open_table(META)?);
        if state.with(row)? != row(theirs)? {
            let message = "the checkpoint differs from the log; rebuild it";
            return Err(StoreError::corrupt(message));
        }
        Ok(compared.rows)
    })
}

/// Compares the derived tables of two stores.
struct Comparison<'a> {
    ours: &'a StoreReader,
    theirs: &'a View,
    report: Report<'a>,
    rows: u64,
    done: u64,
}

impl EachTable for Comparison<'_> {
    fn table<K: Key + 'static>(&mut self, table: Table<K>) -> Result<(), StoreError> {
        self.rows += compare(self.ours, self.theirs, table)?;
        self.done += 1;
        let step = VerifyStep::Compare;
        (self.report)(Progress { step, done: self.done, total: TABLES });
        Ok(())
    }
}

fn compare<K: Key + 'static>(
    ours: &StoreReader,
    theirs: &View,
    definition: Table<K>,
) -> Result<u64, StoreError> {
    let (mut rows, mut last) = (0u64, None);
    loop {
        let compared = ours.with(|ours| compare_some(ours, theirs, definition, last.as_deref()))?;
        rows += compared.rows;
        last = compared.last;
        if last.is_none() {
            break;
        }
        budget::reached("rows of an index were compared", rows, None)?;
    }
    let count = ours.with(|ours| ours.open_table(definition)?.len())?;
    check_count(definition.name(), count, rows)?;
    Ok(rows)
}

/// Rows that were compared, and the last key if there may be more.
struct Compared {
    rows: u64,
    last: Option<Vec<u8>>,
}

/// Compares a number of rows from behind a key on.
fn compare_some<K: Key + 'static>(
    ours: &View,
    theirs: &View,
    definition: Table<K>,
    after: Option<&[u8]>,
) -> Result<Compared, StoreError> {
    let name = definition.name();
    let from = || match after {
        Some(key) => (Bound::Excluded(K::from_bytes(key)), Bound::Unbounded),
        None => (Bound::Unbounded, Bound::Unbounded),
    };
    let (table, theirs) = (ours.open_table(definition)?, theirs.open_table(definition)?);
    let (mut found, mut expected) = (table.range(from())?, theirs.range(from())?);
    let mut last = None;
    for rows in 0..ROWS {
        let (ours, theirs) = (found.next().transpose()?, expected.next().transpose()?);
        let same = match (&ours, &theirs) {
            (None, None) => return Ok(Compared { rows, last: None }),
            (Some((k1, v1)), Some((k2, v2))) => {
                K::as_bytes(&k1.value()).as_ref() == K::as_bytes(&k2.value()).as_ref()
                    && v1.value() == v2.value()
            }
            _ => false,
        };
        if !same {
            let key = theirs.or(ours).map(|(key, _)| format!("{:?}", key.value()));
            return Err(StoreError::corrupt(format!(
                "the derived table '{name}' differs from the log at {}; rebuild it",
                key.unwrap_or_default()
            )));
        }
        last = ours;
    }
    let last = last.map(|(key, _)| K::as_bytes(&key.value()).as_ref().to_vec());
    Ok(Compared { rows: ROWS, last })
}

/// Compares the number of rows that were met with the number that the table says it has.
fn check_count(name: &str, count: u64, met: u64) -> Result<(), StoreError> {
    if count != met {
        let message = format!("the table '{name}' should have {count} rows, {met} can be read");
        return Err(StoreError::corrupt(message));
    }
    Ok(())
}

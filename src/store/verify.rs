//! Verification: the whole log is replayed into a store in memory, and the two are compared.
//!
//! So what it proves is exactly the promise: the chain holds, every content is what was written,
//! every commit arrives at its digest, and everything derived is what the log says, byte for byte.

use super::handle::Store;
use super::replay::{Progress, Report, Verified, VerifyStep, each_record};
use crate::budget;
use crate::index::{EachTable, TABLES, View, checkpoint_row, each_table};
use crate::log::{LOG, META, content_digest, get_content};
use crate::storage::{InMemoryBackend, Key, Readable, StoreError, Table};

impl Store {
    /// Checks everything, and names the first thing that is wrong.
    pub fn verify(&self, report: Report<'_>) -> Result<Verified, StoreError> {
        let copy = Store::create_on(InMemoryBackend::new(), self.generation)?;
        let mut verified = self.replay_into(&copy, report)?;
        verified.contents = self.check_contents(report)?;
        verified.rows = self.compare_derived(&copy, report)?;
        self.db().check_pages()?;
        Ok(verified)
    }

    fn check_contents(&self, report: Report<'_>) -> Result<u64, StoreError> {
        let total = self.next_seq().saturating_sub(1);
        let mut checked = 0;
        each_record(&self.reader, |record| {
            self.reader.with(|view| {
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
        let rows = self.next_seq().saturating_sub(1) + checked;
        self.reader.with(|view| check_count(LOG.name(), view.log()?.len()?, rows))?;
        report(Progress { step: VerifyStep::Contents, done: total, total });
        Ok(checked)
    }

    fn compare_derived(&self, copy: &Store, report: Report<'_>) -> Result<u64, StoreError> {
        self.reader.with(|ours| {
            copy.reader.with(|theirs| {
                let mut compared = Comparison { ours, theirs, report, rows: 0, done: 0 };
                each_table(&mut compared)?;
                let row = |view: &View| checkpoint_row(&view.open_table(META)?);
                if row(ours)? != row(theirs)? {
                    let message = "the checkpoint differs from the log; rebuild it";
                    return Err(StoreError::corrupt(message));
                }
                Ok(compared.rows)
            })
        })
    }
}

/// Compares the derived tables of two stores.
struct Comparison<'a> {
    ours: &'a View,
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
    ours: &View,
    theirs: &View,
    definition: Table<K>,
) -> Result<u64, StoreError> {
    let name = definition.name();
    let (table, theirs) = (ours.open_table(definition)?, theirs.open_table(definition)?);
    let (mut found, mut expected) = (table.iter()?, theirs.iter()?);
    let mut rows = 0u64;
    loop {
        let (ours, theirs) = (found.next().transpose()?, expected.next().transpose()?);
        let same = match (&ours, &theirs) {
            (None, None) => break,
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
        rows += 1;
        if rows.is_multiple_of(1024) {
            budget::reached("rows of an index were compared", rows, None)?;
        }
    }
    check_count(name, table.len()?, rows)?;
    Ok(rows)
}

/// Compares the number of rows that were met with the number that the table says it has.
fn check_count(name: &str, count: u64, met: u64) -> Result<(), StoreError> {
    if count != met {
        let message = format!("the table '{name}' should have {count} rows, {met} can be read");
        return Err(StoreError::corrupt(message));
    }
    Ok(())
}

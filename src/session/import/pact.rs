//! Snapshot exports: one, or a series. Each becomes the snapshot of its own cycle.
//!
//! The whole series is judged before the first of it is taken.

use super::format::Format;
use super::records::Record;
use super::report::{ImportProgress, ImportReport, Judge};
use crate::budget;
use crate::code::Code;
use crate::db::Db;
use crate::error::{Error, Result};
use std::collections::BTreeMap;

pub(super) fn import(
    db: &Db,
    records: Vec<Record>,
    mut judge: Judge,
    progress: &mut dyn FnMut(ImportProgress),
) -> Result<ImportReport> {
    let count = records.len() as u64;
    let mut good = Vec::with_capacity(records.len());
    let mut last = db.last_cycle();
    for (done, record) in records.into_iter().enumerate() {
        budget::reached("snapshots were judged", done as u64, Some(count))?;
        match db.check_snapshot_document(&record.value, last) {
            Ok(cycle) => {
                last = cycle;
                good.push(record.value);
            }
            // A store that cannot take it is at fault, not the record.
            Err(error) if error.code == Code::ImportConflict => return Err(error),
            Err(error) => {
                let code = match error.code {
                    Code::Limit => Code::Limit,
                    _ => Code::ImportInvalid,
                };
                let error = Error::new(code, error.message);
                judge.bad(record.line, error)?;
            }
        }
    }
    let reply = db.import_snapshots(&good, &mut |done, total| {
        progress(ImportProgress::Writing { done, total });
    })?;
    Ok(ImportReport {
        format: Format::Pact.name().to_owned(),
        session: None,
        records: count,
        blocks: db.stats()?.blocks,
        calls: 0,
        results: 0,
        left_out: BTreeMap::new(),
        more_bad: judge.more(),
        bad: judge.named,
        reply,
    })
}

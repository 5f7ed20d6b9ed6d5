//! Many batches, each with its commit, that reach the store a few dozen at a time.
//!
//! A turn is judged against the state that the one before it leaves behind, whether that is
//! written yet or not; storage is told of it at once, so that it answers as if it were. What is
//! written together ends where the indexes are written.

use super::edit::{BatchContents, RunningBatch};
use super::handle::Db;
use super::ops::{Batch, CommitReply, EditReply};
use crate::change::{Origin, Working};
use crate::error::{Error, Result};
use crate::index::CycleKind;
use crate::limits::CHECKPOINT_EVERY;
use crate::store::Append;

/// A series of batches on its way. Whoever holds it has the writer's lock.
pub(super) struct Series<'a> {
    db: &'a Db,
    working: Working,
    waiting: Vec<RunningBatch<'a>>,
    contents: BatchContents<'a>,
    next_seq: u64,
}

impl<'a> Series<'a> {
    pub(super) fn new(db: &'a Db) -> Series<'a> {
        Series {
            working: (*db.working()).clone(),
            waiting: Vec::new(),
            contents: BatchContents::new(db.inner.store.reader()),
            next_seq: db.inner.store.next_seq(),
            db,
        }
    }

    /// Judges a batch that ends in a commit, and writes what waits if it is time.
    pub(super) fn batch(&mut self, request: Batch, origin: Option<Origin>) -> Result<CommitReply> {
        let contents =
            std::mem::replace(&mut self.contents, BatchContents::new(self.db.inner.store.reader()));
        let mut batch = RunningBatch::new(contents, self.next_seq, self.db.inner.settings.now());
        batch.run(&mut self.working, request, origin)?;
        let (Some(EditReply::Commit(reply)), Some(end)) = (batch.replies.pop(), &batch.closed)
        else {
            return Err(Error::request("every batch of a series ends in a commit"));
        };
        self.working = Working::fresh(end.next()?);
        self.db.inner.store.announce(&append_of(&batch, false));
        self.contents = batch.take_contents();
        self.next_seq += batch.events.len() as u64;
        self.waiting.push(batch);
        if self.working.state.history.len().is_multiple_of(CHECKPOINT_EVERY) {
            self.write(false)?;
        }
        Ok(*reply)
    }

    /// Writes the rest, waits until all of it is on disk, and shows it.
    pub(super) fn finish(mut self) -> Result<()> {
        self.write(true)?;
        self.db.publish(self.working);
        Ok(())
    }

    fn write(&mut self, durable: bool) -> Result<()> {
        let appends: Vec<Append<'_>> =
            self.waiting.iter().map(|batch| append_of(batch, durable)).collect();
        self.db.inner.store.append_announced(&appends, durable)?;
        self.waiting.clear();
        self.contents = BatchContents::new(self.db.inner.store.reader());
        Ok(())
    }
}

/// What is written of a batch.
fn append_of<'b>(batch: &'b RunningBatch<'_>, durable: bool) -> Append<'b> {
    let closed = batch.closed.as_ref();
    Append {
        events: &batch.events,
        time: batch.now,
        closed: closed.map(|end| (&end.closed, &end.before, CycleKind::Commit)),
        durable,
    }
}

//! An operation that is being answered: the store, and who is told on the way.

use super::reply::{Notice, Progress, Sink};
use crate::db::Db;
use crate::error::Result;
use crate::json::Json;

/// An operation that is being answered.
pub(super) struct Call<'a> {
    /// The store.
    pub(super) db: &'a Db,
    /// Whether parts and progress are wanted.
    pub(super) stream: bool,
    sink: Sink<'a>,
    /// What else there is to say.
    pub(super) warnings: Vec<String>,
}

impl<'a> Call<'a> {
    /// One that has just begun.
    pub(super) fn new(db: &'a Db, stream: bool, sink: Sink<'a>) -> Call<'a> {
        Call { db, stream, sink, warnings: Vec::new() }
    }

    /// Sends a part of the answer.
    pub(super) fn part(&mut self, part: Json) -> Result<()> {
        (self.sink)(Notice::Part(part))
    }

    /// Says how far it has come, if anybody wants to know.
    pub(super) fn progress(&mut self, step: &str, done: u64, total: u64) -> Result<()> {
        match self.stream {
            true => (self.sink)(Notice::Progress(Progress { step: step.to_owned(), done, total })),
            false => Ok(()),
        }
    }

    /// Runs something long that tells its progress by a callback which cannot fail. That the sink
    /// has gone is found at the end.
    pub(super) fn watched<T>(
        &mut self,
        work: impl FnOnce(&Db, &mut dyn FnMut(crate::store::Progress)) -> Result<T>,
    ) -> Result<T> {
        let (db, mut gone) = (self.db, Ok(()));
        let done = work(db, &mut |progress| {
            let step = format!("{:?}", progress.step).to_lowercase();
            if gone.is_ok() {
                gone = self.progress(&step, progress.done, progress.total);
            }
        })?;
        gone.map(|()| done)
    }
}

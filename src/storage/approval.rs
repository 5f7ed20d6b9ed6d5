//! Storage on approval: nothing is written to it before there is a reason to.
//!
//! redb writes to every file that it opens and closes. What it writes while a store is opened waits
//! in memory, and reaches the storage in the same order when the store itself is to be written. If
//! that never happens, it is forgotten: a file that is no store, or is newer, or is too damaged to
//! be opened, or is only read, keeps every byte.

use super::locks::pass_locks_on;
use redb::StorageBackend;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Storage whose writes wait for approval. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct OnApproval(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    storage: Box<dyn StorageBackend>,
    /// From then on everything passes through without a lock.
    approved: AtomicBool,
    /// Whether closing leaves the storage as it is, locks and all, because it is opened again.
    held: AtomicBool,
    closed: AtomicBool,
    stage: Mutex<Stage>,
}

#[derive(Debug)]
enum Stage {
    Waiting {
        steps: Vec<Step>,
        /// The length with all steps, and that of the storage, which nobody else writes to.
        len: u64,
        stored: u64,
    },
    Approved,
    /// The storage failed when it was written to: what it holds is not what redb believes.
    Failed,
}

#[derive(Debug)]
enum Step {
    Write(u64, Vec<u8>),
    SetLen(u64),
    Sync,
}

impl OnApproval {
    pub(crate) fn new(storage: impl StorageBackend) -> io::Result<OnApproval> {
        let len = storage.len()?;
        Ok(OnApproval(Arc::new(Inner {
            storage: Box::new(storage),
            approved: AtomicBool::new(false),
            held: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            stage: Mutex::new(Stage::Waiting { steps: Vec::new(), len, stored: len }),
        })))
    }

    /// Writes what has waited; from now on nothing waits.
    pub(crate) fn approve(&self) -> io::Result<()> {
        let mut stage = self.stage();
        let Stage::Waiting { steps, .. } = std::mem::replace(&mut *stage, Stage::Failed) else {
            return Ok(());
        };
        for step in &steps {
            match step {
                Step::Write(offset, data) => self.0.storage.write(*offset, data)?,
                Step::SetLen(len) => self.0.storage.set_len(*len)?,
                Step::Sync => self.0.storage.sync_data()?,
            }
        }
        *stage = Stage::Approved;
        self.0.approved.store(true, Ordering::Release);
        Ok(())
    }

    /// Lets everything wait again, for a database that is opened on what is there.
    pub(crate) fn begin_anew(&self) -> io::Result<()> {
        let len = self.0.storage.len()?;
        let mut stage = self.stage();
        self.0.approved.store(false, Ordering::Release);
        *stage = Stage::Waiting { steps: Vec::new(), len, stored: len };
        Ok(())
    }

    /// Whether closing leaves the storage open.
    pub(crate) fn hold(&self, held: bool) {
        self.0.held.store(held, Ordering::Release);
    }

    /// Whether anything may have been written.
    pub(crate) fn is_approved(&self) -> bool {
        !matches!(&*self.stage(), Stage::Waiting { .. })
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.0.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The storage, if nothing stands between.
    fn direct(&self) -> Option<&dyn StorageBackend> {
        self.0.approved.load(Ordering::Acquire).then_some(&*self.0.storage)
    }

    fn step(&self, step: Step) -> io::Result<()> {
        match &mut *self.stage() {
            Stage::Waiting { steps, len, .. } => {
                if let Step::SetLen(new) = step {
                    *len = new;
                }
                steps.push(step);
                Ok(())
            }
            _ => Err(io::Error::other("the storage failed while the store was opened")),
        }
    }

    /// Reads what the storage would hold if all that waits were written. Nobody waits for the storage:
    /// it does not change while something waits, and if it was approved meanwhile, it is read again.
    fn read_waiting(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let end = offset.saturating_add(out.len() as u64);
        let stored = match &*self.stage() {
            Stage::Waiting { len, .. } if end > *len => {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            Stage::Waiting { stored, .. } => end.min(*stored).saturating_sub(offset) as usize,
            _ => 0,
        };
        let (old, new) = out.split_at_mut(stored);
        let read = if old.is_empty() { Ok(()) } else { self.0.storage.read(offset, old) };
        new.fill(0);
        let stage = self.stage();
        let Stage::Waiting { steps, .. } = &*stage else {
            drop(stage);
            return self.0.storage.read(offset, out);
        };
        read?;
        for step in steps {
            match step {
                Step::Write(at, data) => overlay(offset, out, *at, data),
                Step::SetLen(len) => {
                    let kept = end.min(*len).saturating_sub(offset) as usize;
                    out[kept..].fill(0);
                }
                Step::Sync => {}
            }
        }
        Ok(())
    }
}

/// Copies what a write at `at` put into the bytes from `offset` on.
fn overlay(offset: u64, out: &mut [u8], at: u64, data: &[u8]) {
    let from = offset.max(at);
    let to = (offset + out.len() as u64).min(at + data.len() as u64);
    if from < to {
        let written = &data[(from - at) as usize..(to - at) as usize];
        out[(from - offset) as usize..(to - offset) as usize].copy_from_slice(written);
    }
}

impl StorageBackend for OnApproval {
    fn len(&self) -> io::Result<u64> {
        match &*self.stage() {
            Stage::Waiting { len, .. } => Ok(*len),
            _ => self.0.storage.len(),
        }
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        match self.direct() {
            Some(storage) => storage.read(offset, out),
            None => self.read_waiting(offset, out),
        }
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        match self.direct() {
            Some(storage) => storage.set_len(len),
            None => self.step(Step::SetLen(len)),
        }
    }

    fn sync_data(&self) -> io::Result<()> {
        match self.direct() {
            Some(storage) => storage.sync_data(),
            None => self.step(Step::Sync),
        }
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        match self.direct() {
            Some(storage) => storage.write(offset, data),
            None => self.step(Step::Write(offset, data.to_vec())),
        }
    }

    fn close(&self) -> io::Result<()> {
        if self.0.held.load(Ordering::Acquire) || self.0.closed.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        self.0.storage.close()
    }

    pass_locks_on!(self => self.0.storage);
}

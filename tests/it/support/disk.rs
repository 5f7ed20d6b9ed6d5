//! A disk for tests: it remembers what was written in which order, counts reads, and can fail.
//!
//! What a power cut leaves is everything up to the last sync, and of the rest whatever happened to
//! reach the plate: any subset of the writes, each whole or torn at a sector.

use super::seeded::Random;
use redb::StorageBackend;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

/// What a sector holds is written whole or not at all.
const SECTOR: usize = 512;

/// Something that was done to the disk.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Write(u64, Vec<u8>),
    SetLen(u64),
    Sync,
}

#[derive(Debug, Default)]
struct State {
    bytes: Vec<u8>,
    steps: Vec<Step>,
    records: bool,
    reads: Vec<(u64, usize)>,
    /// How many more steps succeed; from then on all fail.
    steps_left: Option<u64>,
    failed: bool,
}

/// A disk. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk(Arc<Mutex<State>>);

impl Disk {
    /// An empty disk that records every step.
    pub(crate) fn recording() -> Disk {
        let disk = Disk::default();
        disk.record();
        disk
    }

    /// Records every step from now on.
    pub(crate) fn record(&self) {
        self.state().records = true;
    }

    /// A disk that holds these bytes.
    pub(crate) fn with(bytes: Vec<u8>) -> Disk {
        let disk = Disk::default();
        disk.state().bytes = bytes;
        disk
    }

    /// A copy of all bytes, synced or not.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.state().bytes.clone()
    }

    /// How many steps were recorded.
    pub(crate) fn step_count(&self) -> usize {
        self.state().steps.len()
    }

    /// All steps that were recorded.
    pub(crate) fn steps(&self) -> Vec<Step> {
        self.state().steps.clone()
    }

    /// Lets some steps succeed and all later ones fail.
    pub(crate) fn fail_after(&self, steps: u64) {
        self.state().steps_left = Some(steps);
    }

    /// Lets all steps succeed again.
    pub(crate) fn heal(&self) {
        self.state().steps_left = None;
    }

    /// Whether a step has failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.state().failed
    }

    /// What was read since the last call: offsets and lengths.
    pub(crate) fn take_reads(&self) -> Vec<(u64, usize)> {
        std::mem::take(&mut self.state().reads)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn step(&self, step: Step) -> io::Result<()> {
        let mut state = self.state();
        match &mut state.steps_left {
            Some(0) => {
                state.failed = true;
                return Err(io::Error::other("the disk has failed"));
            }
            Some(left) => *left -= 1,
            None => {}
        }
        apply(&mut state.bytes, &step)?;
        if state.records {
            state.steps.push(step);
        }
        Ok(())
    }
}

/// Does a step to an image.
pub(crate) fn apply(bytes: &mut Vec<u8>, step: &Step) -> io::Result<()> {
    match step {
        Step::Write(offset, data) => {
            let start = *offset as usize;
            let place = bytes.get_mut(start..start + data.len());
            place.ok_or(io::ErrorKind::UnexpectedEof)?.copy_from_slice(data);
        }
        Step::SetLen(len) => bytes.resize(*len as usize, 0),
        Step::Sync => {}
    }
    Ok(())
}

/// What may be left of steps that were not synced: some of them, some of those torn.
pub(crate) fn lose_power(bytes: &mut Vec<u8>, unsynced: &[Step], random: &mut Random) {
    // All of them, none, a prefix, or each by the toss of a coin.
    let (manner, cut) = (random.below(4), random.below(unsynced.len() as u64 + 1) as usize);
    for (i, step) in unsynced.iter().enumerate() {
        let kept = match manner {
            0 => i < cut,
            1 => i >= cut,
            _ => random.below(2) == 0,
        };
        match step {
            _ if !kept => {}
            Step::Write(offset, data) if manner == 3 => {
                let sectors = random.below((data.len() / SECTOR) as u64 + 1) as usize;
                let torn = if sectors == 0 { data } else { &data[..sectors * SECTOR] };
                // A write beyond the end of a file that did not grow is lost.
                let _ = apply(bytes, &Step::Write(*offset, torn.to_vec()));
            }
            step => drop(apply(bytes, step)),
        }
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state().bytes.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let mut state = self.state();
        let start = offset as usize;
        let found = state.bytes.get(start..start + out.len());
        out.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
        state.reads.push((offset, out.len()));
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.step(Step::SetLen(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.step(Step::Sync)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.step(Step::Write(offset, data.to_vec()))
    }
}

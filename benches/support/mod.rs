//! What the benches share: a seeded conversation, storage that counts, and percentiles.
//!
//! The text is made of words of a small vocabulary in random order, so it compresses about as well
//! as prose does.

// Each bench uses a part of this.
#![allow(dead_code)]

use pactdb::{Add, Batch, Commit, EditOp, Json};
use redb::StorageBackend;
use std::io;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A small generator of random numbers; the same seed gives the same conversation for ever.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(2).wrapping_add(1))
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 11) % bound
    }
}

/// A conversation of an agent that uses tools: user, assistant, call, result.
pub struct Conversation {
    random: Random,
    words: Vec<String>,
    turn: u64,
}

impl Conversation {
    pub fn new(seed: u64) -> Conversation {
        let mut random = Random::new(seed);
        let syllables =
            ["ka", "lo", "mi", "ter", "an", "sol", "ve", "ri", "chu", "den", "po", "quin"];
        let words = (0..1500)
            .map(|_| {
                let count = 1 + random.below(4);
                (0..count).map(|_| syllables[random.below(12) as usize]).collect()
            })
            .collect();
        Conversation { random, words, turn: 0 }
    }

    fn text(&mut self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 16);
        while text.len() < bytes {
            // Common words are common: the square of a random number favours small indexes.
            let pick = self.random.below(1500) * self.random.below(1500) / 1500;
            text.push_str(&self.words[pick as usize]);
            text.push(if self.random.below(12) == 0 { '\n' } else { ' ' });
        }
        text
    }

    /// The blocks of the next turn: role, kind, ttl, content; about 3.8 kB.
    pub fn turn(&mut self) -> Vec<(&'static str, &'static str, Option<i64>, String)> {
        self.turn += 1;
        let ttl = self.turn.is_multiple_of(2).then_some(5);
        vec![
            ("user", "text", None, self.text(300)),
            ("assistant", "text", None, self.text(1200)),
            ("assistant", "call", None, self.text(300)),
            ("tool", "result", ttl, self.text(2000)),
        ]
    }

    /// The next turn as one batch with its commit.
    pub fn batch(&mut self) -> (Batch, u64) {
        let mut bytes = 0;
        let mut ops = Vec::new();
        for (role, kind, ttl, content) in self.turn() {
            bytes += content.len() as u64;
            ops.push(EditOp::Add(Box::new(Add {
                role: Some(role.to_owned()),
                kind: Some(kind.to_owned()),
                ttl,
                content: Some(Json::Str(content)),
                ..Add::default()
            })));
        }
        ops.push(EditOp::Commit(Commit::default()));
        (Batch { ops, expected_cycle: None }, bytes)
    }
}

/// What went through a [`Counting`] storage.
#[derive(Debug, Default)]
pub struct Counters {
    pub written: AtomicU64,
    pub writes: AtomicU64,
    pub syncs: AtomicU64,
}

/// Storage that counts what is written to another one.
#[derive(Debug)]
pub struct Counting<S> {
    pub inner: S,
    pub counters: Arc<Counters>,
}

impl<S: StorageBackend> StorageBackend for Counting<S> {
    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.inner.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.inner.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.counters.syncs.fetch_add(1, Ordering::Relaxed);
        self.inner.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.counters.writes.fetch_add(1, Ordering::Relaxed);
        self.counters.written.fetch_add(data.len() as u64, Ordering::Relaxed);
        self.inner.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.inner.close()
    }

    fn try_lock_range(&self, a: Bound<u64>, b: Bound<u64>) -> Result<bool, redb::BackendError> {
        self.inner.try_lock_range(a, b)
    }

    fn unlock_range(&self, a: Bound<u64>, b: Bound<u64>) -> Result<(), redb::BackendError> {
        self.inner.unlock_range(a, b)
    }
}

/// Storage that does not wait for the disk: for stores that can be made again.
#[derive(Debug)]
pub struct Unsynced<S>(pub S);

impl<S: StorageBackend> StorageBackend for Unsynced<S> {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.0.close()
    }
}

/// The value below which a share of the sorted samples lies.
pub fn percentile(samples: &mut [u64], share: f64) -> u64 {
    samples.sort_unstable();
    let index = ((samples.len() as f64 - 1.0) * share).round() as usize;
    samples.get(index).copied().unwrap_or(0)
}

//! Bloom filters with one hash function: a set of hashes in which one bit stands for each.
//!
//! A filter may say that it has a hash which was never added, and never denies one that was. Its
//! bytes are on disk.

use super::lookup::{Trigrams, trigram_hashes};

/// A set of hashes: one bit for each, by its upper bits.
pub(super) struct Bloom {
    /// As many as there may be, or fewer once they are folded.
    words: Vec<u64>,
}

/// The most and the least words of a set.
const MOST_WORDS: usize = 2048;
const LEAST_WORDS: usize = 4;

impl Bloom {
    /// The empty set.
    pub(super) fn new() -> Bloom {
        Bloom { words: vec![0; MOST_WORDS] }
    }

    /// Adds the trigrams of a text.
    pub(super) fn add(&mut self, text: &str) {
        let Some(words) = self.words.first_chunk_mut::<MOST_WORDS>() else { return };
        for hash in trigram_hashes(text.as_bytes()) {
            let (word, bit) = place(hash, MOST_WORDS);
            words[word % MOST_WORDS] |= bit;
        }
    }

    /// Adds everything.
    pub(super) fn fill(&mut self) {
        self.words.fill(u64::MAX);
    }

    /// The same in as little room as leaves at most a quarter of the bits set.
    pub(super) fn folded(mut self) -> Vec<u8> {
        let mut ones: u32 = self.words.iter().map(|word| word.count_ones()).sum();
        while self.words.len() > LEAST_WORDS && ones as usize * 8 <= self.words.len() * 64 {
            // Each pair of neighbouring bits becomes one.
            let halves: Vec<u64> = self
                .words
                .chunks_exact(2)
                .map(|pair| squeeze(pair[0]) | squeeze(pair[1]) << 32)
                .collect();
            self.words = halves;
            ones = self.words.iter().map(|word| word.count_ones()).sum();
        }
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// Where the bit of a hash is among so many words, a power of two.
fn place(hash: u32, words: usize) -> (usize, u64) {
    let bit = (u64::from(hash) * (words as u64 * 64)) >> 32;
    ((bit / 64) as usize, 1 << (bit % 64))
}

/// One bit for each pair of bits, in the lower half.
fn squeeze(word: u64) -> u64 {
    let mut bits = (word | word >> 1) & 0x5555_5555_5555_5555;
    for (shift, mask) in [
        (1, 0x3333_3333_3333_3333),
        (2, 0x0f0f_0f0f_0f0f_0f0f),
        (4, 0x00ff_00ff_00ff_00ff),
        (8, 0x0000_ffff_0000_ffff),
        (16, 0x0000_0000_ffff_ffff),
    ] {
        bits = (bits | bits >> shift) & mask;
    }
    bits
}

/// Whether a text may stand somewhere in what a set was made from.
pub(super) fn may_have(set: &[u8], text: &Trigrams) -> bool {
    let words = set.len() / 8;
    text.hashes().iter().all(|hash| {
        let (word, bit) = place(*hash, words);
        let bytes = set.get(word * 8..).and_then(|rest| rest.first_chunk::<8>());
        bytes.is_none_or(|bytes| u64::from_le_bytes(*bytes) & bit != 0)
    })
}

//! The tables `features` and `grams`: in which turns a name occurs, and in which a text may.
//!
//! Whenever the indexes are written, rows are added for the versions of turns that came since, and
//! none is changed. A row of `features` has the turns in which a feature was met; a row of `grams`
//! has up to 64 turns and a set of bits for the runs of three bytes in their contents. Newer
//! versions are in the tail, and count as having everything.

use super::StoreError;
use super::codec::{decode, encode, seal, unseal};
use super::contents::{lend_content, missing_content};
use super::guarded::Readable;
use super::read::LogReader;
use super::shown::Shown;
use super::tables::{FEATURES, GRAMS, log_key_bytes};
use super::writing::Writer;
use crate::model::{Clue, ContentRef, Grams, Slot, Spine, Subtree, features, gram_hashes};
use crate::snapshot::Body;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};

/// A version of a turn that has to go into the tables.
pub(super) type NewVersion = ((Slot, u64), Option<Arc<Subtree>>);

/// How many turns share a row of `grams`.
const TURNS: usize = 64;

/// Adds rows for new versions of turns, which were committed up to a cycle. Contents are read from
/// `log`.
pub(super) fn flush_clues(
    txn: &Writer,
    cycle: u64,
    versions: &[NewVersion],
    log: &impl Readable<(u64, u32), &'static [u8]>,
) -> Result<(), StoreError> {
    let mut turns: BTreeMap<Slot, Vec<&Subtree>> = BTreeMap::new();
    for ((slot, _), turn) in versions {
        if let Some(turn) = turn {
            turns.entry(*slot).or_default().push(turn);
        }
    }
    let mut places: BTreeMap<u32, Spine> = BTreeMap::new();
    for (slot, versions) in &turns {
        let found: BTreeSet<u32> = versions.iter().flat_map(|turn| features(turn)).collect();
        for feature in found {
            push(places.entry(feature).or_default(), *slot);
        }
    }
    let mut table = txn.open_table(FEATURES)?;
    for (feature, slots) in &places {
        let key = (*feature, cycle);
        let row = seal("features", &feature_key_bytes(key), encode(slots)?);
        table.insert(key, row.as_slice())?;
    }
    let mut table = txn.open_table(GRAMS)?;
    let turns: Vec<(Slot, Vec<&Subtree>)> = turns.into_iter().collect();
    for (number, chunk) in turns.chunks(TURNS).enumerate() {
        let (mut slots, mut contents) = (Spine::default(), BTreeSet::new());
        for (slot, versions) in chunk {
            push(&mut slots, *slot);
            let nodes = versions.iter().flat_map(|turn| turn.entries());
            contents.extend(nodes.filter_map(|entry| entry.node.content).map(content_key));
        }
        let mut bits = Bits::new();
        for key in contents {
            match add_content(log, key, &mut bits) {
                // What cannot be read may hold anything. Whoever wants it, or verifies, is told.
                Err(StoreError::Corrupt(_)) => bits.fill(),
                added => added?,
            }
        }
        let key = (cycle, number as u32);
        let row = encode(&(slots, bits.folded()))?;
        let row = seal("grams", &log_key_bytes(key.0, key.1), row);
        table.insert(key, row.as_slice())?;
    }
    Ok(())
}

fn content_key(content: ContentRef) -> (u64, u32) {
    (content.seq, content.part)
}

/// Adds a turn to a set; they come in order.
fn push(slots: &mut Spine, slot: Slot) {
    match slot.rank {
        0 => slots.push_sealed(slot.cycle),
        _ => slots.push_imported(slot),
    }
}

fn add_content(
    log: &impl Readable<(u64, u32), &'static [u8]>,
    (seq, part): (u64, u32),
    bits: &mut Bits,
) -> Result<(), StoreError> {
    let row = log.get((seq, part))?.ok_or_else(|| missing_content(seq, part))?;
    lend_content((seq, part), row.value(), |body| match body {
        Body::Text(text) => bits.add(text),
        Body::Json(value) => bits.add(&value.text()),
    })
}

/// A set of hashes: one bit for each, by its upper bits.
struct Bits {
    /// As many as there may be, or fewer once they are folded.
    words: Vec<u64>,
}

/// The most and the least words of a set.
const MOST_WORDS: usize = 2048;
const LEAST_WORDS: usize = 4;

impl Bits {
    fn new() -> Bits {
        Bits { words: vec![0; MOST_WORDS] }
    }

    fn add(&mut self, text: &str) {
        let Some(words) = self.words.first_chunk_mut::<MOST_WORDS>() else { return };
        for hash in gram_hashes(text.as_bytes()) {
            let (word, bit) = place(hash, MOST_WORDS);
            words[word % MOST_WORDS] |= bit;
        }
    }

    /// Everything.
    fn fill(&mut self) {
        self.words.fill(u64::MAX);
    }

    /// The same in as little room as leaves at most a quarter of the bits set.
    fn folded(mut self) -> Vec<u8> {
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
fn may_have(set: &[u8], text: &Grams) -> bool {
    let words = set.len() / 8;
    text.hashes().iter().all(|hash| {
        let (word, bit) = place(*hash, words);
        let bytes = set.get(word * 8..).and_then(|rest| rest.first_chunk::<8>());
        bytes.is_none_or(|bytes| u64::from_le_bytes(*bytes) & bit != 0)
    })
}

fn feature_key_bytes((feature, cycle): (u32, u64)) -> [u8; 12] {
    log_key_bytes(cycle, feature)
}

impl LogReader {
    /// The turns of which there is a version, as of a cycle, that the tables do not know.
    pub fn newer_turns(&self, cycle: u64) -> BTreeSet<Slot> {
        let tail = self.tail.read().unwrap_or_else(PoisonError::into_inner);
        tail.turns.keys().filter(|(_, from)| *from <= cycle).map(|(slot, _)| *slot).collect()
    }

    /// Turns that a clue leads to, in order: every other turn of the snapshot of a cycle has
    /// nothing of the sort. None if there are more than `most`.
    pub fn turns_with(
        &self,
        cycle: u64,
        clue: &Clue,
        most: usize,
    ) -> Result<Option<Vec<Slot>>, StoreError> {
        // The tail first, so that what it loses meanwhile is found in the tables.
        let mut found: Vec<Slot> = self.newer_turns(cycle).into_iter().collect();
        let within = self.with(|shown| match clue {
            Clue::Features(features) => with_features(shown, features, most, &mut found),
            Clue::Texts(texts) => with_texts(shown, texts, most, &mut found),
        })?;
        found.sort_unstable();
        found.dedup();
        Ok(within.then_some(found))
    }
}

/// Adds the turns in which one of some features occurs; false if there are too many.
fn with_features(
    shown: &Shown,
    features: &[u32],
    most: usize,
    found: &mut Vec<Slot>,
) -> Result<bool, StoreError> {
    let table = shown.features()?;
    for feature in features {
        for entry in table.range((*feature, 0)..=(*feature, u64::MAX))? {
            let (key, row) = entry?;
            let key = key.value();
            let what = || format!("the turns with a feature as of cycle {}", key.1);
            let bytes = unseal("features", &feature_key_bytes(key), row.value(), what)?;
            let slots: Spine = decode(bytes, &what())?;
            if found.len() as u64 + slots.len() > most as u64 {
                return Ok(false);
            }
            found.extend(slots.iter());
        }
    }
    Ok(true)
}

/// Adds the turns in whose contents one of some texts may stand; false if there are too many.
fn with_texts(
    shown: &Shown,
    texts: &[Grams],
    most: usize,
    found: &mut Vec<Slot>,
) -> Result<bool, StoreError> {
    for entry in shown.grams()?.iter()? {
        let (key, row) = entry?;
        let key = key.value();
        let what = || format!("the texts of the turns as of cycle {}", key.0);
        let bytes = unseal("grams", &log_key_bytes(key.0, key.1), row.value(), what)?;
        let (slots, set): (Spine, &[u8]) = super::codec::decode_borrowed(bytes, &what)?;
        if texts.iter().any(|text| may_have(set, text)) {
            if found.len() as u64 + slots.len() > most as u64 {
                return Ok(false);
            }
            found.extend(slots.iter());
        }
    }
    Ok(true)
}

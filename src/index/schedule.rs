//! When the memtable is written: a slice of it with each of the commits after it is complete.
//!
//! Snapshots are counted; 64 of them are a layer of the memtable. The commit that completes a layer
//! writes none of it. The one after it, at position 1 of its own 64, writes the first slice of it,
//! and so on in the order of `SLICES`: a table, or one of several pieces of a table. So the work is
//! spread, it follows from the log alone, and a layer is in the tables long before the next one is complete.
//! Something else that is to be written now and then is a further row of `SLICES` and an arm in
//! `write_slice`; there are at most 63 pieces. This file knows nothing of rows.

use crate::limits::CHECKPOINT_EVERY;
use std::ops::Range;

/// What is written by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slice {
    /// `sketches`, by rows.
    Summaries,
    /// `features`, by rows.
    Names,
    /// `grams`, by rows.
    Trigrams,
    /// `prunes`, by turns.
    Prunes,
    /// `ids`, by rows.
    Ids,
    /// `refs`, `expiry`, `instances`, `running`, `figures`, `turn_sizes`.
    Rest,
}

/// The slices in their order, and in how many pieces each is written.
const SLICES: [(Slice, u64); 6] = [
    (Slice::Summaries, 4),
    (Slice::Names, 4),
    (Slice::Trigrams, 4),
    (Slice::Prunes, 4),
    (Slice::Ids, 8),
    (Slice::Rest, 1),
];

const _: () = assert!(ends(Slice::Rest as usize) < CHECKPOINT_EVERY);

/// What a layer of the memtable holds, as far as it is dropped at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// Versions of turns, of which four slices are made.
    Turns,
    /// Ids and their places.
    Ids,
    /// Everything else.
    Rest,
}

/// One of several pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    number: u64,
    of: u64,
}

impl Piece {
    /// Which of so many things belong to it.
    pub(super) fn range(self, len: usize) -> Range<usize> {
        let at = |number: u64| (len as u64 * number / self.of) as usize;
        at(self.number)..at(self.number + 1)
    }
}

/// The position of the last piece of the slice with that number.
const fn ends(slice: usize) -> u64 {
    let (mut end, mut at) = (0, 0);
    while at <= slice {
        end += SLICES[at].1;
        at += 1;
    }
    end
}

/// What the commit at a position writes, if it writes something.
pub(super) fn slice_at(position: u64) -> Option<(Slice, Piece)> {
    let mut number = position.checked_sub(1)?;
    for (slice, of) in SLICES {
        if number < of {
            return Some((slice, Piece { number, of }));
        }
        number -= of;
    }
    None
}

/// Whether a field of the older layer is in the tables once the commit at a position is written.
pub(super) fn is_written(field: Field, position: u64) -> bool {
    let last = match field {
        Field::Turns => Slice::Prunes,
        Field::Ids => Slice::Ids,
        Field::Rest => Slice::Rest,
    };
    position >= ends(last as usize)
}

/// Whether all of the older layer is in the tables then.
pub(crate) fn all_is_written(position: u64) -> bool {
    position >= ends(SLICES.len() - 1)
}

//! Parts of a tree in canonical order, listed only as far as somebody asks for them: a question about
//! every turn holds two numbers and not a list.

use crate::model::{Place, Spine};
use crate::query::eval::walk::{AH_RANK, FIRST_TURN_RANK, SYS_RANK};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::ops::Range;

/// A part to be looked at: where it is, its depth, and its rank.
pub(crate) type Wanted = (Place, i64, u64);

/// Parts that are still to be looked at, in canonical order.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    stretches: SmallVec<[Stretch; 3]>,
    left: u64,
    /// The least and the greatest depth of the turns.
    depths: Option<(i64, i64)>,
}

#[derive(Debug)]
enum Stretch {
    One(Option<Wanted>),
    Listed(VecDeque<Wanted>),
    /// The turns with these indexes.
    Turns(Range<u64>),
}

impl Parts {
    /// These parts, which are in canonical order.
    pub(crate) fn listed(list: Vec<Wanted>) -> Parts {
        let mut parts = Parts::default();
        parts.add(list);
        parts
    }

    /// Parts that were found one by one.
    fn add(&mut self, list: Vec<Wanted>) {
        for (_, depth, _) in list.iter().filter(|(place, ..)| place.slot().is_some()) {
            self.widen(*depth, *depth);
        }
        self.left += list.len() as u64;
        if !list.is_empty() {
            self.stretches.push(Stretch::Listed(list.into()));
        }
    }

    /// `^sys` or `^ah`.
    pub(super) fn add_region(&mut self, place: Place) {
        self.left += 1;
        self.stretches.push(Stretch::One(Some(match place {
            Place::Ah => (Place::Ah, 0, AH_RANK),
            _ => (Place::Sys, -1, SYS_RANK),
        })));
    }

    /// The turns of some depths, which `count` turns have; not empty.
    pub(super) fn add_turns(&mut self, from: i64, to: i64, count: i64) {
        self.widen(from, to);
        let indexes = (count - to) as u64..(count - from + 1) as u64;
        self.left += indexes.end - indexes.start;
        self.stretches.push(Stretch::Turns(indexes));
    }

    fn widen(&mut self, from: i64, to: i64) {
        let (least, greatest) = self.depths.unwrap_or((from, to));
        self.depths = Some((least.min(from), greatest.max(to)));
    }

    /// How many are left.
    pub(crate) fn len(&self) -> u64 {
        self.left
    }

    /// The least and the greatest depth of the turns that were there at first.
    pub(crate) fn depths(&self) -> (i64, i64) {
        self.depths.unwrap_or((1, 1))
    }

    /// Takes the next parts, or the last ones with the very last first. `spine` has the turns.
    pub(crate) fn take(
        &mut self,
        count: usize,
        backward: bool,
        spine: &Spine,
    ) -> SmallVec<[Wanted; 4]> {
        let room = usize::try_from(self.left).map_or(count, |left| left.min(count));
        let mut taken = SmallVec::with_capacity(room);
        while taken.len() < count {
            let stretch = match backward {
                true => self.stretches.last_mut(),
                false => self.stretches.first_mut(),
            };
            let Some(stretch) = stretch else { break };
            stretch.take(count - taken.len(), backward, spine, &mut taken);
            if stretch.len() == 0 {
                self.stretches.remove(if backward { self.stretches.len() - 1 } else { 0 });
            }
        }
        self.left -= taken.len() as u64;
        taken
    }

    /// Leaves the first ones out, without listing them.
    pub(crate) fn skip(&mut self, count: u64) {
        let mut left = count.min(self.left);
        self.left -= left;
        while left > 0
            && let Some(stretch) = self.stretches.first_mut()
        {
            let skipped = left.min(stretch.len());
            left -= skipped;
            match stretch {
                Stretch::One(part) => *part = None,
                Stretch::Turns(indexes) => indexes.start += skipped,
                // The cast is exact: a list is not longer.
                Stretch::Listed(list) => drop(list.drain(..skipped as usize)),
            }
            if stretch.len() == 0 {
                self.stretches.remove(0);
            }
        }
    }

    /// All of them.
    pub(crate) fn all(mut self, spine: &Spine) -> Vec<Wanted> {
        self.take(usize::MAX, false, spine).into_vec()
    }
}

impl Stretch {
    fn len(&self) -> u64 {
        match self {
            Stretch::One(part) => u64::from(part.is_some()),
            Stretch::Listed(list) => list.len() as u64,
            Stretch::Turns(indexes) => indexes.end - indexes.start,
        }
    }

    fn take(
        &mut self,
        count: usize,
        backward: bool,
        spine: &Spine,
        taken: &mut SmallVec<[Wanted; 4]>,
    ) {
        match self {
            Stretch::One(part) => taken.extend(part.take()),
            Stretch::Listed(list) => {
                let count = count.min(list.len());
                match backward {
                    true => taken.extend(list.drain(list.len() - count..).rev()),
                    false => taken.extend(list.drain(..count)),
                }
            }
            Stretch::Turns(indexes) => {
                let turns = spine.len();
                let count = (count as u64).min(indexes.end - indexes.start);
                let first = if backward { indexes.end - count } else { indexes.start };
                let start = taken.len();
                let slots = (first..).zip(spine.slots(first..first + count));
                taken.extend(slots.map(|(index, slot)| {
                    (Place::Turn(slot), (turns - index) as i64, FIRST_TURN_RANK + index)
                }));
                if backward {
                    taken[start..].reverse();
                    indexes.end = first;
                } else {
                    indexes.start = first + count;
                }
            }
        }
    }
}

//! One chain over the parts that can matter, chunk by chunk.
//!
//! Of each chunk the turn index is asked first, and only turns that it leaves open are loaded by
//! whoever goes on with the scan. A chain that counts over several parts is the exception: it gets
//! all of them at once, and the scan has what it found.

use super::from_index::{IndexEvaluator, Verdict};
use super::index_hits::IndexHits;
use super::results::{FromIndex, Wants};
use super::scope::{Parts, Scope, Wanted, is_dense};
use super::walk::{Flat, Walk, read_part};
use crate::budget;
use crate::query::plan::Chain;
use crate::query::timeline::{Moment, Read};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Turns that are looked at together: few at first, in case that is enough. Whoever comes from the
/// newest mostly wants very few.
const FIRST_CHUNK: usize = 64;
const FIRST_BACKWARD: usize = 4;
const LAST_CHUNK: usize = 4096;

/// A chain on its way over parts, forward or backward in canonical order.
pub(super) struct ChainScan {
    chain: Arc<Chain>,
    backward: bool,
    /// What is wanted of what the index finds.
    wants: Wants,
    /// What no chunk has had yet, and how many parts there were at first.
    parts: Parts,
    total: u64,
    index: Option<IndexEvaluator>,
    /// The present chunk: its parts, what is to be done about each, and which is next.
    chunk: SmallVec<[Wanted; 4]>,
    verdicts: SmallVec<[Verdict; 4]>,
    next: usize,
    hits: Arc<IndexHits>,
    /// How large the next chunk is, and how large they become.
    size: usize,
    most: usize,
}

/// What a chain ends at of what belongs to no part.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SharedEnds {
    pub(super) root: bool,
    pub(super) seq: bool,
}

impl ChainScan {
    /// A scan of a chain, one of so many that are merged. `flat` has `^root` and `^seq` alone, before
    /// and after.
    pub(super) fn new(
        chain: &Arc<Chain>,
        moment: &Moment<'_>,
        flat: &mut Flat,
        (backward, wants): (bool, Wants),
        scans: usize,
    ) -> Read<(ChainScan, SharedEnds)> {
        let scope = Scope::of(chain, flat, moment)?;
        let mut scan = ChainScan {
            backward,
            wants,
            size: if backward { FIRST_BACKWARD } else { FIRST_CHUNK },
            most: (LAST_CHUNK / scans.max(1)).max(FIRST_CHUNK),
            ..ChainScan::over(chain, Vec::new())
        };
        if scope.crosses {
            let wanted = scope.needed_places(moment)?;
            let parts = wanted.into_iter().map(|wanted| read_part(moment, wanted));
            flat.fill(parts.collect::<Result<Vec<_>, _>>()?.into_iter(), false);
            let ends = Walk::new(flat, moment).ends(chain, &mut |_| {})?;
            let shared = scan.take_found(flat, ends);
            flat.fill(std::iter::empty(), false);
            return Ok((scan, shared));
        }
        let shared = match scope.ends_above {
            true => scan.take_found(flat, Walk::new(flat, moment).ends(chain, &mut |_| {})?),
            false => SharedEnds::default(),
        };
        scan.parts = scope.places(moment)?;
        scan.total = scan.parts.len();
        Ok((scan, shared))
    }

    /// A scan of a local chain over some parts, which are in canonical order.
    pub(super) fn over(chain: &Arc<Chain>, list: Vec<Wanted>) -> ChainScan {
        let parts = Parts::listed(list);
        ChainScan {
            chain: chain.clone(),
            backward: false,
            wants: Wants::Ids,
            total: parts.len(),
            parts,
            index: None,
            chunk: SmallVec::new(),
            verdicts: SmallVec::new(),
            next: 0,
            hits: Arc::default(),
            size: LAST_CHUNK,
            most: LAST_CHUNK,
        }
    }

    /// Takes what was found in several parts at once as a chunk of its own.
    fn take_found(&mut self, flat: &Flat, ends: Vec<usize>) -> SharedEnds {
        let mut shared = SharedEnds::default();
        let mut hits = IndexHits::default();
        for item in ends {
            let Some(node) = flat.node(item) else { continue };
            let Some((part, index)) = flat.part(item) else {
                match flat.rank(item) {
                    (0, _) => shared.root = true,
                    _ => shared.seq = true,
                }
                continue;
            };
            match self.verdicts.last_mut() {
                Some(Verdict::Found(_, count))
                    if self.chunk.last().map(|at| at.2) == Some(part.rank) =>
                {
                    *count += 1;
                }
                _ => {
                    self.chunk.push((part.place, part.depth, part.rank));
                    self.verdicts.push(Verdict::Found(hits.len() as u32, 1));
                    if self.wants == Wants::Summaries {
                        hits.keep_part(&part.nodes);
                    }
                }
            }
            match self.wants {
                Wants::Nodes => hits.push(index as u32, ""),
                Wants::Ids => hits.push(index as u32, &node.id),
                Wants::Summaries => hits.push_kept(index as u32),
            }
        }
        self.hits = Arc::new(hits);
        if self.backward {
            self.chunk.reverse();
            self.verdicts.reverse();
        }
        shared
    }

    /// The next part in which something may be; none if there is no more.
    pub(super) fn front(&mut self, moment: &Moment<'_>) -> Read<Option<Wanted>> {
        loop {
            let rest = &self.verdicts[self.next..];
            self.next += rest.iter().take_while(|verdict| **verdict == Verdict::Skip).count();
            if let Some(wanted) = self.chunk.get(self.next) {
                return Ok(Some(*wanted));
            }
            if self.parts.len() == 0 {
                return Ok(None);
            }
            self.next_chunk(moment)?;
        }
    }

    fn next_chunk(&mut self, moment: &Moment<'_>) -> Read<()> {
        let done = self.total - self.parts.len();
        budget::reached("parts of the tree were looked at", done, Some(self.total))?;
        let depths = self.parts.depths();
        self.chunk = self.parts.take(self.size, self.backward, moment.tree.spine());
        (self.next, self.size) = (0, (self.size * 2).min(self.most));
        if !is_dense(&self.chunk) {
            self.verdicts = smallvec![Verdict::Read; self.chunk.len()];
            return Ok(());
        }
        let chain = &self.chain;
        let index = self.index.get_or_insert_with(|| IndexEvaluator::new(chain, depths, moment));
        // The lists are used again if nobody holds what was found in the chunk before.
        let mut hits = Arc::try_unwrap(std::mem::take(&mut self.hits)).unwrap_or_default();
        self.verdicts = index.evaluate(&self.chunk, self.wants, moment, &mut hits)?.into();
        self.hits = Arc::new(hits);
        moment.note(|tally| {
            let count = |wanted: &dyn Fn(&Verdict) -> bool| {
                self.verdicts.iter().filter(|verdict| wanted(verdict)).count() as u64
            };
            tally.turns_from_index += count(&|verdict| *verdict != Verdict::Read);
            tally.turns_skipped += count(&|verdict| *verdict == Verdict::Skip);
        });
        Ok(())
    }

    /// What is to be done about the next part, which is there; the scan goes on behind it.
    pub(super) fn pass(&mut self) -> Verdict {
        self.next += 1;
        self.verdicts[self.next - 1]
    }

    /// How many nodes the index found in the chunk.
    pub(super) fn found(&self) -> usize {
        self.hits.len()
    }

    /// The index of a node that the index found in its part.
    pub(super) fn index_of(&self, number: u32) -> u32 {
        self.hits.index(number)
    }

    /// Gives what the index found in the next parts of the chunk, up to a part that has to be read.
    pub(super) fn drain_found(&mut self, mut each: impl FnMut(FromIndex<'_>)) {
        while let Some(verdict) = self.verdicts.get(self.next) {
            match *verdict {
                Verdict::Read => return,
                Verdict::Skip => {}
                Verdict::Found(first, count) => {
                    let part = self.chunk[self.next];
                    (first..first + count).for_each(|number| each(self.hit(number, part)));
                }
            }
            self.next += 1;
        }
    }

    /// A node that the index found in a part.
    pub(super) fn hit(&self, number: u32, (_, depth, rank): Wanted) -> FromIndex<'_> {
        FromIndex { hits: &self.hits, number, depth, rank }
    }

    /// The indexes of the nodes that the chain ends at in the only part of `flat`.
    pub(super) fn walk(&self, flat: &Flat, moment: &Moment<'_>) -> Read<Vec<u32>> {
        let ends = Walk::new(flat, moment).ends(&self.chain, &mut |_| {})?;
        let real = ends.into_iter().filter(|item| flat.node(*item).is_some());
        Ok(real.filter_map(|item| flat.part(item)).map(|(_, index)| index as u32).collect())
    }
}

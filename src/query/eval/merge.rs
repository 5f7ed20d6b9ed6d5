//! Several chains over the parts of a tree, each part visited once: what they find together, each
//! node once, in canonical order or by recency, and no more held than one part has.

use super::chain_scan::{ChainScan, SharedEnds};
use super::from_index::Verdict;
use super::results::{Hit, ResultItem, Wants};
use super::scope::Wanted;
use super::walk::{Flat, Part, ROOT_RANK, SEQ_RANK, read_part, recency};
use crate::language::ast::Order;
use crate::query::plan::Chain;
use crate::query::timeline::{Moment, Read};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::Arc;

/// Chains on their way over parts.
pub(super) struct Merge<T> {
    scans: SmallVec<[ChainScan; 1]>,
    /// By recency, or in canonical order.
    recent: bool,
    backward: bool,
    /// The root and `^seq` if they were found, in the order of the result.
    shared: VecDeque<(u64, T)>,
    flat: Flat,
    /// What is found in the present part: indexes, and the scan and number of what the index found.
    found: Vec<(u32, Option<(u32, u32)>)>,
}

impl<T: ResultItem> Merge<T> {
    /// Some chains, in an order which is not by id, from its beginning or from its end.
    pub(super) fn new(
        chains: &[Arc<Chain>],
        order: Order,
        backward: bool,
        moment: &Moment<'_>,
    ) -> Read<Merge<T>> {
        let recent = order == Order::Recent;
        // The newest parts come first by recency, and the last ones of the tree backward.
        let way = (backward != recent, T::WANTS);
        let mut ends = SharedEnds::default();
        let mut scans = SmallVec::with_capacity(chains.len());
        let mut flat = Flat::shared(moment);
        for chain in chains {
            let (scan, shared) = ChainScan::new(chain, moment, &mut flat, way, chains.len())?;
            ends.root |= shared.root;
            ends.seq |= shared.seq;
            scans.push(scan);
        }
        let shared = shared_hits(ends, recent, backward, moment);
        Ok(Merge { scans, recent, backward, shared, flat, found: Vec::new() })
    }

    /// Adds what comes next: what is found in one part, or one node that is in none; of a single chain
    /// all that the index has found already. False if there is no more.
    pub(super) fn next(&mut self, moment: &Moment<'_>, out: &mut Vec<T>) -> Read<bool> {
        let front = self.front(moment)?;
        if let [scan] = &mut self.scans[..]
            && T::WANTS != Wants::Nodes
            && !self.recent
            && !self.backward
            && self.shared.is_empty()
        {
            let before = out.len();
            out.reserve(scan.found());
            scan.drain_found(|found| out.extend(T::from_index(found)));
            if out.len() > before {
                return Ok(true);
            }
        }
        if let Some((rank, _)) = self.shared.front()
            && front.is_none_or(|(.., part)| self.is_before(*rank, part))
        {
            out.extend(self.shared.pop_front().map(|(_, node)| node));
            return Ok(true);
        }
        match front {
            Some(part) => self.part(part, moment, out).map(|()| true),
            None => Ok(false),
        }
    }

    /// The next part of any chain.
    fn front(&mut self, moment: &Moment<'_>) -> Read<Option<Wanted>> {
        let rising = self.backward == self.recent;
        let mut first: Option<Wanted> = None;
        for scan in &mut self.scans {
            let Some(wanted) = scan.front(moment)? else { continue };
            if first.is_none_or(|first| (wanted.2 < first.2) == rising && wanted.2 != first.2) {
                first = Some(wanted);
            }
        }
        Ok(first)
    }

    /// Whether the root or `^seq`, by its rank, comes before a part.
    fn is_before(&self, rank: u64, part: u64) -> bool {
        match (self.recent, self.backward) {
            (false, false) => rank < part,
            (false, true) => rank > part,
            (true, backward) => backward,
        }
    }

    fn part(&mut self, wanted: Wanted, moment: &Moment<'_>, out: &mut Vec<T>) -> Read<()> {
        self.found.clear();
        let (mut loaded, mut chains): (Option<Part>, u32) = (None, 0);
        for (number, scan) in self.scans.iter_mut().enumerate() {
            if scan.front(moment)? != Some(wanted) {
                continue;
            }
            chains += 1;
            match scan.pass() {
                Verdict::Skip => {}
                Verdict::Found(first, count) => {
                    let hits = first..first + count;
                    self.found
                        .extend(hits.map(|hit| (scan.index_of(hit), Some((number as u32, hit)))));
                }
                Verdict::Read => {
                    if loaded.is_none() {
                        let part = read_part(moment, wanted)?;
                        self.flat.fill(std::iter::once(part.clone()), false);
                        loaded = Some(part);
                    }
                    let ends = scan.walk(&self.flat, moment)?;
                    self.found.extend(ends.into_iter().map(|index| (index, None)));
                }
            }
        }
        if chains > 1 {
            self.found.sort_unstable();
            self.found.dedup_by_key(|(index, _)| *index);
        }
        let sorts = self.recent && self.found.len() > 1;
        if loaded.is_none() && (sorts || T::WANTS == Wants::Nodes) && !self.found.is_empty() {
            loaded = Some(read_part(moment, wanted)?);
        }
        if let (true, Some(part)) = (sorts, &loaded) {
            let key = |index: u32| recency(part.nodes.node(index as usize), Some(part.depth));
            self.found.sort_by_cached_key(|(index, _)| key(*index));
        }
        if self.backward {
            self.found.reverse();
        }
        for (index, source) in &self.found {
            out.extend(match (&loaded, source) {
                (Some(part), _) => Some(T::in_part(part, *index, moment)),
                (None, Some((scan, hit))) => {
                    T::from_index(self.scans[*scan as usize].hit(*hit, wanted))
                }
                (None, None) => None,
            });
        }
        Ok(())
    }
}

/// The root and `^seq`, as far as they were found, in the order of a result, with their ranks.
fn shared_hits<T: ResultItem>(
    ends: SharedEnds,
    recent: bool,
    backward: bool,
    moment: &Moment<'_>,
) -> VecDeque<(u64, T)> {
    let (root, seq) = (moment.tree.root(), moment.tree.seq());
    let hit = |node: &Arc<_>, parent, rank| Hit {
        node: Arc::clone(node),
        depth: None,
        parent,
        rank: (rank, 0),
    };
    let mut hits = Vec::new();
    if ends.root {
        hits.push(hit(root, None, ROOT_RANK));
    }
    if ends.seq {
        hits.push(hit(seq, Some(root.id.clone()), SEQ_RANK));
    }
    if recent {
        hits.sort_by_cached_key(|hit| recency(&hit.node, None));
    }
    if backward {
        hits.reverse();
    }
    hits.into_iter().map(|hit| (hit.rank.0, T::of(hit))).collect()
}

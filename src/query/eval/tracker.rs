//! What a positional pseudo picks over all parts, in one snapshot after the other.
//!
//! Parts are *explored* from the end that the pseudo counts from, and only as far as it counts: of these
//! it is known in which how many nodes are. From a snapshot to the one before, explored parts that changed
//! are asked again, and no others. Exploring only ever goes on, so all of it together looks at each part
//! once and at each change once. The chain has to be local, and ends in parts alone.

use super::by_part::ByPart;
use super::chain_scan::ChainScan;
use super::from_index::Verdict;
use super::results::{FoundId, Hit};
use super::scope::{Scope, Wanted, rank_of};
use super::walk::{AH_RANK, FIRST_TURN_RANK, Flat, SYS_RANK, read_part, recency};
use crate::model::{Id, Place, PlaceOrder, Spine};
use crate::query::plan::{Ask, Chain, Group, Pick, Window};
use crate::query::timeline::{Moment, Read};
use crate::query::turn_pages::TurnPages;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Parts that are explored together: few at first, in case that is enough.
const FIRST_CHUNK: u64 = 2;
const LAST_CHUNK: u64 = 4096;

/// What a pseudo picks, snapshot after snapshot.
pub(super) struct Tracker {
    chain: Arc<Chain>,
    by_part: ByPart,
    /// What is picked, and whether it is counted by recency.
    pick: Pick,
    recent: bool,
    /// How far parts are explored, and how many nodes are in those that have any.
    explored: Explored,
    counts: BTreeMap<PlaceOrder, (Place, u64)>,
    /// How many nodes are in all explored parts.
    total: u64,
    /// The part that was picked from last, and how many nodes are in those that come before it.
    at: Option<(PlaceOrder, u64)>,
    /// Explored parts that may have changed since.
    stale: BTreeSet<Place>,
    /// What was picked last: its part, its number there, and what it is.
    last: Option<(PlaceOrder, u64, FoundId)>,
    chunk: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Explored {
    Nothing,
    /// Up to this part, whether or not it is still there.
    UpTo(PlaceOrder),
    All,
}

/// A node that was picked.
#[derive(Debug, Clone)]
pub(crate) struct Picked {
    pub(crate) id: Id,
    pub(crate) place: Place,
    pub(crate) rank: (u64, u32),
}

impl Tracker {
    /// A pseudo that picks from what a chain finds.
    pub(super) fn new(chain: Chain, pick: Pick, recent: bool) -> Tracker {
        let chain = Arc::new(chain);
        let groups = [Group { chains: vec![chain.clone()] }].into();
        let ask = Ask { groups, order: None, window: Window::default() };
        Tracker {
            chain,
            by_part: ByPart::new(ask),
            pick,
            recent,
            explored: Explored::Nothing,
            counts: BTreeMap::new(),
            total: 0,
            at: None,
            stale: BTreeSet::new(),
            last: None,
            chunk: FIRST_CHUNK,
        }
    }

    /// Whether the last parts of the tree come first.
    fn backward(&self) -> bool {
        (self.pick == Pick::Last) != self.recent
    }

    /// The number of the node that is picked, from 1.
    fn number(&self) -> u64 {
        match self.pick {
            Pick::Last => 1,
            Pick::Nth(n) => n,
        }
    }

    /// Whether a part comes before another, or is the same.
    fn reaches(&self, one: PlaceOrder, other: PlaceOrder) -> bool {
        if self.backward() { one >= other } else { one <= other }
    }

    /// Takes note of parts that may differ in the next snapshot that is asked.
    pub(super) fn changed(&mut self, places: &BTreeSet<Place>) {
        let explored = self.explored;
        let known = places.iter().filter(|place| match explored {
            Explored::Nothing => false,
            Explored::UpTo(end) => self.reaches(place.order(), end),
            Explored::All => true,
        });
        let known: Vec<Place> = known.copied().collect();
        self.stale.extend(known);
    }

    /// What is picked in the next snapshot.
    pub(super) fn picked(
        &mut self,
        moment: &Moment<'_>,
        pages: &mut TurnPages,
    ) -> Read<Option<Picked>> {
        while let Some(place) = self.stale.pop_first() {
            let mut found: Vec<FoundId> = Vec::new();
            self.by_part.find(place, moment, pages, &mut found)?;
            self.set(place, found.len() as u64);
        }
        while self.total < self.number() && self.explored != Explored::All {
            self.explore(moment)?;
        }
        if self.total < self.number() {
            return Ok(None);
        }
        let Some((order, place, number)) = self.find_part() else { return Ok(None) };
        let Some((_, rank)) = rank_of(place, moment) else { return Ok(None) };
        let known = self.last.as_ref().filter(|(at, of, _)| (*at, *of) == (order, number));
        if let Some((.., found)) = known {
            return Ok(Some(Picked { id: found.id.clone(), place, rank: (rank, found.rank.1) }));
        }
        let found = self.in_part(place, number, moment, pages)?;
        self.last = found.clone().map(|found| (order, number, found));
        Ok(found.map(|found| Picked { id: found.id, place, rank: found.rank }))
    }

    /// A node of a part, by its number from 1.
    fn in_part(
        &mut self,
        place: Place,
        number: u64,
        moment: &Moment<'_>,
        pages: &mut TurnPages,
    ) -> Read<Option<FoundId>> {
        let mut found: Vec<FoundId> = Vec::new();
        if self.recent {
            let mut hits: Vec<Hit> = Vec::new();
            self.by_part.find(place, moment, pages, &mut hits)?;
            hits.sort_by_cached_key(|hit| recency(&hit.node, hit.depth));
            let id = |hit: Hit| FoundId { id: hit.node.id.clone(), rank: hit.rank };
            found.extend(hits.into_iter().map(id));
        } else {
            self.by_part.find(place, moment, pages, &mut found)?;
        }
        Ok(match self.pick {
            Pick::Last => found.pop(),
            Pick::Nth(_) => usize::try_from(number - 1).ok().and_then(|at| found.get(at)).cloned(),
        })
    }

    /// Takes note of how many nodes are in a part.
    fn set(&mut self, place: Place, count: u64) {
        let order = place.order();
        let before = match count {
            0 => self.counts.remove(&order),
            _ => self.counts.insert(order, (place, count)),
        };
        let before = before.map_or(0, |(_, count)| count);
        self.total = self.total - before + count;
        if let Some((at, passed)) = self.at
            && at != order
            && self.reaches(order, at)
        {
            self.at = Some((at, passed - before + count));
        }
        if self.last.as_ref().is_some_and(|(at, ..)| *at == order) {
            self.last = None;
        }
    }

    /// The part that has the node with the number that is picked, and its number there, from 1.
    fn find_part(&mut self) -> Option<(PlaceOrder, Place, u64)> {
        let number = self.number();
        let (mut at, mut passed) = match self.at {
            Some(known) => known,
            None => (*self.ends()?, 0),
        };
        loop {
            let here = self.counts.get(&at).map_or(0, |(_, count)| *count);
            if passed >= number {
                let (before, (_, count)) = self.neighbour(at, false)?;
                (at, passed) = (before, passed - count);
            } else if passed + here < number {
                (at, _) = self.neighbour(at, true)?;
                passed += here;
            } else {
                self.at = Some((at, passed));
                let (place, _) = self.counts.get(&at)?;
                return Some((at, *place, number - passed));
            }
        }
    }

    /// The first part that has any.
    fn ends(&self) -> Option<&PlaceOrder> {
        let mut orders = self.counts.keys();
        if self.backward() { orders.next_back() } else { orders.next() }
    }

    /// The next part that has any, or the one before, in the order that is counted in.
    fn neighbour(&self, at: PlaceOrder, next: bool) -> Option<(PlaceOrder, (Place, u64))> {
        use std::ops::Bound::{Excluded, Unbounded};
        let found = match next != self.backward() {
            true => self.counts.range((Excluded(at), Unbounded)).next(),
            false => self.counts.range((Unbounded, Excluded(at))).next_back(),
        };
        found.map(|(order, of)| (*order, *of))
    }

    /// Explores some more parts.
    fn explore(&mut self, moment: &Moment<'_>) -> Read<()> {
        let (mut list, is_last) = self.beyond(moment.tree.spine());
        let outermost = if self.backward() { list.first() } else { list.last() };
        let end = outermost.map(|(place, ..)| place.order());
        let mut flat = Flat::shared(moment);
        let scope = Scope::of(&self.chain, &flat, moment)?;
        let chain = self.chain.clone();
        scope.restrict(&mut list, moment)?;
        let mut scan = ChainScan::over(&chain, list);
        while let Some(wanted) = scan.front(moment)? {
            let count = match scan.pass() {
                Verdict::Skip => 0,
                Verdict::Found(_, count) => u64::from(count),
                Verdict::Read => {
                    flat.fill(std::iter::once(read_part(moment, wanted)?), false);
                    scan.walk(&flat, moment)?.len() as u64
                }
            };
            if count > 0 {
                self.set(wanted.0, count);
            }
        }
        self.explored = match end {
            Some(end) if !is_last => Explored::UpTo(end),
            _ => Explored::All,
        };
        self.chunk = (self.chunk * 2).min(LAST_CHUNK);
        Ok(())
    }

    /// The next parts to explore, in canonical order, and whether they are the last ones.
    fn beyond(&self, spine: &Spine) -> (Vec<Wanted>, bool) {
        let turns = spine.len();
        let (mut list, mut is_last) = (Vec::new(), false);
        let (sys, ah) = ((Place::Sys, -1, SYS_RANK), (Place::Ah, 0, AH_RANK));
        let behind = |order: PlaceOrder| match order {
            (0, _) => 0,
            (1, slot) => {
                let next = spine.after(slot).next();
                next.and_then(|next| spine.index_of(next)).unwrap_or(turns)
            }
            _ => turns,
        };
        let wanted = |indexes: std::ops::Range<u64>| {
            let slots = (indexes.start..).zip(spine.slots(indexes));
            slots.map(move |(index, slot)| {
                (Place::Turn(slot), (turns - index) as i64, FIRST_TURN_RANK + index)
            })
        };
        if self.backward() {
            let to = match self.explored {
                Explored::UpTo((1, slot)) => behind((1, slot)) - u64::from(spine.contains(slot)),
                Explored::UpTo(order) => behind(order),
                _ => turns,
            };
            let from = to.saturating_sub(self.chunk);
            if from == 0 {
                list.push(sys);
                is_last = true;
            }
            list.extend(wanted(from..to));
            if self.explored == Explored::Nothing {
                list.push(ah);
            }
        } else {
            let from = match self.explored {
                Explored::UpTo(order) => behind(order),
                _ => {
                    list.push(sys);
                    0
                }
            };
            let to = from.saturating_add(self.chunk).min(turns);
            list.extend(wanted(from..to));
            if to == turns {
                list.push(ah);
                is_last = true;
            }
        }
        (list, is_last)
    }
}

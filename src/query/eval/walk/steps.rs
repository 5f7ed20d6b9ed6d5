//! Chains, step by step, over the nodes of some parts (R6.2, R6.7–R6.10).
//!
//! Each step maps a set of places to a set of places, so the cost is steps × nodes × nesting and
//! nothing is tried twice. Places are nodes, implied cores and zones; sets are sorted and without
//! repeats.

use super::flat::{Flat, has_sign};
use super::matching::Matcher;
use super::order::recency;
use crate::budget;
use crate::language::ast::Zone;
use crate::model::Class;
use crate::query::plan::{Chain, Compound, Has, Link, Pick, Reach, Start, Step};
use crate::query::timeline::{Moment, Read};
use std::ops::Range;
use std::sync::Arc;

/// Nodes between two looks at the budget.
const CHECK_EVERY: usize = 4096;

/// A place that a chain has come to: a node, or a zone of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub(crate) item: usize,
    pub(crate) zone: Option<ZoneSign>,
}

/// A zone that can be ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ZoneSign {
    Pre,
    Core,
    Post,
}

impl ZoneSign {
    fn zone(self) -> Zone {
        match self {
            ZoneSign::Pre => Zone::Pre,
            ZoneSign::Core => Zone::Core,
            ZoneSign::Post => Zone::Post,
        }
    }

    fn of(zone: Zone) -> ZoneSign {
        match zone {
            Zone::Pre => ZoneSign::Pre,
            Zone::Core => ZoneSign::Core,
            Zone::Post => ZoneSign::Post,
        }
    }
}

/// A walk over some parts.
pub(crate) struct Walk<'m> {
    matcher: Matcher<'m>,
    /// Everything that might be reached if other parts were there as well: picks take all, empty
    /// zones stay, and `^root` and `^seq` have below them whatever is asked for.
    lenient: bool,
}

impl<'m> Walk<'m> {
    pub(crate) fn new(flat: &'m Flat, moment: &'m Moment<'m>) -> Walk<'m> {
        Walk { matcher: Matcher::new(flat, moment, false), lenient: false }
    }

    pub(crate) fn lenient(flat: &'m Flat, moment: &'m Moment<'m>) -> Walk<'m> {
        Walk { matcher: Matcher::new(flat, moment, true), lenient: true }
    }

    /// What a lenient walk was asked of `^root` and `^seq` so far, and only other parts can answer.
    pub(crate) fn open(&self) -> Vec<(Arc<Has>, Class)> {
        self.matcher.open()
    }

    fn flat(&self) -> &'m Flat {
        self.matcher.flat
    }

    /// The nodes that a chain ends at, virtual ones included. `note` learns the size of the set
    /// after each step.
    pub(crate) fn ends(&self, chain: &Chain, note: &mut dyn FnMut(usize)) -> Read<Vec<usize>> {
        let spots = self.chain(chain, note)?;
        Ok(self.resolved(&spots))
    }

    /// The places that a chain ends at.
    pub(crate) fn spots(&self, chain: &Chain) -> Read<Vec<Spot>> {
        self.chain(chain, &mut |_| {})
    }

    /// Recursion is as deep as parentheses nest, which is bounded.
    fn chain(&self, chain: &Chain, note: &mut dyn FnMut(usize)) -> Read<Vec<Spot>> {
        let mut spots = match &chain.start {
            Start::Step(step) => self.anywhere(step)?,
            Start::Chains(chains) => {
                let (mut spots, mut united) = (Vec::new(), 0);
                for chain in chains {
                    spots.extend(self.chain(chain, &mut |_| {})?);
                    // They are united before they are twice as many.
                    if spots.len() / 2 > united {
                        spots = sorted(spots);
                        united = spots.len();
                    }
                }
                sorted(spots)
            }
        };
        note(spots.len());
        for link in &chain.links {
            spots = self.follow(&spots, link)?;
            note(spots.len());
        }
        if !chain.filter.tests.is_empty() {
            spots = self.filter(&spots, &chain.filter)?;
            note(spots.len());
        }
        Ok(spots)
    }

    /// The nodes of a set that satisfy a filter; zones stand for their children.
    pub(crate) fn filter(&self, spots: &[Spot], by: &Compound) -> Read<Vec<Spot>> {
        let mut kept = Vec::new();
        for item in self.resolved(spots) {
            if self.matcher.holds(item, &by.tests)? {
                kept.push(Spot { item, zone: None });
            }
        }
        Ok(kept)
    }

    /// The nodes of a set, with the children of its zones in their stead.
    fn resolved(&self, spots: &[Spot]) -> Vec<usize> {
        let mut items = Vec::with_capacity(spots.len());
        for spot in spots {
            match spot.zone {
                None => items.push(spot.item),
                Some(_) => items.extend(self.children(*spot)),
            }
        }
        sorted(items)
    }

    /// A step with nothing to its left.
    pub(crate) fn anywhere(&self, step: &Step) -> Read<Vec<Spot>> {
        let all = 0..self.flat().len();
        match step {
            Step::Nodes(compound) => {
                let found = self.matches(std::iter::once(all), compound)?;
                Ok(nodes(self.pick(found, compound)))
            }
            Step::Zone(zone) => {
                let spots = all.map(|item| Spot { item, zone: None });
                Ok(sorted(spots.filter_map(|spot| self.zone_of(spot, *zone)).collect()))
            }
        }
    }

    /// A step behind a set.
    pub(crate) fn follow(&self, spots: &[Spot], link: &Link) -> Read<Vec<Spot>> {
        match (&link.step, link.reach) {
            (Step::Zone(zone), reach) => Ok(self.zones(spots, *zone, reach)),
            (Step::Nodes(compound), Reach::Below) => self.below(spots, compound),
            (Step::Nodes(compound), Reach::Child) => {
                self.each(spots, compound, |spot| self.children(spot).collect())
            }
            (Step::Nodes(compound), Reach::Itself) => {
                self.each(spots, compound, |spot| vec![spot.item])
            }
        }
    }

    fn zones(&self, spots: &[Spot], zone: Zone, reach: Reach) -> Vec<Spot> {
        let mut found: Vec<Spot> =
            spots.iter().filter_map(|spot| self.zone_of(*spot, zone)).collect();
        if reach == Reach::Below {
            let ranges = merged(spots.iter().map(|spot| self.range(*spot)).collect());
            let below = ranges.into_iter().flatten().map(|item| Spot { item, zone: None });
            found.extend(below.filter_map(|spot| self.zone_of(spot, zone)));
        }
        sorted(found)
    }

    /// The zone of a place; a zone of a zone is the zone itself or has no children.
    fn zone_of(&self, spot: Spot, zone: Zone) -> Option<Spot> {
        let sign = ZoneSign::of(zone);
        match spot.zone {
            Some(own) => (own == sign).then_some(spot),
            None => {
                let empty = || self.flat().zone(spot.item, zone).is_empty();
                (self.lenient || !empty()).then_some(Spot { zone: Some(sign), ..spot })
            }
        }
    }

    fn below(&self, spots: &[Spot], compound: &Compound) -> Read<Vec<Spot>> {
        let ranges: Vec<Range<usize>> = spots.iter().map(|spot| self.range(*spot)).collect();
        let found = self.matches(merged(ranges.clone()).into_iter(), compound)?;
        if compound.picks.is_empty() {
            return Ok(nodes(found));
        }
        let mut picked = Vec::new();
        for range in ranges {
            let from = found.partition_point(|item| *item < range.start);
            let to = found.partition_point(|item| *item < range.end);
            picked.extend(self.pick(found[from..to.max(from)].to_vec(), compound));
        }
        Ok(nodes(sorted(picked)))
    }

    /// A compound on a list of candidates for each place.
    fn each(
        &self,
        spots: &[Spot],
        compound: &Compound,
        candidates: impl Fn(Spot) -> Vec<usize>,
    ) -> Read<Vec<Spot>> {
        let mut picked = Vec::new();
        for (done, spot) in spots.iter().enumerate() {
            if done % CHECK_EVERY == CHECK_EVERY - 1 {
                budget::check()?;
            }
            let mut found = candidates(*spot);
            let mut error = None;
            found.retain(|item| match self.matcher.holds(*item, &compound.tests) {
                Ok(holds) => holds,
                Err(reason) => {
                    error = Some(reason);
                    false
                }
            });
            if let Some(error) = error {
                return Err(error);
            }
            picked.extend(self.pick(found, compound));
        }
        Ok(nodes(sorted(picked)))
    }

    fn matches(
        &self,
        ranges: impl Iterator<Item = Range<usize>>,
        compound: &Compound,
    ) -> Read<Vec<usize>> {
        let mut found = Vec::new();
        for (looked_at, item) in ranges.flatten().enumerate() {
            if looked_at % CHECK_EVERY == CHECK_EVERY - 1 {
                budget::check()?;
            }
            if self.matcher.holds(item, &compound.tests)? {
                found.push(item);
            }
        }
        Ok(found)
    }

    /// What the positional pseudos leave of a set in canonical order.
    fn pick(&self, mut set: Vec<usize>, compound: &Compound) -> Vec<usize> {
        if compound.picks.is_empty() || self.lenient {
            return set;
        }
        if compound.recent {
            let key = |item: &usize| {
                self.flat().node(*item).map(|node| recency(node, self.flat().depth(*item)))
            };
            set.sort_by_cached_key(key);
        }
        for pick in &compound.picks {
            let one = match pick {
                Pick::Last => set.last(),
                Pick::Nth(n) => usize::try_from(n - 1).ok().and_then(|index| set.get(index)),
            };
            set = one.copied().into_iter().collect();
        }
        set
    }

    fn range(&self, spot: Spot) -> Range<usize> {
        match spot.zone {
            None => self.flat().below(spot.item),
            Some(sign) => self.flat().zone(spot.item, sign.zone()),
        }
    }

    fn children(&self, spot: Spot) -> impl Iterator<Item = usize> + use<'m> {
        let flat = self.flat();
        let sign = spot.zone.map(ZoneSign::zone);
        flat.children(spot.item)
            .filter(move |child| sign.is_none_or(|sign| has_sign(flat.offset(*child), sign)))
    }
}

fn nodes(items: Vec<usize>) -> Vec<Spot> {
    items.into_iter().map(|item| Spot { item, zone: None }).collect()
}

fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable();
    items.dedup();
    items
}

/// The same indexes as ranges that do not overlap, ascending.
fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_unstable_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

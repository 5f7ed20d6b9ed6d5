//! `@*`: every snapshot, newest first, each node where it is first met (R5.3).
//!
//! [`every_whole`] asks each snapshot and is the meaning. [`Every`] gives the same page by page: it
//! asks the newest and then, going back, only the parts that differ; a question for ids goes to the
//! places where these have been and visits no other snapshot. Where an answer depends on more than
//! the parts that changed, a snapshot is asked in full, as far as anybody asks on. It remembers the
//! ids that it has given, and holds nothing of the store.

use super::eval::{
    Arranged, ByPart, FoundId, Hit, ResultItem, Search, Wants, arrange, effective_order, find_in,
    find_whole, is_local, node_of,
};
use super::following::Following;
use super::plan::{Ask, Depends, State, Window, critical_depths, pinned_ids};
use super::timeline::{HeldMoment, Moment, Read, Timeline};
use super::turn_pages::TurnPages;
use crate::budget;
use crate::change::History;
use crate::language::ast::Order;
use crate::model::{ChangedPart, Id, Place};
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

/// A node and the cycle of the newest snapshot that it was found in.
pub(super) type Met<T> = (u64, T);

/// The answer of every snapshot by asking each in full.
pub(super) fn every_whole(timeline: &dyn Timeline, ask: &Ask) -> Read<Vec<Met<Hit>>> {
    let open = unlimited(ask);
    let (mut seen, mut met) = (HashSet::new(), Vec::new());
    for cycle in timeline.history().iter().rev() {
        let moment = Moment::of(timeline, State::Cycle(cycle))?;
        let hits = find_whole(&open, &moment)?.into_iter();
        met.extend(hits.filter(|hit| seen.insert(hit.node.id.clone())).map(|hit| (cycle, hit)));
    }
    Ok(ask.window.apply(met))
}

fn unlimited(ask: &Ask) -> Ask {
    Ask { window: Window::default(), ..ask.clone() }
}

/// How much of a snapshot has to be asked, if the next one was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asking {
    /// The parts that differ.
    Parts,
    /// The same, and what a chain counts or stands in for follows from these.
    Following,
    /// All of it.
    Full,
}

/// A question on its way through every snapshot.
pub(super) struct Every<T> {
    /// Without its window.
    ask: Ask,
    depends: Depends,
    critical: Option<BTreeSet<i64>>,
    /// The snapshots that there were at first, and how many have been asked.
    history: Option<History>,
    asked: u64,
    /// The one that was asked last, and how it was.
    newer: Option<(u64, Asking)>,
    /// Whether an order by recency needs whole nodes.
    by_recency: bool,
    /// What the chains come to, if that is found out from what changed.
    following: Following,
    /// The question for single parts, while the root and `^seq` are the same.
    by_part: Option<ByPart>,
    /// The pages of the turn index that were come to.
    pages: TurnPages,
    seen: HashSet<Id>,
    /// How many are still to be left out, and how many may still be given.
    skip: u64,
    left: u64,
    /// The snapshot that is being asked in full.
    open: Option<(HeldMoment, Search<T>)>,
    /// What was found and not given yet.
    ready: VecDeque<Met<T>>,
}

impl<T: ResultItem> Every<T> {
    /// A question that is about to be asked.
    pub(super) fn new(ask: &Ask) -> Every<T> {
        Every {
            ask: unlimited(ask),
            depends: Depends::of(ask),
            critical: critical_depths(ask),
            history: None,
            asked: 0,
            newer: None,
            by_recency: match ask.order {
                Some(order) => order == Order::Recent,
                None => ask.groups.iter().flat_map(|group| &group.chains).any(|chain| chain.recent),
            },
            following: Following::of(ask),
            by_part: None,
            pages: TurnPages::default(),
            seen: HashSet::new(),
            skip: ask.window.skip,
            left: ask.window.limit.unwrap_or(u64::MAX),
            open: None,
            ready: VecDeque::new(),
        }
    }

    /// The next page: at most so many, and fewer only if there are no more.
    pub(super) fn next(&mut self, timeline: &dyn Timeline, most: usize) -> Read<Vec<Met<T>>> {
        let most = usize::try_from(self.left).map_or(most, |left| left.min(most));
        let mut page = Vec::new();
        while page.len() < most {
            while page.len() < most
                && let Some(met) = self.ready.pop_front()
            {
                match self.skip {
                    0 => page.push(met),
                    _ => self.skip -= 1,
                }
            }
            if page.len() < most {
                let wanted = most - page.len();
                let skipped = usize::try_from(self.skip).unwrap_or(usize::MAX);
                if !self.more(timeline, wanted.saturating_add(skipped))? {
                    break;
                }
            }
        }
        self.left -= page.len() as u64;
        Ok(page)
    }

    /// Finds some more, not many more than are wanted; false if there are none.
    fn more(&mut self, timeline: &dyn Timeline, wanted: usize) -> Read<bool> {
        let Some(history) = &self.history else {
            self.history = Some(timeline.history().clone());
            if let Some(met) = by_id(timeline, &self.ask)? {
                self.ready.extend(met.into_iter().map(|(cycle, hit)| (cycle, T::of(hit))));
                self.asked = u64::MAX;
            }
            return Ok(true);
        };
        if let Some((held, mut search)) = self.open.take() {
            let moment = Moment::held(held, timeline);
            let page = search.next(&self.ask, &moment, wanted)?;
            if page.is_empty() {
                return Ok(true);
            }
            self.meet(moment.cycle, page);
            self.open = Some((moment.hold(), search));
            return Ok(true);
        }
        budget::reached("snapshots were asked", self.asked, Some(history.len()))?;
        let Some(cycle) = history.back(self.asked) else { return Ok(false) };
        self.asked += 1;
        let moment = Moment::of(timeline, State::Cycle(cycle))?;
        let newer = self.newer;
        let (asking, same_top) = match newer {
            Some((newer, known)) if timeline.same_top(newer, cycle)? => (known, true),
            _ => (self.asking(&moment)?, false),
        };
        self.newer = Some((cycle, asking));
        if newer.is_none() {
            self.pages = TurnPages::new(timeline, cycle);
        }
        self.pages.forget(cycle);
        if !same_top {
            self.by_part = None;
            self.following.forget();
        }
        let found = match newer {
            Some((newer, known)) if known == asking && asking != Asking::Full => {
                self.by_changes(timeline, &moment, (newer, asking), same_top)?
            }
            _ => None,
        };
        match found {
            Some(found) => self.meet(cycle, found),
            None => {
                self.following.forget();
                self.open = Some((moment.hold(), Search::new(&self.ask)));
            }
        }
        Ok(true)
    }

    /// What is found in a snapshot that may not have been found in the one after it, of the cycle `newer`;
    /// none if all of it has to be asked.
    fn by_changes(
        &mut self,
        timeline: &dyn Timeline,
        moment: &Moment<'_>,
        (newer, asking): (u64, Asking),
        same_top: bool,
    ) -> Read<Option<Vec<T>>> {
        if asking == Asking::Following && !same_top {
            return Ok(None);
        }
        let by_id = T::WANTS == Wants::Ids && !self.by_recency;
        let places = self.differing(timeline, moment, newer)?;
        if asking == Asking::Parts {
            return Ok(Some(match (same_top, by_id) {
                (true, true) => from_ids(self.in_parts(moment, &places)?, moment)?,
                (true, false) => from_hits(self.in_parts(moment, &places)?),
                (false, _) => from_hits(find_in(&self.ask, moment, &places)?),
            }));
        }
        self.following.all_given();
        self.following.changed(&places);
        let (ask, seen, pages) = (&self.ask, &self.seen, &mut self.pages);
        if by_id {
            let found = self.following.find::<FoundId>(ask, moment, seen, pages)?;
            return found.map(|found| from_ids(found, moment)).transpose();
        }
        Ok(self.following.find::<Hit>(ask, moment, seen, pages)?.map(from_hits))
    }

    /// What is found in some parts, in order, of a moment that has the root and `^seq` of the one before.
    fn in_parts<R: Arranged>(
        &mut self,
        moment: &Moment<'_>,
        places: &BTreeSet<Place>,
    ) -> Read<Vec<R>> {
        let by_part = self.by_part.get_or_insert_with(|| ByPart::new(self.ask.clone()));
        let mut found = Vec::new();
        for place in places {
            by_part.find(*place, moment, &mut self.pages, &mut found)?;
        }
        R::arrange(&mut found, effective_order(&self.ask, Some(0)));
        Ok(found)
    }

    /// How a snapshot is asked if the one before it looks alike.
    fn asking(&self, moment: &Moment<'_>) -> Read<Asking> {
        Ok(if self.critical.is_none() {
            Asking::Full
        } else if is_local(&self.ask, moment)? {
            Asking::Parts
        } else if !self.depends.age {
            Asking::Following
        } else {
            Asking::Full
        })
    }

    /// The parts in which a snapshot may have what the next one, of the cycle `newer`, has not.
    fn differing(
        &self,
        timeline: &dyn Timeline,
        moment: &Moment<'_>,
        newer: u64,
    ) -> Read<BTreeSet<Place>> {
        let changed = timeline.changed_parts(newer)?;
        let turns = |came: bool| {
            let moved = |part: &&ChangedPart| part.place.slot().is_some() && part.before != came;
            changed.iter().filter(moved).filter(|part| part.after == came).count() as i64
        };
        let (came, went) = (turns(true), turns(false));
        let mut places: BTreeSet<Place> = changed.iter().map(|part| part.place).collect();
        if self.depends.ttl {
            places.extend(timeline.finite_places(moment.cycle, u64::MAX)?);
        }
        let spine = moment.tree.spine();
        let count = i64::try_from(spine.len()).unwrap_or(i64::MAX);
        for depth in self.critical.iter().flatten() {
            // Each turn that came since made the turns before it deeper by one, and each that went
            // less deep.
            let from = depth.saturating_sub(came).saturating_add(1).max(1);
            let to = depth.saturating_add(went).min(count);
            if from <= to {
                let slots = spine.slots((count - to) as u64..(count - from + 1) as u64);
                places.extend(slots.map(Place::Turn));
            }
        }
        Ok(places)
    }

    /// Takes what was found in a snapshot, if it is new.
    fn meet(&mut self, cycle: u64, found: Vec<T>) {
        for node in found {
            if !self.seen.contains(node.id()) {
                self.seen.insert(node.kept_id());
                self.ready.push_back((cycle, node));
            }
        }
    }
}

fn from_hits<T: ResultItem>(hits: Vec<Hit>) -> Vec<T> {
    hits.into_iter().map(T::of).collect()
}

fn from_ids<T: ResultItem>(found: Vec<FoundId>, moment: &Moment<'_>) -> Read<Vec<T>> {
    found.into_iter().map(|found| node_of(found, moment)).collect()
}

/// Looks where the ids have been that the question names. None if it names none, or if more than
/// their own parts decides.
fn by_id(timeline: &dyn Timeline, ask: &Ask) -> Read<Option<Vec<Met<Hit>>>> {
    let (Some(ids), Some(newest)) = (pinned_ids(ask), timeline.history().back(0)) else {
        return Ok(None);
    };
    let search = IdSearch { timeline, ask, each: Depends::of(ask).on_time(), newest };
    let mut found: BTreeMap<u64, Vec<Hit>> = BTreeMap::new();
    for id in ids {
        let mut places = timeline.places_of(&id)?;
        if places.is_empty() {
            // The root and `^seq` lie in no place; an id that was never used is nowhere.
            match timeline.at(newest)?.source().was_used(&id)? {
                true => return Ok(None),
                false => continue,
            }
        }
        places.sort_unstable();
        match search.id(&id, &places)? {
            Found::NotLocal => return Ok(None),
            Found::Nowhere => {}
            Found::At(cycle, hit) => found.entry(cycle).or_default().push(*hit),
        }
    }
    let order = ask.order.unwrap_or(match &ask.groups[..] {
        [group] if group.chains[0].recent => Order::Recent,
        _ => Order::Path,
    });
    let mut met = Vec::new();
    for (cycle, mut hits) in found.into_iter().rev() {
        arrange(&mut hits, order);
        met.extend(hits.into_iter().map(|hit| (cycle, hit)));
    }
    Ok(Some(met))
}

struct IdSearch<'a> {
    timeline: &'a dyn Timeline,
    ask: &'a Ask,
    /// Whether each snapshot may answer differently.
    each: bool,
    newest: u64,
}

enum Found {
    NotLocal,
    Nowhere,
    At(u64, Box<Hit>),
}

impl IdSearch<'_> {
    fn id(&self, id: &str, places: &[(u64, Place)]) -> Read<Found> {
        let mut upto = self.newest;
        let mut later = places.len();
        while later > 0 {
            // Placements of the same cycle are looked at together.
            let from = places[later - 1].0;
            let first = places.iter().position(|(cycle, _)| *cycle == from).unwrap_or(0);
            let parts: BTreeSet<Place> = places[first..later].iter().map(|(_, at)| *at).collect();
            for cycle in self.cycles(&parts, from, upto)? {
                let moment = Moment::of(self.timeline, State::Cycle(cycle))?;
                if !is_local(self.ask, &moment)? {
                    return Ok(Found::NotLocal);
                }
                let hits = find_in(self.ask, &moment, &parts)?;
                if let Some(hit) = hits.into_iter().find(|hit| &*hit.node.id == id) {
                    return Ok(Found::At(cycle, Box::new(hit)));
                }
            }
            upto = from.saturating_sub(1);
            later = first;
        }
        Ok(Found::Nowhere)
    }

    /// The snapshots of `from..=upto` that may answer differently, newest first.
    fn cycles(&self, parts: &BTreeSet<Place>, from: u64, upto: u64) -> Read<Vec<u64>> {
        let history = self.timeline.history();
        let snapshots = || history.iter().rev().filter(|cycle| (from..=upto).contains(cycle));
        if self.each {
            return Ok(snapshots().collect());
        }
        let mut starts = BTreeSet::from([from]);
        for place in parts {
            starts.extend(self.timeline.versions(*place, from, upto)?);
        }
        let mut ends: Vec<u64> = starts.iter().skip(1).map(|start| start - 1).collect();
        ends.push(upto);
        let last_at = |end: u64| newest_upto(history, end).filter(|cycle| *cycle >= from);
        let mut cycles: Vec<u64> = ends.into_iter().filter_map(last_at).collect();
        cycles.sort_unstable_by(|a, b| b.cmp(a));
        cycles.dedup();
        Ok(cycles)
    }
}

/// The newest snapshot at or before a cycle.
fn newest_upto(history: &History, cycle: u64) -> Option<u64> {
    let runs = history.runs().iter().rev();
    runs.into_iter().find(|(from, _)| *from <= cycle).map(|(_, to)| (*to).min(cycle))
}

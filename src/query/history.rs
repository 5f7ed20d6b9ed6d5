//! `@*`: every snapshot, newest first, each node where it is first met (R5.3).
//!
//! [`every_whole`] asks each snapshot and is the meaning. [`every`] asks the newest and then, going
//! back, only the parts that differ; a question for ids goes to the places where these have been
//! and visits no other snapshot. Where an answer depends on more than the parts that changed, a
//! snapshot is asked in full.

use super::eval::{Hit, arrange, find, find_in, find_whole, is_local};
use super::plan::{Ask, Depends, State, Window, pinned_ids};
use super::timeline::{Moment, Read, Timeline};
use crate::budget;
use crate::language::ast::Order;
use crate::model::{Id, Place};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A node and the cycle of the newest snapshot that it was found in.
pub(super) type Met = (u64, Hit);

/// The answer of every snapshot.
pub(super) fn every(timeline: &dyn Timeline, ask: &Ask) -> Read<Vec<Met>> {
    let open = unlimited(ask);
    let met = match by_id(timeline, &open)? {
        Some(met) => met,
        None => going_back(timeline, open, ask.window.enough())?,
    };
    Ok(ask.window.apply(met))
}

/// The same by asking each snapshot in full.
pub(super) fn every_whole(timeline: &dyn Timeline, ask: &Ask) -> Read<Vec<Met>> {
    let open = unlimited(ask);
    let mut list = Merged::default();
    for cycle in timeline.history().iter().rev() {
        let moment = Moment::of(timeline, State::Cycle(cycle))?;
        list.add(cycle, find_whole(&open, &moment)?);
    }
    Ok(ask.window.apply(list.met))
}

fn unlimited(ask: &Ask) -> Ask {
    Ask { window: Window::default(), ..ask.clone() }
}

#[derive(Default)]
struct Merged {
    seen: HashSet<Id>,
    met: Vec<Met>,
}

impl Merged {
    fn add(&mut self, cycle: u64, hits: Vec<Hit>) {
        for hit in hits {
            if self.seen.insert(hit.node.id.clone()) {
                self.met.push((cycle, hit));
            }
        }
    }
}

/// Goes back until there is enough.
fn going_back(timeline: &dyn Timeline, mut ask: Ask, enough: Option<u64>) -> Read<Vec<Met>> {
    let depends = Depends::of(&ask);
    let mut list = Merged::default();
    let mut newer: Option<u64> = None;
    let total = Some(timeline.history().len());
    for (done, cycle) in timeline.history().iter().rev().enumerate() {
        budget::reached("snapshots were asked", done as u64, total)?;
        if enough.is_some_and(|enough| list.met.len() as u64 >= enough) {
            break;
        }
        let moment = Moment::of(timeline, State::Cycle(cycle))?;
        let whole = depends.depth || depends.age || !is_local(&ask, &moment)?;
        let hits = match newer {
            Some(newer) if !whole => {
                let mut places: BTreeSet<Place> =
                    timeline.changed_parts(newer)?.into_iter().map(|part| part.place).collect();
                if depends.ttl {
                    places.extend(timeline.finite_places(cycle, u64::MAX)?);
                }
                find_in(&ask, &moment, &places)?
            }
            // If that is all that there is of it, nothing was cut off; else there is enough.
            _ => {
                let seen = list.seen.len() as u64;
                ask.window.limit = enough.map(|enough| enough.saturating_add(seen));
                find(&ask, &moment)?
            }
        };
        list.add(cycle, hits);
        newer = Some(cycle);
    }
    Ok(list.met)
}

/// Looks where the ids have been that the question names. None if it names none, or if more than
/// their own parts decides.
fn by_id(timeline: &dyn Timeline, ask: &Ask) -> Read<Option<Vec<Met>>> {
    let (Some(ids), Some(newest)) = (pinned_ids(ask), timeline.history().back(0)) else {
        return Ok(None);
    };
    let search = Search { timeline, ask, each: Depends::of(ask).on_time(), newest };
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

struct Search<'a> {
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

impl Search<'_> {
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
fn newest_upto(history: &crate::change::History, cycle: u64) -> Option<u64> {
    let runs = history.runs().iter().rev();
    runs.into_iter().find(|(from, _)| *from <= cycle).map(|(_, to)| (*to).min(cycle))
}

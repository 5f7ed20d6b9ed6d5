//! Questions that are local: what they find in a part depends on that part alone.
//!
//! Histories and ranges ask such a question only of the parts that changed.

use super::results::{Hit, arrange, effective_order, hits};
use super::scope::{Scope, rank_of};
use super::walk::{Flat, Part, Walk, read_part};
use crate::model::{Place, Subtree};
use crate::query::plan::Ask;
use crate::query::timeline::{Moment, Read};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Whether the answer in each part depends on that part alone: nothing is counted over several,
/// and no chain stands in for another.
pub(crate) fn is_local(ask: &Ask, moment: &Moment<'_>) -> Read<bool> {
    let alone = ask.groups.iter().all(|group| group.chains.len() == 1);
    Ok(alone && chains_are_local(ask, moment)?)
}

/// Whether each chain is local. One may stand in for another all the same.
pub(crate) fn chains_are_local(ask: &Ask, moment: &Moment<'_>) -> Read<bool> {
    let shared = Flat::shared(moment);
    for chain in ask.groups.iter().flat_map(|group| &group.chains) {
        if Scope::of(chain, &shared, moment)?.crosses {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What a local question finds in some parts, in `^root` and in `^seq`; in order, unlimited.
pub(crate) fn find_in(ask: &Ask, moment: &Moment<'_>, places: &BTreeSet<Place>) -> Read<Vec<Hit>> {
    let mut found = Vec::new();
    let mut flat = Flat::shared(moment);
    let wanted = places.iter().filter_map(|place| {
        let (depth, rank) = rank_of(*place, moment)?;
        Some((*place, depth, rank))
    });
    for wanted in wanted.map(Some).chain([None]) {
        let part = wanted.map(|wanted| read_part(moment, wanted)).transpose()?;
        flat.fill(part.into_iter(), false);
        found.extend(hits(&flat, ends_of_all(ask, &flat, moment)?));
    }
    arrange(&mut found, effective_order(ask, Some(0)));
    Ok(found)
}

/// Asks a local question of one part after the other.
pub(crate) struct Finder<'a> {
    ask: &'a Ask,
    /// What its attributes depend on; what is in its tree does not matter.
    pub(crate) moment: Moment<'a>,
    flat: Flat,
}

impl<'a> Finder<'a> {
    pub(crate) fn new(ask: &'a Ask, moment: Moment<'a>) -> Finder<'a> {
        let flat = Flat::shared(&moment);
        Finder { ask, moment, flat }
    }

    /// What is found in a part, in canonical order and unlimited. The depths and the first ranks
    /// of the hits say nothing.
    pub(crate) fn in_part(&mut self, place: Place, nodes: Arc<Subtree>) -> Read<Vec<Hit>> {
        self.moment.note(|tally| {
            tally.parts_read += 1;
            tally.nodes += nodes.len() as u64;
        });
        let flat = &mut self.flat;
        flat.fill(std::iter::once(Part { place, depth: 1, rank: 0, nodes }), false);
        let mut ends = ends_of_all(self.ask, flat, &self.moment)?;
        ends.retain(|item| flat.part(*item).is_some());
        Ok(hits(flat, ends))
    }
}

/// The nodes that the chains of a question end at, each once.
pub(super) fn ends_of_all(ask: &Ask, flat: &Flat, moment: &Moment<'_>) -> Read<Vec<usize>> {
    let mut found: Vec<usize> = Vec::new();
    let mut united = 0;
    for chain in ask.groups.iter().flat_map(|group| &group.chains) {
        found.extend(Walk::new(flat, moment).ends(chain, &mut |_| {})?);
        // They are united before they are twice as many.
        if found.len() / 2 > united {
            found.sort_unstable();
            found.dedup();
            united = found.len();
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

//! `:has(…)` for all nodes of some parts at once (R6.14).
//!
//! A way is followed from its end back to its beginning. Each of its steps is one pass over the nodes,
//! so that the cost is steps × nodes, however deep or wide the tree is. Of `^root` and `^seq` the answer
//! is right only if every part is there.

use super::flat::{Flat, has_sign};
use crate::budget;
use crate::language::ast::Zone;
use crate::query::plan::{Has, Link, Reach, Step, Test, Way};
use crate::query::timeline::Read;

/// Nodes between two looks at the budget.
const CHECK_EVERY: usize = 4096;

/// Whether a node passes some tests.
type Holds<'h> = dyn Fn(usize, &[Test]) -> Read<bool> + 'h;

/// For each node whether one of the ways leads from it to something.
pub(super) fn marks(flat: &Flat, has: &Has, holds: &Holds<'_>) -> Read<Vec<bool>> {
    let mut marks = vec![false; flat.len()];
    for way in &has.ways {
        let leads = way_leads(flat, way, holds)?;
        marks.iter_mut().zip(leads).for_each(|(mark, leads)| *mark |= leads);
    }
    Ok(marks)
}

fn way_leads(flat: &Flat, way: &Way, holds: &Holds<'_>) -> Read<Vec<bool>> {
    let (mut later, links) = (zone_of(way.links.last()), &way.links);
    let mut leads = passing(vec![true; flat.len()], &way.filter.tests, holds)?;
    if let Some(zone) = later {
        // A way that ends in a zone leads to its children.
        leads = children(flat, Some(zone), &leads);
    }
    for (i, link) in links.iter().enumerate().rev() {
        let zone = i.checked_sub(1).and_then(|before| zone_of(links.get(before)));
        leads = match &link.step {
            Step::Nodes(compound) => {
                let found = passing(leads, &compound.tests, holds)?;
                match link.reach {
                    Reach::Below => below(flat, zone, &found),
                    Reach::Child => children(flat, zone, &found),
                    Reach::Itself => found,
                }
            }
            Step::Zone(_) => {
                // The zone of a zone is the zone itself, or has no children.
                let is_own = zone.is_none() || zone == later;
                let mut found = match link.reach {
                    Reach::Below => below(flat, zone, &leads),
                    Reach::Child | Reach::Itself => vec![false; flat.len()],
                };
                found.iter_mut().zip(leads).for_each(|(found, own)| *found |= own && is_own);
                found
            }
        };
        later = zone;
    }
    Ok(leads)
}

/// The zone that a step comes to.
fn zone_of(link: Option<&Link>) -> Option<Zone> {
    match link?.step {
        Step::Zone(zone) => Some(zone),
        Step::Nodes(_) => None,
    }
}

/// Those of some nodes that pass tests.
fn passing(mut nodes: Vec<bool>, tests: &[Test], holds: &Holds<'_>) -> Read<Vec<bool>> {
    for (item, node) in nodes.iter_mut().enumerate() {
        if item % CHECK_EVERY == CHECK_EVERY - 1 {
            budget::check()?;
        }
        *node = *node && holds(item, tests)?;
    }
    Ok(nodes)
}

/// For each node, or its zone, whether one of some nodes is below it.
fn below(flat: &Flat, zone: Option<Zone>, nodes: &[bool]) -> Vec<bool> {
    let mut before = Vec::with_capacity(nodes.len() + 1);
    let mut count = 0u32;
    before.push(count);
    for node in nodes {
        count += u32::from(*node);
        before.push(count);
    }
    let range = |item| match zone {
        None => flat.below(item),
        Some(zone) => flat.zone(item, zone),
    };
    let any = |range: std::ops::Range<usize>| {
        !range.is_empty() && before[range.end] > before[range.start]
    };
    (0..nodes.len()).map(|item| any(range(item))).collect()
}

/// For each node, or its zone, whether one of some nodes is a child of it.
fn children(flat: &Flat, zone: Option<Zone>, nodes: &[bool]) -> Vec<bool> {
    let is_in = |child: usize| zone.is_none_or(|zone| has_sign(flat.offset(child), zone));
    let any = |item| flat.children(item).any(|child| nodes[child] && is_in(child));
    (0..nodes.len()).map(any).collect()
}

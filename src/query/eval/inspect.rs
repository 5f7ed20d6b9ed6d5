//! What a chain will read, and how many nodes each of its steps comes to: for `explain`.

use super::scope::Scope;
use super::settle::{settled, settled_by};
use super::tops::answered;
use super::trackers::{Aids, Trackers};
use super::walk::{Flat, Walk, read_part};
use crate::query::plan::{Ask, Chain};
use crate::query::timeline::{Moment, Read};
use crate::query::turn_pages::TurnPages;
use std::sync::Arc;

/// How many nodes each step of a chain comes to, in the parts that it has to read.
pub(crate) fn trace(chain: &Arc<Chain>, moment: &Moment<'_>) -> Read<Vec<usize>> {
    let shared = Flat::shared(moment);
    let chain = &*answered(chain, moment)?;
    let scope = Scope::of(chain, &shared, moment)?;
    let parts = scope.needed_places(moment)?.into_iter().map(|wanted| read_part(moment, wanted));
    let mut flat = shared;
    flat.fill(parts.collect::<Result<Vec<_>, _>>()?.into_iter(), false);
    let mut sizes = Vec::new();
    Walk::new(&flat, moment).ends(chain, &mut |size| sizes.push(size))?;
    Ok(sizes)
}

/// How many parts the chains of a question look at, at the most.
pub(crate) fn parts_looked_at(ask: &Ask, moment: &Moment<'_>) -> Read<u64> {
    let (shared, mut parts) = (Flat::shared(moment), 0u64);
    for chain in ask.groups.iter().flat_map(|group| &group.chains) {
        let chain = settled(chain, moment)?;
        let places = Scope::of(&chain, &shared, moment)?.places(moment)?;
        parts = parts.saturating_add(places.len());
    }
    Ok(parts)
}

/// Whether all that the chains of a question count over several parts can be followed from a snapshot to
/// the one before. Nothing is looked for.
pub(crate) fn can_be_followed(ask: &Ask, moment: &Moment<'_>) -> Read<bool> {
    let shared = Flat::shared(moment);
    for chain in ask.groups.iter().flat_map(|group| &group.chains) {
        let (mut trackers, mut pages) = (Trackers::that_only_look(), TurnPages::default());
        let mut aids = Aids { trackers: &mut trackers, pages: &mut pages };
        let Some(settled) = settled_by(chain, moment, &mut aids)? else { return Ok(false) };
        if trackers.lost || Scope::of(&settled, &shared, moment)?.crosses {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What a chain will read.
pub(crate) struct Reads {
    /// How many parts.
    pub(crate) parts: usize,
    /// How many there are.
    pub(crate) of: usize,
    /// Whether ids are looked up.
    pub(crate) by_id: bool,
    /// Whether the chain is evaluated on each part alone.
    pub(crate) part_by_part: bool,
    /// Whether what it finds in a part depends on that part alone.
    pub(crate) local: bool,
}

/// What a chain will read at a moment.
pub(crate) fn reads(chain: &Arc<Chain>, moment: &Moment<'_>) -> Read<Reads> {
    let shared = Flat::shared(moment);
    let local = !Scope::of(chain, &shared, moment)?.crosses;
    let answered = answered(chain, moment)?;
    let scope = Scope::of(&answered, &shared, moment)?;
    Ok(Reads {
        local,
        parts: scope.needed_places(moment)?.len(),
        of: moment.tree.places().count(),
        by_id: !scope.ids.is_empty(),
        part_by_part: !scope.crosses,
    })
}

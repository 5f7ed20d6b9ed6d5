//! The places that an edit names, where the head counts as having a core (R13).

use super::results::{arrange, effective_order, hits};
use super::scope::Scope;
use super::tops::answered;
use super::walk::{AH_RANK, Flat, Walk, read_part};
use crate::language::ast::Order;
use crate::model::{Id, Place};
use crate::query::plan::{Ask, Chain};
use crate::query::timeline::{Moment, Read};

/// A place that an edit names: a node, or the core that the head does not have yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Named {
    /// A node.
    Node(Id),
    /// The head's core.
    HeadCore,
}

/// What a question finds if the head counts as having a core.
pub(crate) fn find_places(ask: &Ask, moment: &Moment<'_>) -> Read<Vec<Named>> {
    let (mut found, mut core, mut used) = (Vec::new(), None, None);
    for group in ask.groups.iter() {
        for (i, chain) in group.chains.iter().enumerate() {
            let chain = &*answered(chain, moment)?;
            let flat = with_head_core(chain, moment)?;
            let ends = Walk::new(&flat, moment).ends(chain, &mut |_| {})?;
            let head_core = ends.iter().find(|item| flat.is_head_core(**item));
            core = core.or(head_core.map(|item| flat.rank(*item)));
            let any = head_core.is_some();
            let hits = hits(&flat, ends);
            if any || !hits.is_empty() {
                found.extend(hits);
                arrange(&mut found, Order::Path);
                used = Some(i);
                break;
            }
        }
    }
    let order = effective_order(ask, used);
    arrange(&mut found, order);
    let at = match (core, order) {
        (Some(core), Order::Path) => found.partition_point(|hit| hit.rank < core),
        _ => found.len(),
    };
    let mut named: Vec<Named> =
        found.into_iter().map(|hit| Named::Node(hit.node.id.clone())).collect();
    if core.is_some() {
        named.insert(at, Named::HeadCore);
    }
    Ok(ask.window.apply(named))
}

/// The parts that a chain has to read, and the head with a core in any case.
fn with_head_core(chain: &Chain, moment: &Moment<'_>) -> Read<Flat> {
    let mut flat = Flat::shared(moment);
    let mut wanted = Scope::of(chain, &flat, moment)?.places(moment)?.all(moment.tree.spine());
    let head = (Place::Ah, 0, AH_RANK);
    if !wanted.contains(&head) {
        wanted.push(head);
    }
    let parts = wanted.into_iter().map(|wanted| read_part(moment, wanted));
    flat.fill(parts.collect::<Result<Vec<_>, _>>()?.into_iter(), true);
    Ok(flat)
}

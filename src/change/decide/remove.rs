//! Removing nodes (R3.2, R3.6).

use super::decided::Decided;
use super::target::{Found, is_sealed, sealed, target};
use crate::change::{ChangeError, Event, Remove, State};
use crate::code::Code;
use crate::model::{Class, Id};
use std::collections::BTreeSet;

pub(super) fn decide(state: &State, request: Remove) -> Result<Decided, ChangeError> {
    let mut found = Vec::new();
    for id in &request.targets {
        let candidate = target(state, id)?;
        check_removable(state, &candidate)?;
        found.push(candidate);
    }
    // A target inside another one goes with it; only the topmost are named.
    let covered = |inner: &Found| {
        found.iter().any(|outer| {
            outer.position.place == inner.position.place
                && outer.position.index != inner.position.index
                && outer.part.is_within(inner.position.index, outer.position.index)
        })
    };
    let mut ids: Vec<Id> = Vec::new();
    for candidate in found.iter().filter(|candidate| !covered(candidate)) {
        if !ids.contains(&candidate.node().id) {
            ids.push(candidate.node().id.clone());
        }
    }
    if !request.force {
        check_unreferenced(state, &found)?;
    }
    Ok(Decided { event: Event::Removed { ids: ids.clone() }, contents: Vec::new(), ids })
}

fn check_removable(state: &State, found: &Found) -> Result<(), ChangeError> {
    let node = found.node();
    if node.class.is_region() || node.class == Class::Turn {
        let noun = node.class.noun();
        let message = format!("{} is {noun} and cannot be removed: name nodes in it", node.id);
        return Err(ChangeError::new(Code::Placement, message));
    }
    if is_sealed(state, found.position.place, node) && found.part.in_core(found.position.index) {
        return Err(sealed(
            node,
            "a core loses nodes only by a ttl given beforehand or by a policy",
        ));
    }
    Ok(())
}

fn check_unreferenced(state: &State, found: &[Found]) -> Result<(), ChangeError> {
    let mut going: BTreeSet<Id> = BTreeSet::new();
    for candidate in found {
        let span = candidate.part.span(candidate.position.index);
        going.extend(span.map(|index| candidate.part.node(index).id.clone()));
    }
    for id in &going {
        for referrer in state.referrers(id)? {
            if !going.contains(&referrer) {
                let message =
                    format!("{referrer} refers to {id}; use force to remove it all the same");
                return Err(ChangeError::new(Code::Referenced, message));
            }
        }
    }
    Ok(())
}

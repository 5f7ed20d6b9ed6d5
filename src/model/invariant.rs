//! What must hold of every tree (R1, R2, R7), as a list of what does not. The engine keeps these
//! by construction; this is how tests and `verify` make sure.

use super::{Class, Place, ReadError, Subtree, Tree, sibling_order};
use crate::limits::MAX_TREE_DEPTH;
use std::collections::HashSet;

/// Every violated invariant of a tree, in words; empty if it is sound.
pub fn violations(tree: &Tree) -> Result<Vec<String>, ReadError> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let regions = [
        (tree.root(), Class::Root),
        (tree.seq(), Class::Seq),
        (tree.sys()?.top(), Class::Sys),
        (tree.ah()?.top(), Class::Ah),
    ];
    for (node, class) in regions {
        if node.class != class {
            found.push(format!("{} is {:?} and should be {class:?}", node.id, node.class));
        }
        if node.lifetime.is_some() || node.offset != 0 {
            found.push(format!("the region {} has a ttl or an offset", node.id));
        }
    }
    seen.insert(tree.root().id.clone());
    seen.insert(tree.seq().id.clone());
    let mut previous: Option<std::sync::Arc<Subtree>> = None;
    for place in tree.places() {
        let part = tree.subtree(place)?;
        for entry in part.entries() {
            if !seen.insert(entry.node.id.clone()) {
                found.push(format!("the id {} is there twice", entry.node.id));
            }
        }
        check_part(&part, place, &mut found);
        if let Place::Turn(_) = place {
            if let Some(previous) = &previous
                && sibling_order(previous.top(), part.top()).is_ge()
            {
                found.push(format!("turn {} is not after {}", part.top().id, previous.top().id));
            }
            previous = Some(part);
        }
    }
    Ok(found)
}

fn check_part(part: &Subtree, place: Place, found: &mut Vec<String>) {
    let top = part.top();
    if matches!(place, Place::Turn(_)) && (top.class != Class::Turn || top.offset != 0) {
        found.push(format!("{} is not a turn at offset 0", top.id));
    }
    if place != Place::Sys {
        let cores = part.children(0).filter(|child| part.node(*child).is_core_shaped()).count();
        if cores > 1 {
            found.push(format!("{} has {cores} cores", top.id));
        }
    }
    for (index, entry) in part.entries().iter().enumerate() {
        let node = &entry.node;
        if index > 0 && (node.class.is_region() || node.class == Class::Turn) {
            found.push(format!("{} is {} below {}", node.id, node.class.noun(), top.id));
        }
        if node.class == Class::Block && entry.end as usize != index + 1 {
            found.push(format!("the block {} has children", node.id));
        }
        let hashed = node.class == Class::Block || node.content.is_some();
        if hashed != node.content_hash.is_some() {
            found.push(format!("{} has a content hash where it should not, or none", node.id));
        }
        if part.depth_of(index) > MAX_TREE_DEPTH {
            found.push(format!("{} lies too deep", node.id));
        }
        let children: Vec<usize> = part.children(index).collect();
        for pair in children.windows(2) {
            if sibling_order(part.node(pair[0]), part.node(pair[1])).is_ge() {
                found.push(format!(
                    "{} and {} are out of order",
                    part.node(pair[0]).id,
                    part.node(pair[1]).id
                ));
            }
        }
    }
}

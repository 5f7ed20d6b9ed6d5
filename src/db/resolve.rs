//! From selectors in text to nodes of the working state.

use super::Db;
use crate::change::{Insert, Parent, State};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::model::{Class, Generation, Id, Place, Position};
use crate::query::ast::{self, TimeKind};
use crate::query::{self, Dialect};

/// The dialect of a store's own generation.
pub(super) fn dialect(generation: Generation) -> Dialect {
    match generation {
        Generation::V0_1 => Dialect::V0_1,
        Generation::V1_0 => Dialect::V1_0,
    }
}

/// The nodes of a target, in result order; none only if it ends in `?`.
pub(super) fn targets(state: &State, text: &str) -> Result<Vec<Id>> {
    let target = query::parse_target(text, dialect(state.generation))?;
    let found = simple(state, &target.selector)?;
    if found.is_empty() && !target.optional {
        let message = format!("nothing in the working state matches {text}");
        return Err(Error::new(Code::NodeNotFound, message));
    }
    Ok(found)
}

/// The parent and the place of a new node.
pub(super) fn place(state: &State, text: Option<&str>) -> Result<(Parent, Option<Insert>)> {
    let Some(text) = text else {
        return Ok((Parent::Node(state.tree.ah().top().id.clone()), None));
    };
    match query::parse_place(text, dialect(state.generation))? {
        ast::Place::Under(selector) => {
            if let ast::Head::Position(position) = &selector.groups[0].chains[0].head {
                return Ok((position_parent(state, position, text)?, None));
            }
            Ok((Parent::Node(one(simple(state, &selector)?, text)?), None))
        }
        ast::Place::Insert(_, position, insertion) => {
            let insert = match insertion {
                ast::Insertion::Start => Insert::Start,
                ast::Insertion::End => Insert::End,
                ast::Insertion::After(n) => Insert::After(n),
                ast::Insertion::Before(n) => Insert::Before(n),
            };
            Ok((position_parent(state, &position, text)?, Some(insert)))
        }
    }
}

/// The one node that something is moved below.
pub(super) fn parent(state: &State, text: &str) -> Result<Id> {
    match query::parse_place(text, dialect(state.generation))? {
        ast::Place::Under(selector) => one(simple(state, &selector)?, text),
        ast::Place::Insert(..) => Err(Error::new(
            Code::SelectorInvalid,
            format!("{text} is an insertion position: only an add takes one"),
        )),
    }
}

fn one(mut found: Vec<Id>, text: &str) -> Result<Id> {
    match (found.pop(), found.is_empty()) {
        (Some(id), true) => Ok(id),
        (None, _) => {
            Err(Error::new(Code::InvalidParent, format!("{text} matches no node to be the parent")))
        }
        _ => Err(Error::new(Code::Ambiguous, format!("{text} matches more than one node"))),
    }
}

fn simple(state: &State, selector: &ast::Selector) -> Result<Vec<Id>> {
    let mut wanted = Vec::new();
    for group in &selector.groups {
        for chain in &group.chains {
            if let ast::Head::Step(ast::Step::Compound(compound)) = &chain.head
                && let [part] = compound.parts.as_slice()
            {
                wanted.extend(simple_part(state, part));
            }
            if let ast::Head::Position(position) = &chain.head
                && let Ok(Parent::Node(id)) = position_parent(state, position, "")
            {
                wanted.push(id);
            }
        }
    }
    let mut keyed = Vec::new();
    for id in wanted {
        let rank = match state.tree.find(&id)? {
            Some(Position { place: Place::Sys, index }) => (1, 0, index),
            Some(Position { place: Place::Ah, index }) => (3, 0, index),
            Some(Position { place: Place::Turn(slot), index }) => {
                (2, state.tree.spine().index_of(slot).unwrap_or(0), index)
            }
            None if id == state.tree.root().id => (0, 0, 0),
            None if id == state.tree.seq().id => (1, u64::MAX, 0),
            None => continue,
        };
        keyed.push((rank, id));
    }
    keyed.sort();
    keyed.dedup();
    Ok(keyed.into_iter().map(|(_, id)| id).collect())
}

fn simple_part(state: &State, part: &ast::Part) -> Option<Id> {
    match part {
        ast::Part::Root(_, root) => Some(match root {
            ast::Root::Root => state.tree.root().id.clone(),
            ast::Root::Sys => state.tree.sys().top().id.clone(),
            ast::Root::Seq => state.tree.seq().id.clone(),
            ast::Root::Ah => state.tree.ah().top().id.clone(),
        }),
        ast::Part::Id(id) => Some(id.text.as_str().into()),
        ast::Part::Attrs(filter) => match &filter.tests.first()?.kind {
            ast::TestKind::Compare(_, value) => match &value.kind {
                ast::ValueKind::Text(text) => Some(text.as_str().into()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

fn position_parent(state: &State, position: &ast::Position, text: &str) -> Result<Parent> {
    let missing =
        || Error::new(Code::InvalidParent, format!("{text} matches no node to be the parent"));
    let place = state
        .tree
        .places()
        .find(|place| state.tree.depth_of(*place).is_some_and(|d| position.depth.contains(d)))
        .ok_or_else(missing)?;
    let part = state.tree.subtree(place)?;
    let mut index = 0;
    for (i, hop) in position.hops.iter().enumerate() {
        let ast::HopKind::Offset(offset) = hop.kind else { continue };
        let mut children = part.children(index).filter(|child| {
            let node = part.node(*child);
            node.offset == offset
                && (index != 0
                    || place == Place::Sys
                    || offset != 0
                    || node.class == Class::Container)
        });
        let child = children.next();
        if children.next().is_some() && i + 1 == position.hops.len() {
            return Err(Error::new(Code::Ambiguous, format!("{text} matches more than one node")));
        }
        match child {
            Some(child) => index = child,
            None if place == Place::Ah
                && index == 0
                && offset == 0
                && i + 1 == position.hops.len() =>
            {
                return Ok(Parent::HeadCore);
            }
            None => return Err(missing()),
        }
    }
    Ok(Parent::Node(part.node(index).id.clone()))
}

/// Whether an address means the working state.
pub(super) fn is_working(db: &Db, text: &str) -> Result<bool> {
    let time = query::parse_time(text)?;
    let working = dialect(db.generation()).t0_is_working_state();
    Ok(working && time.kind == TimeKind::Relative(0))
}

/// The cycle of a snapshot address.
pub(super) fn snapshot_cycle(db: &Db, state: &State, text: &str) -> Result<u64> {
    let time = query::parse_time(text)?;
    let missing =
        || Error::new(Code::SnapshotNotFound, format!("there is no snapshot {text} in this store"));
    match time.kind {
        TimeKind::Cycle(cycle) if state.history.contains(cycle) => Ok(cycle),
        TimeKind::Relative(steps) => {
            let newest = i64::from(dialect(db.generation()).t0_is_working_state());
            let back = steps.checked_neg().and_then(|back| back.checked_sub(newest));
            let back = back.and_then(|back| u64::try_from(back).ok()).ok_or_else(missing)?;
            state.history.back(back).ok_or_else(missing)
        }
        TimeKind::Cycle(_) => Err(missing()),
        _ => Err(Error::new(Code::SelectorInvalid, format!("{text} is not one snapshot"))),
    }
}

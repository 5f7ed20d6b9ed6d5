//! Selectors in edits: the nodes that an edit is about, and where a new node goes (R3.5, R13).
//!
//! Reads the working tree and changes nothing. What the change layer has to say about a place,
//! that it is sealed or a block, is not judged here.

use super::eval::{Named, find, find_places};
use super::options::SelectOptions;
use super::plan::{Ask, Chain, ClassSet, Group, Start, Step, Test, Window};
use super::query_error::QueryError;
use super::resolve::{resolve_position, resolve_timeless};
use super::timeline::Moment;
use crate::change::{Insert, Parent};
use crate::code::Code;
use crate::language::Dialect;
use crate::language::ast::{self, Insertion, PlaceKind};
use crate::model::{Class, Id};
use std::sync::Arc;

/// The nodes that an edit is about, in result order. No match is `E_NODE_NOT_FOUND`, unless the
/// target is optional.
pub fn resolve_target(
    target: &ast::Target,
    dialect: Dialect,
    working: &Moment<'_>,
) -> Result<Vec<Id>, QueryError> {
    let ask = resolve_timeless(&target.selector, dialect, &SelectOptions::default())?;
    let ids = found(&ask, working)?;
    if ids.is_empty() && !target.optional {
        let message = "no node matches the target";
        return Err(QueryError::new(Code::NodeNotFound, message)
            .at(target.at.0)
            .with_hint("a target that ends in `?` may match nothing"));
    }
    Ok(ids)
}

/// Where a new node goes: the one node that a place names, or the core of the head, which counts
/// as being there; and where among its children, if the place says so. None if nothing matches and
/// the place is optional.
pub fn resolve_place(
    place: &ast::Place,
    dialect: Dialect,
    working: &Moment<'_>,
) -> Result<Option<(Parent, Option<Insert>)>, QueryError> {
    let (ask, insert, at) = match &place.kind {
        PlaceKind::Under(selector) => {
            (resolve_timeless(selector, dialect, &SelectOptions::default())?, None, selector.at)
        }
        PlaceKind::Insert(at, position, insertion) => {
            let chain = resolve_position(position, dialect)?;
            let groups = [Group { chains: vec![Arc::new(chain)] }].into();
            let ask = Ask { groups, order: None, window: Window::default() };
            (ask, Some(insert(*insertion)), *at)
        }
    };
    let places = match known(&ask, working)? {
        Some(ids) => ids.into_iter().map(Named::Node).collect(),
        None => find_places(&ask, working)?,
    };
    let named = only(places, place.optional).map_err(|error| error.at(at.0))?;
    let parent = |named| match named {
        Named::Node(id) => Parent::Node(id),
        Named::HeadCore => Parent::HeadCore,
    };
    Ok(named.map(|named| (parent(named), insert)))
}

/// The one node that something is moved below; none if nothing matches and the place is optional.
/// An insertion is for new nodes only.
pub fn resolve_parent(
    place: &ast::Place,
    dialect: Dialect,
    working: &Moment<'_>,
) -> Result<Option<Id>, QueryError> {
    let selector = match &place.kind {
        PlaceKind::Under(selector) => selector,
        PlaceKind::Insert(at, ..) => {
            let message = "an insertion position is for new nodes only";
            return Err(QueryError::invalid(at.0, message)
                .with_hint("name the parent, and give the offset beside it"));
        }
    };
    let ask = resolve_timeless(selector, dialect, &SelectOptions::default())?;
    only(found(&ask, working)?, place.optional).map_err(|error| error.at(selector.at.0))
}

/// What a question finds.
fn found(ask: &Ask, working: &Moment<'_>) -> Result<Vec<Id>, QueryError> {
    if let Some(ids) = known(ask, working)? {
        return Ok(ids);
    }
    Ok(find(ask, working)?.into_iter().map(|hit| hit.node.id.clone()).collect())
}

/// What a question finds that names one id, `^sys` or `^ah` and nothing else: that needs no search,
/// however many nodes lie around it.
fn known(ask: &Ask, working: &Moment<'_>) -> Result<Option<Vec<Id>>, QueryError> {
    let (true, [Group { chains }]) = (ask.window.is_open(), &ask.groups[..]) else {
        return Ok(None);
    };
    let [chain] = &chains[..] else { return Ok(None) };
    let Chain { start: Start::Step(Step::Nodes(step)), links, filter, .. } = &**chain else {
        return Ok(None);
    };
    let (true, [test]) =
        (links.is_empty() && filter.tests.is_empty() && step.picks.is_empty(), &step.tests[..])
    else {
        return Ok(None);
    };
    let id = match test {
        Test::Class(class) if *class == ClassSet::of(&[Class::Ah]) => {
            working.tree.ah()?.top().id.clone()
        }
        Test::Class(class) if *class == ClassSet::of(&[Class::Sys]) => {
            working.tree.sys()?.top().id.clone()
        }
        Test::Ids(ids) if ids.len() == 1 => match ids.first() {
            Some(id) => Id::from(&**id),
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    Ok(Some(working.tree.get(&id)?.map(|node| node.id.clone()).into_iter().collect()))
}

fn only<T>(found: Vec<T>, optional: bool) -> Result<Option<T>, QueryError> {
    let count = found.len();
    let mut found = found.into_iter();
    match (found.next(), count) {
        (Some(one), 1) => Ok(Some(one)),
        (None, _) if optional => Ok(None),
        (Some(_), count) => {
            let message = format!("the place must be one node, and {count} match");
            Err(QueryError::new(Code::Ambiguous, message).with_hint("name one by its id"))
        }
        (None, _) => Err(QueryError::new(Code::InvalidParent, "no node matches the place")
            .with_hint("name a live container, a turn, ^sys or ^ah; a place may end in `?`")),
    }
}

fn insert(insertion: Insertion) -> Insert {
    match insertion {
        Insertion::Start => Insert::Start,
        Insertion::End => Insert::End,
        Insertion::After(n) => Insert::After(n),
        Insertion::Before(n) => Insert::Before(n),
    }
}

//! Adding a node (R3.2–R3.5).

use super::attrs;
use super::birth::{new_core, next_time};
use super::decided::Decided;
use super::insertion::{Sibling, make_room};
use super::target::{Found, check_refs, find, is_sealed, sealed};
use crate::change::{Add, Addition, ChangeError, Context, Event, Insert, Parent, State, ids};
use crate::code::Code;
use crate::limits::{MAX_SUBTREE_NODES, MAX_TREE_DEPTH};
use crate::model::{
    Class, ContentRef, Id, Lifetime, Name, Node, Place, Position, ReadError, TABLE,
};
use crate::snapshot::content_hash;
use std::sync::Arc;

pub(super) fn decide(state: &State, add: Add, context: Context) -> Result<Decided, ChangeError> {
    let class = class_of(&add)?;
    let spot = find_spot(state, &add, class)?;
    let time = next_time(state, add.created_at_ns, context.now)?;
    let core = match spot.needs_core {
        true => Some(new_core(state, time)?),
        false => None,
    };
    let parent = match (&core, &spot.parent) {
        (Some(core), _) => core.id.clone(),
        (None, found) => found.node().id.clone(),
    };
    let made = u64::from(core.is_some());
    let mut node = build(state, &add, class, context)?;
    node.offset = spot.offset;
    // A core made for it comes first, and takes the time and the number before its own.
    node.created_at_ns = time + made as i64;
    node.creation_index = state.next_index + made;
    let id = node.id.clone();
    let addition =
        Addition { parent, node: Arc::new(node), core: core.map(Arc::new), shifts: spot.shifts };
    Ok(Decided {
        event: Event::Added(addition),
        contents: add.content.into_iter().collect(),
        ids: vec![id],
    })
}

fn class_of(add: &Add) -> Result<Class, ChangeError> {
    let wanted = match add.container {
        Some(true) => Class::Container,
        _ => Class::Block,
    };
    let Some(node_type) = &add.node_type else { return Ok(wanted) };
    attrs::check_name("a type", node_type)?;
    match Class::of_type(node_type) {
        None | Some(Class::Container | Class::Block) if !is_type_name(node_type) => {
            let message = format!(
                "a type is made of letters, digits, _ and -, joined by : or . (log:entry); \
                 {node_type} is not"
            );
            Err(ChangeError::new(Code::AttrInvalid, message))
        }
        None => Ok(wanted),
        Some(class @ (Class::Container | Class::Block)) => {
            if add.container.is_some() && wanted != class {
                let message =
                    format!("the type {node_type} is {}: leave 'container' out", class.noun());
                return Err(ChangeError::new(Code::AttrInvalid, message));
            }
            Ok(class)
        }
        Some(class) => {
            let message =
                format!("{node_type} is {}, made by commits and imports only", class.noun());
            Err(ChangeError::new(Code::Placement, message))
        }
    }
}

/// Whether a type is identifiers, joined by `:` or `.` (R14.9).
fn is_type_name(node_type: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    node_type.split([':', '.']).all(|part| !part.is_empty() && part.bytes().all(letter))
}

/// Where the node goes.
struct Spot {
    parent: Found,
    needs_core: bool,
    offset: i64,
    shifts: Vec<(Id, i64)>,
}

fn find_spot(state: &State, add: &Add, class: Class) -> Result<Spot, ChangeError> {
    if let Some(offset) = add.offset {
        attrs::number("offset", offset, i64::MIN)?;
        if add.insert.is_some() {
            let message = "an insertion position decides the offset: leave 'offset' out";
            return Err(ChangeError::new(Code::AttrInvalid, message));
        }
    }
    let mut parent = match &add.parent {
        Parent::HeadCore => head(state)?,
        Parent::Node(id) => find_parent(state, id)?,
    };
    let mut into_core = add.parent == Parent::HeadCore;
    let offset = add.offset.unwrap_or(0);
    if !into_core && add.insert.is_none() && offset == 0 && class == Class::Block {
        into_core = matches!(parent.node().class, Class::Ah | Class::Turn);
    }
    let mut needs_core = false;
    if into_core {
        match parent.part.core() {
            Some(index) => parent.position = Position { index, ..parent.position },
            None if parent.node().class == Class::Ah => needs_core = true,
            None => {
                let what = "its core takes nothing; give an offset other than 0";
                return Err(sealed(parent.node(), what));
            }
        }
    }
    check_takes(state, &parent, offset, add.insert.is_some(), class)?;
    check_room(&parent, needs_core)?;
    let mut spot = Spot { parent, needs_core, offset, shifts: Vec::new() };
    if let Some(insert) = add.insert {
        place(state, &mut spot, insert)?;
    }
    Ok(spot)
}

pub(super) fn head(state: &State) -> Result<Found, ReadError> {
    let part = state.tree.ah()?.clone();
    Ok(Found { position: Position { place: Place::Ah, index: 0 }, part })
}

/// The node that something is to be put below.
pub(super) fn find_parent(state: &State, id: &str) -> Result<Found, ChangeError> {
    if id == &*state.tree.root().id || id == &*state.tree.seq().id {
        let message =
            format!("nothing can be put directly below {id}; name ^sys, ^ah or a node in them");
        return Err(ChangeError::new(Code::Placement, message));
    }
    let found = find(state, id)?.ok_or_else(|| {
        let message = format!("there is no node {id} to be the parent: name a live one");
        ChangeError::new(Code::InvalidParent, message)
    })?;
    if !found.node().class.has_children() {
        let message = format!("{id} is a block and has no children: name a container");
        return Err(ChangeError::new(Code::ParentNotContainer, message));
    }
    Ok(found)
}

/// Whether a parent may take a node of a class at an offset.
pub(super) fn check_takes(
    state: &State,
    parent: &Found,
    offset: i64,
    inserting: bool,
    class: Class,
) -> Result<(), ChangeError> {
    let node = parent.node();
    let at_zero = offset == 0 && !inserting;
    if at_zero
        && class == Class::Container
        && matches!(node.class, Class::Ah | Class::Turn)
        && parent.part.core().is_some()
    {
        let message =
            format!("{} has a core already: a container beside it needs an offset", node.id);
        return Err(ChangeError::new(Code::Placement, message));
    }
    if !is_sealed(state, parent.position.place, node) {
        return Ok(());
    }
    match node.class {
        Class::Turn if !at_zero => Ok(()),
        Class::Turn => Err(sealed(node, "its core takes nothing; give an offset other than 0")),
        _ => Err(sealed(node, "it takes nothing more; add to its turn at an offset other than 0")),
    }
}

fn check_room(parent: &Found, needs_core: bool) -> Result<(), ChangeError> {
    let depth = parent.part.depth_of(parent.position.index) + 1 + usize::from(needs_core);
    if depth > MAX_TREE_DEPTH {
        let message =
            format!("nodes lie at most {MAX_TREE_DEPTH} levels deep: choose a parent higher up");
        return Err(ChangeError::new(Code::Limit, message));
    }
    if parent.part.len() + 2 > MAX_SUBTREE_NODES {
        let message =
            format!("a turn or region has at most {MAX_SUBTREE_NODES} nodes: choose another");
        return Err(ChangeError::new(Code::Limit, message));
    }
    Ok(())
}

/// Finds the offset for an insertion position.
fn place(state: &State, spot: &mut Spot, insert: Insert) -> Result<(), ChangeError> {
    if spot.needs_core {
        // The core is about to be made; blocks that it will adopt are its children already.
        let loose = spot.parent.part.clone();
        let children: Vec<usize> = loose
            .children(0)
            .filter(|child| {
                loose.node(*child).class == Class::Block && loose.node(*child).offset == 0
            })
            .collect();
        return settle(state, spot, insert, &children, false);
    }
    let (part, index) = (spot.parent.part.clone(), spot.parent.position.index);
    let children: Vec<usize> = part.children(index).collect();
    let class = part.node(index).class;
    settle(state, spot, insert, &children, matches!(class, Class::Ah | Class::Turn))
}

fn settle(
    state: &State,
    spot: &mut Spot,
    insert: Insert,
    children: &[usize],
    zero_is_core: bool,
) -> Result<(), ChangeError> {
    let part = spot.parent.part.clone();
    let mut siblings: Vec<Sibling> = children
        .iter()
        .map(|child| Sibling { offset: part.node(*child).offset, tag: *child })
        .collect();
    if zero_is_core && spot.parent.node().class == Class::Ah && part.core().is_none() {
        // The head counts as having a core; blocks that would lie in it do not count beside it.
        siblings.retain(|s| s.offset != 0);
        let at = siblings.partition_point(|s| s.offset < 0);
        siblings.insert(at, Sibling { offset: 0, tag: 0 });
    }
    let room = make_room(&siblings, insert, zero_is_core)?;
    for (child, offset) in room.shifts {
        let node = part.node(child);
        if is_sealed(state, spot.parent.position.place, node) {
            return Err(sealed(
                node,
                "it is in the way and cannot move; insert before the first or after the last child",
            ));
        }
        attrs::number("offset", offset, i64::MIN)?;
        spot.shifts.push((node.id.clone(), offset));
    }
    spot.offset = attrs::number("offset", room.offset, i64::MIN)?;
    Ok(())
}

/// The node with all headers but its place and its time.
fn build(state: &State, add: &Add, class: Class, context: Context) -> Result<Node, ChangeError> {
    let id = match &add.id {
        Some(id) => {
            ids::check_given_id(state, id)?;
            Id::from(id.as_str())
        }
        None => ids::fresh_id(state, class)?,
    };
    let node_type: Name = add.node_type.as_deref().unwrap_or(state.word(class)).into();
    let mut node = Node::bare(id, node_type, class);
    node.cycle = state.cycle();
    if let Some(ttl) = add.ttl {
        let ttl = attrs::number("ttl", ttl, 0)? as u64;
        node.lifetime = Some(Lifetime::starting(ttl, state.cycle()));
    }
    node.priority = add.priority;
    for (field, text) in add.texts() {
        *field.of_mut(&mut node) = attrs::text(field, text.as_deref())?;
    }
    node.tags = attrs::names("a tag", &add.tags)?;
    node.refs = check_refs(state, &add.refs)?;
    node.pinned = add.pinned;
    node.removable = add.removable;
    if let Some(cad) = add.cad {
        node.cad = Some(attrs::number("cad", cad, 1)? as u64);
    }
    check_flags(&node)?;
    for (name, value) in &add.attrs {
        attrs::check_attr(name, value)?;
        if !value.is_null() {
            node.attrs.insert(name.as_str().into(), value.clone());
        }
    }
    for (name, value) in &add.headers {
        let value = attrs::check_header(name, value, [class])?;
        node.attrs.extend(value.map(|value| (Name::from(name.as_str()), value)));
    }
    attrs::check_node(&node)?;
    if let Some(content) = &add.content {
        let bytes = attrs::check_content(content)?;
        node.content = Some(ContentRef { seq: context.seq, item: 1, bytes });
    }
    if class == Class::Block || add.content.is_some() {
        let (kind, role) = (node.kind.as_deref(), node.role.as_deref());
        node.content_hash = Some(content_hash(add.content.as_ref(), kind, role, &node.attrs));
    }
    Ok(node)
}

/// Rules that tie a header to a class or to another header.
fn check_flags(node: &Node) -> Result<(), ChangeError> {
    check_class(node)?;
    check_cad(node)
}

/// Headers that nodes of one class have.
pub(super) fn check_class(node: &Node) -> Result<(), ChangeError> {
    match TABLE.iter().find_map(|header| header.misplaced(node)) {
        None => Ok(()),
        Some(what) => Err(ChangeError::new(Code::AttrInvalid, format!("{}: {what}", node.id))),
    }
}

/// A cad needs a key.
pub(super) fn check_cad(node: &Node) -> Result<(), ChangeError> {
    if node.cad.is_some() && node.key.is_none() {
        let message = format!("{}: a cad needs a key, by which its instances are known", node.id);
        return Err(ChangeError::new(Code::AttrInvalid, message));
    }
    Ok(())
}

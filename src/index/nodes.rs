//! The bytes of nodes in derived tables. Questions read these most, so the form is made to be read
//! fast. Another form needs a new version of the derived tables; records have a frozen form of
//! their own, see `log::stored_node`.
//!
//! A node is a number whose bits say which headers it has, and then these headers, one after the
//! other: numbers with seven bits in a byte, texts with their lengths before them.

use crate::json::canonical_string;
use crate::log::{CLASSES, stored_json};
use crate::model::{ContentRef, Lifetime, Name, Node, Subtree, TextField};
use crate::storage::{Numbers, StoreError, put_number, put_signed};
use std::sync::Arc;

/// What a node has, by bits; the bits from [`CLASS`] on are its class.
mod has {
    pub(super) const OFFSET: u64 = 1;
    pub(super) const LIFETIME: u64 = 1 << 1;
    pub(super) const PRIORITY: u64 = 1 << 2;
    pub(super) const ISO: u64 = 1 << 3;
    pub(super) const ROLE: u64 = 1 << 4;
    pub(super) const KIND: u64 = 1 << 5;
    pub(super) const KEY: u64 = 1 << 6;
    pub(super) const TAGS: u64 = 1 << 7;
    pub(super) const CAD: u64 = 1 << 8;
    pub(super) const CONTENT: u64 = 1 << 9;
    pub(super) const HASH: u64 = 1 << 10;
    pub(super) const PROVENANCE: u64 = 1 << 11;
    pub(super) const REMOVABLE: u64 = 1 << 12;
    pub(super) const PINNED: u64 = 1 << 13;
    pub(super) const REFS: u64 = 1 << 14;
    pub(super) const ATTRS: u64 = 1 << 15;
    /// The first of the texts that came after the first release; the others follow.
    pub(super) const LATER: u32 = 16;
    pub(super) const CLASS: u32 = 18;
}

/// Another text that came later takes a bit of its own, and the class the bits behind it: that is
/// another version of the derived tables.
const _: () = assert!(TextField::LATER.len() as u32 == has::CLASS - has::LATER);

/// The bytes of a part.
pub(super) fn write_nodes(part: &Subtree, bytes: &mut Vec<u8>) {
    put_number(part.len() as u64, bytes);
    for entry in part.entries() {
        put_number(u64::from(entry.parent), bytes);
        write_node(&entry.node, bytes);
    }
}

/// The class of a node and which headers it has, as bits.
fn flags_of(node: &Node) -> u64 {
    let class = CLASSES.iter().position(|class| *class == node.class).unwrap_or(0) as u64;
    let mut flags = class << has::CLASS;
    for (flag, set) in [
        (has::OFFSET, node.offset != 0),
        (has::LIFETIME, node.lifetime.is_some()),
        (has::PRIORITY, node.priority != 0),
        (has::ISO, node.created_at_iso.is_some()),
        (has::ROLE, node.role.is_some()),
        (has::KIND, node.kind.is_some()),
        (has::KEY, node.key.is_some()),
        (has::TAGS, !node.tags.is_empty()),
        (has::CAD, node.cad.is_some()),
        (has::CONTENT, node.content.is_some()),
        (has::HASH, node.content_hash.is_some()),
        (has::PROVENANCE, node.provenance.is_some()),
        (has::REMOVABLE, node.removable),
        (has::PINNED, node.pinned),
        (has::REFS, !node.refs.is_empty()),
        (has::ATTRS, !node.attrs.is_empty()),
    ] {
        flags |= if set { flag } else { 0 };
    }
    for (i, field) in TextField::LATER.iter().enumerate() {
        flags |= u64::from(field.of(node).is_some()) << has::LATER << i;
    }
    flags
}

/// The bytes of a node.
pub(super) fn write_node(node: &Node, bytes: &mut Vec<u8>) {
    put_number(flags_of(node), bytes);
    put_text(&node.id, bytes);
    put_text(&node.node_type, bytes);
    put_number(node.cycle, bytes);
    put_signed(node.created_at_ns, bytes);
    put_number(node.creation_index, bytes);
    if node.offset != 0 {
        put_signed(node.offset, bytes);
    }
    if let Some(Lifetime { given, since, expires_at }) = node.lifetime {
        for number in [given, since, expires_at] {
            put_number(number, bytes);
        }
    }
    if node.priority != 0 {
        put_signed(node.priority, bytes);
    }
    for text in [&node.created_at_iso, &node.role, &node.kind, &node.key].into_iter().flatten() {
        put_text(text, bytes);
    }
    put_list(&node.tags, bytes);
    if let Some(cad) = node.cad {
        put_number(cad, bytes);
    }
    if let Some(ContentRef { seq, item, bytes: size }) = node.content {
        for number in [seq, u64::from(item), size] {
            put_number(number, bytes);
        }
    }
    if let Some(hash) = &node.content_hash {
        bytes.extend_from_slice(hash);
    }
    if let Some(provenance) = &node.provenance {
        put_text(provenance, bytes);
    }
    put_list(&node.refs, bytes);
    for text in TextField::LATER.iter().filter_map(|field| field.of(node).as_ref()) {
        put_text(text, bytes);
    }
    if !node.attrs.is_empty() {
        put_number(node.attrs.len() as u64, bytes);
        for (name, value) in &node.attrs {
            put_text(name, bytes);
            put_text(&canonical_string(value), bytes);
        }
    }
}

fn put_text(text: &str, bytes: &mut Vec<u8>) {
    put_number(text.len() as u64, bytes);
    bytes.extend_from_slice(text.as_bytes());
}

/// A list, unless it is empty.
fn put_list(list: &[Name], bytes: &mut Vec<u8>) {
    if !list.is_empty() {
        put_number(list.len() as u64, bytes);
        list.iter().for_each(|text| put_text(text, bytes));
    }
}

/// The part of some bytes, all of which it must use; names that are known already are shared.
pub(super) fn read_nodes(
    bytes: &[u8],
    names: &mut Interner,
    what: &dyn Fn() -> String,
) -> Result<Subtree, StoreError> {
    let broken = || StoreError::corrupt(format!("{} cannot be decoded", what()));
    let mut rest = Numbers(bytes);
    let count = rest.next().ok_or_else(broken)?;
    // Every node takes some bytes, so a damaged count cannot ask for all memory.
    let mut nodes = Vec::with_capacity(usize::try_from(count).map_or(0, |n| n.min(bytes.len())));
    for _ in 0..count {
        let parent = rest.next().and_then(|parent| u32::try_from(parent).ok());
        let node = read_node(&mut rest, names)?;
        let (parent, node) = parent.zip(node).ok_or_else(broken)?;
        nodes.push((node, parent));
    }
    if !rest.0.is_empty() {
        return Err(StoreError::corrupt(format!("{} is followed by stray bytes", what())));
    }
    Subtree::from_preorder(nodes)
        .ok_or_else(|| StoreError::corrupt(format!("{} is no tree", what())))
}

/// A node; none if the bytes are none.
pub(super) fn read_node(
    rest: &mut Numbers<'_>,
    names: &mut Interner,
) -> Result<Option<Arc<Node>>, StoreError> {
    let Some((mut shared, flags)) = read_top(rest, names) else { return Ok(None) };
    // It is filled where it stays: a node is large, and nobody else has it yet.
    let Some(node) = Arc::get_mut(&mut shared) else { return Ok(None) };
    if read_headers(rest, names, flags, node).is_none() {
        return Ok(None);
    }
    if flags & has::ATTRS != 0 {
        let Some(count) = rest.next() else { return Ok(None) };
        for _ in 0..count {
            let Some((name, value)) = rest.text().zip(rest.text()) else { return Ok(None) };
            node.attrs.insert(Name::from(name), stored_json(value)?);
        }
    }
    Ok(Some(shared))
}

/// A node that has nothing but an id, a type and a class yet, and what it will have.
fn read_top(rest: &mut Numbers<'_>, names: &mut Interner) -> Option<(Arc<Node>, u64)> {
    let flags = rest.next()?;
    let class = *CLASSES.get(usize::try_from(flags >> has::CLASS).ok()?)?;
    let (id, node_type) = (Name::from(rest.text()?), names.shared(rest.text()?));
    Some((Arc::new(Node::bare(id, node_type, class)), flags))
}

/// Everything else but the custom attributes.
fn read_headers(
    rest: &mut Numbers<'_>,
    names: &mut Interner,
    flags: u64,
    node: &mut Node,
) -> Option<()> {
    node.cycle = rest.next()?;
    node.created_at_ns = rest.signed()?;
    node.creation_index = rest.next()?;
    let has = |flag: u64| flags & flag != 0;
    if has(has::OFFSET) {
        node.offset = rest.signed()?;
    }
    if has(has::LIFETIME) {
        let (given, since, expires_at) = (rest.next()?, rest.next()?, rest.next()?);
        node.lifetime = Some(Lifetime { given, since, expires_at });
    }
    if has(has::PRIORITY) {
        node.priority = rest.signed()?;
    }
    if has(has::ISO) {
        node.created_at_iso = Some(rest.text()?.into());
    }
    if has(has::ROLE) {
        node.role = Some(names.shared(rest.text()?));
    }
    if has(has::KIND) {
        node.kind = Some(names.shared(rest.text()?));
    }
    if has(has::KEY) {
        node.key = Some(rest.text()?.into());
    }
    if has(has::TAGS) {
        node.tags = list(rest, |tag| names.shared(tag))?;
    }
    if has(has::CAD) {
        node.cad = Some(rest.next()?);
    }
    if has(has::CONTENT) {
        let (seq, item, bytes) = (rest.next()?, rest.next()?, rest.next()?);
        node.content = Some(ContentRef { seq, item: u32::try_from(item).ok()?, bytes });
    }
    if has(has::HASH) {
        let (hash, after) = rest.0.split_first_chunk::<32>()?;
        (node.content_hash, rest.0) = (Some(*hash), after);
    }
    if has(has::PROVENANCE) {
        node.provenance = Some(rest.text()?.into());
    }
    node.removable = has(has::REMOVABLE);
    node.pinned = has(has::PINNED);
    if has(has::REFS) {
        node.refs = list(rest, |id| Name::from(id))?;
    }
    for (i, field) in TextField::LATER.iter().enumerate() {
        if has(1 << has::LATER << i) {
            *field.of_mut(node) = Some(names.shared(rest.text()?));
        }
    }
    Some(())
}

fn list(rest: &mut Numbers<'_>, mut name: impl FnMut(&str) -> Name) -> Option<Vec<Name>> {
    (0..rest.next()?).map(|_| rest.text().map(&mut name)).collect()
}

/// Interner that many nodes have, such as types and roles: each is kept once.
#[derive(Debug, Default)]
pub(crate) struct Interner(Vec<Name>);

impl Interner {
    /// More names than that are not common ones.
    const MOST: usize = 24;

    fn shared(&mut self, text: &str) -> Name {
        if let Some(known) = self.0.iter().find(|name| &***name == text) {
            return known.clone();
        }
        let name = Name::from(text);
        if self.0.len() < Interner::MOST {
            self.0.push(name.clone());
        }
        name
    }
}

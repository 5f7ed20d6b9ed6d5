//! Parts of a tree as one array in canonical pre-order, implied cores included.
//!
//! An implied core (R1.5) stands before the first block that it holds and spans its blocks; they
//! remain children of the turn as well. So "below" is a range of indexes and document order is
//! the order of indexes, for virtual nodes too. Only `^root` and `^seq` are always there; the
//! parts are those that the caller loaded.

use crate::language::ast::Zone;
use crate::model::{Class, Id, Node, Place, Subtree};
use crate::query::timeline::{Moment, Read};
use std::ops::Range;
use std::sync::Arc;

/// Some parts of a tree.
pub(crate) struct Flat {
    root: Arc<Node>,
    seq: Arc<Node>,
    parts: Vec<Part>,
    items: Vec<Item>,
}

/// A part of the tree, and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) place: Place,
    pub(crate) depth: i64,
    /// Its place in the canonical order of parts.
    pub(crate) rank: u64,
    pub(crate) nodes: Arc<Subtree>,
}

impl Part {
    /// The id of a node's parent, which may be the root or `^seq`.
    pub(crate) fn parent_id(&self, index: usize, root: &Node, seq: &Node) -> Id {
        match (self.nodes.parent(index), self.place) {
            (Some(parent), _) => self.nodes.node(parent).id.clone(),
            (None, Place::Turn(_)) => seq.id.clone(),
            (None, _) => root.id.clone(),
        }
    }
}

/// Ranks of what is not a turn; turns have those between.
pub(crate) const ROOT_RANK: u64 = 0;
pub(crate) const SYS_RANK: u64 = 1;
pub(crate) const SEQ_RANK: u64 = 2;
pub(crate) const FIRST_TURN_RANK: u64 = 3;
pub(crate) const AH_RANK: u64 = u64::MAX;

#[derive(Debug, Clone, Copy)]
struct Item {
    owner: Owner,
    /// The index in the part; of a core that of what stands behind it.
    index: u32,
    end: u32,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Root,
    Seq,
    Part(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Node,
    /// Its blocks are children of the turn as well.
    ImpliedCore,
    /// The core that the head will have once something is put into it (R13): its blocks count as
    /// moved there.
    HeadCore,
}

impl Flat {
    /// `^root` and `^seq` alone.
    pub(crate) fn shared(moment: &Moment<'_>) -> Flat {
        let (root, seq) = (moment.tree.root().clone(), moment.tree.seq().clone());
        let mut flat = Flat { root, seq, parts: Vec::new(), items: Vec::new() };
        flat.fill(std::iter::empty(), false);
        flat
    }

    /// These parts, which are in canonical order. With `head_core` the head has a core.
    pub(crate) fn fill(&mut self, parts: impl Iterator<Item = Part>, head_core: bool) {
        self.parts.clear();
        self.items.clear();
        self.push(Owner::Root, 0, 0, Kind::Node);
        let mut seq = None;
        for part in parts {
            if seq.is_none() && part.place != Place::Sys {
                seq = Some(self.push(Owner::Seq, 0, 0, Kind::Node));
            }
            if let (Place::Ah, Some(seq)) = (part.place, seq) {
                self.items[seq].end = self.items.len() as u32;
            }
            self.push_part(part, head_core);
        }
        let seq = seq.unwrap_or_else(|| self.push(Owner::Seq, 0, 0, Kind::Node));
        let end = self.items.len() as u32;
        if self.items[seq].end == 0 {
            self.items[seq].end = end;
        }
        self.items[0].end = end;
    }

    fn push(&mut self, owner: Owner, index: usize, end: usize, kind: Kind) -> usize {
        self.items.push(Item { owner, index: index as u32, end: end as u32, kind });
        self.items.len() - 1
    }

    fn push_part(&mut self, part: Part, head_core: bool) {
        let owner = Owner::Part(self.parts.len() as u32);
        let base = self.items.len();
        let nodes = part.nodes.clone();
        let core = core_span(&part, head_core && part.place == Place::Ah);
        let kind = match head_core && part.place == Place::Ah {
            true => Kind::HeadCore,
            false => Kind::ImpliedCore,
        };
        self.parts.push(part);
        for (index, entry) in nodes.entries().iter().enumerate() {
            let mut shift = 0;
            if let Some(core) = &core {
                if core.start == index {
                    self.push(owner, core.start, base + core.end + 1, kind);
                }
                shift = usize::from(index == 0 || index >= core.start);
            }
            self.push(owner, index, base + entry.end as usize + shift, Kind::Node);
        }
        if let Some(core) = core.filter(|core| core.start == nodes.len()) {
            self.push(owner, core.start, base + core.end + 1, kind);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// The node; none for a virtual one.
    pub(crate) fn node(&self, item: usize) -> Option<&Arc<Node>> {
        let Item { owner, index, kind, .. } = self.items[item];
        match owner {
            _ if kind != Kind::Node => None,
            Owner::Root => Some(&self.root),
            Owner::Seq => Some(&self.seq),
            Owner::Part(part) => Some(self.parts[part as usize].nodes.node(index as usize)),
        }
    }

    pub(crate) fn is_head_core(&self, item: usize) -> bool {
        self.items[item].kind == Kind::HeadCore
    }

    pub(crate) fn class(&self, item: usize) -> Class {
        self.node(item).map_or(Class::Container, |node| node.class)
    }

    pub(crate) fn offset(&self, item: usize) -> i64 {
        self.node(item).map_or(0, |node| node.offset)
    }

    /// The part that a node lies in, and its index there.
    pub(crate) fn part(&self, item: usize) -> Option<(&Part, usize)> {
        match self.items[item] {
            Item { owner: Owner::Part(part), index, .. } => {
                Some((&self.parts[part as usize], index as usize))
            }
            _ => None,
        }
    }

    /// Depth in the sense of R6.6.
    pub(crate) fn depth(&self, item: usize) -> Option<i64> {
        self.part(item).map(|(part, _)| part.depth)
    }

    /// Edges from the root.
    pub(crate) fn edges(&self, item: usize) -> i64 {
        match self.items[item].owner {
            Owner::Root => 0,
            Owner::Seq => 1,
            Owner::Part(part) => {
                let part = &self.parts[part as usize];
                let top = if matches!(part.place, Place::Turn(_)) { 2 } else { 1 };
                top + part.nodes.depth_of(self.items[item].index as usize) as i64
            }
        }
    }

    /// Everything below.
    pub(crate) fn below(&self, item: usize) -> Range<usize> {
        item + 1..self.items[item].end as usize
    }

    /// The children in order; an implied core is one of them, and so are its blocks.
    pub(crate) fn children(&self, item: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.items[item].end as usize;
        let mut next = item + 1;
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = next;
                next = match self.items[child].kind {
                    Kind::ImpliedCore => child + 1,
                    _ => self.items[child].end as usize,
                };
                child
            })
        })
    }

    /// The children whose offset has a sign, and all that is below them: they stand together.
    pub(crate) fn zone(&self, item: usize, zone: Zone) -> Range<usize> {
        let mut found = 0..0;
        for child in self.children(item) {
            if has_sign(self.offset(child), zone) {
                let end = self.items[child].end as usize;
                let start = if found.is_empty() { child } else { found.start };
                found = start..end.max(found.end);
            }
        }
        found
    }

    /// The only index of an id among the loaded nodes, for parents.
    pub(crate) fn parent_id(&self, item: usize) -> Option<Arc<str>> {
        match self.items[item].owner {
            Owner::Root => None,
            Owner::Seq => Some(self.root.id.clone()),
            Owner::Part(part) => {
                let index = self.items[item].index as usize;
                Some(self.parts[part as usize].parent_id(index, &self.root, &self.seq))
            }
        }
    }

    /// The place in the canonical order of the whole tree.
    pub(crate) fn rank(&self, item: usize) -> (u64, u32) {
        match self.items[item].owner {
            Owner::Root => (ROOT_RANK, 0),
            Owner::Seq => (SEQ_RANK, 0),
            Owner::Part(part) => (self.parts[part as usize].rank, self.items[item].index),
        }
    }
}

pub(crate) fn has_sign(offset: i64, zone: Zone) -> bool {
    match zone {
        Zone::Pre => offset < 0,
        Zone::Core => offset == 0,
        Zone::Post => offset > 0,
    }
}

/// The entries that an implied core holds, as a range of indexes; none if there is no such core.
fn core_span(part: &Part, wanted: bool) -> Option<Range<usize>> {
    let nodes = &part.nodes;
    if part.place == Place::Sys || nodes.core().is_some() {
        return None;
    }
    let first = |at_least: i64| {
        nodes.children(0).find(|child| nodes.node(*child).offset >= at_least).unwrap_or(nodes.len())
    };
    let span = first(0)..first(1);
    (wanted || !span.is_empty()).then_some(span)
}

/// Reads a part of a moment; its depth and rank are known to the caller.
pub(crate) fn read_part(
    moment: &Moment<'_>,
    (place, depth, rank): (Place, i64, u64),
) -> Read<Part> {
    let nodes = moment.tree.subtree(place)?;
    moment.note(|tally| {
        tally.parts_read += 1;
        tally.nodes += nodes.len() as u64;
    });
    Ok(Part { place, depth, rank, nodes })
}

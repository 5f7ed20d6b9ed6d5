//! A part of the tree as one array: the nodes below a turn, `^sys` or `^ah`, in canonical
//! pre-order. Document order is array order and "descendant" is an index range.
//!
//! Invariants: entry 0 is the top node; a parent stands before its children; siblings are in
//! [`sibling_order`]; `end` is one past the last descendant.

use super::{Class, Node, sibling_order};
use std::sync::Arc;

/// A node and its place in the array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The node.
    pub node: Arc<Node>,
    /// The index of its parent; the top node is its own.
    pub parent: u32,
    /// One past the index of its last descendant.
    pub end: u32,
}

/// The top node and everything below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subtree {
    entries: Vec<Entry>,
}

/// Nodes taken out together: a node and everything that was below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    entries: Vec<Entry>,
}

impl Fragment {
    /// Its nodes, the top one first.
    pub fn nodes(&self) -> impl Iterator<Item = &Arc<Node>> {
        self.entries.iter().map(|entry| &entry.node)
    }

    /// A fragment of one node.
    pub fn leaf(node: Arc<Node>) -> Fragment {
        Fragment { entries: vec![Entry { node, parent: 0, end: 1 }] }
    }

    /// How many levels it has: 1 for a leaf.
    pub fn levels(&self) -> usize {
        let mut depth = vec![1usize; self.entries.len()];
        for i in 1..self.entries.len() {
            depth[i] = depth[self.entries[i].parent as usize] + 1;
        }
        depth.into_iter().max().unwrap_or(1)
    }

    /// The same fragment under another top node.
    pub fn with_top(mut self, node: Arc<Node>) -> Fragment {
        self.entries[0].node = node;
        self
    }
}

impl Subtree {
    /// A subtree of its top node alone.
    pub fn new(top: Arc<Node>) -> Subtree {
        Subtree { entries: vec![Entry { node: top, parent: 0, end: 1 }] }
    }

    /// A subtree from nodes in pre-order, each with the index of its parent. Siblings may come in
    /// any order; `None` if the indexes do not describe a tree.
    pub fn from_preorder(nodes: Vec<(Arc<Node>, u32)>) -> Option<Subtree> {
        if is_canonical(&nodes) {
            let entry = |(i, (node, parent)): (usize, _)| {
                let i = i as u32;
                Entry { node, parent: if i == 0 { 0 } else { parent }, end: i + 1 }
            };
            let entries = nodes.into_iter().enumerate().map(entry).collect();
            return Some(Subtree { entries }.with_ends());
        }
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        for (i, (_, parent)) in nodes.iter().enumerate().skip(1) {
            let parent = *parent as usize;
            if parent >= i {
                return None;
            }
            children[parent].push(i);
        }
        if nodes.is_empty() {
            return None;
        }
        for list in &mut children {
            list.sort_by(|a, b| sibling_order(&nodes[*a].0, &nodes[*b].0));
        }
        let mut entries: Vec<Entry> = Vec::with_capacity(nodes.len());
        // Depth first with an explicit stack: (node, parent's new index).
        let mut stack = vec![(0usize, 0u32)];
        while let Some((old, parent)) = stack.pop() {
            let at = entries.len() as u32;
            entries.push(Entry { node: nodes[old].0.clone(), parent, end: at + 1 });
            stack.extend(children[old].iter().rev().map(|child| (*child, at)));
        }
        Some(Subtree { entries }.with_ends())
    }

    /// The same once each `end` covers what is below; before, it is that of the node alone.
    fn with_ends(mut self) -> Subtree {
        for i in (1..self.entries.len()).rev() {
            let (parent, end) = (self.entries[i].parent as usize, self.entries[i].end);
            self.entries[parent].end = self.entries[parent].end.max(end);
        }
        self
    }

    /// The top node.
    pub fn top(&self) -> &Arc<Node> {
        &self.entries[0].node
    }

    /// All entries in canonical pre-order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// How many nodes there are, the top one included.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is nothing below the top node.
    pub fn is_empty(&self) -> bool {
        self.entries.len() == 1
    }

    /// The node at an index.
    pub fn node(&self, index: usize) -> &Arc<Node> {
        &self.entries[index].node
    }

    /// The index of a node.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.entries.iter().position(|entry| &*entry.node.id == id)
    }

    /// The index of a node that once stood at `near`: what was put in or taken out before it
    /// since has moved it, so it is looked for from there in both directions.
    pub fn find_near(&self, id: &str, near: usize) -> Option<usize> {
        let is = |at: &usize| &*self.entries[*at].node.id == id;
        let (mut down, mut up) = (near.min(self.len()), near.min(self.len()));
        while down > 0 || up < self.len() {
            if up < self.len() {
                if is(&up) {
                    return Some(up);
                }
                up += 1;
            }
            if down > 0 {
                down -= 1;
                if is(&down) {
                    return Some(down);
                }
            }
        }
        None
    }

    /// The index of the parent; `None` for the top node.
    pub fn parent(&self, index: usize) -> Option<usize> {
        (index != 0).then(|| self.entries[index].parent as usize)
    }

    /// The indexes of the children, in order.
    pub fn children(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.entries[index].end as usize;
        let mut next = index + 1;
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = next;
                next = self.entries[child].end as usize;
                child
            })
        })
    }

    /// The indexes of a node and everything below it.
    pub fn span(&self, index: usize) -> std::ops::Range<usize> {
        index..self.entries[index].end as usize
    }

    /// How many edges lie between a node and the top one.
    pub fn depth_of(&self, mut index: usize) -> usize {
        let mut depth = 0;
        while let Some(parent) = self.parent(index) {
            index = parent;
            depth += 1;
        }
        depth
    }

    /// The container at offset 0 directly below the top node.
    pub fn core(&self) -> Option<usize> {
        self.children(0).find(|child| self.node(*child).is_core_shaped())
    }

    /// Whether a node is the core of this turn or lies in it. Offset-0 blocks of a turn without a
    /// core count as its implied core (R1.5).
    pub fn in_core(&self, index: usize) -> bool {
        let mut at = index;
        while let Some(parent) = self.parent(at) {
            if parent == 0 {
                let node = self.node(at);
                return node.offset == 0
                    && (node.class == Class::Container || self.core().is_none());
            }
            at = parent;
        }
        false
    }

    /// Whether `index` is `ancestor` or lies below it.
    pub fn is_within(&self, index: usize, ancestor: usize) -> bool {
        self.span(ancestor).contains(&index)
    }

    /// Puts a fragment below a parent, at its canonical place; returns its index.
    pub fn graft(&mut self, parent: usize, fragment: Fragment) -> usize {
        let at = self.place_for(parent, &fragment.entries[0].node);
        let (shift, count) = (at as u32, fragment.entries.len() as u32);
        for entry in &mut self.entries[at..] {
            if entry.parent >= shift {
                entry.parent += count;
            }
            entry.end += count;
        }
        // Before the gap, only the parent and what it lies in reach over it.
        let mut above = Some(parent);
        while let Some(index) = above {
            self.entries[index].end += count;
            above = self.parent(index);
        }
        let moved = fragment.entries.into_iter().enumerate().map(|(i, entry)| Entry {
            node: entry.node,
            parent: if i == 0 { parent as u32 } else { entry.parent + shift },
            end: entry.end + shift,
        });
        self.entries.splice(at..at, moved);
        at
    }

    /// The index at which a new child of a node belongs.
    fn place_for(&self, parent: usize, node: &Node) -> usize {
        let end = self.entries[parent].end as usize;
        // Most new nodes come last: the last child is above the last node.
        let mut last = end - 1;
        while last > parent && self.entries[last].parent as usize != parent {
            last = self.entries[last].parent as usize;
        }
        if last == parent || sibling_order(self.node(last), node).is_le() {
            return end;
        }
        let behind = |child: &usize| sibling_order(self.node(*child), node).is_gt();
        self.children(parent).find(behind).unwrap_or(end)
    }

    /// Takes some nodes out, each with everything below it. They are in order, and the top node is
    /// not among them.
    pub fn take_all(&mut self, indexes: &[usize]) {
        let mut tops = indexes.iter().copied().peekable();
        let mut skip_to = 0;
        let mut kept: Vec<Entry> = Vec::with_capacity(self.entries.len());
        let mut moved = vec![0u32; self.entries.len()];
        for (i, mut entry) in std::mem::take(&mut self.entries).into_iter().enumerate() {
            if tops.next_if_eq(&i).is_some() {
                skip_to = skip_to.max(entry.end as usize);
            }
            if i < skip_to {
                continue;
            }
            let at = kept.len() as u32;
            moved[i] = at;
            (entry.parent, entry.end) = (moved[entry.parent as usize], at + 1);
            kept.push(entry);
        }
        *self = Subtree { entries: kept }.with_ends();
    }

    /// Takes a node and everything below it out. The top node cannot be taken.
    pub fn take(&mut self, index: usize) -> Fragment {
        debug_assert!(index != 0, "the top node stays");
        let span = self.span(index);
        let (base, count) = (index as u32, span.len() as u32);
        let entries = self
            .entries
            .drain(span)
            .map(|entry| Entry {
                node: entry.node,
                parent: entry.parent.saturating_sub(base),
                end: entry.end - base,
            })
            .collect();
        for (i, entry) in self.entries.iter_mut().enumerate() {
            if i >= index && entry.parent >= base + count {
                entry.parent -= count;
            }
            if entry.end > base {
                entry.end -= count;
            }
        }
        Fragment { entries }
    }

    /// Puts another node in the place of one; its order among its siblings must stay the same.
    pub fn replace(&mut self, index: usize, node: Arc<Node>) {
        self.entries[index].node = node;
    }
}

/// Whether nodes with the indexes of their parents are in canonical pre-order already.
fn is_canonical(nodes: &[(Arc<Node>, u32)]) -> bool {
    // The way down from the top to the node before, each with its last child so far.
    let mut path: Vec<(usize, Option<usize>)> = vec![(0, None)];
    for (i, (node, parent)) in nodes.iter().enumerate().skip(1) {
        while path.last().is_some_and(|(at, _)| *at != *parent as usize) {
            path.pop();
        }
        let Some((_, last)) = path.last_mut() else { return false };
        if last.is_some_and(|last| sibling_order(&nodes[last].0, node).is_gt()) {
            return false;
        }
        *last = Some(i);
        path.push((i, None));
    }
    !nodes.is_empty()
}

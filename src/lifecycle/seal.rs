//! Sealing (R4.5): the children of `^ah` become the children of a new turn.

use crate::model::{Class, Node, ReadError, Subtree, Tree};
use std::sync::Arc;

/// What a commit is told.
pub struct Sealing {
    /// The cycle that it closes.
    pub cycle: u64,
    /// The new turn.
    pub turn: Arc<Node>,
    /// The core for it, to be used if the head has none.
    pub core: Arc<Node>,
}

/// Seals the head. The tree gets one more turn, also when the head is empty.
pub fn seal(tree: &mut Tree, sealing: Sealing) -> Result<(), ReadError> {
    let head = tree.ah()?.clone();
    let needs_core = head.core().is_none();
    let mut nodes = vec![(sealing.turn, 0)];
    if needs_core {
        nodes.push((sealing.core, 0));
    }
    let before = nodes.len() as u32;
    for entry in &head.entries()[1..] {
        let parent = match entry.parent {
            0 if needs_core && is_loose(&entry.node) => 1,
            0 => 0,
            parent => parent - 1 + before,
        };
        nodes.push((entry.node.clone(), parent));
    }
    let turn = rebuilt(nodes)?;
    tree.replace_ah(Subtree::new(head.top().clone()));
    tree.seal_turn(sealing.cycle, turn);
    Ok(())
}

/// Moves blocks that lie at offset 0 of the head beside its core, which has just been made, into
/// that core (R1.4).
pub fn adopt_loose_blocks(tree: &mut Tree) -> Result<(), ReadError> {
    let head = tree.ah()?.clone();
    let Some(core) = head.core() else { return Ok(()) };
    let is_loose_at = |index: &usize| head.parent(*index) == Some(0) && is_loose(head.node(*index));
    if !head.children(0).any(|child| is_loose_at(&child)) {
        return Ok(());
    }
    let (mut nodes, mut moved): (Vec<(Arc<Node>, u32)>, Vec<u32>) = Default::default();
    for (index, entry) in head.entries().iter().enumerate() {
        moved.push(nodes.len() as u32);
        if !is_loose_at(&index) {
            nodes.push((entry.node.clone(), moved[entry.parent as usize]));
        }
    }
    // A block has nothing below it, so it may come after all others.
    for index in head.children(0).filter(is_loose_at) {
        nodes.push((head.node(index).clone(), moved[core]));
    }
    tree.replace_ah(rebuilt(nodes)?);
    Ok(())
}

fn rebuilt(nodes: Vec<(Arc<Node>, u32)>) -> Result<Subtree, ReadError> {
    Subtree::from_preorder(nodes)
        .ok_or_else(|| ReadError::Corrupt("the head does not make a turn".into()))
}

fn is_loose(node: &Node) -> bool {
    node.class == Class::Block && node.offset == 0
}

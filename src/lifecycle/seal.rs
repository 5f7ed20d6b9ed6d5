//! Sealing (R4.5): the children of `^ah` become the children of a new turn.

use super::Sealing;
use crate::model::{Class, Fragment, Place, Position, ReadError, Subtree, Tree};

/// Seals the head. The tree gets one more turn, also when the head is empty.
pub fn seal(tree: &mut Tree, sealing: Sealing) -> Result<(), ReadError> {
    let mut head = (**tree.ah()?).clone();
    let mut turn = Subtree::new(sealing.turn);
    let needs_core = head.core().is_none();
    if needs_core {
        turn.graft(0, Fragment::leaf(sealing.core));
    }
    while head.len() > 1 {
        let fragment = head.take(1);
        let loose = fragment.nodes().next().is_some_and(|node| is_loose(node.class, node.offset));
        let parent = if loose && needs_core { turn.core() } else { None };
        turn.graft(parent.unwrap_or(0), fragment);
    }
    tree.replace_ah(head);
    tree.seal_turn(sealing.cycle, turn);
    Ok(())
}

/// Moves blocks that lie at offset 0 of the head beside its core, which has just been made, into
/// that core (R1.4).
pub fn adopt_loose_blocks(tree: &mut Tree) -> Result<(), ReadError> {
    loop {
        let head = tree.ah()?.clone();
        if head.core().is_none() {
            return Ok(());
        }
        let Some(index) = head.children(0).find(|child| {
            let node = head.node(*child);
            is_loose(node.class, node.offset)
        }) else {
            return Ok(());
        };
        let fragment = tree.take(Position { place: Place::Ah, index })?;
        let Some(core) = tree.ah()?.core() else { return Ok(()) };
        tree.graft(Position { place: Place::Ah, index: core }, fragment)?;
    }
}

fn is_loose(class: Class, offset: i64) -> bool {
    class == Class::Block && offset == 0
}

//! Closing a cycle by an import (R9.3) or a restore (R4.8).

use super::close::{Closed, close};
use super::{ChangeError, Context, Event, Import, Restore, State, Working, apply};
use crate::code::Code;
use crate::json::Json;
use crate::lifecycle::Removed;
use crate::model::{
    ContentRef, Lifetime, Node, Place, ReadError, Skeleton, Slot, Subtree, Tree, iso_from_ns,
};
use crate::snapshot::{Contents, Document, DocumentNode, Given, content_bytes};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The inputs of an import, and the contents that come with it. A content that the store has for
/// the same node already is not brought again.
pub fn plan_import(
    state: &State,
    document: Document,
    contents: &dyn Contents,
    context: Context,
) -> Result<(Import, Vec<Json>), ChangeError> {
    if state.edited {
        let message = "there are uncommitted edits: commit or undo them before the import";
        return Err(ChangeError::new(Code::ImportConflict, message));
    }
    if document.cycle <= state.last_cycle {
        return Err(ChangeError::new(
            Code::ImportConflict,
            format!(
                "the snapshot is of cycle {}, and the store has cycle {} already: give a later \
                 one, or none",
                document.cycle, state.last_cycle
            ),
        ));
    }
    let mut brought = Brought { state, contents, seq: context.seq, list: Vec::new() };
    let mut part = |nodes: Vec<DocumentNode>| -> Result<Vec<(Arc<Node>, u32)>, ReadError> {
        nodes.into_iter().map(|node| brought.node(node)).collect()
    };
    let root = part(vec![document.root])?.remove(0).0;
    let seq = part(vec![document.seq])?.remove(0).0;
    let sys = part(document.sys)?;
    let ah = part(document.ah)?;
    let turns = document.turns.into_iter().map(&mut part).collect::<Result<Vec<_>, _>>()?;
    let regions = [root, sys[0].0.clone(), seq, ah[0].0.clone()];
    let import = Import { cycle: document.cycle, regions, sys, ah, turns, digest: [0; 32] };
    Ok((import, brought.list))
}

struct Brought<'a> {
    state: &'a State,
    contents: &'a dyn Contents,
    seq: u64,
    list: Vec<Json>,
}

impl Brought<'_> {
    fn node(&mut self, document: DocumentNode) -> Result<(Arc<Node>, u32), ReadError> {
        let mut node = document.node;
        if document.given != Given::ALL
            && let Some(known) = self.state.last_seen(&node.id)?
        {
            keep_birth(&mut node, document.given, &known);
        }
        if let Some(content) = document.content {
            node.content = Some(match self.known(&node, &content)? {
                Some(known) => known,
                None => {
                    let bytes = content_bytes(&content);
                    self.list.push(content);
                    ContentRef { seq: self.seq, item: self.list.len() as u32, bytes }
                }
            });
        }
        Ok((Arc::new(node), document.parent))
    }

    fn known(&self, node: &Node, content: &Json) -> Result<Option<ContentRef>, ReadError> {
        let Some(old) = self.state.tree.get(&node.id)? else { return Ok(None) };
        match old.content {
            Some(known) if old.content_hash == node.content_hash => {
                let same = *self.contents.content(&known)? == *content;
                Ok(same.then_some(known))
            }
            _ => Ok(None),
        }
    }
}

/// What a document leaves out of a node's birth is what the node has in history (R14.2).
fn keep_birth(node: &mut Node, given: Given, known: &Node) {
    if !given.cycle {
        node.cycle = known.cycle;
    }
    if !given.index {
        node.creation_index = known.creation_index;
    }
    if given.time {
        return;
    }
    let text = node.created_at_iso();
    node.created_at_ns = known.created_at_ns;
    node.created_at_iso = match given.iso {
        // A text that the time gives is not kept beside it.
        true => Some(text).filter(|text| *text != iso_from_ns(known.created_at_ns)).map(Into::into),
        false => known.created_at_iso.clone(),
    };
}

/// Makes the imported tree the newest snapshot.
pub fn close_import(state: &State, import: &Import) -> Result<Closed, ReadError> {
    let [root, _, seq, _] = &import.regions;
    let mut spine = state.tree.spine().clone();
    let mut turns = BTreeMap::new();
    let mut incoming: Vec<Arc<Subtree>> = Vec::with_capacity(import.turns.len());
    for nodes in &import.turns {
        incoming.push(Arc::new(subtree(nodes)?));
    }
    incoming.sort_by(|a, b| crate::model::sibling_order(a.top(), b.top()));
    let kept = common_turns(state, &incoming)?;
    spine.truncate(kept);
    for (i, turn) in incoming.into_iter().enumerate() {
        let slot = match spine.nth(i as u64) {
            Some(slot) if (i as u64) < kept => slot,
            _ => {
                let rank = u32::try_from(i)
                    .map_err(|_| ReadError::Corrupt("too many turns in one import".into()))?;
                let slot = Slot { cycle: import.cycle, rank };
                spine.push_imported(slot);
                slot
            }
        };
        turns.insert(slot, turn);
    }
    let skeleton = Skeleton { root: root.clone(), seq: seq.clone(), spine };
    let sys = Arc::new(subtree(&import.sys)?);
    let ah = Arc::new(subtree(&import.ah)?);
    let source = state.tree.source().clone();
    let tree = Tree::assembled(skeleton, sys, ah, turns, state.last_cycle, source);
    let mut next = state.clone();
    note_imported(&mut next, &tree)?;
    close(next, import.cycle, tree, Removed::default())
}

fn subtree(nodes: &[(Arc<Node>, u32)]) -> Result<Subtree, ReadError> {
    Subtree::from_preorder(nodes.to_vec())
        .ok_or_else(|| ReadError::Corrupt("an import whose nodes are no tree".into()))
}

/// How many turns, from the oldest, are the same ones as now: they keep their slots.
fn common_turns(state: &State, incoming: &[Arc<Subtree>]) -> Result<u64, ReadError> {
    let mut kept = 0;
    for (slot, turn) in state.tree.spine().iter().zip(incoming) {
        if state.tree.subtree(Place::Turn(slot))?.top().id != turn.top().id {
            break;
        }
        kept += 1;
    }
    Ok(kept)
}

/// Counts the nodes that an import brought.
fn note_imported(state: &mut State, tree: &Tree) -> Result<(), ReadError> {
    let next_index = state.next_index;
    for node in [tree.root(), tree.seq()] {
        apply::made(state, node)?;
    }
    for place in tree.places() {
        for entry in tree.subtree(place)?.entries() {
            apply::made(state, &entry.node)?;
        }
    }
    state.next_index = next_index;
    super::cadence::replaced(state, tree)
}

/// Makes a past snapshot the newest one. Uncommitted edits are gone with it; policies set since
/// the last commit stay, and ids stay used.
pub fn close_restore(working: &Working, restore: &Restore) -> Result<Closed, ReadError> {
    let mut state = (*working.base).clone();
    for pending in working.pending.iter().filter(|pending| !pending.undone) {
        match &*pending.event {
            Event::PolicySet { policies } => state.policies = policies.clone(),
            Event::Attempt(_) => state.running = working.state.running.clone(),
            _ => {}
        }
    }
    state.used.extend(working.state.used.iter().cloned());
    state.next_id = working.state.next_id;
    let source = state.tree.source().clone();
    let past = Tree::at(restore.at, source.clone())?;
    let renewed = |part: Arc<Subtree>| renew(part, restore.at, restore.cycle);
    let mut turns = BTreeMap::new();
    for slot in past.spine().iter() {
        turns.insert(slot, renewed(past.subtree(Place::Turn(slot))?));
    }
    let skeleton = Skeleton {
        root: past.root().clone(),
        seq: past.seq().clone(),
        spine: past.spine().clone(),
    };
    let (sys, ah) = (renewed(past.sys()?.clone()), renewed(past.ah()?.clone()));
    let tree = Tree::assembled(skeleton, sys, ah, turns, state.last_cycle, source);
    super::cadence::replaced(&mut state, &tree)?;
    close(state, restore.cycle, tree, Removed::default())
}

/// The same part with each ttl reading as it did at `at`, and counting from `cycle`.
fn renew(part: Arc<Subtree>, at: u64, cycle: u64) -> Arc<Subtree> {
    if part.entries().iter().all(|entry| entry.node.lifetime.is_none()) {
        return part;
    }
    let mut renewed = (*part).clone();
    for index in 0..renewed.len() {
        let node = renewed.node(index).clone();
        if let Some(life) = node.lifetime {
            let lifetime = Lifetime {
                given: life.given,
                since: cycle,
                expires_at: cycle + life.remaining(at),
            }
            .settled(cycle);
            renewed.replace(index, Arc::new(Node { lifetime: Some(lifetime), ..(*node).clone() }));
        }
    }
    Arc::new(renewed)
}

//! What a record has beyond the first version of the envelope: headers and fields that came later.
//!
//! Records are positional and their bytes are hashed, so a field cannot be put between others. An
//! event with nothing new in it is written as it always was, and any other is followed by its
//! extras. Both are a function of the event alone: a fork or a load writes the same bytes again.

use super::stored_edit::StoredAttempt;
use super::stored_node::StoredNode;
use crate::change::{Attempt, Change, Event};
use crate::model::{Class, Name, Node, TextField};
use crate::storage::StoreError;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What follows a record of version 2. Fields are never changed: more of them are a version 3.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Extras {
    /// Nodes of the event, by their number in the order of [`nodes`], ascending, and their headers.
    nodes: Vec<(u32, NodeExtras)>,
    /// Headers that a change sets.
    change: ChangeExtras,
    attempt: AttemptExtras,
}

/// Headers of a node that came after the others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct NodeExtras {
    mime: Option<String>,
    encoding: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ChangeExtras {
    mime: Option<Option<String>>,
    encoding: Option<Option<String>>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct AttemptExtras {
    at_event: Option<u64>,
    thread_format: Option<String>,
    thread_sha256: Option<[u8; 32]>,
}

impl Extras {
    /// The extras of an event; none if the first version of the envelope says all of it.
    pub(super) fn of(event: &Event) -> Option<Extras> {
        let mut extras = Extras::default();
        for (i, node) in nodes(event).into_iter().enumerate() {
            let later = NodeExtras::from(&**node);
            if later != NodeExtras::default() {
                extras.nodes.push((i as u32, later));
            }
        }
        match event {
            Event::Changed { change, .. } => extras.change = ChangeExtras::from(change),
            Event::Attempt(attempt) => extras.attempt = AttemptExtras::from(attempt),
            _ => {}
        }
        (extras != Extras::default()).then_some(extras)
    }

    /// Puts them into the event that they belong to.
    pub(super) fn join(self, event: &mut Event) -> Result<(), StoreError> {
        let stray = || StoreError::corrupt("a record has extras that do not fit its event");
        let mut all = nodes_mut(event).into_iter().enumerate();
        for (number, extras) in self.nodes {
            let (_, node) = all.find(|(i, _)| *i == number as usize).ok_or_else(stray)?;
            if node.class != Class::Block {
                return Err(stray());
            }
            extras.join(Arc::make_mut(node));
        }
        match event {
            Event::Changed { change, .. } => self.change.join(change),
            _ if self.change != ChangeExtras::default() => return Err(stray()),
            _ => {}
        }
        match event {
            Event::Attempt(attempt) => self.attempt.join(attempt),
            _ if self.attempt != AttemptExtras::default() => return Err(stray()),
            _ => {}
        }
        Ok(())
    }
}

/// The nodes of an event that may be blocks, in a fixed order.
fn nodes(event: &Event) -> Vec<&Arc<Node>> {
    match event {
        Event::Added(addition) => vec![&addition.node],
        Event::Committed(commit) => commit.materialized.iter().map(|a| &a.node).collect(),
        Event::Restored(restore) => restore.materialized.iter().map(|a| &a.node).collect(),
        Event::Imported(import) => {
            let parts = [&import.sys, &import.ah].into_iter().chain(&import.turns);
            parts.flatten().map(|(node, _)| node).collect()
        }
        _ => Vec::new(),
    }
}

/// The same nodes.
fn nodes_mut(event: &mut Event) -> Vec<&mut Arc<Node>> {
    match event {
        Event::Added(addition) => vec![&mut addition.node],
        Event::Committed(commit) => commit.materialized.iter_mut().map(|a| &mut a.node).collect(),
        Event::Restored(restore) => restore.materialized.iter_mut().map(|a| &mut a.node).collect(),
        Event::Imported(import) => {
            let parts = [&mut import.sys, &mut import.ah].into_iter().chain(&mut import.turns);
            parts.flatten().map(|(node, _)| node).collect()
        }
        _ => Vec::new(),
    }
}

fn text(name: &Option<Name>) -> Option<String> {
    name.as_deref().map(str::to_owned)
}

impl From<&Node> for NodeExtras {
    fn from(node: &Node) -> NodeExtras {
        NodeExtras { mime: text(&node.mime), encoding: text(&node.encoding) }
    }
}

impl NodeExtras {
    fn join(self, node: &mut Node) {
        node.mime = self.mime.map(Name::from);
        node.encoding = self.encoding.map(Name::from);
    }
}

impl From<&Change> for ChangeExtras {
    fn from(change: &Change) -> ChangeExtras {
        let given = |field| change.texts.get(&field).map(text);
        ChangeExtras { mime: given(TextField::Mime), encoding: given(TextField::Encoding) }
    }
}

impl ChangeExtras {
    fn join(self, change: &mut Change) {
        let texts = [(TextField::Mime, self.mime), (TextField::Encoding, self.encoding)];
        for (field, text) in texts {
            change.texts.extend(text.map(|text| (field, text.map(Name::from))));
        }
    }
}

impl From<&Attempt> for AttemptExtras {
    fn from(attempt: &Attempt) -> AttemptExtras {
        AttemptExtras {
            at_event: attempt.at_event,
            thread_format: attempt.thread_format.clone(),
            thread_sha256: attempt.thread_sha256,
        }
    }
}

impl AttemptExtras {
    fn join(self, attempt: &mut Attempt) {
        attempt.at_event = self.at_event;
        attempt.thread_format = self.thread_format;
        attempt.thread_sha256 = self.thread_sha256;
    }
}

/// A whole node, for rows of derived tables.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WholeNode(StoredNode, NodeExtras);

impl From<&Node> for WholeNode {
    fn from(node: &Node) -> WholeNode {
        WholeNode(node.into(), node.into())
    }
}

impl WholeNode {
    pub(crate) fn into_node(self) -> Result<Node, StoreError> {
        let mut node = self.0.into_node()?;
        self.1.join(&mut node);
        Ok(node)
    }
}

/// A whole provider call, for rows of derived tables.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WholeAttempt(StoredAttempt, AttemptExtras);

impl From<&Attempt> for WholeAttempt {
    fn from(attempt: &Attempt) -> WholeAttempt {
        WholeAttempt(attempt.into(), attempt.into())
    }
}

impl WholeAttempt {
    pub(crate) fn into_attempt(self) -> Result<Attempt, StoreError> {
        let mut attempt = self.0.into_attempt()?;
        self.1.join(&mut attempt);
        Ok(attempt)
    }
}

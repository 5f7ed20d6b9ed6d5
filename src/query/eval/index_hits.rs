//! What was found in turns without reading them: numbers, that lead into what the index has of the turns.
//! Nothing is made for a node of its own.

use crate::index::{Columns, TurnAt, TurnSummary};
use crate::model::Subtree;
#[cfg(feature = "sql")]
use crate::model::{ContentRef, Node};
use std::ops::Range;
use std::sync::Arc;

/// What was found in some turns without reading them.
#[derive(Debug, Default)]
pub(crate) struct IndexHits {
    /// The index of each node in its turn, and where its id stands; of a node in a turn that is kept,
    /// the number of the turn.
    nodes: Vec<(u32, Range<u32>)>,
    /// Ids, one behind the other; empty where nobody wants them, or where turns are kept.
    ids: String,
    turns: Vec<KeptTurn>,
    /// The pages of the index that turns are on.
    pages: Vec<Arc<Columns>>,
}

/// A turn in which something was found, if more than ids is wanted.
#[derive(Debug)]
#[cfg_attr(not(feature = "sql"), allow(dead_code, reason = "SQL alone reads them"))]
enum KeptTurn {
    /// What the index has of it: the number of the page, and where it stands there.
    Indexed(u32, TurnAt),
    /// It was read.
    Read(Arc<Subtree>),
}

impl IndexHits {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.ids.clear();
        self.turns.clear();
        self.pages.clear();
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a node with its id.
    pub(crate) fn push(&mut self, index: u32, id: &str) {
        let from = self.ids.len() as u32;
        self.ids.push_str(id);
        self.nodes.push((index, from..self.ids.len() as u32));
    }

    /// Keeps a turn, to which nodes are to be added.
    pub(super) fn keep_turn(&mut self, summary: &TurnSummary<'_>) {
        let (columns, at) = summary.kept();
        if !self.pages.last().is_some_and(|last| Arc::ptr_eq(last, columns)) {
            self.pages.push(columns.clone());
        }
        self.turns.push(KeptTurn::Indexed(self.pages.len() as u32 - 1, at));
    }

    /// Keeps a part that was read, to which nodes are to be added.
    pub(crate) fn keep_part(&mut self, part: &Arc<Subtree>) {
        self.turns.push(KeptTurn::Read(part.clone()));
    }

    /// Adds a node of the turn that was kept last.
    pub(crate) fn push_kept(&mut self, index: u32) {
        let turn = self.turns.len().saturating_sub(1) as u32;
        self.nodes.push((index, turn..turn));
    }

    /// Forgets the nodes from a number on.
    pub(super) fn truncate(&mut self, len: usize) {
        self.nodes.truncate(len);
    }

    /// Keeps some of the nodes.
    pub(super) fn retain(&mut self, kept: &[bool]) {
        let mut flags = kept.iter();
        self.nodes.retain(|_| flags.next() == Some(&true));
    }

    /// The index of a node in its turn.
    pub(crate) fn index(&self, number: u32) -> u32 {
        self.nodes[number as usize].0
    }

    /// The id of a node that was added with it.
    pub(crate) fn id(&self, number: u32) -> &str {
        let at = &self.nodes[number as usize].1;
        self.ids.get(at.start as usize..at.end as usize).unwrap_or_default()
    }
}

/// What is known of nodes in turns that are kept.
#[cfg(feature = "sql")]
impl IndexHits {
    /// The turn of a node: what the index has of it, or what was read.
    fn turn(&self, number: u32) -> Option<Turn<'_>> {
        let turn = self.turns.get(self.nodes[number as usize].1.start as usize)?;
        Some(match turn {
            KeptTurn::Indexed(page, at) => {
                Turn::Indexed(TurnSummary::new(self.pages.get(*page as usize)?, *at)?)
            }
            KeptTurn::Read(part) => Turn::Read(part),
        })
    }

    /// The nodes of a node's turn; of one that was not read, what its template has of them.
    pub(crate) fn nodes_of(&self, number: u32) -> Option<&Subtree> {
        match self.turn(number)? {
            Turn::Indexed(summary) => Some(summary.template),
            Turn::Read(part) => Some(part),
        }
    }

    /// A node; of one that was not read, what the template of its turn has of it.
    pub(crate) fn node(&self, number: u32) -> Option<&Node> {
        let index = self.index(number) as usize;
        Some(&*self.nodes_of(number)?.entries().get(index)?.node)
    }

    /// Where the content of a node is.
    pub(crate) fn content(&self, number: u32) -> Option<ContentRef> {
        let index = self.index(number) as usize;
        match self.turn(number)? {
            Turn::Indexed(summary) => summary.content(index),
            Turn::Read(part) => part.entries().get(index)?.node.content,
        }
    }

    /// The id of a node in the turn of another, by its index.
    pub(crate) fn id_in_turn(&self, number: u32, index: usize) -> Option<&str> {
        match self.turn(number)? {
            Turn::Indexed(summary) => summary.id(index),
            Turn::Read(part) => Some(&part.entries().get(index)?.node.id),
        }
    }
}

#[cfg(feature = "sql")]
enum Turn<'a> {
    Indexed(TurnSummary<'a>),
    Read(&'a Subtree),
}

//! The union of several chains: each node once, and no more held than the answer has.
//!
//! Chains are evaluated one after the other, and what one of them finds again is dropped before
//! anything is made of it. Where a limit asks for the first nodes alone, each chain stops when it
//! has met as many, because the first ones of a union are among the first ones of its chains.

use super::results::ResultItem;
use super::walk::AH_RANK;
use crate::language::ast::Order;

/// Nodes by their place in canonical order: a bit for each node of a part.
#[derive(Default)]
struct Ranks {
    /// By the ranks of the parts, which stand close together but for that of the head.
    parts: Vec<Vec<u64>>,
    head: Vec<u64>,
}

impl Ranks {
    fn has(&self, (part, index): (u64, u32)) -> bool {
        let words = match part {
            AH_RANK => Some(&self.head),
            part => usize::try_from(part).ok().and_then(|part| self.parts.get(part)),
        };
        let word = words.and_then(|words| words.get(index as usize / 64));
        word.is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    fn add(&mut self, (part, index): (u64, u32)) {
        let words = match part {
            AH_RANK => &mut self.head,
            part => {
                let part = part as usize;
                if self.parts.len() <= part {
                    self.parts.resize(part + 1, Vec::new());
                }
                &mut self.parts[part]
            }
        };
        let at = index as usize / 64;
        if words.len() <= at {
            words.resize(at + 1, 0);
        }
        words[at] |= 1 << (index % 64);
    }
}

/// What chains have found so far.
pub(super) struct Union<T> {
    found: Vec<T>,
    /// What was found; none if there is one chain only, which finds nothing twice.
    ranks: Option<Ranks>,
    /// How many nodes the present chain has met, those that an earlier chain found included.
    met: u64,
    /// In which order, and after how many nodes, the rest cannot matter.
    stop: Option<(Order, u64)>,
}

impl<T: ResultItem> Union<T> {
    /// Nothing yet, of so many chains.
    pub(super) fn new(chains: usize) -> Union<T> {
        let ranks = (chains > 1).then(Ranks::default);
        Union { found: Vec::new(), ranks, met: 0, stop: None }
    }

    /// The next chain begins.
    pub(super) fn begin(&mut self, stop: Option<(Order, u64)>) {
        (self.met, self.stop) = (0, stop);
    }

    /// The order in which it is best to look.
    pub(super) fn order(&self) -> Option<Order> {
        self.stop.map(|(order, _)| order)
    }

    /// Whether the present chain has met enough.
    pub(super) fn is_enough(&self) -> bool {
        self.stop.is_some_and(|(_, enough)| self.met >= enough)
    }

    /// Whether the present chain has met anything.
    pub(super) fn any(&self) -> bool {
        self.met > 0
    }

    /// Whether a node was found before.
    pub(super) fn has(&self, rank: (u64, u32)) -> bool {
        self.ranks.as_ref().is_some_and(|ranks| ranks.has(rank))
    }

    /// Takes a node that the present chain met; `make` builds the result if it is new.
    pub(super) fn meet(&mut self, rank: (u64, u32), make: impl FnOnce() -> Option<T>) {
        if self.has(rank) {
            self.met += 1;
            return;
        }
        let Some(node) = make() else { return };
        self.met += 1;
        if let Some(ranks) = &mut self.ranks {
            ranks.add(rank);
        }
        self.found.push(node);
    }

    /// The present chain has ended: of what was found, what cannot matter any more is let go.
    pub(super) fn end(&mut self) {
        let Some((order, enough)) = self.stop else { return };
        let enough = usize::try_from(enough).unwrap_or(usize::MAX);
        if self.found.len() / 2 > enough {
            T::arrange(&mut self.found, order);
            self.found.truncate(enough);
        }
    }

    /// Everything that was found, in no order.
    pub(super) fn into_found(self) -> Vec<T> {
        self.found
    }
}

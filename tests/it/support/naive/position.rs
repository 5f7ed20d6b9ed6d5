//! Positions: one level down with each element (R6.9).

use super::Reader;
use super::chain::Spot;
use super::types::type_holds;
use pactdb::query::ast::{AttrFilter, Hop, HopKind, HopPart, Position, Pseudo};

impl Reader<'_> {
    pub(crate) fn position(&self, position: &Position) -> Vec<Spot> {
        let all = self.tree.all().into_iter();
        let mut nodes: Vec<usize> =
            all.filter(|node| self.is_container_of(*node, &position.depth)).collect();
        for hop in &position.hops {
            let mut next: Vec<usize> = Vec::new();
            for node in nodes {
                next.extend(self.hop(node, hop));
            }
            next.sort_unstable();
            next.dedup();
            nodes = next;
        }
        nodes.into_iter().map(Spot::Node).collect()
    }

    fn hop(&self, from: usize, hop: &Hop) -> Vec<usize> {
        let children = || self.tree.children(from).iter().copied();
        let reached: Vec<usize> = match &hop.kind {
            HopKind::Offset(offset) => {
                children().filter(|node| self.tree.nodes[*node].offset() == *offset).collect()
            }
            HopKind::Itself(name) if name.name.is_none() => vec![from],
            HopKind::Itself(name) => {
                vec![from].into_iter().filter(|node| type_holds(self, *node, name)).collect()
            }
            HopKind::Child(name) => {
                children().filter(|node| type_holds(self, *node, name)).collect()
            }
            HopKind::AnyChild => {
                children().filter(|node| !self.tree.nodes[*node].implied).collect()
            }
            HopKind::Descendant(name) => {
                let below = self.tree.below(from).iter().copied();
                below.filter(|node| type_holds(self, *node, name)).collect()
            }
        };
        let mut filters: Vec<&AttrFilter> = Vec::new();
        let mut pseudos: Vec<&Pseudo> = Vec::new();
        let mut tags: Vec<&str> = Vec::new();
        for part in &hop.parts {
            match part {
                HopPart::Attrs(filter) => filters.push(filter),
                HopPart::Tag(tag) => tags.push(&tag.text),
                HopPart::Pseudo(_, pseudo) => pseudos.push(pseudo),
            }
        }
        let holds = |node: &usize| {
            self.attrs_hold(*node, &filters)
                && tags.iter().all(|tag| self.has_tag(*node, tag))
                && pseudos.iter().all(|pseudo| self.pseudo(*node, pseudo))
        };
        let reached = reached.into_iter().filter(holds).collect();
        self.pick(reached, pseudos.into_iter(), false)
    }
}

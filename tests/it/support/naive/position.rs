//! Positions: one level down with each element (R6.9).

use super::Reader;
use super::chain::Spot;
use super::types::type_holds;
use pactdb::language::ast::{
    AttrFilter, Chain, Combinator, Head, Hop, HopKind, Position, Pseudo, Simple, Step,
};

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
        let spots: Vec<Spot> = nodes.into_iter().map(Spot::Node).collect();
        match &position.chain {
            None => spots,
            Some(chain) => self.chain_below(spots, chain, position.hops.is_empty()),
        }
    }

    /// R14.16: the last element as a chain. Directly behind the depth, a turn as its first step is
    /// the container of that depth, be it `^ah` or `^sys`.
    fn chain_below(&self, spots: Vec<Spot>, chain: &Chain, after_depth: bool) -> Vec<Spot> {
        let Head::Step(first) = &chain.head else { panic!("a chain that begins with no step") };
        let turn =
            |simple: &Simple| matches!(simple, Simple::Type(name) if is_turn_word(&name.base));
        let own = match first {
            Step::Compound(compound) if after_depth && compound.simples.iter().any(turn) => {
                let mut own = compound.clone();
                own.simples.retain(|simple| {
                    !matches!(simple, Simple::Type(name) if is_turn_word(&name.base) && name.name.is_none())
                });
                Some(own)
            }
            _ => None,
        };
        let mut reached: Vec<Spot> = Vec::new();
        for spot in &spots {
            let found = match (&own, spot) {
                (Some(own), Spot::Node(node)) => {
                    self.compound(own, &[*node]).into_iter().map(Spot::Node).collect()
                }
                _ => self.step_from(spot, Combinator::Descendant, first),
            };
            reached.extend(found);
        }
        self.follow(reached, chain, &[])
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
        for simple in &hop.simples {
            match simple {
                Simple::Attrs(filter) => filters.push(filter),
                Simple::Tag(tag) => tags.push(&tag.text),
                Simple::Pseudo(_, pseudo) => pseudos.push(pseudo),
                other => unreachable!("{other:?} in an element"),
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

fn is_turn_word(word: &str) -> bool {
    word == "mt" || word == "seg"
}

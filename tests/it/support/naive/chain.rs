//! Chains: steps, combinators, zones, parentheses and detached filters (R6.2, R6.6–R6.8).

use super::Reader;
use super::compound::{filter_pins_key, in_zone, pins_key};
use super::order::arrange;
use super::tree::Class;
use pactdb::language::ast::{
    AttrFilter, Chain, Combinator, DepthExpr, Filter, Group, Head, Order, Relative, Step, Zone,
};

/// What a chain may stand on: a node, or a zone with the children that it has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Spot {
    Node(usize),
    Zone(Vec<usize>),
}

impl Reader<'_> {
    /// The real nodes of a group, and the order that it asks for.
    pub(crate) fn group(&self, group: &Group, late: &[Filter]) -> (Vec<usize>, Order) {
        let last = group.chains.len() - 1;
        let mut answer = (vec![], Order::Path);
        for (i, chain) in group.chains.iter().enumerate() {
            let late = if i == last { late } else { &[] };
            let mut found = Vec::new();
            for spot in self.chain(chain, late) {
                let nodes = match spot {
                    Spot::Node(node) => vec![node],
                    Spot::Zone(children) => children,
                };
                found.extend(nodes.into_iter().filter(|node| !self.tree.nodes[*node].implied));
            }
            found.sort_unstable();
            found.dedup();
            if !found.is_empty() {
                let pinned = self.chain_pins(chain) || late.iter().any(pins);
                answer = (found, if pinned { Order::Recent } else { Order::Path });
                break;
            }
        }
        arrange(self.tree, &mut answer.0, answer.1);
        answer
    }

    /// `late` are filters that belong to the chain although they stand behind a control.
    fn chain(&self, chain: &Chain, late: &[Filter]) -> Vec<Spot> {
        let spots = match &chain.head {
            Head::Step(step) => self.first_step(step),
            Head::Position(position) => self.position(position),
            Head::Positions(_, list) => {
                list.iter().flat_map(|position| self.position(position)).collect()
            }
            Head::Chain(_, inner) => self.chain(inner, &[]),
        };
        self.follow(spots, chain, late)
    }

    /// Whether a way down from a node comes to anything, an implied core included (R6.14).
    pub(crate) fn leads_somewhere(&self, node: usize, way: &Relative) -> bool {
        let mut spots = vec![Spot::Node(node)];
        for link in &way.links {
            let step = |spot: &Spot| self.step_from(spot, link.combinator, &link.step);
            spots = spots.iter().flat_map(step).collect();
        }
        let filters: Vec<&Filter> = way.filters.iter().collect();
        self.filtered(spots, &filters).into_iter().any(|spot| match spot {
            Spot::Node(_) => true,
            Spot::Zone(children) => !children.is_empty(),
        })
    }

    /// What a chain comes to from where its first step has led.
    pub(crate) fn follow(&self, mut spots: Vec<Spot>, chain: &Chain, late: &[Filter]) -> Vec<Spot> {
        for link in &chain.links {
            let mut next: Vec<Spot> = Vec::new();
            for spot in &spots {
                for found in self.step_from(spot, link.combinator, &link.step) {
                    if !next.contains(&found) {
                        next.push(found);
                    }
                }
            }
            spots = next;
        }
        let filters: Vec<&Filter> = chain.filters.iter().chain(late).collect();
        self.filtered(spots, &filters)
    }

    /// Filters turn a zone into its children. All filters of a chain are read together, as in one
    /// compound.
    fn filtered(&self, spots: Vec<Spot>, filters: &[&Filter]) -> Vec<Spot> {
        if filters.is_empty() {
            return spots;
        }
        let nodes = spots.into_iter().flat_map(|spot| match spot {
            Spot::Node(node) => vec![node],
            Spot::Zone(children) => children,
        });
        let mut attrs: Vec<&AttrFilter> = Vec::new();
        let mut tags: Vec<&str> = Vec::new();
        for filter in filters {
            match filter {
                Filter::Attrs(filter) => attrs.push(filter),
                Filter::Tag(tag) => tags.push(&tag.text),
            }
        }
        let holds = |node: &usize| {
            self.attrs_hold(*node, &attrs) && tags.iter().all(|tag| self.has_tag(*node, tag))
        };
        nodes.filter(holds).map(Spot::Node).collect()
    }

    fn first_step(&self, step: &Step) -> Vec<Spot> {
        let all = self.tree.all();
        match step {
            Step::Zone(_, zone) => {
                all.into_iter().map(|node| self.zone(&Spot::Node(node), *zone)).collect()
            }
            _ => self.step_among(step, &all),
        }
    }

    pub(crate) fn step_from(&self, spot: &Spot, combinator: Combinator, step: &Step) -> Vec<Spot> {
        match (step, combinator) {
            (Step::Zone(_, zone), Combinator::Child) => vec![self.zone(spot, *zone)],
            (Step::Zone(_, zone), Combinator::Descendant) => {
                let below = self.below(spot).into_iter().map(Spot::Node);
                let each = std::iter::once(spot.clone()).chain(below);
                each.map(|spot| self.zone(&spot, *zone)).collect()
            }
            (_, Combinator::Child) => self.step_among(step, &self.children(spot)),
            (_, Combinator::Descendant) => self.step_among(step, &self.below(spot)),
        }
    }

    fn step_among(&self, step: &Step, among: &[usize]) -> Vec<Spot> {
        let found = match step {
            Step::Compound(compound) => self.compound(compound, among),
            Step::Depth(depths) => {
                among.iter().copied().filter(|node| self.is_container_of(*node, depths)).collect()
            }
            Step::Zone(..) => vec![],
        };
        found.into_iter().map(Spot::Node).collect()
    }

    /// `^sys`, `^ah` or a turn, of one of these depths.
    pub(crate) fn is_container_of(&self, node: usize, depths: &DepthExpr) -> bool {
        let it = &self.tree.nodes[node];
        matches!(it.class, Class::Sys | Class::Ah | Class::Turn)
            && it.depth.is_some_and(|depth| depths.contains(depth))
    }

    fn zone(&self, of: &Spot, zone: Zone) -> Spot {
        let fits = |node: &usize| in_zone(self.tree.nodes[*node].offset(), zone);
        Spot::Zone(self.children(of).into_iter().filter(fits).collect())
    }

    fn children(&self, spot: &Spot) -> Vec<usize> {
        match spot {
            Spot::Node(node) => self.tree.children(*node).to_vec(),
            Spot::Zone(children) => children.clone(),
        }
    }

    fn below(&self, spot: &Spot) -> Vec<usize> {
        match spot {
            Spot::Node(node) => self.tree.below(*node).to_vec(),
            Spot::Zone(children) => {
                let mut found = children.clone();
                found.extend(children.iter().flat_map(|child| self.tree.below(*child)));
                found.sort_unstable();
                found.dedup();
                found
            }
        }
    }

    /// Whether the end of a chain pins the key.
    fn chain_pins(&self, chain: &Chain) -> bool {
        let by_step = |step: &Step| match step {
            Step::Compound(compound) => pins_key(compound, self.dialect),
            _ => false,
        };
        let by_end = match (chain.links.last(), &chain.head) {
            (Some(link), _) => by_step(&link.step),
            (None, Head::Step(step)) => by_step(step),
            (None, Head::Chain(_, inner)) => self.chain_pins(inner),
            // An element pins no key (R13); a chain at the end of a position is a chain.
            (None, Head::Position(position)) => {
                position.chain.as_ref().is_some_and(|chain| self.chain_pins(chain))
            }
            (None, Head::Positions(..)) => false,
        };
        by_end || chain.filters.iter().any(pins)
    }
}

fn pins(filter: &Filter) -> bool {
    match filter {
        Filter::Attrs(filter) => filter_pins_key(filter),
        Filter::Tag(_) => false,
    }
}

//! The visitor of the syntax tree, for everything that only looks at parts of it.
//!
//! Visits them in the order of the text and knows nothing of what they are for. Recursion is as
//! deep as parentheses nest, which is bounded.

use super::chain::{Chain, Head, Hop, HopKind, Link, Position, Pseudo, Relative, Simple, Step};
use super::depth::DepthExpr;
use super::filter::{AttrFilter, Filter, Id, Tag, TypeName};
use super::selector::{Control, Group, Selector};
use super::time::Time;
use crate::language::span::At;
use crate::language::words::Root;

/// What a visitor may look at; each method does nothing unless it is overridden.
#[allow(unused_variables, reason = "the names of defaults document the arguments")]
pub trait Visit {
    /// The time prefix.
    fn time(&mut self, time: &Time) {}
    /// A step: a head, a link's, or one in parentheses; not what `:not(…)` holds.
    fn step(&mut self, step: &Step) {}
    /// A step behind a combinator, and not the first of `:has(…)`; [`Visit::step`] is called for it too.
    fn link(&mut self, link: &Link) {}
    /// An element of a position; its type and simple selectors are visited too.
    fn hop(&mut self, hop: &Hop) {}
    /// A root.
    fn root(&mut self, at: At, root: Root) {}
    /// An id or key.
    fn id(&mut self, id: &Id) {}
    /// A type, in a compound or in a position.
    fn type_name(&mut self, name: &TypeName) {}
    /// An attribute filter, attached or apart.
    fn attrs(&mut self, filter: &AttrFilter) {}
    /// A tag, attached or apart.
    fn tag(&mut self, tag: &Tag) {}
    /// A pseudo; what it holds is visited too.
    fn pseudo(&mut self, at: At, pseudo: &Pseudo) {}
    /// The depths of a pseudo, a step or a position.
    fn depth(&mut self, depth: &DepthExpr) {}
    /// A filter that stands apart; its content is visited too.
    fn detached(&mut self, filter: &Filter) {}
    /// A control.
    fn control(&mut self, control: &Control) {}
}

/// Shows everything in a selector to the visitor.
pub fn visit_selector(selector: &Selector, visitor: &mut impl Visit) {
    if let Some(time) = &selector.time {
        visitor.time(time);
    }
    for group in &selector.groups {
        visit_group(group, visitor);
    }
    for control in &selector.controls {
        visitor.control(control);
    }
    visit_filters(&selector.late_filters, visitor);
}

/// Shows everything in a group to the visitor.
pub fn visit_group(group: &Group, visitor: &mut impl Visit) {
    for chain in &group.chains {
        visit_chain(chain, visitor);
    }
}

/// Shows everything in a position to the visitor.
pub fn visit_position(position: &Position, visitor: &mut impl Visit) {
    visitor.depth(&position.depth);
    for hop in &position.hops {
        visitor.hop(hop);
        match &hop.kind {
            HopKind::Itself(name) | HopKind::Child(name) | HopKind::Descendant(name) => {
                visitor.type_name(name);
            }
            HopKind::Offset(_) | HopKind::AnyChild => {}
        }
        for simple in &hop.simples {
            visit_simple(simple, visitor);
        }
    }
    if let Some(chain) = &position.chain {
        visit_chain(chain, visitor);
    }
}

fn visit_chain(chain: &Chain, visitor: &mut impl Visit) {
    match &chain.head {
        Head::Step(step) => visit_step(step, visitor),
        Head::Position(position) => visit_position(position, visitor),
        Head::Positions(_, positions) => {
            for position in positions {
                visit_position(position, visitor);
            }
        }
        Head::Chain(_, chain) => visit_chain(chain, visitor),
    }
    for link in &chain.links {
        visitor.link(link);
        visit_step(&link.step, visitor);
    }
    visit_filters(&chain.filters, visitor);
}

fn visit_step(step: &Step, visitor: &mut impl Visit) {
    visitor.step(step);
    match step {
        Step::Compound(compound) => {
            for simple in &compound.simples {
                visit_simple(simple, visitor);
            }
        }
        Step::Depth(depth) => visitor.depth(depth),
        Step::Zone(..) => {}
    }
}

fn visit_simple(simple: &Simple, visitor: &mut impl Visit) {
    match simple {
        Simple::Root(at, root) => visitor.root(*at, *root),
        Simple::Id(id) => visitor.id(id),
        Simple::Type(name) => visitor.type_name(name),
        Simple::Any(_) => {}
        Simple::Attrs(filter) => visitor.attrs(filter),
        Simple::Tag(tag) => visitor.tag(tag),
        Simple::Pseudo(at, pseudo) => {
            visitor.pseudo(*at, pseudo);
            visit_pseudo(pseudo, visitor);
        }
    }
}

fn visit_pseudo(pseudo: &Pseudo, visitor: &mut impl Visit) {
    match pseudo {
        Pseudo::Depth(depth) => visitor.depth(depth),
        Pseudo::Has(ways) => ways.iter().for_each(|way| visit_relative(way, visitor)),
        Pseudo::Not(compounds) => {
            for simple in compounds.iter().flat_map(|compound| &compound.simples) {
                visit_simple(simple, visitor);
            }
        }
        Pseudo::Offset(_) | Pseudo::First | Pseudo::Last | Pseudo::Nth(_) => {}
    }
}

fn visit_relative(way: &Relative, visitor: &mut impl Visit) {
    for (i, link) in way.links.iter().enumerate() {
        if i > 0 {
            visitor.link(link);
        }
        visit_step(&link.step, visitor);
    }
    visit_filters(&way.filters, visitor);
}

/// Shows filters that stand apart to the visitor.
pub fn visit_filters(filters: &[Filter], visitor: &mut impl Visit) {
    for filter in filters {
        visitor.detached(filter);
        match filter {
            Filter::Attrs(filter) => visitor.attrs(filter),
            Filter::Tag(tag) => visitor.tag(tag),
        }
    }
}

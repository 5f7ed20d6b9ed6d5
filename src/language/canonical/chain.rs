//! Chains, steps, compounds and positions back to text, in their canonical spelling.
//!
//! A chain may hold a position, a position a chain and a compound ways down, so they stand in one file.
//! A tree that was read in the other dialect may hold a step or filter that begins with a bracket where
//! this dialect reads it differently; it is then spelled another way that means the same (`*[…]`, `{…}`).

use super::pieces;
use super::text::separated;
use crate::language::ast::{
    Chain, Combinator, Filter, FilterForm, Head, Hop, HopKind, Insertion, Link, Position, Pseudo,
    Relative, Simple, Step,
};
use crate::language::dialect::Dialect;

pub(super) fn write_chain(out: &mut String, chain: &Chain, dialect: Dialect) {
    match &chain.head {
        Head::Step(step) => write_step(out, step, false, dialect),
        Head::Position(position) => write_position(out, position, dialect),
        Head::Positions(_, positions) => {
            out.push('(');
            separated(out, ", ", positions, |out, position| {
                write_position(out, position, dialect);
            });
            out.push(')');
        }
        Head::Chain(_, chain) => {
            out.push_str("( ");
            write_chain(out, chain, dialect);
            out.push_str(" )");
        }
    }
    let after_step = matches!(chain.head, Head::Step(_));
    write_links(out, &chain.links, after_step, dialect);
    write_filters(out, &chain.filters, after_step || !chain.links.is_empty(), dialect);
}

/// Steps behind what is written already, which may be a step.
fn write_links(out: &mut String, links: &[Link], mut after_step: bool, dialect: Dialect) {
    for Link { combinator, step } in links {
        match combinator {
            Combinator::Child => {
                out.push_str(" > ");
                write_step(out, step, false, dialect);
            }
            Combinator::Descendant => {
                out.push(' ');
                let bracket_is_step = after_step && dialect.bracket_descends();
                write_step(out, step, begins_like_a_filter(step, bracket_is_step), dialect);
            }
        }
        after_step = true;
    }
}

/// Detached filters.
fn write_filters(out: &mut String, filters: &[Filter], after_step: bool, dialect: Dialect) {
    for (index, filter) in filters.iter().enumerate() {
        out.push(' ');
        match filter {
            Filter::Attrs(attrs) if index == 0 && after_step && dialect.bracket_descends() => {
                pieces::write_attrs(out, attrs, FilterForm::Brace);
            }
            filter => write_filter(out, filter),
        }
    }
}

/// What stands inside `:has(…)`: its first step hangs on the node.
fn write_relative(out: &mut String, way: &Relative, dialect: Dialect) {
    if let Some((first, links)) = way.links.split_first() {
        if first.combinator == Combinator::Child {
            out.push_str("> ");
        }
        write_step(out, &first.step, false, dialect);
        write_links(out, links, true, dialect);
    }
    write_filters(out, &way.filters, true, dialect);
}

/// Whether the step, written behind white space, would be read as a detached filter.
fn begins_like_a_filter(step: &Step, bracket_is_step: bool) -> bool {
    match step {
        Step::Compound(compound) => match compound.simples.first() {
            Some(Simple::Attrs(attrs)) => !(bracket_is_step && attrs.form == FilterForm::Square),
            Some(Simple::Tag(_)) => true,
            _ => false,
        },
        Step::Depth(_) | Step::Zone(..) => false,
    }
}

/// Writes a step; with `star`, one that begins with `*`, its own or one that changes nothing.
fn write_step(out: &mut String, step: &Step, star: bool, dialect: Dialect) {
    match step {
        Step::Compound(compound) => {
            let mut order: Vec<&Simple> = compound.simples.iter().collect();
            if star {
                // Its own `*` changes places with the first of the others, so that types which it keeps
                // apart do not join.
                match order.iter().position(|simple| matches!(simple, Simple::Any(_))) {
                    Some(own) => order.swap(0, own),
                    None => out.push('*'),
                }
            }
            for simple in order {
                write_simple(out, simple, dialect);
            }
        }
        Step::Depth(depth) => pieces::write_depth_step(out, depth),
        Step::Zone(_, zone) => pieces::write_zone(out, *zone),
    }
}

pub(super) fn write_filter(out: &mut String, filter: &Filter) {
    match filter {
        Filter::Attrs(attrs) => pieces::write_attrs(out, attrs, attrs.form),
        Filter::Tag(tag) => pieces::write_tag(out, tag),
    }
}

fn write_position(out: &mut String, position: &Position, dialect: Dialect) {
    write_elements(out, position, dialect);
    out.push(')');
}

pub(super) fn write_insertion(
    out: &mut String,
    position: &Position,
    insertion: Insertion,
    dialect: Dialect,
) {
    write_elements(out, position, dialect);
    let last = match insertion {
        Insertion::Start => String::new(),
        Insertion::End => "end".to_owned(),
        Insertion::After(n) => format!("+{n}"),
        Insertion::Before(n) => format!("-{n}"),
    };
    out.push_str(", ");
    out.push_str(&last);
    out.push(')');
}

fn write_elements(out: &mut String, position: &Position, dialect: Dialect) {
    out.push('(');
    pieces::write_depth_step(out, &position.depth);
    for hop in &position.hops {
        out.push_str(", ");
        write_hop(out, hop, dialect);
    }
    if let Some(chain) = &position.chain {
        out.push_str(", ");
        write_chain(out, chain, dialect);
    }
}

pub(crate) fn write_simple(out: &mut String, simple: &Simple, dialect: Dialect) {
    match simple {
        Simple::Root(_, root) => {
            out.push('^');
            out.push_str(root.name());
        }
        Simple::Id(id) => pieces::write_id(out, id),
        Simple::Type(name) => {
            out.push('.');
            pieces::write_type(out, name);
        }
        Simple::Any(_) => out.push('*'),
        Simple::Attrs(attrs) => pieces::write_attrs(out, attrs, attrs.form),
        Simple::Tag(tag) => pieces::write_tag(out, tag),
        Simple::Pseudo(_, pseudo) => write_pseudo(out, pseudo, dialect),
    }
}

fn write_pseudo(out: &mut String, pseudo: &Pseudo, dialect: Dialect) {
    match pseudo {
        Pseudo::Offset(zone) => pieces::write_zone(out, *zone),
        Pseudo::First => out.push_str(":first"),
        Pseudo::Last => out.push_str(":last"),
        Pseudo::Nth(n) => out.push_str(&format!(":nth({n})")),
        Pseudo::Depth(depth) => {
            out.push_str(":depth(");
            pieces::write_depths(out, &depth.items);
            out.push(')');
        }
        Pseudo::Has(ways) => {
            out.push_str(":has(");
            separated(out, ", ", ways, |out, way| write_relative(out, way, dialect));
            out.push(')');
        }
        Pseudo::Not(compounds) => {
            out.push_str(":not(");
            separated(out, ", ", compounds, |out, compound| {
                compound.simples.iter().for_each(|simple| write_simple(out, simple, dialect));
            });
            out.push(')');
        }
    }
}

fn write_hop(out: &mut String, hop: &Hop, dialect: Dialect) {
    match &hop.kind {
        HopKind::Offset(n) => out.push_str(&n.to_string()),
        HopKind::Itself(name) | HopKind::Child(name) => pieces::write_type(out, name),
        HopKind::AnyChild => out.push('*'),
        HopKind::Descendant(name) => {
            out.push_str("*:");
            pieces::write_type(out, name);
        }
    }
    hop.simples.iter().for_each(|simple| write_simple(out, simple, dialect));
}

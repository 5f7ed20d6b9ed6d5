//! The syntax tree back to text, in its canonical spelling.
//!
//! Invariant: reading the text in the same dialect gives the same tree. A tree that was read in
//! the other dialect may hold a step or filter that begins with a bracket where this dialect reads
//! it differently; it is then spelled another way that means the same (`*[…]`, `{…}`).

use super::pieces;
use super::text::{Canonical, separated};
use crate::language::ast::{
    Chain, Combinator, Control, ControlKind, Filter, FilterForm, Head, Insertion, Link, Mode,
    Order, Place, PlaceKind, Position, RangeEnd, Selector, Simple, Step, Target, Time, TimeKind,
};
use crate::language::clock;
use crate::language::dialect::Dialect;

impl Canonical for Selector {
    fn write(&self, out: &mut String, dialect: Dialect) {
        if let Some(time) = &self.time {
            time.write(out, dialect);
            out.push(' ');
        }
        separated(out, ", ", &self.groups, |out, group| {
            separated(out, " ?? ", &group.chains, |out, chain| write_chain(out, chain, dialect));
        });
        for control in &self.controls {
            out.push(' ');
            write_control(out, control);
        }
        for filter in &self.late_filters {
            out.push(' ');
            write_filter(out, filter);
        }
    }
}

impl Canonical for Target {
    fn write(&self, out: &mut String, dialect: Dialect) {
        self.selector.write(out, dialect);
        if self.optional {
            out.push('?');
        }
    }
}

impl Canonical for Place {
    fn write(&self, out: &mut String, dialect: Dialect) {
        match &self.kind {
            PlaceKind::Under(selector) => selector.write(out, dialect),
            PlaceKind::Insert(_, position, insertion) => {
                write_insertion(out, position, *insertion, dialect);
            }
        }
        if self.optional {
            out.push('?');
        }
    }
}

impl Canonical for Time {
    fn write(&self, out: &mut String, _: Dialect) {
        if let Some(text) = &self.beyond {
            out.push_str(text);
            return;
        }
        let end = |end: &RangeEnd| match end {
            RangeEnd::Relative(n) => relative(*n),
            RangeEnd::Oldest => "@t-*".to_owned(),
        };
        let text = match &self.kind {
            TimeKind::Relative(n) => relative(*n),
            TimeKind::Cycle(n) => format!("@c{n}"),
            TimeKind::Event(n) => format!("@e{n}"),
            TimeKind::Clock(ns) => clock::text(*ns),
            TimeKind::All => "@*".to_owned(),
            TimeKind::RelativeRange(from, to) => format!("{}..{}", end(from), end(to)),
            TimeKind::CycleRange(from, to) => format!("@c{from}..@c{to}"),
            TimeKind::ClockRange(from, to) => {
                format!("{}..{}", clock::text(*from), clock::text(*to))
            }
        };
        out.push_str(&text);
    }
}

fn relative(n: i64) -> String {
    if n > 0 { format!("@t+{n}") } else { format!("@t{n}") }
}

fn write_chain(out: &mut String, chain: &Chain, dialect: Dialect) {
    match &chain.head {
        Head::Step(step) => write_step(out, step, false),
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
    let mut after_step = matches!(chain.head, Head::Step(_));
    for Link { combinator, step } in &chain.links {
        match combinator {
            Combinator::Child => {
                out.push_str(" > ");
                write_step(out, step, false);
            }
            Combinator::Descendant => {
                out.push(' ');
                let bracket_is_step = after_step && dialect.bracket_descends();
                write_step(out, step, begins_like_a_filter(step, bracket_is_step));
            }
        }
        after_step = true;
    }
    for (index, filter) in chain.filters.iter().enumerate() {
        out.push(' ');
        match filter {
            Filter::Attrs(attrs) if index == 0 && after_step && dialect.bracket_descends() => {
                pieces::write_attrs(out, attrs, FilterForm::Brace);
            }
            filter => write_filter(out, filter),
        }
    }
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
fn write_step(out: &mut String, step: &Step, star: bool) {
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
                pieces::write_simple(out, simple);
            }
        }
        Step::Depth(depth) => pieces::write_depth_step(out, depth),
        Step::Zone(_, zone) => pieces::write_zone(out, *zone),
    }
}

fn write_filter(out: &mut String, filter: &Filter) {
    match filter {
        Filter::Attrs(attrs) => pieces::write_attrs(out, attrs, attrs.form),
        Filter::Tag(tag) => pieces::write_tag(out, tag),
    }
}

fn write_position(out: &mut String, position: &Position, dialect: Dialect) {
    write_elements(out, position, dialect);
    out.push(')');
}

fn write_insertion(out: &mut String, position: &Position, insertion: Insertion, dialect: Dialect) {
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
        pieces::write_hop(out, hop);
    }
    if let Some(chain) = &position.chain {
        out.push_str(", ");
        write_chain(out, chain, dialect);
    }
}

fn write_control(out: &mut String, control: &Control) {
    let text = match &control.kind {
        ControlKind::Limit(n) => format!("@limit={n}"),
        ControlKind::Skip(n) => format!("@skip={n}"),
        ControlKind::First => "@first".to_owned(),
        ControlKind::Unique => "@unique".to_owned(),
        ControlKind::Order(order) => format!("@order={}", word(&Order::WORDS, *order)),
        ControlKind::Mode(mode) => format!("@mode={}", word(&Mode::WORDS, *mode)),
        ControlKind::Unknown(name, None) => format!("@{name}"),
        ControlKind::Unknown(name, Some(value)) => {
            let mut text = format!("@{name}=");
            pieces::write_value(&mut text, value);
            text
        }
    };
    out.push_str(&text);
}

fn word<T: PartialEq>(words: &[(&'static str, T)], meant: T) -> &'static str {
    words.iter().find(|(_, choice)| *choice == meant).map_or("", |(word, _)| word)
}

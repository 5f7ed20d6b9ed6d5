//! Constructors for selectors: groups, chains, steps, depths and positions.

use super::control::refuse_repeat;
use super::literals::{Made, integer};
use crate::language::ast::{
    At, AttrFilter, Base, Chain, Compound, Control, DepthExpr, DepthItem, Filter, Group, Head, Hop,
    HopKind, Insertion, Link, Place, PlaceKind, Position, Pseudo, Relative, Selector, Simple, Step,
    Target, Time, TypeName,
};
use crate::language::syntax_error::SyntaxError;
use crate::language::words::LOWEST_DEPTH;

/// Everything behind the time prefix.
pub(crate) struct Body {
    groups: Vec<Group>,
    controls: Vec<Control>,
    late_filters: Vec<Filter>,
}

// Whole texts.

pub(crate) fn selector(l: usize, time: Option<Time>, body: Body, r: usize) -> Selector {
    let Body { groups, controls, late_filters } = body;
    Selector { at: At::new(l, r), time, groups, controls, late_filters }
}

pub(crate) fn target(l: usize, body: Body, end: usize, optional: bool, r: usize) -> Target {
    Target { at: At::new(l, r), selector: selector(l, None, body, end), optional }
}

pub(crate) fn place_under(l: usize, body: Body, end: usize, optional: bool, r: usize) -> Place {
    let kind = PlaceKind::Under(selector(l, None, body, end));
    Place { at: At::new(l, r), kind, optional }
}

pub(crate) fn place_insert(
    l: usize,
    start: (DepthExpr, Vec<Hop>),
    insertion: Insertion,
    end: usize,
    optional: bool,
    r: usize,
) -> Place {
    let kind = PlaceKind::Insert(At::new(l, end), position(l, start, None, end), insertion);
    Place { at: At::new(l, r), kind, optional }
}

pub(crate) fn body(groups: Vec<Group>, tails: Vec<(Control, Vec<Filter>)>) -> Made<Body> {
    let mut controls: Vec<Control> = Vec::with_capacity(tails.len());
    let mut late_filters = Vec::new();
    for (control, filters) in tails {
        refuse_repeat(&controls, &control)?;
        controls.push(control);
        late_filters.extend(filters);
    }
    Ok(Body { groups, controls, late_filters })
}

// Groups and chains.

pub(crate) fn chain(
    l: usize,
    (head, links): (Head, Vec<Link>),
    filters: Option<Vec<Filter>>,
    r: usize,
) -> Chain {
    Chain { at: At::new(l, r), head, links, filters: filters.unwrap_or_default() }
}

pub(crate) fn runs(mut run: Vec<Filter>, later: Vec<Vec<Filter>>) -> Vec<Filter> {
    run.extend(later.into_iter().flatten());
    run
}

// Steps.

pub(crate) fn compound(l: usize, pieces: Vec<(Simple, Option<Simple>)>, r: usize) -> Made<Step> {
    let compound = checked(l, pieces, r)?;
    if let [Simple::Pseudo(at, Pseudo::Offset(zone))] = compound.simples[..] {
        return Ok(Step::Zone(at, zone));
    }
    Ok(Step::Compound(compound))
}

fn checked(l: usize, pieces: Vec<(Simple, Option<Simple>)>, r: usize) -> Made<Compound> {
    let simples: Vec<Simple> =
        pieces.into_iter().flat_map(|(simple, group)| [Some(simple), group]).flatten().collect();
    at_most_one(&simples, "a step has at most one root", |simple| {
        matches!(simple, Simple::Root(..))
    })?;
    at_most_one(&simples, "a step has at most one `*`", |simple| matches!(simple, Simple::Any(_)))?;
    Ok(Compound { at: At::new(l, r), simples })
}

/// A compound inside `:not(…)`. A lone offset pseudo is a test there, because nothing is a zone.
pub(crate) fn excluded(
    l: usize,
    pieces: Vec<(Simple, Option<Simple>)>,
    r: usize,
) -> Made<Compound> {
    let compound = checked(l, pieces, r)?;
    refuse_counting(&compound, "`:not(…)` asks what one node is")?;
    Ok(compound)
}

/// `:has(…)`
pub(crate) fn has(ways: Vec<Relative>) -> Made<Pseudo> {
    for link in ways.iter().flat_map(|way| &way.links) {
        if let Step::Compound(compound) = &link.step {
            refuse_counting(compound, "`:has(…)` asks only whether there is one")?;
        }
    }
    Ok(Pseudo::Has(ways))
}

/// Refuses pseudos that pick from what a selector finds.
fn refuse_counting(compound: &Compound, hint: &str) -> Made<()> {
    for simple in &compound.simples {
        let (name, at) = match simple {
            Simple::Pseudo(at, Pseudo::First) => ("first", at),
            Simple::Pseudo(at, Pseudo::Last) => ("last", at),
            Simple::Pseudo(at, Pseudo::Nth(_)) => ("nth", at),
            _ => continue,
        };
        let message = format!("`:{name}` counts what a selector finds, and cannot stand in here");
        return Err(SyntaxError::invalid(at.0, message).with_hint(hint));
    }
    Ok(())
}

pub(crate) fn first_compound(
    l: usize,
    first: (Simple, Option<Simple>),
    pieces: Vec<(Simple, Option<Simple>)>,
    r: usize,
) -> Made<(Head, Vec<Link>)> {
    let step = compound(l, std::iter::once(first).chain(pieces).collect(), r)?;
    Ok((Head::Step(step), Vec::new()))
}

fn at_most_one(simples: &[Simple], message: &str, pick: impl Fn(&Simple) -> bool) -> Made<()> {
    match simples.iter().filter(|simple| pick(simple)).nth(1) {
        None => Ok(()),
        Some(second) => Err(SyntaxError::invalid(second.at().0, message)
            .with_hint("put a space between two steps, or a comma between two groups")),
    }
}

pub(crate) fn type_name(l: usize, text: &str, r: usize) -> TypeName {
    let (base, name) = match text.split_once(':') {
        Some((base, name)) => (base, Some(name.to_owned())),
        None => (text, None),
    };
    TypeName { at: At::new(l, r), base: base.to_owned(), name }
}

pub(crate) fn nth(l: usize, number: &str, r: usize) -> Made<Pseudo> {
    match u64::try_from(integer(number)) {
        Ok(n) if n > 0 => Ok(Pseudo::Nth(n)),
        _ => Err(SyntaxError::invalid(At::new(l, r).0, "`:nth` counts from 1")),
    }
}

// Depths.

pub(crate) fn depth(l: usize, number: &str, r: usize) -> Made<DepthExpr> {
    existing(l, number, r)?;
    Ok(DepthExpr { at: At::new(l, r), items: vec![DepthItem::One(integer(number))] })
}

pub(crate) fn depth_span(l: usize, from: &str, to: &str, r: usize) -> Made<DepthExpr> {
    existing(l, from, r)?;
    existing(l, to, r)?;
    Ok(DepthExpr { at: At::new(l, r), items: vec![depth_range(l, from, to, r)?] })
}

/// Refuses a depth that nothing can have (R14.7).
fn existing(l: usize, number: &str, r: usize) -> Made<()> {
    if integer(number) >= LOWEST_DEPTH {
        return Ok(());
    }
    let message = format!("there is no depth {number}: the lowest is {LOWEST_DEPTH}, `^sys`");
    Err(SyntaxError::invalid(At::new(l, r).0, message)
        .with_hint("turns are counted back from the newest: `d1`, `d2`, …; `d0` is the head"))
}

pub(crate) fn depth_range(l: usize, from: &str, to: &str, r: usize) -> Made<DepthItem> {
    let (low, high) = (integer(from), integer(to));
    if low > high {
        let message = format!("a range of depths runs upward, and {low} is greater than {high}");
        return Err(SyntaxError::invalid(At::new(l, r).0, message)
            .with_hint(format!("swap the ends: {high} first, then {low}")));
    }
    Ok(DepthItem::Range(low, high))
}

// Positions.

pub(crate) fn position(
    l: usize,
    (depth, mut hops): (DepthExpr, Vec<Hop>),
    chain: Option<Chain>,
    r: usize,
) -> Position {
    if let Some(first) = hops.first_mut()
        && let HopKind::Child(name) = &first.kind
        && Base::from_name(&name.base) == Some(Base::Turn)
    {
        first.kind = HopKind::Itself(name.clone());
    }
    Position { at: At::new(l, r), depth, hops, chain: chain.map(Box::new) }
}

pub(crate) fn hop_offset(l: usize, number: &str, r: usize) -> Made<Hop> {
    let at = At::new(l, r);
    match number.parse() {
        Ok(offset) => Ok(Hop { at, kind: HopKind::Offset(offset), simples: Vec::new() }),
        Err(_) => Err(SyntaxError::invalid(at.0, "an offset is an integer of 64 bits")),
    }
}

pub(crate) fn hop(
    l: usize,
    kind: HopKind,
    group: Option<AttrFilter>,
    more: Vec<Simple>,
    r: usize,
) -> Hop {
    let simples = group.map(Simple::Attrs).into_iter().chain(more).collect();
    Hop { at: At::new(l, r), kind, simples }
}

pub(crate) fn insertion(number: &str) -> Insertion {
    let n = integer(number).unsigned_abs();
    if number.starts_with('-') { Insertion::Before(n) } else { Insertion::After(n) }
}

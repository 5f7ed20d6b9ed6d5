//! Constructors for selectors: groups, chains, steps, depths and positions.

use super::control::refuse_repeat;
use super::literals::{Made, and, integer};
use crate::language::ast::{
    At, AttrFilter, Base, Chain, Combinator, Compound, Control, DepthExpr, DepthItem, Filter,
    Group, Head, Hop, HopKind, HopPart, Id, Insertion, Link, Op, Part, Place, PlaceKind, Position,
    Pseudo, Root, Selector, Step, Tag, Target, Time, TypeName, Zone,
};
use crate::language::lexing::unquoted;
use crate::language::syntax_error::SyntaxError;
use crate::language::words::LOWEST_DEPTH;

/// Everything behind the time prefix.
pub(in crate::language) struct Body {
    groups: Vec<Group>,
    controls: Vec<Control>,
    late_filters: Vec<Filter>,
}

// Whole texts.

pub(in crate::language) fn selector(
    l: usize,
    time: Option<Time>,
    body: Body,
    r: usize,
) -> Selector {
    let Body { groups, controls, late_filters } = body;
    Selector { at: At::new(l, r), time, groups, controls, late_filters }
}

pub(in crate::language) fn target(
    l: usize,
    body: Body,
    end: usize,
    optional: bool,
    r: usize,
) -> Target {
    Target { at: At::new(l, r), selector: selector(l, None, body, end), optional }
}

pub(in crate::language) fn place_under(
    l: usize,
    body: Body,
    end: usize,
    optional: bool,
    r: usize,
) -> Place {
    let kind = PlaceKind::Under(selector(l, None, body, end));
    Place { at: At::new(l, r), kind, optional }
}

pub(in crate::language) fn place_insert(
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

pub(in crate::language) fn body(
    groups: Vec<Group>,
    tails: Vec<(Control, Vec<Filter>)>,
) -> Made<Body> {
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

pub(in crate::language) fn group(l: usize, chains: Vec<Chain>, r: usize) -> Group {
    Group { at: At::new(l, r), chains }
}

pub(in crate::language) fn chain(
    l: usize,
    (head, links): (Head, Vec<Link>),
    filters: Option<Vec<Filter>>,
    r: usize,
) -> Chain {
    Chain { at: At::new(l, r), head, links, filters: filters.unwrap_or_default() }
}

pub(in crate::language) fn runs(mut run: Vec<Filter>, later: Vec<Vec<Filter>>) -> Vec<Filter> {
    run.extend(later.into_iter().flatten());
    run
}

pub(in crate::language) fn tail(
    control: Control,
    later: Vec<Vec<Filter>>,
) -> (Control, Vec<Filter>) {
    (control, runs(Vec::new(), later))
}

pub(in crate::language) fn steps(head: Head) -> (Head, Vec<Link>) {
    (head, Vec::new())
}

pub(in crate::language) fn steps_from(
    head: Head,
    combinator: Combinator,
    step: Step,
) -> (Head, Vec<Link>) {
    (head, vec![Link { combinator, step }])
}

pub(in crate::language) fn steps_and(
    (head, links): (Head, Vec<Link>),
    combinator: Combinator,
    step: Step,
) -> (Head, Vec<Link>) {
    (head, and(links, Link { combinator, step }))
}

pub(in crate::language) fn positions(
    l: usize,
    first: Position,
    rest: Vec<Position>,
    r: usize,
) -> Head {
    Head::Positions(At::new(l, r), std::iter::once(first).chain(rest).collect())
}

pub(in crate::language) fn nested(l: usize, chain: Chain, r: usize) -> Head {
    Head::Chain(At::new(l, r), Box::new(chain))
}

// Steps.

pub(in crate::language) fn compound(
    l: usize,
    pieces: Vec<(Part, Option<Part>)>,
    r: usize,
) -> Made<Step> {
    let parts: Vec<Part> =
        pieces.into_iter().flat_map(|(part, group)| [Some(part), group]).flatten().collect();
    if let [Part::Pseudo(at, Pseudo::Offset(zone))] = parts[..] {
        return Ok(Step::Zone(at, zone));
    }
    at_most_one(&parts, "a step has at most one root", |part| matches!(part, Part::Root(..)))?;
    at_most_one(&parts, "a step has at most one `*`", |part| matches!(part, Part::Any(_)))?;
    Ok(Step::Compound(Compound { at: At::new(l, r), parts }))
}

pub(in crate::language) fn first_compound(
    l: usize,
    first: (Part, Option<Part>),
    pieces: Vec<(Part, Option<Part>)>,
    r: usize,
) -> Made<(Head, Vec<Link>)> {
    let step = compound(l, std::iter::once(first).chain(pieces).collect(), r)?;
    Ok(steps(Head::Step(step)))
}

fn at_most_one(parts: &[Part], message: &str, pick: impl Fn(&Part) -> bool) -> Made<()> {
    match parts.iter().filter(|part| pick(part)).nth(1) {
        None => Ok(()),
        Some(second) => Err(SyntaxError::invalid(second.at().0, message)
            .with_hint("put a space between two steps, or a comma between two groups")),
    }
}

pub(in crate::language) fn root(l: usize, root: Root, r: usize) -> Part {
    Part::Root(At::new(l, r), root)
}

pub(in crate::language) fn id(l: usize, text: &str, r: usize) -> Part {
    Part::Id(Id { at: At::new(l, r), text: text.to_owned() })
}

pub(in crate::language) fn quoted_id(l: usize, quoted: &str, r: usize) -> Part {
    Part::Id(Id { at: At::new(l, r), text: unquoted(quoted) })
}

pub(in crate::language) fn any(l: usize, r: usize) -> Part {
    Part::Any(At::new(l, r))
}

pub(in crate::language) fn pseudo(l: usize, pseudo: Pseudo, r: usize) -> Part {
    Part::Pseudo(At::new(l, r), pseudo)
}

pub(in crate::language) fn type_name(l: usize, text: &str, r: usize) -> TypeName {
    let (base, name) = match text.split_once(':') {
        Some((base, name)) => (base, Some(name.to_owned())),
        None => (text, None),
    };
    TypeName { at: At::new(l, r), base: base.to_owned(), name }
}

pub(in crate::language) fn tag(l: usize, text: &str, r: usize) -> Tag {
    Tag { at: At::new(l, r), text: text.to_owned() }
}

pub(in crate::language) fn pre() -> Pseudo {
    Pseudo::Offset(Zone::Pre)
}

pub(in crate::language) fn core() -> Pseudo {
    Pseudo::Offset(Zone::Core)
}

pub(in crate::language) fn post() -> Pseudo {
    Pseudo::Offset(Zone::Post)
}

pub(in crate::language) fn nth(l: usize, number: &str, r: usize) -> Made<Pseudo> {
    match u64::try_from(integer(number)) {
        Ok(n) if n > 0 => Ok(Pseudo::Nth(n)),
        _ => Err(SyntaxError::invalid(At::new(l, r).0, "`:nth` counts from 1")),
    }
}

// Depths.

pub(in crate::language) fn depths(l: usize, items: Vec<DepthItem>, r: usize) -> DepthExpr {
    DepthExpr { at: At::new(l, r), items }
}

pub(in crate::language) fn depth(l: usize, number: &str, r: usize) -> Made<DepthExpr> {
    existing(l, number, r)?;
    Ok(depths(l, vec![one_depth(number)], r))
}

pub(in crate::language) fn depth_span(l: usize, from: &str, to: &str, r: usize) -> Made<DepthExpr> {
    existing(l, from, r)?;
    existing(l, to, r)?;
    Ok(depths(l, vec![depth_range(l, from, to, r)?], r))
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

pub(in crate::language) fn one_depth(number: &str) -> DepthItem {
    DepthItem::One(integer(number))
}

pub(in crate::language) fn depth_compare(op: Op, number: &str) -> DepthItem {
    DepthItem::Compare(op, integer(number))
}

pub(in crate::language) fn depth_range(
    l: usize,
    from: &str,
    to: &str,
    r: usize,
) -> Made<DepthItem> {
    let (low, high) = (integer(from), integer(to));
    if low > high {
        let message = format!("a range of depths runs upward, and {low} is greater than {high}");
        return Err(SyntaxError::invalid(At::new(l, r).0, message)
            .with_hint(format!("swap the ends: {high} first, then {low}")));
    }
    Ok(DepthItem::Range(low, high))
}

// Positions.

pub(in crate::language) fn position(
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

pub(in crate::language) fn position_and(
    (depth, hops): (DepthExpr, Vec<Hop>),
    hop: Hop,
) -> (DepthExpr, Vec<Hop>) {
    (depth, and(hops, hop))
}

pub(in crate::language) fn hop_offset(l: usize, number: &str, r: usize) -> Made<Hop> {
    let at = At::new(l, r);
    match number.parse() {
        Ok(offset) => Ok(Hop { at, kind: HopKind::Offset(offset), parts: Vec::new() }),
        Err(_) => Err(SyntaxError::invalid(at.0, "an offset is an integer of 64 bits")),
    }
}

pub(in crate::language) fn hop_child(
    l: usize,
    name: TypeName,
    group: Option<AttrFilter>,
    parts: Vec<HopPart>,
    r: usize,
) -> Hop {
    hop(l, HopKind::Child(name), group, parts, r)
}

pub(in crate::language) fn hop_deep(
    l: usize,
    name: TypeName,
    group: Option<AttrFilter>,
    parts: Vec<HopPart>,
    r: usize,
) -> Hop {
    hop(l, HopKind::Descendant(name), group, parts, r)
}

pub(in crate::language) fn hop_any(l: usize, parts: Vec<HopPart>, r: usize) -> Hop {
    hop(l, HopKind::AnyChild, None, parts, r)
}

fn hop(l: usize, kind: HopKind, group: Option<AttrFilter>, parts: Vec<HopPart>, r: usize) -> Hop {
    let parts = group.map(HopPart::Attrs).into_iter().chain(parts).collect();
    Hop { at: At::new(l, r), kind, parts }
}

pub(in crate::language) fn hop_pseudo(l: usize, pseudo: Pseudo, r: usize) -> HopPart {
    HopPart::Pseudo(At::new(l, r), pseudo)
}

pub(in crate::language) fn insertion(number: &str) -> Insertion {
    let n = integer(number).unsigned_abs();
    if number.starts_with('-') { Insertion::Before(n) } else { Insertion::After(n) }
}

//! A selector of one dialect, said in the other one (R6.1): times, `#`, kinds and types.
//!
//! Invariant: what comes out finds the same nodes in the other dialect, or there is an error that says
//! why it cannot be said. Where a test becomes alternatives, the group that has it becomes several:
//! they are united anyway.

use super::kinds::{from_sets, to_sets};
use crate::language::ast::{
    AttrFilter, AttrName, Base, Chain, Compound, Control, ControlKind, Filter, FilterForm, Group,
    Head, Hop, HopKind, Id, Link, Op, Order, Position, Pseudo, RangeEnd, Relative, Selector,
    Simple, Step, Test, TestKind, Time, TimeKind, TypeName, Value, ValueKind,
};
use crate::language::dialect::Dialect;
use crate::language::facets::derived_facet;
use crate::language::span::Span;
use crate::language::syntax_error::SyntaxError;

/// Alternatives, each a list.
type Lists<T> = Vec<Vec<T>>;

/// The most groups that one group may become.
const MOST: usize = 16;

/// A selector in canonical form, read in a dialect, as the other one says it.
pub(super) fn in_other_dialect(
    selector: &Selector,
    from: Dialect,
    notes: &mut Vec<String>,
) -> Result<Selector, SyntaxError> {
    let mut said = selector.clone();
    said.time = match &selector.time {
        Some(time) => other_time(time, from)?,
        None => None,
    };
    if said.time.is_none() && from.t0_is_working_state() {
        if let Some(error) = derived_facet(selector) {
            let message = "dialect 0.1 has no address for the working state, and without one this \
                           attribute cannot be asked for";
            return Err(SyntaxError::invalid(error.span, message));
        }
        let is_mode = |control: &Control| matches!(control.kind, ControlKind::Mode(_));
        if said.controls.iter().any(is_mode) {
            said.controls.retain(|control| !is_mode(control));
            notes.push("`@mode` means nothing for one state, and is left out".to_owned());
        }
    }
    let teller = Teller { from };
    said.groups.clear();
    for group in &selector.groups {
        said.groups.extend(teller.group(group)?);
    }
    if said.groups.len() > 1 && selector.groups.len() == 1 {
        keep_order(&mut said, selector);
    }
    Ok(said)
}

/// Groups are in canonical order, where one whose key is given was the newest first (R7.2).
fn keep_order(said: &mut Selector, selector: &Selector) {
    let chains = selector.groups.iter().flat_map(|group| &group.chains);
    let is_order = |control: &Control| matches!(control.kind, ControlKind::Order(_));
    if chains.last().is_some_and(pins_key) && !said.controls.iter().any(is_order) {
        let kind = ControlKind::Order(Order::Recent);
        said.controls.push(Control { at: selector.at, kind });
    }
}

/// Whether the result of a chain has one key.
fn pins_key(chain: &Chain) -> bool {
    let is_key = |test: &Test| {
        let TestKind::Compare(Op::Eq, value) = &test.kind else { return false };
        test.name.text == "key" && value.kind != ValueKind::Null
    };
    let in_filter = |filter: &AttrFilter| filter.tests.iter().any(is_key);
    let in_step = |step: &Step| match step {
        Step::Compound(compound) => compound.simples.iter().any(|simple| match simple {
            Simple::Attrs(filter) => in_filter(filter),
            _ => false,
        }),
        Step::Depth(_) | Step::Zone(..) => false,
    };
    let in_filters = chain.filters.iter().any(|filter| match filter {
        Filter::Attrs(filter) => in_filter(filter),
        Filter::Tag(_) => false,
    });
    in_filters
        || match (chain.links.last(), &chain.head) {
            (Some(link), _) => in_step(&link.step),
            (None, Head::Step(step)) => in_step(step),
            (None, Head::Chain(_, inner)) => pins_key(inner),
            (None, Head::Position(position)) => position.chain.as_deref().is_some_and(pins_key),
            (None, Head::Positions(..)) => false,
        }
}

fn other_time(time: &Time, from: Dialect) -> Result<Option<Time>, SyntaxError> {
    if time.beyond.is_some() {
        return Ok(Some(time.clone()));
    }
    let shifted = |n: i64| match from {
        Dialect::V0_1 if n > 0 => {
            let message = "no dialect has a state after the newest snapshot";
            Err(SyntaxError::invalid(time.at.0, message))
        }
        Dialect::V0_1 => Ok(n.saturating_sub(1)),
        Dialect::V1_0 => Ok(n.saturating_add(1)),
    };
    let end = |end: RangeEnd| match end {
        RangeEnd::Relative(0..) if from.t0_is_working_state() => {
            let message = "a range of dialect 0.1 does not reach the working state, which `@t0` is \
                           in 1.0";
            Err(SyntaxError::invalid(time.at.0, message).with_hint("let it end at `@t-1`"))
        }
        RangeEnd::Relative(n) => shifted(n).map(RangeEnd::Relative),
        RangeEnd::Oldest => Ok(RangeEnd::Oldest),
    };
    let kind = match time.kind {
        TimeKind::Relative(0) if from.t0_is_working_state() => return Ok(None),
        TimeKind::Relative(n) => TimeKind::Relative(shifted(n)?),
        TimeKind::RelativeRange(a, b) => TimeKind::RelativeRange(end(a)?, end(b)?),
        kind @ (TimeKind::Cycle(_)
        | TimeKind::Event(_)
        | TimeKind::Clock(_)
        | TimeKind::All
        | TimeKind::CycleRange(..)
        | TimeKind::ClockRange(..)) => kind,
    };
    Ok(Some(Time { kind, ..time.clone() }))
}

struct Teller {
    from: Dialect,
}

impl Teller {
    fn group(&self, group: &Group) -> Result<Vec<Group>, SyntaxError> {
        let chains = group.chains.iter().map(|chain| self.chain(chain));
        let chains: Vec<Vec<Chain>> = chains.collect::<Result<_, _>>()?;
        if chains.len() > 1 && chains.iter().any(|alternatives| alternatives.len() > 1) {
            return Err(unsayable(group.at.0, "`??` takes the place of all of them at once"));
        }
        let chains = product(chains, group.at.0)?;
        Ok(chains.into_iter().map(|chains| Group { at: group.at, chains }).collect())
    }

    fn chain(&self, chain: &Chain) -> Result<Vec<Chain>, SyntaxError> {
        let heads: Vec<Head> = match &chain.head {
            Head::Step(step) => self.step(step)?.into_iter().map(Head::Step).collect(),
            Head::Position(position) => {
                self.position(position)?.into_iter().map(Head::Position).collect()
            }
            Head::Positions(at, positions) => {
                let all = positions.iter().map(|position| self.position(position));
                let all: Vec<Vec<Position>> = all.collect::<Result<_, _>>()?;
                vec![Head::Positions(*at, all.into_iter().flatten().collect())]
            }
            Head::Chain(at, inner) => {
                let inner = self.chain(inner)?.into_iter();
                inner.map(|chain| Head::Chain(*at, Box::new(chain))).collect()
            }
        };
        let (links, filters) = self.links_and_filters(&chain.links, &chain.filters, chain.at.0)?;
        let mut found = Vec::new();
        for head in &heads {
            for links in &links {
                for filters in &filters {
                    let (head, links, filters) = (head.clone(), links.clone(), filters.clone());
                    found.push(Chain { at: chain.at, head, links, filters });
                }
            }
        }
        bounded(found, chain.at.0)
    }

    fn step(&self, step: &Step) -> Result<Vec<Step>, SyntaxError> {
        let Step::Compound(compound) = step else { return Ok(vec![step.clone()]) };
        let made = self.simples(&compound.simples, base_of(&compound.simples), compound.at.0)?;
        let made = made.into_iter().map(|simples| Compound { at: compound.at, simples });
        Ok(made.map(Step::Compound).collect())
    }

    fn position(&self, position: &Position) -> Result<Vec<Position>, SyntaxError> {
        let hops: Vec<Vec<Hop>> =
            position.hops.iter().map(|hop| self.hop(hop)).collect::<Result<_, _>>()?;
        let chains = match &position.chain {
            Some(chain) => {
                self.chain(chain)?.into_iter().map(|chain| Some(Box::new(chain))).collect()
            }
            None => vec![None],
        };
        let mut found = Vec::new();
        for hops in product(hops, position.at.0)? {
            for chain in &chains {
                let (hops, chain) = (hops.clone(), chain.clone());
                found.push(Position { hops, chain, ..position.clone() });
            }
        }
        bounded(found, position.at.0)
    }

    fn hop(&self, hop: &Hop) -> Result<Vec<Hop>, SyntaxError> {
        let mut kind = hop.kind.clone();
        let (base, extra) = match &mut kind {
            HopKind::Itself(name) | HopKind::Child(name) | HopKind::Descendant(name) => {
                (Base::from_name(&name.base), self.suffix(name))
            }
            HopKind::Offset(_) | HopKind::AnyChild => (None, None),
        };
        let simples: Vec<Simple> =
            extra.map(Simple::Attrs).into_iter().chain(hop.simples.iter().cloned()).collect();
        let made = self.simples(&simples, base, hop.at.0)?.into_iter();
        Ok(made.map(|simples| Hop { at: hop.at, kind: kind.clone(), simples }).collect())
    }

    /// The alternatives of a compound.
    fn simples(
        &self,
        simples: &[Simple],
        base: Option<Base>,
        span: Span,
    ) -> Result<Vec<Vec<Simple>>, SyntaxError> {
        let mut all: Vec<Vec<Vec<Simple>>> = Vec::new();
        let mut picks = false;
        for simple in simples {
            all.push(match simple {
                Simple::Id(id) => vec![vec![self.id(id)]],
                Simple::Type(name) => {
                    let mut name = name.clone();
                    let suffix = self.suffix(&mut name).map(|filter| self.attrs(&filter, base));
                    let rest = suffix.transpose()?.unwrap_or_else(|| vec![Vec::new()]);
                    let typed = |filters: Vec<AttrFilter>| {
                        let filters = filters.into_iter().map(Simple::Attrs);
                        std::iter::once(Simple::Type(name.clone())).chain(filters).collect()
                    };
                    rest.into_iter().map(typed).collect()
                }
                Simple::Attrs(filter) => {
                    let found = self.attrs(filter, base)?.into_iter();
                    found.map(|all| all.into_iter().map(Simple::Attrs).collect()).collect()
                }
                Simple::Pseudo(at, pseudo) => {
                    picks |= matches!(pseudo, Pseudo::First | Pseudo::Last | Pseudo::Nth(_));
                    vec![vec![Simple::Pseudo(*at, self.pseudo(pseudo, base)?)]]
                }
                Simple::Root(..) | Simple::Any(_) | Simple::Tag(_) => vec![vec![simple.clone()]],
            });
        }
        if picks && all.iter().any(|alternatives| alternatives.len() > 1) {
            return Err(unsayable(span, "a pseudo counts over all of them"));
        }
        let all = product(all, span)?;
        Ok(all.into_iter().map(|parts| parts.into_iter().flatten().collect()).collect())
    }

    /// What stands in a pseudo is alternatives already: one of them leads on, or none holds.
    fn pseudo(&self, pseudo: &Pseudo, base: Option<Base>) -> Result<Pseudo, SyntaxError> {
        Ok(match pseudo {
            Pseudo::Has(ways) => {
                let ways = ways.iter().map(|way| self.relative(way));
                let ways: Vec<Vec<Relative>> = ways.collect::<Result<_, _>>()?;
                Pseudo::Has(ways.into_iter().flatten().collect())
            }
            Pseudo::Not(compounds) => {
                let mut all = Vec::new();
                for Compound { at, simples } in compounds {
                    let made = self.simples(simples, base_of(simples).or(base), at.0)?.into_iter();
                    all.extend(made.map(|simples| Compound { at: *at, simples }));
                }
                Pseudo::Not(all)
            }
            Pseudo::Offset(_)
            | Pseudo::First
            | Pseudo::Last
            | Pseudo::Nth(_)
            | Pseudo::Depth(_) => pseudo.clone(),
        })
    }

    fn relative(&self, way: &Relative) -> Result<Vec<Relative>, SyntaxError> {
        let (links, filters) = self.links_and_filters(&way.links, &way.filters, way.at.0)?;
        let mut found = Vec::new();
        for links in links {
            for filters in &filters {
                let (links, filters) = (links.clone(), filters.clone());
                found.push(Relative { at: way.at, links, filters });
            }
        }
        bounded(found, way.at.0)
    }

    /// The alternatives of steps, and those of the filters behind them.
    fn links_and_filters(
        &self,
        links: &[Link],
        filters: &[Filter],
        span: Span,
    ) -> Result<(Lists<Link>, Lists<Filter>), SyntaxError> {
        let links = links.iter().map(|link| {
            let steps = self.step(&link.step)?.into_iter();
            Ok(steps.map(|step| Link { step, combinator: link.combinator }).collect())
        });
        let links: Vec<Vec<Link>> = links.collect::<Result<_, SyntaxError>>()?;
        let filters = filters.iter().map(|filter| match filter {
            Filter::Attrs(attrs) => {
                let found = self.attrs(attrs, None)?.into_iter();
                Ok(found.map(|all| all.into_iter().map(Filter::Attrs).collect()).collect())
            }
            Filter::Tag(_) => Ok(vec![vec![filter.clone()]]),
        });
        let filters: Vec<Vec<Vec<Filter>>> = filters.collect::<Result<_, SyntaxError>>()?;
        let flat = |filters: Vec<Vec<Filter>>| filters.into_iter().flatten().collect();
        Ok((product(links, span)?, product(filters, span)?.into_iter().map(flat).collect()))
    }

    /// `#x`: an id of 0.1, a key of 1.0.
    fn id(&self, id: &Id) -> Simple {
        let name = if self.from.hash_is_key() { "key" } else { "id" };
        let value = Value { at: id.at, kind: ValueKind::Text(id.text.clone()) };
        let name = AttrName { at: id.at, text: name.to_owned() };
        let test = Test { at: id.at, name, kind: TestKind::Compare(Op::Eq, value) };
        Simple::Attrs(AttrFilter { at: id.at, form: FilterForm::Square, tests: vec![test] })
    }

    /// Takes the name behind the colon out of a type of 0.1, where it is a kind.
    fn suffix(&self, name: &mut TypeName) -> Option<AttrFilter> {
        Base::from_name(&name.base).filter(|_| self.from.kind_is_a_set())?;
        let value = Value { at: name.at, kind: ValueKind::Text(name.name.take()?) };
        let kind = AttrName { at: name.at, text: "kind".to_owned() };
        let test = Test { at: name.at, name: kind, kind: TestKind::Compare(Op::Eq, value) };
        Some(AttrFilter { at: name.at, form: FilterForm::Square, tests: vec![test] })
    }

    /// The alternatives of a filter, each a list of filters.
    fn attrs(
        &self,
        filter: &AttrFilter,
        base: Option<Base>,
    ) -> Result<Vec<Vec<AttrFilter>>, SyntaxError> {
        let each = filter.tests.iter().map(|test| match self.from.kind_is_a_set() {
            true => from_sets(test, base),
            false => to_sets(test),
        });
        let each: Vec<Vec<Vec<Test>>> = each.collect::<Result<_, _>>()?;
        let all = product(each, filter.at.0)?.into_iter();
        let filters = |tests: Vec<Vec<Test>>| {
            vec![AttrFilter { tests: tests.into_iter().flatten().collect(), ..filter.clone() }]
        };
        Ok(all.map(filters).collect())
    }
}

/// The canonical type that a compound names.
fn base_of(simples: &[Simple]) -> Option<Base> {
    simples.iter().find_map(|simple| match simple {
        Simple::Type(name) => Base::from_name(&name.base),
        _ => None,
    })
}

/// Every way to take one of each.
fn product<T: Clone>(parts: Vec<Vec<T>>, span: Span) -> Result<Vec<Vec<T>>, SyntaxError> {
    let mut found: Vec<Vec<T>> = vec![Vec::new()];
    for part in parts {
        let longer = |before: &Vec<T>, next: &T| {
            let mut longer = before.clone();
            longer.push(next.clone());
            longer
        };
        let next =
            found.iter().flat_map(|before| part.iter().map(move |next| longer(before, next)));
        found = bounded(next.collect(), span)?;
    }
    Ok(found)
}

fn bounded<T>(found: Vec<T>, span: Span) -> Result<Vec<T>, SyntaxError> {
    match found.len() <= MOST {
        true => Ok(found),
        false => Err(unsayable(span, "these would be more than 16")),
    }
}

/// A part that the other dialect can only say as several alternatives, where that does not go.
fn unsayable(span: Span, why: &str) -> SyntaxError {
    let message = format!(
        "in dialect 0.1 a kind counts the type's name too, which 1.0 says as several groups; {why}"
    );
    SyntaxError::invalid(span, message)
}

//! Sugar taken out of a syntax tree, for people who want to see what a selector really asks.
//!
//! Grouped shorthand becomes brackets; in dialect 1.0 `.base:name` becomes a test of `nodeType`,
//! with the spellings of the base that count as the same; tags that stand together are sorted;
//! filters behind controls join the chain that they belong to. The answer stays the same.

use crate::language::ast::{
    AttrFilter, AttrName, Base, Chain, Compound, Filter, FilterForm, Head, Hop, HopKind, Position,
    Pseudo, Selector, Simple, Step, Test, TestKind, TypeName, Value, ValueKind,
};
use crate::language::dialect::Dialect;

/// The same selector without sugar.
pub fn normalized(selector: &Selector, dialect: Dialect) -> Selector {
    let mut selector = selector.clone();
    let late = std::mem::take(&mut selector.late_filters);
    if let Some(last) = selector.groups.last_mut().and_then(|group| group.chains.last_mut()) {
        last.filters.extend(late);
    }
    for chain in selector.groups.iter_mut().flat_map(|group| &mut group.chains) {
        chain_without_sugar(chain, dialect);
    }
    selector
}

fn chain_without_sugar(chain: &mut Chain, dialect: Dialect) {
    match &mut chain.head {
        Head::Step(step) => step_without_sugar(step, dialect),
        Head::Position(position) => position_without_sugar(position, dialect),
        Head::Positions(_, positions) => {
            for position in positions {
                position_without_sugar(position, dialect);
            }
        }
        Head::Chain(_, chain) => chain_without_sugar(chain, dialect),
    }
    for link in &mut chain.links {
        step_without_sugar(&mut link.step, dialect);
    }
    sort_filters(&mut chain.filters);
}

fn sort_filters(filters: &mut [Filter]) {
    sort_tags(filters, |filter| match filter {
        Filter::Tag(tag) => Some(&tag.text),
        Filter::Attrs(_) => None,
    });
}

fn step_without_sugar(step: &mut Step, dialect: Dialect) {
    if let Step::Compound(compound) = step {
        compound_without_sugar(compound, dialect);
    }
}

fn compound_without_sugar(compound: &mut Compound, dialect: Dialect) {
    let mut simples = Vec::with_capacity(compound.simples.len());
    for simple in std::mem::take(&mut compound.simples) {
        match simple {
            Simple::Type(mut name) => {
                let test = type_test(&mut name, dialect);
                simples.push(Simple::Type(name));
                simples.extend(test.map(Simple::Attrs));
            }
            simple => simples.push(simple_without_sugar(simple, dialect)),
        }
    }
    sort_tags(&mut simples, tag_of);
    compound.simples = simples;
}

/// A simple selector that is no type.
fn simple_without_sugar(mut simple: Simple, dialect: Dialect) -> Simple {
    match &mut simple {
        Simple::Attrs(filter) => ungroup(filter),
        Simple::Pseudo(_, Pseudo::Has(ways)) => {
            for way in ways {
                for link in &mut way.links {
                    step_without_sugar(&mut link.step, dialect);
                }
                sort_filters(&mut way.filters);
            }
        }
        Simple::Pseudo(_, Pseudo::Not(compounds)) => {
            compounds.iter_mut().for_each(|compound| compound_without_sugar(compound, dialect));
        }
        _ => {}
    }
    simple
}

fn tag_of(simple: &Simple) -> Option<&String> {
    match simple {
        Simple::Tag(tag) => Some(&tag.text),
        _ => None,
    }
}

fn position_without_sugar(position: &mut Position, dialect: Dialect) {
    for Hop { kind, simples, .. } in &mut position.hops {
        let test = match kind {
            HopKind::Itself(name) | HopKind::Child(name) | HopKind::Descendant(name) => {
                type_test(name, dialect)
            }
            HopKind::Offset(_) | HopKind::AnyChild => None,
        };
        let rest = std::mem::take(simples).into_iter();
        let rest = rest.map(|simple| simple_without_sugar(simple, dialect));
        *simples = test.map(Simple::Attrs).into_iter().chain(rest).collect();
        sort_tags(simples, tag_of);
    }
    if let Some(chain) = &mut position.chain {
        chain_without_sugar(chain, dialect);
    }
}

/// Takes the name behind the colon out of a type and makes it a test (R6.3 for 1.0).
fn type_test(type_name: &mut TypeName, dialect: Dialect) -> Option<AttrFilter> {
    if dialect.kind_is_a_set() {
        return None;
    }
    let base = Base::from_name(&type_name.base)?;
    let name = type_name.name.take()?;
    let at = type_name.at;
    let own = std::iter::once(type_name.base.as_str());
    let others = base.names().into_iter().filter(|word| *word != type_name.base);
    let values = std::iter::once(name.clone())
        .chain(own.chain(others).map(|word| format!("{word}:{name}")))
        .map(|text| Value { at, kind: ValueKind::Text(text) })
        .collect();
    let name = AttrName { at, text: "nodeType".to_owned() };
    let test = Test { at, name, kind: TestKind::In(values) };
    Some(AttrFilter { at, form: FilterForm::Square, tests: vec![test] })
}

fn ungroup(filter: &mut AttrFilter) {
    if filter.form == FilterForm::Group {
        filter.form = FilterForm::Square;
    }
}

/// Sorts each run of neighbouring tags.
fn sort_tags<T>(items: &mut [T], tag: impl Fn(&T) -> Option<&String>) {
    for run in items.chunk_by_mut(|a, b| tag(a).is_some() && tag(b).is_some()) {
        run.sort_by(|a, b| tag(a).cmp(&tag(b)));
    }
}

//! The canonical form of a selector in its own dialect.

use crate::language::ast::{
    AttrFilter, Base, Chain, Filter, Head, Hop, HopKind, Op, Position, Pseudo, Selector, Simple,
    Step, Tag, Test, TestKind, Time, TimeKind, TypeName, ValueKind,
};
use crate::language::canonical::normalized;
use crate::language::dialect::Dialect;
use crate::language::words::is_name_char;

/// The same selector in the one canonical form of its dialect.
pub fn canonical_form(selector: &Selector, dialect: Dialect) -> Selector {
    let mut selector = selector.clone();
    if selector.time.is_none() && dialect.t0_is_working_state() {
        selector.time = Some(Time { at: selector.at, kind: TimeKind::Relative(0), beyond: None });
    }
    let words = Words(dialect);
    for chain in selector.groups.iter_mut().flat_map(|group| &mut group.chains) {
        words.chain(chain);
    }
    selector.late_filters = tags_apart(selector.late_filters);
    // Sugar goes last: what it becomes has the words of the dialect then, and tags are sorted.
    normalized(&selector, dialect)
}

/// Gives types the words of a dialect, and tags their own spelling.
struct Words(Dialect);

impl Words {
    fn chain(&self, chain: &mut Chain) {
        let leads_on = !chain.links.is_empty();
        match &mut chain.head {
            Head::Step(step) => self.step(step),
            Head::Position(position) => self.position(position, leads_on),
            Head::Positions(_, positions) => {
                positions.iter_mut().for_each(|position| self.position(position, leads_on));
            }
            Head::Chain(_, chain) => self.chain(chain),
        }
        chain.links.iter_mut().for_each(|link| self.step(&mut link.step));
        chain.filters = tags_apart(std::mem::take(&mut chain.filters));
    }

    fn step(&self, step: &mut Step) {
        if let Step::Compound(compound) = step {
            self.simples(&mut compound.simples);
        }
    }

    /// Tags stand where their tests stood: types that they keep apart do not come to touch.
    fn simples(&self, simples: &mut Vec<Simple>) {
        for simple in std::mem::take(simples) {
            match simple {
                Simple::Type(mut name) => {
                    self.type_name(&mut name);
                    simples.push(Simple::Type(name));
                }
                Simple::Attrs(filter) => {
                    let (rest, tags) = without_tags(filter);
                    simples.extend(rest.map(Simple::Attrs));
                    simples.extend(tags.into_iter().map(Simple::Tag));
                }
                Simple::Pseudo(at, mut pseudo) => {
                    self.pseudo(&mut pseudo);
                    simples.push(Simple::Pseudo(at, pseudo));
                }
                simple => simples.push(simple),
            }
        }
    }

    fn pseudo(&self, pseudo: &mut Pseudo) {
        match pseudo {
            Pseudo::Has(ways) => {
                for way in ways {
                    way.links.iter_mut().for_each(|link| self.step(&mut link.step));
                    way.filters = tags_apart(std::mem::take(&mut way.filters));
                }
            }
            Pseudo::Not(compounds) => {
                compounds.iter_mut().for_each(|compound| self.simples(&mut compound.simples));
            }
            _ => {}
        }
    }

    fn position(&self, position: &mut Position, leads_on: bool) {
        let last = position.hops.len().saturating_sub(1);
        let has_chain = position.chain.is_some();
        for (i, hop) in position.hops.iter_mut().enumerate() {
            if self.0 == Dialect::V1_0
                && (i < last || has_chain || leads_on)
                && let Some(offset) = offset_of(hop)
            {
                // Only containers have something below them, whatever else lies at that offset.
                (hop.kind, hop.simples) = (HopKind::Offset(offset), Vec::new());
            }
            match &mut hop.kind {
                HopKind::Itself(name) | HopKind::Child(name) | HopKind::Descendant(name) => {
                    self.type_name(name);
                }
                HopKind::Offset(_) | HopKind::AnyChild => {}
            }
            self.simples(&mut hop.simples);
        }
        if let Some(chain) = &mut position.chain {
            self.chain(chain);
        }
    }

    fn type_name(&self, name: &mut TypeName) {
        if let Some(base) = Base::from_name(&name.base) {
            name.base = base.names()[self.0.word_index()].to_owned();
        }
    }
}

/// The offset that `cont[offset=N]` means.
fn offset_of(hop: &Hop) -> Option<i64> {
    let (HopKind::Child(TypeName { base, name: None, .. }), [Simple::Attrs(filter)]) =
        (&hop.kind, &hop.simples[..])
    else {
        return None;
    };
    let [Test { name, kind: TestKind::Compare(Op::Eq, value), .. }] = &filter.tests[..] else {
        return None;
    };
    match &value.kind {
        ValueKind::Number(text) if name.text == "offset" => {
            text.parse().ok().filter(|_| Base::from_name(base) == Some(Base::Container))
        }
        _ => None,
    }
}

/// Filters whose tests of tags are tags.
fn tags_apart(filters: Vec<Filter>) -> Vec<Filter> {
    let apart = |filter| match filter {
        Filter::Attrs(filter) => {
            let (rest, tags) = without_tags(filter);
            rest.map(Filter::Attrs).into_iter().chain(tags.into_iter().map(Filter::Tag)).collect()
        }
        filter => vec![filter],
    };
    filters.into_iter().flat_map(apart).collect::<Vec<Filter>>()
}

/// A filter without its tests for one tag, and these tags; no filter if nothing else is left.
fn without_tags(mut filter: AttrFilter) -> (Option<AttrFilter>, Vec<Tag>) {
    let mut tags = Vec::new();
    filter.tests.retain(|test| match tag_of(test) {
        Some(tag) => {
            tags.push(tag);
            false
        }
        None => true,
    });
    ((!filter.tests.is_empty()).then_some(filter), tags)
}

/// The tag that `tag='x'` asks for, if `+x` can say it.
fn tag_of(test: &Test) -> Option<Tag> {
    let TestKind::Compare(Op::Eq, value) = &test.kind else { return None };
    let (ValueKind::Text(text) | ValueKind::Word(text)) = &value.kind else { return None };
    let plain = !text.is_empty() && text.chars().all(is_name_char);
    (test.name.text == "tag" && plain).then(|| Tag { at: test.at, text: text.clone() })
}

//! Compounds, filters and positions to tests (R6.2–R6.4, R6.8–R6.10).
//!
//! Invariant: in one compound cheap tests come first and those that read contents last. All must
//! hold and none has an effect, so their order shows only in the time they take.

use super::attrs::AttrTests;
use crate::limits::MAX_PATTERNS;
use crate::model::Class;
use crate::query::ast::{
    self, Base, DepthExpr, Filter, HopKind, HopPart, Part, Pseudo, Root, TypeName,
};
use crate::query::dialect::Dialect;
use crate::query::plan::{
    Attr, Chain, Check, ClassSet, Compound, DepthSet, Link, Pick, Reach, Start, Step, Test,
    TextAttr,
};
use crate::query::query_error::QueryError;
use crate::query::span::Span;

/// Gives names their meaning in a dialect, for one selector.
pub(super) struct Names {
    dialect: Dialect,
    patterns: usize,
}

impl Names {
    pub(super) fn new(dialect: Dialect) -> Names {
        Names { dialect, patterns: 0 }
    }

    /// Counts a regular expression against the bound.
    pub(super) fn count_pattern(&mut self, at: Span) -> Result<(), QueryError> {
        self.patterns += 1;
        if self.patterns > MAX_PATTERNS {
            let message = format!("a selector has at most {MAX_PATTERNS} regular expressions");
            return Err(QueryError::invalid(at, message));
        }
        Ok(())
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.dialect
    }

    pub(super) fn compound(&mut self, compound: &ast::Compound) -> Result<Compound, QueryError> {
        let has_depth = |part: &Part| matches!(part, Part::Pseudo(_, Pseudo::Depth(_)));
        let by_depth = compound.parts.iter().any(has_depth);
        let mut made = Compound::default();
        let mut attrs = AttrTests::default();
        for part in &compound.parts {
            match part {
                Part::Root(_, root) => made.tests.push(root_test(*root)),
                Part::Id(id) => self.id(&id.text, &mut made),
                Part::Type(name) => made.tests.extend(self.type_tests(name, by_depth)),
                Part::Any(_) => made.tests.push(Test::Real),
                Part::Attrs(filter) => attrs.add(filter),
                Part::Tag(tag) => made.tests.push(tag_test(&tag.text)),
                Part::Pseudo(_, pseudo) => pseudo_test(pseudo, &mut made),
            }
        }
        self.finish(made, attrs)
    }

    pub(super) fn filters<'f>(
        &mut self,
        filters: impl Iterator<Item = &'f Filter>,
    ) -> Result<Compound, QueryError> {
        let mut made = Compound::default();
        let mut attrs = AttrTests::default();
        for filter in filters {
            match filter {
                Filter::Attrs(filter) => attrs.add(filter),
                Filter::Tag(tag) => made.tests.push(tag_test(&tag.text)),
            }
        }
        self.finish(made, attrs)
    }

    /// A position is a chain from the containers of its depth.
    pub(super) fn position(&mut self, position: &ast::Position) -> Result<Chain, QueryError> {
        let start = Start::Step(Step::Nodes(container(&position.depth)));
        let mut links = Vec::with_capacity(position.hops.len());
        for hop in &position.hops {
            let has_depth = |part: &HopPart| matches!(part, HopPart::Pseudo(_, Pseudo::Depth(_)));
            let by_depth = hop.parts.iter().any(has_depth);
            let mut made = Compound::default();
            let reach = match &hop.kind {
                HopKind::Offset(offset) => {
                    made.tests.push(Test::Offset(*offset));
                    Reach::Child
                }
                HopKind::Itself(name) => {
                    // A plain `seg` or `mt` says again what the depth said, for `^ah` too.
                    if name.name.is_some() {
                        made.tests.extend(self.type_tests(name, by_depth));
                    }
                    Reach::Itself
                }
                HopKind::Child(name) => {
                    made.tests.extend(self.type_tests(name, by_depth));
                    Reach::Child
                }
                HopKind::AnyChild => {
                    made.tests.push(Test::Real);
                    Reach::Child
                }
                HopKind::Descendant(name) => {
                    made.tests.extend(self.type_tests(name, by_depth));
                    Reach::Below
                }
            };
            let mut attrs = AttrTests::default();
            for part in &hop.parts {
                match part {
                    HopPart::Attrs(filter) => attrs.add(filter),
                    HopPart::Tag(tag) => made.tests.push(tag_test(&tag.text)),
                    HopPart::Pseudo(_, pseudo) => pseudo_test(pseudo, &mut made),
                }
            }
            // An element pins no key, so its positional pseudos count in canonical order (R13).
            let made = Compound { recent: false, ..self.finish(made, attrs)? };
            links.push(Link { reach, step: Step::Nodes(made) });
        }
        let Some(chain) = &position.chain else {
            return Ok(Chain { start, links, filter: Compound::default(), recent: false });
        };
        // It goes on as a chain, as behind white space (R14.16).
        let (below, reach) = match position.chain_begins_at_the_depth() {
            true => (self.chain(&without_plain_turn(chain), &[])?, Reach::Itself),
            false => (self.chain(chain, &[])?, Reach::Below),
        };
        if let Start::Step(step) = below.start {
            links.push(Link { reach, step });
        }
        links.extend(below.links);
        Ok(Chain { start, links, filter: below.filter, recent: below.recent })
    }

    fn finish(&mut self, mut made: Compound, attrs: AttrTests<'_>) -> Result<Compound, QueryError> {
        made.recent |= attrs.pins_key();
        made.tests.extend(attrs.tests(self)?);
        made.tests.sort_by_key(cost);
        Ok(made)
    }

    fn id(&self, text: &str, made: &mut Compound) {
        let texts = std::iter::once(Box::from(text)).collect();
        if self.dialect.hash_is_key() {
            made.recent = true;
            made.tests.push(Test::Attr(Attr::Text(TextAttr::Key), Check::OneText(texts)));
        } else {
            made.tests.push(Test::Ids(texts));
        }
    }

    fn type_tests(&self, name: &TypeName, by_depth: bool) -> Vec<Test> {
        vec![match (Base::from_name(&name.base), &name.name) {
            (Some(Base::Turn), None) if by_depth => {
                Test::Class(ClassSet::of(&[Class::Turn, Class::Ah, Class::Sys]))
            }
            (Some(base), None) => Test::Class(ClassSet::of(&[class_of(base)])),
            (Some(base), Some(name)) => return self.based_tests(base, name),
            (None, None) if name.base == "sys" => Test::Class(ClassSet::of(&[Class::Sys])),
            (None, None) => Test::Named(name.base.as_str().into()),
            (None, Some(suffix)) => Test::Named(format!("{}:{suffix}", name.base).into()),
        }]
    }

    /// `.base:name`: the class of the base, and the kind where kinds are sets, which hold what
    /// types say (R14.5); else one of the types that count (R6.3).
    pub(super) fn based_tests(&self, base: Base, name: &str) -> Vec<Test> {
        let named = if self.dialect.kind_is_a_set() {
            Test::Attr(Attr::Kinds, Check::OneText(std::iter::once(name.into()).collect()))
        } else {
            let spelled = base.names().map(|word| format!("{word}:{name}").into());
            let types = spelled.into_iter().chain([name.into()]).collect();
            Test::Attr(Attr::Text(TextAttr::NodeType), Check::OneText(types))
        };
        vec![Test::Class(ClassSet::of(&[class_of(base)])), named]
    }
}

/// The chain without a plain `.seg` or `.mt` in its first step, which says again what a depth said,
/// for `^ah` too.
fn without_plain_turn(chain: &ast::Chain) -> ast::Chain {
    let mut chain = chain.clone();
    if let ast::Head::Step(ast::Step::Compound(first)) = &mut chain.head {
        first.parts.retain(|part| match part {
            Part::Type(name) => {
                name.name.is_some() || Base::from_name(&name.base) != Some(Base::Turn)
            }
            _ => true,
        });
    }
    chain
}

pub(super) fn class_of(base: Base) -> Class {
    match base {
        Base::Turn => Class::Turn,
        Base::Container => Class::Container,
        Base::Block => Class::Block,
    }
}

/// The containers of some depths, as a step.
pub(super) fn container(depth: &DepthExpr) -> Compound {
    let tests = vec![Test::Container(DepthSet::from_expr(depth))];
    Compound { tests, ..Compound::default() }
}

fn root_test(root: Root) -> Test {
    let class = match root {
        Root::Root => Class::Root,
        Root::Sys => Class::Sys,
        Root::Seq => Class::Seq,
        Root::Ah => Class::Ah,
    };
    Test::Class(ClassSet::of(&[class]))
}

fn tag_test(tag: &str) -> Test {
    Test::Attr(Attr::Tags, Check::OneText(std::iter::once(Box::from(tag)).collect()))
}

fn pseudo_test(pseudo: &Pseudo, made: &mut Compound) {
    match pseudo {
        Pseudo::Offset(zone) => made.tests.push(Test::Sign(*zone)),
        Pseudo::Depth(depth) => made.tests.push(Test::Depth(DepthSet::from_expr(depth))),
        Pseudo::First => made.picks.push(Pick::Nth(1)),
        Pseudo::Nth(n) => made.picks.push(Pick::Nth(*n)),
        Pseudo::Last => made.picks.push(Pick::Last),
    }
}

fn cost(test: &Test) -> u8 {
    match test {
        Test::Attr(Attr::Content, Check::Present) => 1,
        Test::Attr(Attr::Content, _) => 3,
        Test::Attr(Attr::Text(TextAttr::CreatedAtIso | TextAttr::ContentHash), _)
        | Test::Attr(_, Check::Match(_)) => 2,
        Test::Attr(..) => 1,
        Test::Not(inner) => cost(inner),
        Test::Any(tests) | Test::All(tests) => tests.iter().map(cost).max().unwrap_or(0),
        _ => 0,
    }
}

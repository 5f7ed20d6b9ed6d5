//! Compounds and filters to tests (R6.2–R6.4, R6.8).
//!
//! Invariant: in one compound cheap tests come first and those that read contents last. All must
//! hold and none has an effect, so their order shows only in the time they take.

use super::attrs::AttrTests;
use super::names::{Names, class_of};
use crate::language::ast::{Base, DepthExpr, DepthSet, Filter, Pseudo, Root, Simple, TypeName};
use crate::model::{Class, EngineText, TextField};
use crate::query::plan::{Attr, Check, ClassSet, Compound, Has, Pick, Test, TextAttr, TopAnswers};
use crate::query::query_error::QueryError;
use std::sync::Arc;

impl Names {
    /// Adds what simple selectors ask for to the tests that are there already.
    pub(super) fn simples(
        &mut self,
        simples: &[Simple],
        mut made: Compound,
    ) -> Result<Compound, QueryError> {
        let by_depth = by_depth(simples);
        let mut attrs = AttrTests::default();
        for simple in simples {
            match simple {
                Simple::Root(_, root) => made.tests.push(root_test(*root)),
                Simple::Id(id) => self.id(&id.text, &mut made),
                Simple::Type(name) => made.tests.extend(self.type_tests(name, by_depth)),
                Simple::Any(_) => made.tests.push(Test::Real),
                Simple::Attrs(filter) => attrs.add(filter),
                Simple::Tag(tag) => made.tests.push(tag_test(&tag.text)),
                Simple::Pseudo(_, pseudo) => self.pseudo(pseudo, &mut made)?,
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

    fn finish(&mut self, mut made: Compound, attrs: AttrTests<'_>) -> Result<Compound, QueryError> {
        made.recent |= attrs.pins_key();
        made.tests.extend(attrs.tests(self)?);
        made.tests.sort_by_key(cost);
        Ok(made)
    }

    /// Recursion is as deep as parentheses nest, which is bounded.
    fn pseudo(&mut self, pseudo: &Pseudo, made: &mut Compound) -> Result<(), QueryError> {
        match pseudo {
            Pseudo::Offset(zone) => made.tests.push(Test::Sign(*zone)),
            Pseudo::Depth(depth) => made.tests.push(Test::Depth(DepthSet::from_expr(depth))),
            Pseudo::First => made.picks.push(Pick::Nth(1)),
            Pseudo::Nth(n) => made.picks.push(Pick::Nth(*n)),
            Pseudo::Last => made.picks.push(Pick::Last),
            Pseudo::Has(ways) => {
                let ways = ways.iter().map(|way| self.way(way)).collect::<Result<_, _>>()?;
                made.tests.push(Test::Has(Arc::new(Has { ways }), TopAnswers::default()));
            }
            Pseudo::Not(compounds) => {
                for compound in compounds {
                    let mut tests = self.simples(&compound.simples, Compound::default())?.tests;
                    let test = match tests.len() {
                        1 => tests.remove(0),
                        _ => Test::All(tests),
                    };
                    made.tests.push(Test::Not(Box::new(test)));
                }
            }
        }
        Ok(())
    }

    fn id(&self, text: &str, made: &mut Compound) {
        let texts = std::iter::once(Box::from(text)).collect();
        if self.dialect().hash_is_key() {
            made.recent = true;
            made.tests.push(Test::Attr(
                Attr::Text(TextAttr::Header(TextField::Key)),
                Check::OneText(texts),
            ));
        } else {
            made.tests.push(Test::Ids(texts));
        }
    }

    pub(super) fn type_tests(&self, name: &TypeName, by_depth: bool) -> Vec<Test> {
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
}

/// The containers of some depths, as a step.
/// Whether a depth is asked for.
pub(super) fn by_depth(simples: &[Simple]) -> bool {
    simples.iter().any(|simple| matches!(simple, Simple::Pseudo(_, Pseudo::Depth(_))))
}

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

fn cost(test: &Test) -> u8 {
    match test {
        Test::Attr(Attr::Content, Check::Present) => 1,
        Test::Attr(Attr::Content, _) => 3,
        Test::Attr(
            Attr::Text(TextAttr::Engine(EngineText::CreatedAtIso | EngineText::ContentHash)),
            _,
        )
        | Test::Attr(_, Check::Match(_) | Check::NotMatch(_)) => 2,
        Test::Attr(..) => 1,
        // A way may read the contents of a whole part.
        Test::Has(..) => 4,
        Test::Not(inner) => cost(inner),
        Test::Any(tests) | Test::All(tests) => tests.iter().map(cost).max().unwrap_or(0),
        _ => 0,
    }
}

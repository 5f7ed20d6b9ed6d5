//! Whether a node passes a test (R6.3–R6.7).
//!
//! An implied core has a class, a type, an offset and the depth of its turn, and nothing else.

use super::compare::{check_any, check_null, check_number, check_other, check_text};
use super::flat::{Flat, has_sign};
use super::has::marks;
use crate::json::Json;
use crate::language::ast::Base;
use crate::model::{Class, Node, NumberField};
use crate::query::plan::{Attr, Check, CustomAttr, Has, NumberAttr, Test, TextAttr, TopAnswers};
use crate::query::timeline::{Moment, Read};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// The answers of `:has(…)` for all nodes, by its address; it is held so that this stays its own.
type Marks = HashMap<*const Has, (Arc<Has>, Rc<[bool]>)>;

/// Decides tests on the nodes of some parts.
pub(crate) struct Matcher<'m> {
    pub(crate) flat: &'m Flat,
    pub(crate) moment: &'m Moment<'m>,
    /// Whether `^root` and `^seq` may have what is not known of them.
    lenient: bool,
    marks: RefCell<Marks>,
    /// What was asked of `^root` and `^seq` and is not known.
    open: RefCell<Vec<(Arc<Has>, Class)>>,
}

impl<'m> Matcher<'m> {
    pub(crate) fn new(flat: &'m Flat, moment: &'m Moment<'m>, lenient: bool) -> Matcher<'m> {
        Matcher { flat, moment, lenient, marks: RefCell::default(), open: RefCell::default() }
    }

    /// What was asked of `^root` and `^seq` so far and is not known; only if the matcher is lenient.
    pub(crate) fn open(&self) -> Vec<(Arc<Has>, Class)> {
        self.open.borrow().clone()
    }

    /// Whether all tests hold.
    pub(crate) fn holds(&self, item: usize, tests: &[Test]) -> Read<bool> {
        self.all(item, tests, true)
    }

    fn all(&self, item: usize, tests: &[Test], unknown: bool) -> Read<bool> {
        for test in tests {
            if !self.test(item, test, unknown)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `unknown` is what is said where nobody knows. Recursion is as deep as parentheses nest.
    fn test(&self, item: usize, test: &Test, unknown: bool) -> Read<bool> {
        let flat = self.flat;
        let node = flat.node(item);
        Ok(match test {
            Test::Real => node.is_some(),
            Test::Class(classes) => classes.contains(flat.class(item)),
            Test::Ids(ids) => node.is_some_and(|node| ids.contains(&*node.id)),
            Test::Named(name) => is_named(self.node_type(item), name),
            Test::Container(depths) => {
                matches!(flat.class(item), Class::Sys | Class::Ah | Class::Turn)
                    && flat.depth(item).is_some_and(|depth| depths.contains(depth))
            }
            Test::Depth(depths) => flat.depth(item).is_some_and(|depth| depths.contains(depth)),
            Test::Sign(zone) => has_sign(flat.offset(item), *zone),
            Test::Offset(offset) => flat.offset(item) == *offset,
            Test::Ephemeral => {
                node.is_some_and(|node| node.lifetime.is_some() && node.cad.is_none())
            }
            Test::Sticky => node.is_some_and(|node| node.lifetime.is_some() && node.cad == Some(1)),
            Test::Attr(attr, check) => self.attr(item, attr, check)?,
            Test::Has(has, tops) => self.has(item, has, *tops, unknown)?,
            Test::Not(inner) => !self.test(item, inner, !unknown)?,
            Test::Any(tests) => {
                for test in tests {
                    if self.test(item, test, unknown)? {
                        return Ok(true);
                    }
                }
                false
            }
            Test::All(tests) => self.all(item, tests, unknown)?,
        })
    }

    fn has(&self, item: usize, has: &Arc<Has>, tops: TopAnswers, unknown: bool) -> Read<bool> {
        if self.flat.part(item).is_none() {
            let class = self.flat.class(item);
            let known = if class == Class::Root { tops.root } else { tops.seq };
            if let Some(known) = known {
                return Ok(known);
            }
            if self.lenient {
                self.open.borrow_mut().push((has.clone(), class));
                return Ok(unknown);
            }
        }
        let known = self.marks.borrow().get(&Arc::as_ptr(has)).map(|(_, marks)| marks.clone());
        if let Some(marks) = known {
            return Ok(marks[item]);
        }
        let found = marks(self.flat, has, &|item, tests| self.holds(item, tests))?;
        let holds = found[item];
        self.marks.borrow_mut().insert(Arc::as_ptr(has), (has.clone(), found.into()));
        Ok(holds)
    }

    fn node_type(&self, item: usize) -> &'m str {
        match self.flat.node(item) {
            Some(node) => &node.node_type,
            None => self.moment.generation.word(Class::Container),
        }
    }

    fn attr(&self, item: usize, attr: &Attr, check: &Check) -> Read<bool> {
        let node = self.flat.node(item);
        Ok(match attr {
            Attr::Number(attr) => check_number(self.number(item, *attr), check),
            Attr::Text(TextAttr::NODE_TYPE) => check_text(Some(self.node_type(item)), check),
            Attr::Text(TextAttr::Type) => {
                check_text(self.node_type(item).rsplit(':').next(), check)
            }
            Attr::Text(TextAttr::Header(field)) => {
                check_text(node.and_then(|node| field.text(node)), check)
            }
            Attr::Text(TextAttr::Engine(text)) => {
                check_text(node.and_then(|node| text.of(node)).as_deref(), check)
            }
            Attr::Tags => {
                let tags = node.map_or(&[][..], |node| &node.tags);
                check_any(tags.iter().map(|tag| &**tag), check)
            }
            Attr::Kinds => {
                let kind = node.and_then(|node| node.kind.as_deref());
                check_any(kind.into_iter().chain(based_name(self.node_type(item))), check)
            }
            Attr::Flag(field) => {
                let set = node.is_some_and(|node| *field.of(node));
                check_text(set.then_some("true"), check)
            }
            Attr::List(field) => {
                let list = node.map_or(&[][..], |node| field.of(node));
                match list {
                    [] => check_null(check),
                    list => {
                        let items = list.iter().map(|item| Json::from(&**item));
                        check_other(&Json::List(items.collect()), check)
                    }
                }
            }
            Attr::Content => match (node.and_then(|node| node.content), check) {
                (None, check) => check_null(check),
                (Some(_), Check::Present) => true,
                (Some(content), check) => {
                    check_other(&*self.moment.contents.content(&content)?, check)
                }
            },
            Attr::Custom(attr) => match node.and_then(|node| custom(node, attr)) {
                None => check_null(check),
                Some(value) => check_other(value, check),
            },
        })
    }

    fn number(&self, item: usize, attr: NumberAttr) -> Option<i128> {
        let Some(node) = self.flat.node(item) else {
            return (attr == NumberAttr::Header(NumberField::Offset)).then_some(0);
        };
        Some(match attr {
            NumberAttr::Header(field) => return field.of(node, self.moment.cycle),
            NumberAttr::BornTurn => node.cycle.into(),
            NumberAttr::Depth => self.flat.depth(item)?.into(),
            NumberAttr::Sdepth => self.flat.edges(item).into(),
            NumberAttr::Age => i128::from(self.moment.now) - i128::from(node.cycle),
        })
    }
}

/// The attribute of this name, else the one that the name is short for.
fn custom<'n>(node: &'n Node, attr: &CustomAttr) -> Option<&'n Json> {
    let long = || node.attrs.get(attr.long.as_deref()?);
    node.attrs.get(&*attr.name).or_else(long)
}

/// What follows the canonical base of a type.
fn based_name(node_type: &str) -> Option<&str> {
    let (base, name) = node_type.split_once(':')?;
    Base::from_name(base).map(|_| name)
}

/// Whether a type is a name, or ends in `:` and the name.
fn is_named(node_type: &str, name: &str) -> bool {
    match node_type.strip_suffix(name) {
        Some(before) => before.is_empty() || before.ends_with(':'),
        None => false,
    }
}

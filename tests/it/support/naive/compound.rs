//! Compounds: what a single node has to be, and picking among those that are (R6.2, R6.10).

use super::Reader;
use super::compare::text_of;
use super::order::arrange;
use super::tree::Class;
use super::types::type_holds;
use pactdb::Dialect;
use pactdb::language::ast::{
    AttrFilter, Compound, Op, Order, Pseudo, Root, Simple, Test, TestKind, ValueKind, Zone,
};

impl Reader<'_> {
    /// The nodes among the candidates that a compound matches; one call is one set for `:first`.
    pub(crate) fn compound(&self, compound: &Compound, among: &[usize]) -> Vec<usize> {
        let holds = |node: &usize| {
            compound.simples.iter().all(|simple| self.simple(*node, simple, compound))
        };
        let filters: Vec<&AttrFilter> = compound
            .simples
            .iter()
            .filter_map(|simple| match simple {
                Simple::Attrs(filter) => Some(filter),
                _ => None,
            })
            .collect();
        let found = among.iter().copied().filter(holds);
        let found = found.filter(|node| self.attrs_hold(*node, &filters)).collect();
        let pseudos = compound.simples.iter().filter_map(|simple| match simple {
            Simple::Pseudo(_, pseudo) => Some(pseudo),
            _ => None,
        });
        self.pick(found, pseudos, pins_key(compound, self.dialect))
    }

    fn simple(&self, node: usize, simple: &Simple, compound: &Compound) -> bool {
        let it = &self.tree.nodes[node];
        match simple {
            Simple::Root(_, root) => {
                it.class
                    == match root {
                        Root::Root => Class::Root,
                        Root::Sys => Class::Sys,
                        Root::Seq => Class::Seq,
                        Root::Ah => Class::Ah,
                    }
            }
            Simple::Id(id) => {
                let name = if self.dialect == Dialect::V0_1 { "id" } else { "key" };
                it.get(name).as_str() == Some(id.text.as_str())
            }
            Simple::Type(name) => {
                // R6.6: with a depth beside it, a turn may also be the head or `^sys`.
                let is_depth =
                    |simple: &Simple| matches!(simple, Simple::Pseudo(_, Pseudo::Depth(_)));
                let widened = matches!(name.base.as_str(), "mt" | "seg")
                    && name.name.is_none()
                    && compound.simples.iter().any(is_depth);
                type_holds(self, node, name)
                    || (widened && matches!(it.class, Class::Ah | Class::Sys))
            }
            Simple::Any(_) => !it.implied,
            Simple::Attrs(_) => true,
            Simple::Tag(tag) => self.has_tag(node, &tag.text),
            Simple::Pseudo(_, pseudo) => self.pseudo(node, pseudo),
        }
    }

    /// All tests of all filters.
    pub(crate) fn attrs_hold(&self, node: usize, filters: &[&AttrFilter]) -> bool {
        filters.iter().flat_map(|filter| &filter.tests).all(|test| self.test_holds(node, test))
    }

    pub(crate) fn has_tag(&self, node: usize, tag: &str) -> bool {
        let tags = self.tree.nodes[node].get("tags");
        tags.as_array().is_some_and(|tags| tags.iter().any(|have| have.as_str() == Some(tag)))
    }

    /// What a pseudo asks of the node alone.
    pub(crate) fn pseudo(&self, node: usize, pseudo: &Pseudo) -> bool {
        let it = &self.tree.nodes[node];
        match pseudo {
            Pseudo::Offset(zone) => in_zone(it.offset(), *zone),
            Pseudo::Depth(depths) => it.depth.is_some_and(|depth| depths.contains(depth)),
            Pseudo::First | Pseudo::Last | Pseudo::Nth(_) => true,
            Pseudo::Has(ways) => ways.iter().any(|way| self.leads_somewhere(node, way)),
            Pseudo::Not(list) => list.iter().all(|not| self.compound(not, &[node]).is_empty()),
        }
    }

    /// `:first`, `:last` and `:nth(n)`, one after the other.
    pub(crate) fn pick<'p>(
        &self,
        mut found: Vec<usize>,
        pseudos: impl Iterator<Item = &'p Pseudo>,
        recent: bool,
    ) -> Vec<usize> {
        arrange(self.tree, &mut found, if recent { Order::Recent } else { Order::Path });
        for pseudo in pseudos {
            found = match pseudo {
                Pseudo::First => found.into_iter().take(1).collect(),
                Pseudo::Last => found.into_iter().next_back().into_iter().collect(),
                Pseudo::Nth(n) => found.into_iter().skip(*n as usize - 1).take(1).collect(),
                _ => found,
            };
        }
        found
    }
}

pub(crate) fn in_zone(offset: i64, zone: Zone) -> bool {
    match zone {
        Zone::Pre => offset < 0,
        Zone::Core => offset == 0,
        Zone::Post => offset > 0,
    }
}

/// The text that an attribute must equal, if the test is of that kind.
fn equals<'t>(test: &'t Test, name: &str) -> Option<&'t str> {
    match &test.kind {
        TestKind::Compare(Op::Eq, value) if test.name.text == name => match value.kind {
            ValueKind::Null => None,
            _ => Some(text_of(&value.kind)),
        },
        _ => None,
    }
}

/// Whether a filter names one key (R7.2).
pub(crate) fn filter_pins_key(filter: &AttrFilter) -> bool {
    filter.tests.iter().any(|test| equals(test, "key").is_some())
}

pub(crate) fn pins_key(compound: &Compound, dialect: Dialect) -> bool {
    compound.simples.iter().any(|simple| match simple {
        Simple::Id(_) => dialect == Dialect::V1_0,
        Simple::Attrs(filter) => filter_pins_key(filter),
        _ => false,
    })
}

//! What a part of the tree holds, in a few bytes: enough to see that a step cannot match in it.
//!
//! A summary may claim something that the part does not have (hashes collide) and never misses
//! what it has. It depends on the nodes alone and not on the cycle, so it may be kept as long as
//! the part stays as it is.

use super::literals::texts_of;
use crate::index::{Lookup, NameKind, Trigrams, name_hashes};
use crate::model::{Class, Subtree};
use crate::query::ast::Op;
use crate::query::plan::{
    Attr, Check, ClassSet, Compound, Number, NumberAttr, Test, TextAttr, Value, ValueText,
};

/// What a part holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Summary {
    classes: ClassSet,
    finite: bool,
    /// Sorted hashes of roles, kinds, keys, tags and types.
    features: Box<[u32]>,
}

impl Summary {
    /// The summary of a part.
    pub(super) fn of(part: &Subtree) -> Summary {
        let mut classes = ClassSet::of(&[]);
        let mut finite = false;
        for entry in part.entries() {
            classes = classes.or(ClassSet::of(&[entry.node.class]));
            finite |= entry.node.lifetime.is_some();
        }
        if part.children(0).any(|child| part.node(child).offset == 0) {
            // There may be an implied core.
            classes = classes.or(ClassSet::of(&[Class::Container]));
        }
        Summary { classes, finite, features: name_hashes(part).into() }
    }

    /// Whether the part may hold what is needed.
    pub(super) fn may(&self, needs: &[Need]) -> bool {
        needs.iter().all(|need| match need {
            Need::Class(classes) => self.classes.meets(*classes),
            Need::Finite(_) => self.finite,
            Need::Clue(Lookup::Names(wanted)) => {
                wanted.iter().any(|hash| self.features.binary_search(hash).is_ok())
            }
            Need::Clue(Lookup::Texts(_)) => true,
        })
    }
}

/// Something that a part must hold to matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Need {
    /// A node of one of these classes.
    Class(ClassSet),
    /// A node with a finite ttl, of which at most so much remains.
    Finite(u64),
    /// What this leads to.
    Clue(Lookup),
}

/// What a part must hold for a node in it to satisfy a compound.
pub(super) fn needs_of(compound: &Compound) -> Vec<Need> {
    compound.tests.iter().flat_map(needs_of_test).collect()
}

fn needs_of_test(test: &Test) -> Vec<Need> {
    match test {
        Test::Class(classes) => vec![Need::Class(*classes)],
        Test::Named(name) => vec![one_of(vec![NameKind::TypeEnd.hash(name)])],
        Test::All(tests) => tests.iter().flat_map(needs_of_test).collect(),
        Test::Ephemeral | Test::Sticky => vec![Need::Finite(u64::MAX)],
        Test::Attr(Attr::Number(NumberAttr::Ttl), check) if needs_value(check) => {
            vec![Need::Finite(most_of(check))]
        }
        Test::Attr(attr, Check::OneText(texts)) => match sorts_of(attr) {
            [] => Vec::new(),
            sorts => {
                let hashes = |text| sorts.iter().map(move |sort| sort.hash(text));
                vec![one_of(texts.iter().flat_map(|text| hashes(text)).collect())]
            }
        },
        Test::Attr(Attr::Content, check) => {
            let sets = texts_of(check).into_iter().filter_map(|texts| {
                // A text that is too short may be anywhere.
                texts.iter().map(|text| Trigrams::of(text)).collect::<Option<Vec<_>>>()
            });
            sets.map(|texts| Need::Clue(Lookup::Texts(texts))).collect()
        }
        _ => Vec::new(),
    }
}

fn one_of(features: Vec<u32>) -> Need {
    Need::Clue(Lookup::Names(features))
}

/// The greatest ttl that may satisfy a check; not always the least such number.
fn most_of(check: &Check) -> u64 {
    let Check::Compare(
        Op::Eq | Op::Lt | Op::Le,
        Value::Given(ValueText { number: Some(Number::Int(most)), .. }),
    ) = check
    else {
        return u64::MAX;
    };
    u64::try_from((*most).max(0)).unwrap_or(u64::MAX)
}

/// Whether null fails a check.
fn needs_value(check: &Check) -> bool {
    match check {
        Check::Compare(Op::Eq, value) => *value != Value::Null,
        Check::Compare(Op::Ne, value) => *value == Value::Null,
        Check::OneOf(values) => !values.contains(&Value::Null),
        _ => true,
    }
}

/// The sorts of names among which a text must be for an attribute to have it.
fn sorts_of(attr: &Attr) -> &'static [NameKind] {
    match attr {
        Attr::Text(TextAttr::Role) => &[NameKind::Role],
        Attr::Text(TextAttr::Kind) => &[NameKind::Kind],
        Attr::Text(TextAttr::Key) => &[NameKind::Key],
        Attr::Text(TextAttr::NodeType) => &[NameKind::NodeType],
        Attr::Text(TextAttr::Type) => &[NameKind::TypeEnd],
        Attr::Kinds => &[NameKind::Kind, NameKind::TypeEnd],
        Attr::Tags => &[NameKind::Tag],
        _ => &[],
    }
}

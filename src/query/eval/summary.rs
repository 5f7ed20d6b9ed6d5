//! What a part of the tree holds, in a few bytes: enough to see that a step cannot match in it.
//!
//! A summary may claim something that the part does not have (hashes collide) and never misses
//! what it has. It depends on the nodes alone and not on the cycle, so it may be kept as long as
//! the part stays as it is.

use crate::model::{Class, Subtree};
use crate::query::ast::Op;
use crate::query::plan::{Attr, Check, ClassSet, Compound, NumberAttr, Test, TextAttr, Value};

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
        let mut features = Vec::new();
        for entry in part.entries() {
            let node = &entry.node;
            classes = classes.or(ClassSet::of(&[node.class]));
            finite |= node.lifetime.is_some();
            let texts = [(b'r', &node.role), (b'k', &node.kind), (b'K', &node.key)];
            for (sort, text) in texts {
                features.extend(text.as_deref().map(|text| feature(sort, text)));
            }
            features.extend(node.tags.iter().map(|tag| feature(b'+', tag)));
            features.push(feature(b'T', &node.node_type));
            let mut rest = &*node.node_type;
            features.push(feature(b't', rest));
            while let Some((_, suffix)) = rest.split_once(':') {
                rest = suffix;
                features.push(feature(b't', rest));
            }
        }
        if part.children(0).any(|child| part.node(child).offset == 0) {
            // There may be an implied core.
            classes = classes.or(ClassSet::of(&[Class::Container]));
            for word in ["mc", "cont"] {
                features.extend([feature(b'T', word), feature(b't', word)]);
            }
        }
        features.sort_unstable();
        features.dedup();
        Summary { classes, finite, features: features.into() }
    }

    /// Whether the part may hold what is needed.
    pub(super) fn may(&self, needs: &[Need]) -> bool {
        needs.iter().all(|need| match need {
            Need::Class(classes) => self.classes.meets(*classes),
            Need::Finite => self.finite,
            Need::AnyOf(wanted) => {
                wanted.iter().any(|hash| self.features.binary_search(hash).is_ok())
            }
        })
    }
}

/// Something that a part must hold to matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Need {
    /// A node of one of these classes.
    Class(ClassSet),
    /// A node with a finite ttl.
    Finite,
    /// One of these features.
    AnyOf(Vec<u32>),
}

/// What a part must hold for a node in it to satisfy a compound.
pub(super) fn needs_of(compound: &Compound) -> Vec<Need> {
    compound.tests.iter().flat_map(needs_of_test).collect()
}

fn needs_of_test(test: &Test) -> Vec<Need> {
    match test {
        Test::Class(classes) => vec![Need::Class(*classes)],
        Test::Named(name) => vec![Need::AnyOf(vec![feature(b't', name)])],
        Test::Sort { class, types, kind } => {
            let types = types.iter().map(|name| feature(b'T', name));
            let kinds = kind.iter().map(|kind| feature(b'k', kind));
            vec![Need::Class(ClassSet::of(&[*class])), Need::AnyOf(types.chain(kinds).collect())]
        }
        Test::Ephemeral | Test::Sticky => vec![Need::Finite],
        Test::Attr(Attr::Number(NumberAttr::Ttl), check) if needs_value(check) => {
            vec![Need::Finite]
        }
        Test::Attr(attr, Check::OneText(texts)) => match sort_of(attr) {
            Some(sort) => vec![Need::AnyOf(texts.iter().map(|text| feature(sort, text)).collect())],
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
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

fn sort_of(attr: &Attr) -> Option<u8> {
    match attr {
        Attr::Text(TextAttr::Role) => Some(b'r'),
        Attr::Text(TextAttr::Kind) => Some(b'k'),
        Attr::Text(TextAttr::Key) => Some(b'K'),
        Attr::Text(TextAttr::Type) => Some(b't'),
        Attr::Tags => Some(b'+'),
        _ => None,
    }
}

/// FNV-1a over a sort and a text.
fn feature(sort: u8, text: &str) -> u32 {
    let bytes = std::iter::once(&sort).chain(text.as_bytes());
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

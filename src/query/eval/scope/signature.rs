//! The signature of a part: in a few bytes, enough to see that a step cannot match in it.
//!
//! A signature may claim something that the part does not have (hashes collide) and never misses
//! what it has. It depends on the nodes alone and not on the cycle, so it may be kept as long as
//! the part stays as it is.

use super::needs::Need;
use crate::index::{Lookup, name_hashes};
use crate::model::{Class, Subtree};
use crate::query::plan::ClassSet;

/// The signature of a part: what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Signature {
    classes: ClassSet,
    finite: bool,
    /// Sorted hashes of roles, kinds, keys, tags and types.
    names: Box<[u32]>,
}

impl Signature {
    /// Computed from the nodes of the part.
    pub(super) fn of(part: &Subtree) -> Signature {
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
        Signature { classes, finite, names: name_hashes(part).into() }
    }

    /// Whether the part may hold what is needed.
    pub(super) fn may_hold(&self, needs: &[Need]) -> bool {
        needs.iter().all(|need| match need {
            Need::Class(classes) => self.classes.meets(*classes),
            Need::Finite(_) => self.finite,
            Need::Lookup(Lookup::Names(wanted)) => {
                wanted.iter().any(|hash| self.names.binary_search(hash).is_ok())
            }
            // Templates have neither contents nor attributes of the user's own.
            Need::Lookup(Lookup::Texts(_) | Lookup::Attributes(_)) => true,
        })
    }
}

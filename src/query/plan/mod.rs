//! The resolved form of a selector: what is asked, with nothing left of how it was written.
//!
//! Times are cycles or the working state, `#x` is an id or a key, types are tests of class and
//! type, positions are chains, late filters are in their chain, controls and options are one
//! window. Nothing here knows of text, spans or dialects, and nothing here reads a tree.

mod ask;
mod attr;
mod chain;
mod critical;
mod depends;
mod number;
mod when;

pub use ask::{Ask, Group, Plan, Window};
pub use attr::{Attr, Check, ClassSet, CustomAttr, NumberAttr, TextAttr, Value, ValueText};
pub use chain::{Chain, Compound, Has, Link, Pick, Reach, Start, Step, Test, TopAnswers, Way};
pub use critical::critical_depths;
pub use depends::{Depends, pinned_ids};
pub use number::Number;
pub(super) use when::end_value;
pub use when::{RangeKind, State, Stop, When};

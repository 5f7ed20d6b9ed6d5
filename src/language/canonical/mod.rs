//! The syntax tree back to text, in its one canonical spelling.
//!
//! [`format()`] writes what was written: reading its text in the same dialect gives the same tree.
//! [`normalized`] takes the sugar out of a tree first, for somebody who wants to see what a selector
//! really asks. `text` has the trait, `pieces` the spelling of the leaves, `chain`, `selector` and
//! `statement` that of the trees. It knows tokens only by their spelling, and no parser.

mod chain;
mod normalize;
mod pieces;
mod selector;
mod statement;
mod text;

pub(super) use chain::write_simple;
pub use normalize::normalized;
pub(super) use pieces::write_attrs;
pub use text::{Canonical, format};

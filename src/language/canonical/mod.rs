//! The syntax tree back to text, in its one canonical spelling.
//!
//! [`format()`] writes what was written: reading its text in the same dialect gives the same tree.
//! [`normalized`] takes the sugar out of a tree first, for somebody who wants to see what a selector
//! really asks. `text` has the trait, `pieces` the spelling of what they consist of, `selector` and
//! `statement` the trees. It knows tokens only by their spelling, and no parser.

mod normalize;
mod pieces;
mod selector;
mod statement;
mod text;

pub use normalize::normalized;
pub(super) use pieces::{write_attrs, write_simple};
pub use text::{Canonical, format};

//! From a syntax tree to a plan: dialect, names, times, controls and options are settled here.
//!
//! `selector` leads through it: `question` is a selector with its `meaning`, which is found out once;
//! `time` finds the states, `chains` the ways through the tree, with the tests of single nodes from
//! `compound` and `attrs`, and `window` what controls and options say.
//! Asks a store for its history, which decides times, and for no tree. What cannot be settled is an
//! error with the part of the text that it is about.

mod attrs;
mod chains;
mod compound;
mod meaning;
mod names;
mod question;
mod selector;
mod time;
mod window;

pub use question::Question;
pub(super) use selector::resolve_position;
pub use selector::{resolve, resolve_timeless};
pub use time::resolve_time;

//! Which parts of a tree a chain has to read.
//!
//! `bounds` derives from a chain what every part must be or hold in which it finds something: a
//! depth, an id, `needs`. `places` finds these parts, by the index of ids, the list of finite
//! lifetimes, the inverted lists of names and texts, or by depth alone; `parts` lists them as they are
//! asked for. A `signature` says of one
//! part that it cannot hold what is needed; `literals` are texts that a content must contain.
//! The parts that are found may hold nothing; no part that matters is left out.

mod bounds;
mod literals;
mod needs;
mod parts;
mod places;
mod signature;

pub(super) use bounds::Scope;
pub(super) use parts::{Parts, Wanted};
pub(super) use places::{all_places, is_dense, rank_of};

//! A chain over parts of a tree that were loaded.
//!
//! `flat` puts parts into one array in canonical order; `steps` takes a chain over it step by step,
//! asking `matching` whether a node passes a test, `compare` how values compare and `has` what lies below. This is what a
//! selector means; everything else in `eval` only avoids work. `order` has the key of recency.

mod compare;
mod flat;
mod has;
mod matching;
mod order;
mod steps;

pub(super) use compare::check_other;
pub(super) use flat::{
    AH_RANK, FIRST_TURN_RANK, Flat, Part, ROOT_RANK, SEQ_RANK, SYS_RANK, read_part,
};
pub(super) use order::recency;
pub(super) use steps::{Spot, Walk};

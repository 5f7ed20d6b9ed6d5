//! Constructors of the syntax tree, called by the actions of the grammar and by nothing else.
//!
//! Each takes the two ends of its text and the parts that the grammar found. Those that return a
//! `Result` check what a production cannot say: one root, ranges that run upward, counts from 1.
//! They know nothing of tokens beyond their text, and nothing of dialects.

mod control;
mod filter;
mod literals;
mod selector;
mod statement;
mod time;

pub(super) use crate::language::lexing::unquoted;
pub(super) use control::control;
pub(super) use filter::*;
pub(super) use literals::and;
pub(super) use selector::*;
pub(super) use statement::*;
pub(super) use time::{End, time_history, time_range, time_single};

//! Constructors of the syntax tree, called by the actions of the grammar and by nothing else.
//!
//! Each takes the two ends of its text and what the grammar found in it, and checks what a
//! production cannot say (one root, ranges that run upward, counts from 1) or joins what several
//! productions share; whatever needs neither, the grammar makes by itself.
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
pub(super) use literals::{and, integer};
pub(super) use selector::*;
pub(super) use statement::*;
pub(super) use time::{End, time_history, time_range, time_single};

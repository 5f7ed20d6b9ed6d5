//! The outside of a plan: the states that are asked, groups, order and window.

use super::chain::Chain;
use super::when::When;
use crate::language::ast::{Mode, Order};
use std::sync::Arc;

/// A whole question.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Which states are asked.
    pub when: When,
    /// What is asked of each.
    pub ask: Ask,
    /// How the blocks of a range are paired.
    pub mode: Mode,
    /// What the asker should know.
    pub warnings: Vec<String>,
}

/// What is asked of one state.
#[derive(Debug, Clone)]
pub struct Ask {
    /// Their results are united.
    pub groups: Arc<[Group]>,
    /// The order that was asked for; none means the one that the selector implies (R7).
    pub order: Option<Order>,
    /// Which part of the result is wanted.
    pub window: Window,
}

/// A stretch of a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Window {
    /// How many to leave out first.
    pub skip: u64,
    /// How many to keep at most.
    pub limit: Option<u64>,
}

impl Window {
    /// Whether it keeps everything.
    pub fn is_open(&self) -> bool {
        *self == Window::default()
    }

    /// How many results have to be found before the rest cannot matter.
    pub fn enough(&self) -> Option<u64> {
        self.limit.map(|limit| limit.saturating_add(self.skip))
    }

    /// The stretch of a list.
    pub fn apply<T>(&self, list: Vec<T>) -> Vec<T> {
        if self.is_open() {
            return list;
        }
        let skip = usize::try_from(self.skip).unwrap_or(usize::MAX);
        let limit = self.limit.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
        list.into_iter().skip(skip).take(limit).collect()
    }
}

/// Chains of which the first that matches anything counts.
#[derive(Debug, Clone)]
pub struct Group {
    /// The alternatives, at least one. They are shared with whoever looks for them.
    pub chains: Vec<Arc<Chain>>,
}

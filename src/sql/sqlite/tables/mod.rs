//! The tables: which there are, and what their rows are made of.

mod changes;
mod lives;
mod log;
mod nodes;

use super::table::{Shape, Table};
use crate::db::View;
use std::sync::{Arc, LazyLock};

/// What every table looks like, in the order of the help.
pub(super) fn shapes() -> [&'static LazyLock<Shape>; 8] {
    [
        &nodes::PACT,
        &nodes::EACH,
        &changes::CHANGES,
        &lives::LIVES,
        &lives::CALLS,
        &log::COMMITS,
        &log::EVENTS,
        &log::ATTEMPTS,
    ]
}

/// Every table at one moment of a store.
pub(super) fn tables(view: &Arc<View>) -> Vec<Arc<dyn Table>> {
    let view = || view.clone();
    vec![
        Arc::new(nodes::Pact(view())),
        Arc::new(nodes::Each(view())),
        Arc::new(changes::Changes(view())),
        Arc::new(lives::Lives(view())),
        Arc::new(lives::Calls(view())),
        Arc::new(log::Commits(view())),
        Arc::new(log::Events(view())),
        Arc::new(log::Attempts(view())),
    ]
}

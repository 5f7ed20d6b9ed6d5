//! Answers a selector from the turn index, without loading turns.
//!
//! The index keeps one *template* for all turns of the same shape: types, roles, kinds; no ids, no
//! contents. Predicates on these are evaluated once for each template (`templates`), with a chain
//! that is stripped of all others (`strip`); only turns whose template leaves the answer open are
//! loaded. `evaluate` decides for each turn. If nothing was stripped off, what the template finds is
//! the answer; if only predicates on the contents of the last nodes were, the contents decide, and are
//! read in the order of the log.

mod evaluate;
mod strip;
mod templates;

pub(super) use evaluate::{IndexEvaluator, Verdict};
pub(crate) use templates::TemplateQuery;

//! From a text to an answer: one state, every snapshot, or a range.

use super::ast::Selector;
use super::dialect::Dialect;
use super::eval::{Hit, find};
use super::history::every;
use super::options::Options;
use super::parse_selector;
use super::plan::{Plan, When};
use super::query_error::QueryError;
use super::resolve::{Facts, resolve};
use super::timeline::{Moment, Timeline};
use crate::json::Json;
use crate::model::Id;
use crate::snapshot::node_object;
use std::collections::BTreeMap;

/// What a selector yields.
#[derive(Debug, Clone, PartialEq)]
pub enum Selected {
    /// Nodes, by id.
    Ids {
        /// In the order of R7, without repeats.
        ids: Vec<Id>,
        /// What the asker should know.
        warnings: Vec<String>,
    },
}

/// Answers a selector. Nothing is changed by it.
pub fn select(
    timeline: &dyn Timeline,
    text: &str,
    dialect: Dialect,
    options: &Options,
) -> Result<Selected, QueryError> {
    let selector = parse_selector(text, dialect)?;
    let plan = plan_for(timeline, &selector, dialect, options)?;
    let hits = hits_of(timeline, &plan)?;
    let ids = hits.into_iter().map(|(_, hit)| hit.node.id.clone()).collect();
    Ok(Selected::Ids { ids, warnings: plan.warnings })
}

/// The nodes that a selector yields, as objects (R9.2 without children) with `parent` and `depth`.
/// A node of `@*` is described as it was in the newest snapshot that has it.
pub fn nodes(
    timeline: &dyn Timeline,
    text: &str,
    dialect: Dialect,
    options: &Options,
) -> Result<(Vec<BTreeMap<String, Json>>, Vec<String>), QueryError> {
    let selector = parse_selector(text, dialect)?;
    let plan = plan_for(timeline, &selector, dialect, options)?;
    if let (When::Range { .. }, Some(time)) = (&plan.when, &selector.time) {
        return Err(QueryError::invalid(time.at.0, "a range has no nodes, only differences")
            .with_hint("ask for one snapshot, or for every one with `@*`"));
    }
    let mut objects = Vec::new();
    for (cycle, hit) in hits_of(timeline, &plan)? {
        let content = match &hit.node.content {
            Some(content) => Some(timeline.contents().content(content)?),
            None => None,
        };
        let mut object = node_object(&hit.node, cycle, content.as_deref());
        let parent = hit.parent.as_deref().map_or(Json::Null, Json::from);
        object.insert("parent".to_owned(), parent);
        object.insert("depth".to_owned(), hit.depth.map_or(Json::Null, Json::from));
        objects.push(object);
    }
    Ok((objects, plan.warnings))
}

fn plan_for(
    timeline: &dyn Timeline,
    selector: &Selector,
    dialect: Dialect,
    options: &Options,
) -> Result<Plan, QueryError> {
    let facts = Facts { history: timeline.history(), last_cycle: timeline.last_cycle() };
    resolve(selector, dialect, facts, options)
}

/// The nodes of one state or of every snapshot, each with the cycle that its ttl is counted to.
fn hits_of(timeline: &dyn Timeline, plan: &Plan) -> Result<Vec<(u64, Hit)>, QueryError> {
    match plan.when {
        When::One(state) => {
            let moment = Moment::of(timeline, state)?;
            let hits = find(&plan.ask, &moment)?;
            Ok(hits.into_iter().map(|hit| (moment.cycle, hit)).collect())
        }
        When::Every | When::Range { .. } => Ok(every(timeline, &plan.ask)?),
    }
}

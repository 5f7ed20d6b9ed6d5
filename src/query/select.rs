//! From a text to an answer: one state, every snapshot, or a range.

use super::cost::cost_warning;
use super::cursor::Cursor;
use super::eval::{FoundId, Hit, find_ids, find_whole};
use super::history::{Every, every_whole};
use super::options::SelectOptions;
use super::plan::{Plan, When};
#[cfg(feature = "sql")]
use super::plan::{RangeKind, Stop};
use super::query_error::QueryError;
use super::range::{DiffBlock, RangeDiffLatestResult, Stops, range, range_by_block};
use super::resolve::{Question, resolve};
use super::timeline::{Moment, Timeline};
use crate::json::{Json, Map};
use crate::language::Dialect;
use crate::model::Id;
use crate::snapshot::node_object;

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
    /// What changed over a range.
    Range(RangeDiffLatestResult),
}

impl Selected {
    /// The ids of the nodes; none if the answer is about a range.
    pub fn ids(&self) -> &[Id] {
        match self {
            Selected::Ids { ids, .. } => ids,
            Selected::Range(_) => &[],
        }
    }
}

/// Nodes as objects.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SelectedNodes {
    /// One object for each node, in the order of R7.
    pub nodes: Vec<Map>,
    /// What the asker should know.
    pub warnings: Vec<String>,
}

/// Answers a selector. Nothing is changed by it.
pub fn select(
    timeline: &dyn Timeline,
    text: &str,
    dialect: Dialect,
    options: &SelectOptions,
) -> Result<Selected, QueryError> {
    let question = Question::read(text, dialect)?;
    let mut diffs = Vec::new();
    let mut keep = |block| {
        diffs.push(block);
        true
    };
    Ok(match answer_by_block(timeline, text, &question, options, &mut keep)? {
        Selected::Range(range) => Selected::Range(RangeDiffLatestResult { diffs, ..range }),
        ids => ids,
    })
}

/// The same for a selector that was read before, from this text; what changed over a range is given to
/// `each`, block by block, and is not in the answer. It ends early if that says no.
pub fn answer_by_block(
    timeline: &dyn Timeline,
    text: &str,
    question: &Question,
    options: &SelectOptions,
    each: &mut dyn FnMut(DiffBlock) -> bool,
) -> Result<Selected, QueryError> {
    let plan = planned(timeline, question, options)?;
    if let When::Range { kind, stops, cut } = &plan.when {
        let stops = Stops { kind: *kind, list: stops, cut: *cut };
        return range_by_block(timeline, text, &plan, stops, (options, false), each)
            .map(Selected::Range);
    }
    let ids = match plan.when {
        When::One(state) => find_ids(&plan.ask, &Moment::of(timeline, state)?)?,
        _ => {
            let met = Every::<FoundId>::new(&plan.ask).next(timeline, usize::MAX)?;
            met.into_iter().map(|(_, found)| found.id).collect()
        }
    };
    Ok(Selected::Ids { ids, warnings: plan.warnings })
}

/// The plan of a selector, with what the asker should know of it.
fn planned(
    timeline: &dyn Timeline,
    question: &Question,
    options: &SelectOptions,
) -> Result<Plan, QueryError> {
    let mut plan = resolve(question, timeline, options)?;
    plan.warnings.extend(cost_warning(timeline, &plan)?);
    Ok(plan)
}

/// The same answer by reading everything: what tests hold [`select`] against.
pub fn select_whole(
    timeline: &dyn Timeline,
    text: &str,
    dialect: Dialect,
    options: &SelectOptions,
) -> Result<Selected, QueryError> {
    let plan = planned(timeline, &Question::read(text, dialect)?, options)?;
    let hits = match &plan.when {
        When::Range { kind, stops, cut } => {
            let stops = Stops { kind: *kind, list: stops, cut: *cut };
            return range(timeline, text, &plan, stops, options, true).map(Selected::Range);
        }
        When::One(state) => find_whole(&plan.ask, &Moment::of(timeline, *state)?)?,
        When::Every => every_whole(timeline, &plan.ask)?.into_iter().map(|(_, hit)| hit).collect(),
    };
    let ids = hits.into_iter().map(|hit| hit.node.id.clone()).collect();
    Ok(Selected::Ids { ids, warnings: plan.warnings })
}

/// The same ids, found as nodes, page by page: what tests hold [`select`] against. None for a range.
pub fn select_paged(
    timeline: &dyn Timeline,
    text: &str,
    dialect: Dialect,
    options: &SelectOptions,
    page: usize,
) -> Result<Option<Vec<Id>>, QueryError> {
    let plan = planned(timeline, &Question::read(text, dialect)?, options)?;
    let Some(mut cursor) = Cursor::<Hit>::new(&plan) else { return Ok(None) };
    let mut ids = Vec::new();
    loop {
        let hits = cursor.next(timeline, page.max(1))?;
        if hits.is_empty() {
            return Ok(Some(ids));
        }
        ids.extend(hits.into_iter().map(|(_, hit)| hit.node.id.clone()));
    }
}

/// The nodes that a selector yields, as objects (R9.2 without children) with `parent` and `depth`.
/// A node of `@*` is described as it was in the newest snapshot that has it, whose cycle is `at`.
pub fn nodes(
    timeline: &dyn Timeline,
    text: &str,
    dialect: Dialect,
    options: &SelectOptions,
) -> Result<SelectedNodes, QueryError> {
    nodes_of(timeline, &Question::read(text, dialect)?, options)
}

/// The same for a selector that was read before, in the same dialect.
pub fn nodes_of(
    timeline: &dyn Timeline,
    question: &Question,
    options: &SelectOptions,
) -> Result<SelectedNodes, QueryError> {
    let plan = planned(timeline, question, options)?;
    if let (When::Range { .. }, Some(time)) = (&plan.when, &question.time) {
        return Err(QueryError::invalid(time.at.0, "a range has no nodes, only differences")
            .with_hint("ask for one snapshot, or for every one with `@*`"));
    }
    let mut objects = Vec::new();
    let every = matches!(plan.when, When::Every);
    let hits = match Cursor::<Hit>::new(&plan) {
        Some(mut cursor) => cursor.next(timeline, usize::MAX)?,
        None => Vec::new(),
    };
    for (cycle, hit) in hits {
        let content = match &hit.node.content {
            Some(content) => Some(timeline.contents().content(content)?),
            None => None,
        };
        let mut object = node_object(&hit.node, cycle, content.as_deref());
        let parent = hit.parent.as_deref().map_or(Json::Null, Json::from);
        object.insert("parent".to_owned(), parent);
        object.insert("depth".to_owned(), hit.depth.map_or(Json::Null, Json::from));
        if every {
            object.insert("at".to_owned(), Json::from(i64::try_from(cycle).unwrap_or(i64::MAX)));
        }
        objects.push(object);
    }
    Ok(SelectedNodes { nodes: objects, warnings: plan.warnings })
}

/// What changed between neighbours among snapshots of a range, newest first.
#[cfg(feature = "sql")]
pub(crate) fn changes_between(
    timeline: &dyn Timeline,
    plan: &Plan,
    kind: RangeKind,
    list: &[Stop],
) -> Result<Vec<DiffBlock>, QueryError> {
    let stops = Stops { kind, list, cut: false };
    Ok(range(timeline, "", plan, stops, &SelectOptions::default(), false)?.diffs)
}

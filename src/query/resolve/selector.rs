//! Whole selectors to plans, and the positions of edits.

use super::meaning::groups_of;
use super::names::Names;
use super::question::Question;
use super::time::resolve_time;
use super::window;
use crate::code::Code;
use crate::language::ast::{self, Control, ControlKind, Selector};
use crate::language::{Dialect, derived_facet, derived_facet_of_position};
use crate::query::options::SelectOptions;
use crate::query::plan::{Ask, Chain, Group, Plan, When};
use crate::query::query_error::QueryError;
use crate::query::timeline::Timeline;
use std::sync::Arc;

/// Resolves a selector against a store.
pub fn resolve(
    question: &Question,
    timeline: &dyn Timeline,
    options: &SelectOptions,
) -> Result<Plan, QueryError> {
    let (selector, dialect): (&Selector, _) = (question, question.dialect());
    if selector.time.is_none() {
        if let (Some(error), false) = (derived_facet(selector), options.typed) {
            return Err(error.into());
        }
        refuse_mode(selector, "put a range in front, such as `@t-3..@t0`")?;
    }
    let meaning = question.meaning()?;
    let mut warnings = meaning.warnings.clone();
    let ask = ask(selector, meaning.groups.clone(), options);
    let time = selector.time.as_ref();
    let when = resolve_time(time, dialect, timeline, options.max_snapshots, &mut warnings)?;
    if let (When::Range { .. }, Some(0)) = (&when, options.max_snapshots) {
        let message = "maxSnapshots must be at least 1";
        return Err(QueryError::new(Code::RequestInvalid, message));
    }
    let mode = window::mode(&selector.controls, options);
    if mode.is_some() && !matches!(when, When::Range { .. }) {
        warnings.push("`@mode` means something only for a range, and is ignored".to_owned());
    }
    Ok(Plan { when, ask, mode: mode.unwrap_or(ast::Mode::Pairwise), warnings })
}

/// Resolves a selector that has no time and must not depend on one: in an edit or a diff.
pub fn resolve_timeless(
    selector: &Selector,
    dialect: Dialect,
    options: &SelectOptions,
) -> Result<Ask, QueryError> {
    if let Some(time) = &selector.time {
        return Err(QueryError::invalid(time.at.0, "a time is not allowed here"));
    }
    if let Some(error) = derived_facet(selector) {
        let hint = "it cannot be used here";
        return Err(QueryError::from(error).with_hint(hint));
    }
    refuse_mode(selector, "leave it out")?;
    Ok(ask(selector, groups_of(selector, dialect)?, options))
}

/// `@mode` says how a range is compared, and without a time there is none (R14.7).
fn refuse_mode(selector: &Selector, hint: &str) -> Result<(), QueryError> {
    let is_mode = |control: &&Control| matches!(control.kind, ControlKind::Mode(_));
    match selector.controls.iter().find(is_mode) {
        None => Ok(()),
        Some(mode) => {
            let message = "`@mode` is only for a range, and this selector has no time";
            Err(QueryError::invalid(mode.at.0, message).with_hint(hint))
        }
    }
}

/// Resolves a position of an edit, as a chain.
pub fn resolve_position(position: &ast::Position, dialect: Dialect) -> Result<Chain, QueryError> {
    if let Some(error) = derived_facet_of_position(position) {
        return Err(QueryError::from(error).with_hint("it cannot be used here"));
    }
    Names::new(dialect).position(position)
}

/// What is asked of one state.
fn ask(selector: &Selector, groups: Arc<[Group]>, options: &SelectOptions) -> Ask {
    let mut order = options.order.or_else(|| window::order(&selector.controls));
    let window = window::window(&selector.controls, options);
    if groups.len() < selector.groups.len() && groups.len() == 1 {
        // What is written as several groups never comes by recency of its own accord.
        order = order.or(Some(ast::Order::Path));
    }
    Ask { groups, order, window }
}

//! Whole selectors to plans, and the positions of edits.

use super::names::Names;
use super::time::resolve_time;
use super::window;
use crate::code::Code;
use crate::language::ast::{self, Control, ControlKind, Filter, Selector};
use crate::language::{Dialect, advise, derived_facet, derived_facet_of_position};
use crate::query::options::SelectOptions;
use crate::query::plan::{Ask, Chain, Group, Plan, When};
use crate::query::query_error::QueryError;
use crate::query::timeline::Timeline;
use std::sync::Arc;

/// Resolves a selector against a store.
pub fn resolve(
    selector: &Selector,
    dialect: Dialect,
    timeline: &dyn Timeline,
    options: &SelectOptions,
) -> Result<Plan, QueryError> {
    if selector.time.is_none() {
        if let (Some(error), false) = (derived_facet(selector), options.typed) {
            return Err(error.into());
        }
        refuse_mode(selector, "put a range in front, such as `@t-3..@t0`")?;
    }
    let mut warnings: Vec<String> = advise(selector, dialect)
        .into_iter()
        .filter(|advice| advice.kind.is_warning())
        .map(|advice| match advice.suggestion {
            Some(suggestion) => format!("{} (try {suggestion})", advice.message),
            None => advice.message,
        })
        .collect();
    let ask = ask(selector, dialect, options)?;
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
    ask(selector, dialect, options)
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

fn ask(selector: &Selector, dialect: Dialect, options: &SelectOptions) -> Result<Ask, QueryError> {
    let mut names = Names::new(dialect);
    let mut groups = Vec::with_capacity(selector.groups.len());
    let last = selector.groups.len().saturating_sub(1);
    for (i, group) in selector.groups.iter().enumerate() {
        let late: &[Filter] = if i == last { &selector.late_filters } else { &[] };
        groups.push(resolve_group(&mut names, group, late)?);
    }
    let mut order = options.order.or_else(|| window::order(&selector.controls));
    let window = window::window(&selector.controls, options);
    if groups.len() > 1 {
        groups = once_each(selector, groups);
        if groups.len() == 1 {
            // What is written as several groups never comes by recency of its own accord.
            order = order.or(Some(ast::Order::Path));
        }
    }
    Ok(Ask { groups, order, window })
}

/// The groups that are not written before: what is asked twice is answered once.
fn once_each(selector: &Selector, groups: Vec<Group>) -> Vec<Group> {
    let (written, last) = (&selector.groups, selector.groups.len() - 1);
    // A late filter belongs to the last group, and makes it another one.
    let alone = |i: usize| i == last && !selector.late_filters.is_empty();
    let mut kept: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for (i, group) in groups.into_iter().enumerate() {
        if alone(i) || kept.iter().all(|other| written[*other] != written[i]) {
            kept.push(i);
            found.push(group);
        }
    }
    found
}

fn resolve_group(
    names: &mut Names,
    group: &ast::Group,
    late: &[Filter],
) -> Result<Group, QueryError> {
    let mut chains = Vec::with_capacity(group.chains.len());
    let last = group.chains.len().saturating_sub(1);
    for (i, chain) in group.chains.iter().enumerate() {
        chains.push(Arc::new(names.chain(chain, if i == last { late } else { &[] })?));
    }
    Ok(Group { chains })
}

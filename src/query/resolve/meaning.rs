//! What a selector means in its dialect, whatever the store, the time and the asker: its groups.

use super::names::Names;
use crate::language::ast::{self, Filter, Selector};
use crate::language::{Dialect, advise};
use crate::query::plan::Group;
use crate::query::query_error::QueryError;
use std::sync::Arc;

/// What a selector means, but for times, controls and options.
#[derive(Debug)]
pub(super) struct Meaning {
    pub(super) groups: Arc<[Group]>,
    /// What the asker should know.
    pub(super) warnings: Vec<String>,
}

/// Finds out what a selector means.
pub(super) fn meaning_of(selector: &Selector, dialect: Dialect) -> Result<Meaning, QueryError> {
    let warnings = advise(selector, dialect)
        .into_iter()
        .filter(|advice| advice.kind.is_warning())
        .map(|advice| match advice.suggestion {
            Some(suggestion) => format!("{} (try {suggestion})", advice.message),
            None => advice.message,
        })
        .collect();
    Ok(Meaning { groups: groups_of(selector, dialect)?, warnings })
}

/// The groups of a selector, each once.
pub(super) fn groups_of(selector: &Selector, dialect: Dialect) -> Result<Arc<[Group]>, QueryError> {
    let mut names = Names::new(dialect);
    let mut groups = Vec::with_capacity(selector.groups.len());
    let last = selector.groups.len().saturating_sub(1);
    for (i, group) in selector.groups.iter().enumerate() {
        let late: &[Filter] = if i == last { &selector.late_filters } else { &[] };
        groups.push(resolve_group(&mut names, group, late)?);
    }
    if groups.len() > 1 {
        groups = once_each(selector, groups);
    }
    Ok(groups.into())
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

//! From selectors in text to nodes of the working state, and from time addresses to cycles.

use super::handle::Db;
use crate::change::{Insert, Parent, State};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::language::ast::TimeKind;
use crate::language::{Dialect, parse_place, parse_target, parse_time};
use crate::model::Id;
use crate::query::{self, Moment};
use crate::snapshot::Contents;

fn moment<'a>(state: &State, contents: &'a dyn Contents) -> Moment<'a> {
    Moment::working(state.tree.clone(), state.last_cycle, state.generation, contents)
}

/// The error with the text that it is about: a request may have several.
fn in_text(text: &str, error: query::QueryError) -> Error {
    let error = Error::from(error).in_text(text);
    Error { message: format!("{text}: {}", error.message), ..error }
}

/// The nodes of a target, in result order; none only if it ends in `?`.
pub(super) fn targets(state: &State, contents: &dyn Contents, text: &str) -> Result<Vec<Id>> {
    let dialect = Dialect::from(state.generation);
    let target = parse_target(text, dialect).map_err(|e| Error::from(e).in_text(text))?;
    query::resolve_target(&target, dialect, &moment(state, contents)).map_err(|e| in_text(text, e))
}

/// The parent and the place of a new node; none if nothing matches and the place is optional.
pub(super) fn place(
    state: &State,
    contents: &dyn Contents,
    text: Option<&str>,
) -> Result<Option<(Parent, Option<Insert>)>> {
    let Some(text) = text else {
        return Ok(Some((Parent::Node(state.tree.ah()?.top().id.clone()), None)));
    };
    let dialect = Dialect::from(state.generation);
    let place = parse_place(text, dialect).map_err(|e| Error::from(e).in_text(text))?;
    query::resolve_place(&place, dialect, &moment(state, contents)).map_err(|e| in_text(text, e))
}

/// The one node that something is moved below; none if nothing matches and the place is optional.
pub(super) fn parent(state: &State, contents: &dyn Contents, text: &str) -> Result<Option<Id>> {
    let dialect = Dialect::from(state.generation);
    let place = parse_place(text, dialect).map_err(|e| Error::from(e).in_text(text))?;
    query::resolve_parent(&place, dialect, &moment(state, contents)).map_err(|e| in_text(text, e))
}

/// An address, read.
pub(super) fn time(text: &str) -> Result<TimeKind> {
    let time = parse_time(text).map_err(|e| Error::from(e).in_text(text))?;
    Ok(time.kind)
}

/// The cycle of a snapshot address.
pub(super) fn snapshot_cycle(db: &Db, state: &State, text: &str) -> Result<u64> {
    let missing = || {
        Error::new(
            Code::SnapshotNotFound,
            format!("{text} is no snapshot of this store: {}", span(state)),
        )
    };
    match time(text)? {
        TimeKind::Cycle(cycle) if state.history.contains(cycle) => Ok(cycle),
        TimeKind::Relative(steps) => {
            let newest = i64::from(db.dialect().t0_is_working_state());
            let back = steps.checked_neg().and_then(|back| back.checked_sub(newest));
            let back = back.and_then(|back| u64::try_from(back).ok()).ok_or_else(missing)?;
            state.history.back(back).ok_or_else(missing)
        }
        TimeKind::Clock(ns) => {
            let found = db.inner.store.reader().newest_until(&state.history, ns)?;
            found.ok_or_else(missing)
        }
        TimeKind::Cycle(_) => Err(missing()),
        TimeKind::Event(_) => Err(Error::new(
            Code::SelectorInvalid,
            format!("{text} is the state after an event, not a snapshot: give one such as @c4"),
        )),
        _ => Err(Error::new(
            Code::SelectorInvalid,
            format!("{text} is not one snapshot: give an address such as @c4"),
        )),
    }
}

/// Which snapshots there are, for a message.
fn span(state: &State) -> String {
    match (state.history.iter().next(), state.history.iter().next_back()) {
        (Some(first), Some(last)) => format!("it has @c{first} to @c{last}"),
        _ => "it has none before its first commit".to_owned(),
    }
}

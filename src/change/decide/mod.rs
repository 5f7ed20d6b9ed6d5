//! Judging edits: each decision is complete before anything happens, and its event holds all that
//! `apply` needs.

mod add;
mod attrs;
mod birth;
mod decided;
mod insertion;
mod relocate;
mod remove;
mod set;
mod target;

pub use attrs::{check_attr, check_header};
pub(super) use birth::{new_core, next_time};
pub use decided::Decided;

use super::{ChangeError, Context, Edit, Event, State};
use crate::snapshot::Contents;

/// Judges one edit.
pub fn decide(
    state: &State,
    edit: Edit,
    contents: &dyn Contents,
    context: Context,
) -> Result<Decided, ChangeError> {
    let plain = |event| Decided { event, contents: Vec::new(), ids: Vec::new() };
    match edit {
        Edit::Add(add) => add::decide(state, *add, context),
        Edit::Set(set) => set::decide(state, *set, contents, context),
        Edit::Move(request) => relocate::decide(state, request, context),
        Edit::Remove(request) => remove::decide(state, request),
        Edit::Policy(policies) => Ok(plain(Event::PolicySet { policies })),
        Edit::EndCadence(key) => {
            attrs::check_name("a key", &key)?;
            Ok(plain(Event::CadenceEnded { key: key.into() }))
        }
        Edit::Attempt(attempt) => Ok(plain(Event::Attempt(*attempt))),
    }
}

//! One edit of a request, judged: what it names is found in the working state, and the rules of
//! `change::decide` have the last word.

use super::ops::{Add, EditOp, Move, Set};
use super::resolve;
use crate::change::decide::{Decided, decide};
use crate::change::{self, Context, Edit, Insert, Parent, State};
use crate::error::{Error, Result};
use crate::model::Id;
use crate::snapshot::Contents;

/// Judges one operation; `None` if its target or its place matches nothing and may.
pub(super) fn judge(
    state: &State,
    op: EditOp,
    contents: &dyn Contents,
    context: Context,
) -> Result<Option<Decided>> {
    let edit = match op {
        EditOp::Add(request) => {
            let place = resolve::place(state, contents, request.to.as_deref())?;
            let Some((parent, insert)) = place else { return Ok(None) };
            Edit::Add(Box::new(addition(*request, parent, insert)))
        }
        EditOp::Set(request) => {
            let targets = resolve::targets(state, contents, &request.target)?;
            Edit::Set(Box::new(setting(*request, targets)))
        }
        EditOp::Move(request) => {
            let targets = resolve::targets(state, contents, &request.target)?;
            let to = resolve::parent(state, contents, &request.to)?;
            let Some(to) = to else { return Ok(None) };
            let Move { offset, created_at_ns, .. } = request;
            Edit::Move(change::Move { targets, to, offset, created_at_ns })
        }
        EditOp::Remove(request) => {
            let targets = resolve::targets(state, contents, &request.target)?;
            Edit::Remove(change::Remove { targets, force: request.force })
        }
        EditOp::Policy(request) => Edit::Policy(request.set.unwrap_or_default()),
        EditOp::Cadence(request) => Edit::EndCadence(request.end),
        EditOp::Commit(_) => return Err(Error::request("a commit is not an edit")),
    };
    let matches_nothing = match &edit {
        Edit::Set(set) => set.targets.is_empty(),
        Edit::Move(request) => request.targets.is_empty(),
        Edit::Remove(request) => request.targets.is_empty(),
        _ => false,
    };
    let decided = decide(state, edit, contents, context)?;
    Ok((!matches_nothing).then_some(decided))
}

/// A request to add a node, at the place that it names.
fn addition(request: Add, parent: Parent, insert: Option<Insert>) -> change::Add {
    change::Add {
        parent,
        insert,
        node_type: request.node_type,
        container: request.container,
        id: request.id,
        role: request.role,
        kind: request.kind,
        key: request.key,
        tags: request.tags,
        ttl: request.ttl,
        cad: request.cad,
        offset: request.offset,
        priority: request.priority.unwrap_or(0),
        content: request.content.filter(|content| !content.is_null()),
        refs: request.refs,
        pinned: request.pinned,
        removable: request.removable,
        provenance: request.provenance,
        mime: request.mime,
        encoding: request.encoding,
        attrs: request.attrs,
        headers: request.headers.0,
        created_at_ns: request.created_at_ns,
    }
}

/// A request to set headers, on the nodes that it names.
fn setting(request: Set, targets: Vec<Id>) -> change::Set {
    change::Set {
        targets,
        content: request.content.map(|c| c.filter(|content| !content.is_null())),
        ttl: request.ttl,
        priority: request.priority.map(|priority| priority.unwrap_or(0)),
        key: request.key,
        tags: request.tags,
        cad: request.cad,
        pinned: request.pinned,
        refs: request.refs,
        mime: request.mime,
        encoding: request.encoding,
        attrs: request.attrs,
        headers: request.headers.0,
    }
}

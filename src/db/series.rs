//! Imports: a snapshot document (R9.3), or a flat log of messages (R9.4).

use super::Db;
use super::edit::End;
use super::ops::{AddRequest, BatchRequest, CommitRequest, EditOp, EditReply, ImportReply};
use crate::change::{Context, Event, Working, close_import, plan_import};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::json::Json;
use crate::limits::{MAX_BATCH_OPS, MAX_NAME_BYTES, MAX_NUMBER, MAX_SUBTREE_NODES};
use crate::log::{Append, CycleKind, NewEvent};
use crate::snapshot::{check_content, hex, read_document};
use std::sync::Arc;

impl Db {
    /// Imports a snapshot. Its tree becomes the newest snapshot and the working state.
    pub fn import_snapshot(&self, document: &Json) -> Result<ImportReply> {
        let _writer = self.write_lock();
        let working = self.working();
        let (seq, now) = (self.inner.store.next_seq(), self.inner.clock.now());
        let state = &working.state;
        // What cannot be read is taken for used; the import fails on it soon after.
        let used = |id: &str| state.was_used(id).unwrap_or(true);
        let document = read_document(document, state.generation, state.cycle(), &used)?;
        let reader = self.inner.store.reader();
        let context = Context { seq, now };
        let (mut import, contents) = plan_import(state, document, &**reader, context)?;
        let closed = close_import(state, &import)?;
        import.digest = closed.digest;
        let end = End::new(closed, Vec::new())?;
        let reply = ImportReply {
            cycle: import.cycle,
            commits: 1,
            nodes: end.before.totals.of(None).nodes + 2,
            digest: hex(&import.digest),
        };
        let events = [NewEvent { event: Arc::new(Event::Imported(import)), contents }];
        let closed = Some((&end.closed, &end.before, CycleKind::Import));
        let next = Working::fresh(end.next()?);
        self.inner.store.append(&Append { events: &events, time: now, closed, durable: true })?;
        self.publish(next);
        Ok(reply)
    }

    /// Imports a flat log of messages: one turn for each user message and what follows it. All of
    /// it becomes durable with the last commit. It is checked whole before the first commit, so a
    /// bad message leaves no trace of the good ones before it.
    pub fn import_messages(
        &self,
        messages: &[Json],
        created_at_ns: Option<i64>,
    ) -> Result<ImportReply> {
        let _writer = self.write_lock();
        if self.working().state.edited {
            let message = "there are uncommitted edits: commit or undo them before the import";
            return Err(Error::new(Code::ImportConflict, message));
        }
        let turns = turns_of(messages, created_at_ns)?;
        self.check_room(&turns)?;
        let before = self.working();
        self.import_turns(turns, created_at_ns).inspect_err(|_| {
            // The turns before the one that failed were shown, but will never be durable.
            self.inner.store.stop();
            self.publish((*before).clone());
        })
    }

    fn import_turns(
        &self,
        turns: Vec<Vec<EditOp>>,
        created_at_ns: Option<i64>,
    ) -> Result<ImportReply> {
        let (count, mut reply) = (turns.len(), ImportReply::default());
        for (i, mut ops) in turns.into_iter().enumerate() {
            ops.push(EditOp::Commit(CommitRequest { created_at_ns, expected_cycle: None }));
            let batch = BatchRequest { ops, expected_cycle: None };
            let replies = self.run_batch(batch, false, i + 1 == count)?;
            if let Some(EditReply::Commit(commit)) = replies.last() {
                reply.cycle = commit.cycle;
                reply.digest = commit.digest.clone();
            }
            reply.commits += 1;
        }
        reply.nodes = self.working().state.totals.of(None).nodes + 2;
        Ok(reply)
    }
}

impl Db {
    /// Refuses what would go beyond a bound in the middle.
    fn check_room(&self, turns: &[Vec<EditOp>]) -> Result<()> {
        let working = self.working();
        let tree = &working.state.tree;
        let system = turns.iter().flatten().filter(|op| is_system(op)).count();
        let longest = turns.iter().map(Vec::len).max().unwrap_or(0);
        let fits = longest < MAX_BATCH_OPS
            && tree.ah().len() + longest < MAX_SUBTREE_NODES
            && tree.sys().len() + system < MAX_SUBTREE_NODES
            && working.state.last_cycle.saturating_add(turns.len() as u64) <= MAX_NUMBER as u64;
        if fits {
            return Ok(());
        }
        let message = "the import has too many messages in one turn, or in all: split it";
        Err(Error::new(Code::Limit, message))
    }
}

fn is_system(op: &EditOp) -> bool {
    matches!(op, EditOp::Add(request) if request.to.as_deref() == Some("^sys"))
}

/// Says which message is at fault.
fn in_message(i: usize, error: Error) -> Error {
    let mut error = Error { message: format!("message {}: {}", i + 1, error.message), ..error };
    error.details.path = Some(format!("$[{i}]"));
    error
}

/// The messages as edits, one list for each turn.
fn turns_of(messages: &[Json], created_at_ns: Option<i64>) -> Result<Vec<Vec<EditOp>>> {
    let mut turns = vec![Vec::new()];
    let mut in_turn = 0;
    for (i, message) in messages.iter().enumerate() {
        let request =
            message_request(message, created_at_ns).map_err(|error| in_message(i, error))?;
        let is_system = request.to.as_deref() == Some("^sys");
        if request.role.as_deref() == Some("user") && in_turn > 0 {
            turns.push(Vec::new());
            in_turn = 0;
        }
        in_turn += usize::from(!is_system);
        if let Some(turn) = turns.last_mut() {
            turn.push(EditOp::Add(Box::new(request)));
        }
    }
    Ok(turns)
}

fn message_request(message: &Json, created_at_ns: Option<i64>) -> Result<AddRequest> {
    let invalid = |what: String| Error::new(Code::ImportInvalid, what);
    let Json::Map(fields) = message else {
        return Err(invalid(format!("a message is an object, not {}", message.type_name())));
    };
    let role = match fields.get("role").or(fields.get("tag")) {
        Some(Json::Str(role)) => role.clone(),
        Some(other) => {
            return Err(invalid(format!("its role is a string, not {}", other.type_name())));
        }
        None => return Err(invalid("it needs a \"role\"".into())),
    };
    if role.len() > MAX_NAME_BYTES {
        return Err(invalid(format!("its role has more than {MAX_NAME_BYTES} bytes")));
    }
    let content = fields.get("content").filter(|content| !content.is_null()).cloned();
    if let Some(content) = &content {
        check_content(content).map_err(invalid)?;
    }
    let to = if role == "system" { "^sys" } else { "^ah" };
    Ok(AddRequest {
        to: Some(to.to_owned()),
        role: Some(role),
        content,
        created_at_ns,
        ..AddRequest::default()
    })
}

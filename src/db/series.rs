//! Imports: a snapshot document (R9.3), or a flat log of messages (R9.4).

use super::Db;
use super::edit::{End, judge};
use super::ops::{AddRequest, BatchRequest, CommitRequest, EditOp, EditReply, ImportReply};
use crate::change::{Context, Event, Working, close_import, plan_import};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::json::Json;
use crate::limits::MAX_BATCH_OPS;
use crate::log::{Append, CycleKind, NewEvent};
use crate::snapshot::{hex, read_document};
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
    /// it becomes durable with the last commit.
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
        self.judge_messages(&turns)?;
        let before = self.working();
        self.import_turns(turns, created_at_ns).inspect_err(|_| {
            // The turns before the one that failed were shown, but will never be durable.
            self.inner.store.stop();
            self.publish((*before).clone());
        })
    }

    /// Judges every message before the first one is written, so that a bad one leaves no trace.
    fn judge_messages(&self, turns: &[Vec<EditOp>]) -> Result<()> {
        let working = self.working();
        let context = Context { seq: self.inner.store.next_seq(), now: self.inner.clock.now() };
        let contents = &**self.inner.store.reader();
        for (i, op) in turns.iter().flatten().enumerate() {
            judge(&working.state, op.clone(), contents, context)
                .map_err(|error| in_message(i, error))?;
        }
        match turns.iter().find(|ops| ops.len() >= MAX_BATCH_OPS) {
            None => Ok(()),
            Some(_) => {
                let message = format!("a turn has fewer than {MAX_BATCH_OPS} messages");
                Err(Error::new(Code::Limit, message))
            }
        }
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
        None => return Err(invalid("it has no role".into())),
    };
    let content = fields.get("content").filter(|content| !content.is_null()).cloned();
    let to = if role == "system" { "^sys" } else { "^ah" };
    Ok(AddRequest {
        to: Some(to.to_owned()),
        role: Some(role),
        content,
        created_at_ns,
        ..AddRequest::default()
    })
}

//! Provider calls (R10): started, finished and listed. They are events of the log and never part
//! of the tree.

use super::ops::{AttemptAction, AttemptRequest};
use super::{Db, Durability};
use crate::change::{Attempt, AttemptStatus, Event, State};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::limits::MAX_NAME_BYTES;
use crate::log::{Append, NewEvent};
use std::sync::Arc;

impl Db {
    /// Starts, finishes or lists provider calls. A list has those that agree with every field of
    /// the request.
    pub fn attempt(&self, request: AttemptRequest) -> Result<Vec<Attempt>> {
        if request.action == AttemptAction::List {
            let mut list = self.inner.store.reader().attempts(request.cycle)?;
            list.retain(|attempt| agrees(attempt, &request));
            return Ok(list);
        }
        let _writer = self.write_lock()?;
        let (seq, now) = (self.inner.store.next_seq(), self.inner.clock.now());
        let working = self.working();
        let attempt = match request.action {
            AttemptAction::Start => self.start_attempt(&working.state, request, seq, now)?,
            _ => self.finish_attempt(&working.state, request, now)?,
        };
        drop(working);
        let event = Arc::new(Event::Attempt(attempt.clone()));
        let events = [NewEvent { event: event.clone(), contents: Vec::new() }];
        let durable = self.inner.durability == Durability::Immediate;
        self.inner.store.append(&Append { events: &events, time: now, closed: None, durable })?;
        self.publish_event(seq, event)?;
        Ok(vec![attempt])
    }

    fn start_attempt(
        &self,
        state: &State,
        request: AttemptRequest,
        seq: u64,
        now: i64,
    ) -> Result<Attempt> {
        let running = request.status.is_none_or(|status| status == AttemptStatus::Running);
        if !running || request.ended_at.is_some() || request.error.is_some() {
            let message = "an attempt that starts is running: finish says how and when it ended";
            return Err(Error::new(Code::AttrInvalid, message));
        }
        let attempt_id = request.attempt_id.unwrap_or_else(|| format!("at:{seq}"));
        if attempt_id.is_empty() || attempt_id.len() > MAX_NAME_BYTES {
            let message = format!("an attempt_id has between 1 and {MAX_NAME_BYTES} bytes");
            return Err(Error::new(Code::AttrInvalid, message));
        }
        if self.inner.store.reader().attempt_cycle(&attempt_id)?.is_some() {
            let message = format!("the attempt {attempt_id} exists already: choose another id");
            return Err(Error::new(Code::NodeExists, message));
        }
        Ok(Attempt {
            attempt_id,
            cycle_id: state.cycle(),
            status: AttemptStatus::Running,
            started_at: request.started_at.unwrap_or(now),
            ended_at: None,
            provider: request.provider,
            model: request.model,
            params_hash: request.params_hash,
            token_in: request.token_in,
            token_out: request.token_out,
            error: None,
            at_event: None,
            thread_format: None,
            thread_sha256: None,
        })
    }

    fn finish_attempt(&self, state: &State, request: AttemptRequest, now: i64) -> Result<Attempt> {
        let Some(id) = request.attempt_id else {
            return Err(Error::request("finish needs the 'attempt_id' that start gave"));
        };
        if request.started_at.is_some() {
            let message = "started_at was fixed when the attempt started: leave it out";
            return Err(Error::new(Code::AttrInvalid, message));
        }
        let Some(running) = state.running.get(&id) else {
            return Err(match self.inner.store.reader().attempt_cycle(&id)? {
                Some(_) => {
                    let message = format!("the attempt {id} has ended already: start a new one");
                    Error::new(Code::Conflict, message)
                }
                None => {
                    let message = format!("there is no attempt {id}: start it first");
                    Error::new(Code::NodeNotFound, message)
                }
            });
        };
        let status = request.status.unwrap_or(match &request.error {
            Some(_) => AttemptStatus::Error,
            None => AttemptStatus::Completed,
        });
        if status == AttemptStatus::Running {
            let message = "a finished attempt is completed, canceled or error";
            return Err(Error::new(Code::AttrInvalid, message));
        }
        let running = running.clone();
        Ok(Attempt {
            status,
            ended_at: Some(request.ended_at.unwrap_or(now)),
            provider: request.provider.or(running.provider),
            model: request.model.or(running.model),
            params_hash: request.params_hash.or(running.params_hash),
            token_in: request.token_in.or(running.token_in),
            token_out: request.token_out.or(running.token_out),
            error: request.error,
            ..running
        })
    }
}

/// Whether an attempt has every value that a request names.
fn agrees(attempt: &Attempt, request: &AttemptRequest) -> bool {
    fn same<T: PartialEq>(wanted: &Option<T>, found: Option<&T>) -> bool {
        wanted.as_ref().is_none_or(|wanted| Some(wanted) == found)
    }
    same(&request.attempt_id, Some(&attempt.attempt_id))
        && same(&request.status, Some(&attempt.status))
        && same(&request.started_at, Some(&attempt.started_at))
        && same(&request.ended_at, attempt.ended_at.as_ref())
        && same(&request.provider, attempt.provider.as_ref())
        && same(&request.model, attempt.model.as_ref())
        && same(&request.params_hash, attempt.params_hash.as_ref())
        && same(&request.token_in, attempt.token_in.as_ref())
        && same(&request.token_out, attempt.token_out.as_ref())
        && same(&request.error, attempt.error.as_ref())
}

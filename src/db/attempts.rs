//! Provider calls (R10): started, finished and listed. They are events of the log and never part
//! of the tree.

use super::handle::Db;
use super::ops::{AttemptAction, AttemptRequest};
use super::read::Snapshot;
use crate::change::{Attempt, AttemptStatus, Event, State};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::limits::MAX_NAME_BYTES;

/// Says what a provider is sent in a state.
type Describe<'a> = &'a mut dyn FnMut(&Snapshot) -> Result<Sent>;

/// What a provider is sent when an attempt starts: the format of the thread, and a hash of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The name of the format.
    pub format: String,
    /// SHA-256 over the bytes of the thread.
    pub sha256: [u8; 32],
}

impl Db {
    /// Starts, finishes or lists provider calls. A list has those that agree with every field of
    /// the request.
    pub fn attempt(&self, request: AttemptRequest) -> Result<Vec<Attempt>> {
        let request = request.hashed()?;
        if request.action == AttemptAction::List {
            let mut list = self.inner.store.reader().attempts(request.cycle)?;
            list.retain(|attempt| agrees(attempt, &request));
            return Ok(list);
        }
        if request.action == AttemptAction::Start {
            return Ok(vec![self.start(request, None)?]);
        }
        let _writer = self.write_lock()?;
        let (working, now) = (self.working(), self.inner.settings.now());
        let attempt = self.finished(&working.state, request, now)?;
        drop(working);
        self.record(attempt, now).map(|attempt| vec![attempt])
    }

    /// Starts a provider call, and keeps what `sent` says of the state that it starts in: nothing
    /// can happen in between.
    #[doc(hidden)]
    pub fn start_attempt(
        &self,
        request: AttemptRequest,
        mut sent: impl FnMut(&Snapshot) -> Result<Sent>,
    ) -> Result<Attempt> {
        self.start(request.hashed()?, Some(&mut sent))
    }

    /// The provider call of that name.
    pub fn attempt_named(&self, id: &str) -> Result<Attempt> {
        let reader = self.inner.store.reader();
        let cycle = reader.attempt_cycle(id)?;
        let mut of_cycle = match cycle {
            Some(cycle) => reader.attempts(Some(cycle))?,
            None => Vec::new(),
        };
        of_cycle.retain(|attempt| attempt.attempt_id == id);
        of_cycle.pop().ok_or_else(|| {
            let mut error = Error::new(Code::NodeNotFound, format!("there is no attempt {id}"));
            error.details.hint = Some("`attempt list` names them".to_owned());
            error
        })
    }

    /// The state in which a provider call was started.
    pub fn at_attempt(&self, id: &str) -> Result<Snapshot> {
        match self.attempt_named(id)?.at_event {
            Some(seq) => self.after_event(seq),
            None => {
                let message = format!(
                    "the attempt {id} does not say at which event it was started: an earlier \
                     release recorded it"
                );
                let mut error = Error::new(Code::SnapshotNotFound, message);
                error.details.hint =
                    Some("find the event with `log --kind attempt`, and ask for `@eN`".to_owned());
                Err(error)
            }
        }
    }

    fn start(&self, request: AttemptRequest, sent: Option<Describe<'_>>) -> Result<Attempt> {
        let _writer = self.write_lock()?;
        let (seq, now) = (self.inner.store.next_seq(), self.inner.settings.now());
        let working = self.working();
        let mut attempt = self.started(&working.state, request, seq, now)?;
        drop(working);
        if let Some(sent) = sent {
            let Sent { format, sha256 } = sent(&self.working_state())?;
            attempt.thread_format = Some(format);
            attempt.thread_sha256 = Some(sha256);
        }
        self.record(attempt, now)
    }

    /// Writes what became of a provider call.
    fn record(&self, attempt: Attempt, now: i64) -> Result<Attempt> {
        self.write_event(Event::Attempt(attempt.clone()), Vec::new(), now)?;
        Ok(attempt)
    }

    fn started(
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
            at_event: Some(seq - 1),
            thread_format: None,
            thread_sha256: None,
        })
    }

    fn finished(&self, state: &State, request: AttemptRequest, now: i64) -> Result<Attempt> {
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

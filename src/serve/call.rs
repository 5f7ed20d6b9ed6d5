//! A request that a thread answers, beside those that keep the connections.
//!
//! The thread tells of parts and of the reply through a bounded channel. Whoever waits at its other end
//! and leaves ends the question.

use super::body::Held;
use super::opened::{Opened, is_gone};
use super::record::{self, Operated};
use super::response::{error_line, text_of};
use super::shared::Shared;
use super::status::status_of;
use super::stores::Lease;
use crate::attach::Access;
use crate::budget::{Budget, Cancel};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::json::{self, Json};
use crate::limits::MAX_BATCH_OPS;
use crate::protocol::{Body, Client, Envelope, Reply, Request, Sink, handle_streaming, with_text};
use axum::http::StatusCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, TryAcquireError};

/// How many parts wait to be sent.
const AHEAD: usize = 16;

/// The operation that does not end by itself.
const WATCH: &str = "watch";

/// What a request is, beside its store.
pub(super) struct Asked {
    pub(super) about: About,
    pub(super) body: Held,
}

/// What is known of a request before it is read.
pub(super) struct About {
    pub(super) store: String,
    pub(super) access: Access,
    /// Whether an error brings the text that it points into.
    pub(super) text: bool,
    pub(super) began: Instant,
}

/// What a request tells.
pub(super) enum Told {
    /// It streams, and is being answered.
    Begun,
    /// A notice, as a line.
    Line(String),
    /// The reply, and its status.
    Done(String, StatusCode),
}

/// A request that is being answered. To drop it ends it.
pub(super) struct Running {
    receiver: Receiver<Told>,
    cancel: Cancel,
}

impl Running {
    /// What is told next.
    pub(super) async fn next(&mut self) -> Told {
        let told = self.receiver.recv().await;
        told.unwrap_or_else(Running::lost)
    }

    /// The same, for whoever polls.
    pub(super) fn poll_next(&mut self, cx: &mut std::task::Context<'_>) -> std::task::Poll<Told> {
        self.receiver.poll_recv(cx).map(|told| told.unwrap_or_else(Running::lost))
    }

    /// The thread did not come back.
    fn lost() -> Told {
        let error = Error::new(Code::StoreIo, "the server could not finish this");
        Told::Done(error_line(error), StatusCode::INTERNAL_SERVER_ERROR)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Has a request answered, as soon as there is a thread for it.
pub(super) async fn start(shared: &Arc<Shared>, lease: Lease, asked: Asked) -> Result<Running> {
    let waiting = shared.workers.clone().acquire_owned();
    let waited = tokio::time::timeout(shared.settings.limits.timeout, waiting).await;
    let Ok(Ok(worker)) = waited else {
        let message = "the server has more to do than it can: try again later";
        return Err(Error::new(Code::Busy, message));
    };
    let (sender, receiver) = channel(AHEAD);
    let cancel = Cancel::new();
    let Asked { about, body } = asked;
    let call = Call {
        shared: shared.clone(),
        about,
        sender,
        worker: Mutex::new(Some(worker)),
        last: Mutex::default(),
    };
    let cancelled = cancel.clone();
    tokio::task::spawn_blocking(move || call.run(lease, body, &cancelled));
    Ok(Running { receiver, cancel })
}

/// A request in its thread.
struct Call {
    shared: Arc<Shared>,
    about: About,
    sender: Sender<Told>,
    /// One of the requests that are answered at a time; a watch gives it back.
    worker: Mutex<Option<OwnedSemaphorePermit>>,
    last: Mutex<Last>,
}

/// What is known of the operation that was answered last.
#[derive(Default)]
struct Last {
    operation: Option<&'static str>,
    code: Option<Code>,
    text: Option<String>,
    cycle: Option<i64>,
    gone: bool,
}

impl Call {
    fn run(self, lease: Lease, body: Held, cancel: &Cancel) {
        let body = body.take();
        let received = body.len();
        let stopping = Budget::new().cancelled_by(&self.shared.stopping);
        let (line, status) = Budget::new().cancelled_by(cancel).run(|| {
            stopping.run(|| match body.trim_ascii_start().first() {
                Some(b'[') => self.several(&lease, &body),
                _ => self.single(&lease, body),
            })
        });
        self.shared.metrics.moved(received, line.len());
        let gone = self.last().gone && lease.is_attached();
        drop(self.worker);
        match gone {
            true => drop(tokio::runtime::Handle::current().spawn(lease.forget())),
            false => drop(lease),
        }
        // Whoever asked may have left.
        let _ = self.sender.blocking_send(Told::Done(line, status));
    }

    /// One operation: its reply.
    fn single(&self, opened: &Opened, body: Vec<u8>) -> (String, StatusCode) {
        let mut sent = 0;
        let line = handle_streaming(&Guarded { call: self, opened }, body, &mut |before| {
            sent += before.len() + 1;
            self.tell(Told::Line(before.to_owned()))
        });
        self.shared.metrics.moved(0, sent);
        let last = std::mem::take(&mut *self.last());
        // What is no request never came to the store.
        let code = match last.operation {
            Some(_) => last.code,
            None => Some(code_of(&line).unwrap_or(Code::RequestInvalid)),
        };
        let line = match self.about.text {
            true => with_text(line, last.text.as_deref()),
            false => line,
        };
        self.record(&last, code, self.about.began, sent + line.len());
        self.last().gone = last.gone;
        (line, code.map_or(StatusCode::OK, status_of))
    }

    /// A list of operations, each on its own: the list of their replies.
    fn several(&self, opened: &Opened, body: &[u8]) -> (String, StatusCode) {
        let list = match list_of(body) {
            Ok(list) => list,
            Err(error) => {
                let (code, line) = (error.code, error_line(error));
                self.record(&Last::default(), Some(code), self.about.began, line.len());
                return (line, status_of(code));
            }
        };
        let longest = Budget::new().timeout(self.shared.settings.limits.longest_timeout);
        let (mut replies, mut gone) = (String::from("["), false);
        longest.run(|| {
            for request in list {
                if replies.len() > 1 {
                    replies.push(',');
                }
                let began = Instant::now();
                let line = self.one_of_several(opened, request);
                let last = std::mem::take(&mut *self.last());
                let code = match last.operation {
                    Some(_) => last.code,
                    None => Some(Code::RequestInvalid),
                };
                self.record(&last, code, began, line.len());
                gone |= last.gone;
                replies.push_str(&line);
            }
        });
        replies.push(']');
        self.last().gone = gone;
        (replies, StatusCode::OK)
    }

    fn one_of_several(&self, opened: &Opened, request: Json) -> String {
        let rid = match &request {
            Json::Map(map) => map.get("rid").cloned(),
            _ => None,
        };
        let reply = match Envelope::from_json(request) {
            Ok(envelope) => {
                let envelope = Envelope { stream: false, ..envelope };
                Guarded { call: self, opened }.call(envelope, &mut |_| Ok(()))
            }
            Err(error) => Reply::refused(rid, error),
        };
        text_of(&reply)
    }

    fn tell(&self, told: Told) -> Result<()> {
        let sent = self.sender.blocking_send(told);
        sent.map_err(|_| Error::new(Code::Cancelled, "whoever asked has left"))
    }

    fn record(&self, last: &Last, code: Option<Code>, began: Instant, bytes: usize) {
        let operated = Operated {
            store: &self.about.store,
            operation: last.operation,
            code,
            took: began.elapsed(),
            bytes,
            cycle: last.cycle,
        };
        self.shared.metrics.operated(&operated);
        record::operated(&operated);
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The store, as far as the request may use it.
struct Guarded<'a> {
    call: &'a Call,
    opened: &'a Opened,
}

impl Guarded<'_> {
    fn answer(&self, envelope: Envelope, sink: Sink<'_>) -> Result<Reply> {
        let (settings, name) = (&self.call.shared.settings, envelope.request.name());
        if !envelope.request.only_reads() {
            let who = match (self.call.about.access, settings.read_only) {
                (_, true) => Some("the server"),
                (Access::Read, false) => Some("the token"),
                (Access::Write, false) => None,
            };
            if let Some(who) = who {
                let message = format!("{who} allows reading alone, and `{name}` changes the store");
                return Err(Error::new(Code::ReadOnly, message));
            }
        }
        if envelope.stream {
            self.call.tell(Told::Begun)?;
        }
        if name == WATCH {
            return self.watch(envelope, sink);
        }
        let limits = &settings.limits;
        let time = match envelope.timeout_ms {
            None => limits.timeout,
            Some(0) => limits.longest_timeout,
            Some(wanted) => Duration::from_millis(wanted).min(limits.longest_timeout),
        };
        let timeout_ms = u64::try_from(time.as_millis()).ok().map(|time| time.max(1));
        Ok(self.opened.call(Envelope { timeout_ms, ..envelope }, sink))
    }

    /// A watch takes none of the threads that others wait for, and no time is too long for it.
    fn watch(&self, envelope: Envelope, sink: Sink<'_>) -> Result<Reply> {
        let shared = &self.call.shared;
        let _watch = shared.watches.try_acquire().map_err(|_: TryAcquireError| {
            let most = shared.settings.limits.watches;
            Error::new(Code::Busy, format!("there are {most} watches already: try again later"))
        })?;
        self.call.worker.lock().unwrap_or_else(PoisonError::into_inner).take();
        let budget = Budget::new().cancelled_by(&shared.watches_end);
        Ok(budget.run(|| self.opened.call(envelope, sink)))
    }
}

impl Client for Guarded<'_> {
    fn call(&self, envelope: Envelope, sink: Sink<'_>) -> Reply {
        let (rid, commits) = (envelope.rid.clone(), commits(&envelope.request));
        let operation = Some(envelope.request.name());
        let reply = self.answer(envelope, sink).unwrap_or_else(|error| Reply::refused(rid, error));
        let error = reply.result.as_ref().err();
        *self.call.last() = Last {
            operation,
            code: error.map(|error| error.code),
            text: error.and_then(|error| error.details.text.clone()),
            cycle: reply.result.as_ref().ok().filter(|_| commits).and_then(cycle_of),
            gone: is_gone(&reply),
        };
        reply
    }
}

/// Whether a request may close a cycle.
fn commits(request: &Request) -> bool {
    match request {
        Request::Commit(commit) => !commit.dry_run,
        Request::Restore(_) | Request::Import(_) | Request::Batch(_) => true,
        _ => false,
    }
}

/// The cycle that a reply tells of.
fn cycle_of(body: &Body) -> Option<i64> {
    let Body::Value(Json::Map(reply)) = body else { return None };
    let last = match reply.get("results") {
        Some(Json::List(results)) => match results.last() {
            Some(Json::Map(last)) => last,
            _ => return None,
        },
        _ => reply,
    };
    match last.get("cycle") {
        Some(Json::Int(cycle)) => Some(*cycle),
        _ => None,
    }
}

/// The code of a reply that is an error.
fn code_of(line: &str) -> Option<Code> {
    Reply::from_line(line, false).ok()?.result.err().map(|error| error.code)
}

fn list_of(body: &[u8]) -> Result<Vec<Json>> {
    let text = std::str::from_utf8(body)
        .map_err(|error| Error::request(format!("the body is not UTF-8: {error}")))?;
    match json::parse_document(text.trim())? {
        Json::List(list) if list.len() > MAX_BATCH_OPS => {
            let message = format!("a list has at most {MAX_BATCH_OPS} operations: split it");
            Err(Error::new(Code::Limit, message))
        }
        Json::List(list) => Ok(list),
        other => Err(Error::request(format!("a list was begun, not {}", other.type_name()))),
    }
}

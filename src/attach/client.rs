//! The other end: a client whose store is open in another process of the same user.
//!
//! A request is sent once. If the connection ends before its reply, the error says whether it may have
//! been done, and the caller decides.

use super::hello::Hello;
use super::place::Places;
use super::wire::{gone, send};
use crate::budget;
use crate::code::Code;
use crate::error::{Error, Result};
use crate::json::{self, Json};
use crate::protocol::{Client, Envelope, Reply, Sink, notice_of, text_beside};
use interprocess::local_socket::Stream;
use interprocess::local_socket::traits::Stream as _;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How often somebody who waits looks whether to wait any longer.
const LOOK: Duration = Duration::from_millis(20);

/// How long a holder may take to say hello.
const HELLO: Duration = Duration::from_secs(5);

/// A store that another process has open and shares: see [`Sharing`](super::Sharing).
#[derive(Debug)]
pub struct Attached {
    hello: Hello,
    wire: Mutex<Wire>,
}

/// A connection, and the number of the last request on it.
#[derive(Debug)]
struct Wire {
    stream: BufReader<Stream>,
    last: i64,
    /// Whether it has ended, or an answer on it was not read to its end.
    broken: bool,
}

impl Attached {
    /// Connects to the process that has the store in this file open. If nobody answers there,
    /// [`Error::io_kind`] is `NotFound` or `ConnectionRefused`.
    pub fn to(store: impl AsRef<Path>) -> Result<Attached> {
        let failed = |error| {
            let mut failed = Error::io("nobody shares the store", error);
            failed.code = Code::StoreLocked;
            failed
        };
        let places = Places::of(store.as_ref()).map_err(failed)?;
        let stream = places.first(|place| {
            place.check()?;
            Stream::connect(place.name()?)
        });
        let stream = stream.map_err(failed)?;
        // Where there is no such bound, the holder is waited for.
        let _ = stream.set_recv_timeout(Some(HELLO));
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        stream.read_line(&mut line).map_err(failed)?;
        if line.is_empty() {
            return Err(failed(ErrorKind::ConnectionRefused.into()));
        }
        let hello = Hello::from_line(&line)?;
        let _ = stream.get_ref().set_recv_timeout(Some(LOOK));
        Ok(Attached { hello, wire: Mutex::new(Wire { stream, last: 0, broken: false }) })
    }

    /// What the holder said of itself and of the store.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }
}

impl Client for Attached {
    fn call(&self, mut envelope: Envelope, sink: Sink<'_>) -> Reply {
        let mut wire = self.wire.lock().unwrap_or_else(PoisonError::into_inner);
        let rid = envelope.rid.take();
        match wire.ask(envelope, sink) {
            Ok(reply) => Reply { rid, ..reply },
            Err(error) => {
                wire.broken = true;
                Reply::refused(rid, error)
            }
        }
    }

    fn process(&self) -> Option<u32> {
        Some(self.hello.process)
    }
}

impl Wire {
    /// Sends a request and waits for its reply. An error is one of the connection.
    fn ask(&mut self, mut envelope: Envelope, sink: Sink<'_>) -> Result<Reply> {
        if self.broken {
            return Err(gone(false));
        }
        self.last += 1;
        envelope.rid = Some(Json::Int(self.last));
        let (edits, exact) = (!envelope.request.only_reads(), envelope.request.is_exact());
        let text = json::line(&envelope).map_err(|error| Error::request(error.to_string()))?;
        drop(envelope);
        send(self.stream.get_ref(), &text).map_err(|_| gone(false))?;
        drop(text);
        let mut stopped = None;
        loop {
            let Some(line) = self.line(&mut stopped)? else { return Err(gone(edits)) };
            let notice = match notice_of(&line, Some(self.last)) {
                Some(notice) => notice,
                None => {
                    let reply = text_beside(Reply::from_line(&line, exact)?, &line);
                    return match stopped {
                        // What it was ended for is of more interest than that it was ended.
                        Some(error) if is_cancelled(&reply) => {
                            Ok(Reply { result: Err(error), ..reply })
                        }
                        _ => Ok(reply),
                    };
                }
            };
            if stopped.is_none()
                && let Err(error) = sink(notice)
            {
                stopped = Some(error);
                self.cancel()?;
            }
        }
    }

    /// The next line; none at the end of the connection. When the work of this thread is to end, the
    /// holder is told so once, and its reply is waited for.
    fn line(&mut self, stopped: &mut Option<Error>) -> Result<Option<String>> {
        let mut bytes = Vec::new();
        loop {
            match self.stream.read_until(b'\n', &mut bytes) {
                Ok(_) if bytes.last() == Some(&b'\n') => {
                    return String::from_utf8(bytes).map(Some).map_err(|_| {
                        Error::new(Code::StoreIo, "the holder of the store sent what is no text")
                    });
                }
                Ok(_) => return Ok(None),
                Err(error) if is_timeout(&error) => {
                    if stopped.is_none()
                        && let Err(reason) = budget::check()
                    {
                        *stopped = Some(reason.into());
                        self.cancel()?;
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Ok(None),
            }
        }
    }

    fn cancel(&mut self) -> Result<()> {
        send(self.stream.get_ref(), &format!("{{\"cancel\":{}}}", self.last))
            .map_err(|_| gone(true))
    }
}

fn is_timeout(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

fn is_cancelled(reply: &Reply) -> bool {
    reply.result.as_ref().is_err_and(|error| error.code == Code::Cancelled)
}

//! One client of a holder: its requests are answered in their order.
//!
//! Requests are read by a thread of their own, so that `{"cancel": rid}` is heard while another is
//! answered, and so that a client that has gone away ends what it asked. Both directions are bounded:
//! few requests are read ahead, and a client that does not read what it asked for is dropped.

use super::hello::Access;
use super::shared::{Seat, Shared, hang_up};
use super::wire::{gone, send};
use crate::budget::{Budget, Cancel};
use crate::code::Code;
use crate::error::Error;
use crate::json::{self, Line, read_line};
use crate::limits::{MAX_CONNECTIONS, MAX_LINE_BYTES};
use crate::protocol::{
    Cancels, Client, Envelope, Reply, Sink, handle_streaming, refuse_line, with_text,
};
use interprocess::local_socket::Stream;
use interprocess::local_socket::traits::{Stream as _, StreamCommon as _};
use std::io::BufReader;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How many requests are read before those ahead of them are answered.
const AHEAD: usize = 32;

/// How long a client may take to make room for what it asked.
const PATIENCE: Duration = Duration::from_secs(5);

/// A line that came, and what may end its answer.
struct Came {
    line: Vec<u8>,
    whole: bool,
    number: u64,
    cancel: Cancel,
}

/// Talks to a client until it leaves.
pub(super) fn answer(stream: &Stream, seat: &Seat) {
    // Whoever is not this user is not answered.
    if !is_own(stream) {
        return;
    }
    // Where it cannot be had, the system's buffers are the bound.
    let _ = stream.set_send_timeout(Some(PATIENCE));
    let Some(Ok(hello)) = seat.hello().map(|hello| json::line(&hello)) else { return };
    if send(stream, &hello).is_err() {
        return;
    }
    let (sender, receiver) = sync_channel(AHEAD);
    let asked = Cancels::default();
    std::thread::scope(|scope| {
        let (asked, shared) = (&asked, &**seat);
        scope.spawn(move || {
            read(stream, shared, asked, &sender);
            // It left, and wants no answers any more.
            asked.end_all();
        });
        serve(receiver, stream, shared, asked);
        // Whoever reads is told by this.
        hang_up(stream);
    });
}

/// Tells a client that there are too many.
pub(super) fn refuse(stream: &Stream) {
    let message = format!("the store has {MAX_CONNECTIONS} connections, and takes no more");
    let error = Error::new(Code::Limit, message);
    let _ = stream.set_send_timeout(Some(PATIENCE));
    let _ = send(stream, &refuse_line(b"", error));
}

/// Whether the other end is a process of the same user.
#[cfg(unix)]
fn is_own(stream: &Stream) -> bool {
    let own = rustix::process::geteuid().as_raw();
    stream.peer_creds().is_ok_and(|peer| peer.euid() == Some(own))
}

/// The pipe's access list has looked already.
#[cfg(not(unix))]
fn is_own(_: &Stream) -> bool {
    true
}

/// Reads requests until the client leaves or nobody answers them.
fn read(stream: &Stream, shared: &Shared, asked: &Cancels, sender: &SyncSender<Came>) {
    let mut input = BufReader::new(stream);
    loop {
        let mut line = Vec::new();
        let whole = match read_line(&mut input, &mut line, MAX_LINE_BYTES) {
            // A line without its end is not all that was meant.
            Ok(Line::Whole) if line.last() != Some(&b'\n') => return,
            Ok(Line::Whole) => true,
            Ok(Line::TooLong) => false,
            Ok(Line::End) | Err(_) => return,
        };
        let Some(cancel) = asked.heard(&line) else { continue };
        let number = shared.begin(&cancel);
        let sent = sender.send(Came { line, whole, number, cancel });
        // The rest of a line that is too long cannot be told from a request.
        if sent.is_err() || !whole {
            return;
        }
    }
}

/// Answers what was read, in its order.
fn serve(receiver: Receiver<Came>, stream: &Stream, shared: &Shared, asked: &Cancels) {
    for Came { line, whole, number, cancel } in receiver {
        let guarded = Guarded { shared, text: Mutex::default() };
        let reply = match whole {
            true => Budget::new().cancelled_by(&cancel).run(|| {
                handle_streaming(&guarded, line, &mut |before| {
                    send(stream, before).map_err(|error| Error::io("the client", error))
                })
            }),
            false => {
                let message = format!("a line has at most {MAX_LINE_BYTES} bytes: split it");
                refuse_line(&line, Error::new(Code::Limit, message))
            }
        };
        shared.end(number);
        asked.answered();
        let text = guarded.text.into_inner().unwrap_or_else(PoisonError::into_inner);
        if send(stream, &with_text(reply, text.as_deref())).is_err() {
            return;
        }
    }
}

/// The store, as far as the connection may use it.
struct Guarded<'a> {
    shared: &'a Shared,
    /// What the error of the last reply points into.
    text: Mutex<Option<String>>,
}

impl Client for Guarded<'_> {
    fn call(&self, envelope: Envelope, sink: Sink<'_>) -> Reply {
        let refused = |error: Error| Reply::refused(envelope.rid.clone(), error);
        if self.shared.access == Access::Read && !envelope.request.only_reads() {
            let message = format!(
                "the process that holds the store shares it for reading only, and `{}` changes it",
                envelope.request.name()
            );
            return refused(Error::new(Code::ReadOnly, message));
        }
        match &*self.shared.store() {
            Some(store) => {
                let reply = store.call(envelope, sink);
                let text = reply.result.as_ref().err().and_then(|error| error.details.text.clone());
                *self.text.lock().unwrap_or_else(PoisonError::into_inner) = text;
                reply
            }
            None => refused(gone(false)),
        }
    }
}

//! JSON Lines: one request a line in, one reply a line out, in order, each flushed.
//!
//! Lines are read by a thread of their own, so that a signal is heard while nothing comes. It ends the
//! request in progress, which is answered with `E_CANCELLED`; then the pipe ends as it does when its
//! input ends. `{"cancel": rid}` ends a request that came before, and only that.

use crate::signals::{self, Output};
use pactdb::json::{Line, read_line};
use pactdb::limits::MAX_LINE_BYTES;
use pactdb::protocol::{Cancels, Client, handle_streaming, refuse_line};
use pactdb::{Budget, Cancel, Code, Error, Result};
use std::io::{BufRead, ErrorKind, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// What the pipe waits for.
enum Came {
    Line(Vec<u8>, Cancel),
    /// The beginning of a line that is too long.
    TooLong(Vec<u8>),
    End,
    Failed(std::io::Error),
    Signal,
}

/// Answers until standard input ends, a signal comes, or nobody reads the replies any more.
pub fn run(client: &dyn Client) -> Result<()> {
    // One line is read while another is answered; more would only fill memory.
    let (sender, receiver) = sync_channel(0);
    let signal = sender.clone();
    let _watcher = signals::tell(move || {
        let _ = signal.send(Came::Signal);
    });
    let asked = Arc::new(Cancels::default());
    let heard = asked.clone();
    std::thread::spawn(move || read(&sender, &heard));
    serve(client, &receiver, &asked)
}

fn read(sender: &SyncSender<Came>, asked: &Cancels) {
    let mut input = std::io::stdin().lock();
    loop {
        let mut line = Vec::new();
        let came = match read_line(&mut input, &mut line, MAX_LINE_BYTES) {
            Ok(Line::End) => Came::End,
            Ok(Line::Whole) if is_blank(&line) => continue,
            Ok(Line::Whole) => match asked.heard(&line) {
                Some(cancel) => Came::Line(line, cancel),
                None => continue,
            },
            Ok(Line::TooLong) => Came::TooLong(line),
            Err(error) => Came::Failed(error),
        };
        let (last, cut) = (came.is_last(), matches!(came, Came::TooLong(_)));
        if sender.send(came).is_err() || last {
            return;
        }
        // It is answered already, and its rest is read without being held.
        if cut && let Err(error) = input.skip_until(b'\n') {
            let _ = sender.send(Came::Failed(error));
            return;
        }
    }
}

impl Came {
    fn is_last(&self) -> bool {
        matches!(self, Came::End | Came::Failed(_))
    }
}

fn serve(client: &dyn Client, receiver: &Receiver<Came>, asked: &Cancels) -> Result<()> {
    while !signals::came_already() {
        let reply = match receiver.recv() {
            Ok(Came::Line(line, cancel)) => {
                let reply = Budget::new().cancelled_by(&cancel).run(|| {
                    handle_streaming(client, line, &mut |before| {
                        send(&before).map_err(|error| failed(&error))
                    })
                });
                asked.answered();
                reply
            }
            Ok(Came::TooLong(line)) => refuse_line(&line, too_long()),
            Ok(Came::Failed(error)) => {
                return Err(Error::new(Code::StoreIo, format!("the input: {error}")));
            }
            Ok(Came::End | Came::Signal) | Err(_) => return Ok(()),
        };
        match send(&reply) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            // Nobody reads, and the program is to end.
            Err(_) if signals::came_already() => return Ok(()),
            Err(error) => return Err(failed(&error)),
        }
    }
    Ok(())
}

fn send(line: &impl std::fmt::Display) -> std::io::Result<()> {
    Output.write_all(format!("{line}\n").as_bytes())
}

fn failed(error: &std::io::Error) -> Error {
    Error::new(Code::StoreIo, format!("the output: {error}"))
}

fn is_blank(line: &[u8]) -> bool {
    std::str::from_utf8(line).is_ok_and(|line| line.trim().is_empty())
}

fn too_long() -> Error {
    let message =
        format!("a line has at most {MAX_LINE_BYTES} bytes, and this one has more: split it");
    Error::new(Code::Limit, message)
}

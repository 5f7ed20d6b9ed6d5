//! JSON Lines: one request a line in, one reply a line out, in order, each flushed.
//!
//! Lines are read by a thread of their own, so that an interrupt is heard while nothing comes: the
//! request in progress is finished, and the store is closed as it should be.

use pactdb::protocol::handle_line;
use pactdb::{Code, Db, Error, Result};
use std::io::{BufRead, ErrorKind, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// What the pipe waits for.
enum Came {
    Line(Vec<u8>),
    End,
    Failed(std::io::Error),
    Interrupt,
}

/// Answers until standard input ends, somebody interrupts, or nobody reads the replies any more.
pub fn run(db: &Db) -> Result<()> {
    // One line may wait while another is answered; more would only fill memory.
    let (sender, receiver) = sync_channel(1);
    let interrupt = sender.clone();
    let heard = ctrlc::set_handler(move || {
        let _ = interrupt.send(Came::Interrupt);
    });
    heard.map_err(|error| Error::new(Code::StoreIo, format!("interrupts: {error}")))?;
    std::thread::spawn(move || read(&sender));
    serve(db, &receiver, std::io::stdout().lock())
}

fn read(sender: &SyncSender<Came>) {
    let mut input = std::io::stdin().lock();
    loop {
        let mut line = Vec::new();
        let came = match input.read_until(b'\n', &mut line) {
            Ok(0) => Came::End,
            Ok(_) => Came::Line(line),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => Came::Failed(error),
        };
        let last = !matches!(came, Came::Line(_));
        if sender.send(came).is_err() || last {
            return;
        }
    }
}

fn serve(db: &Db, receiver: &Receiver<Came>, mut output: impl Write) -> Result<()> {
    loop {
        let line = match receiver.recv() {
            Ok(Came::Line(line)) => line,
            Ok(Came::Failed(error)) => {
                return Err(Error::new(Code::StoreIo, format!("the input: {error}")));
            }
            Ok(Came::End | Came::Interrupt) | Err(_) => return Ok(()),
        };
        // A line that is no text is no request either; the reply says so.
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        let reply = handle_line(db, text);
        match writeln!(output, "{reply}").and_then(|()| output.flush()) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            Err(error) => return Err(Error::new(Code::StoreIo, format!("the output: {error}"))),
        }
    }
}

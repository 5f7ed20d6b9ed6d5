//! JSON Lines: one request a line in, one reply a line out, in order, each flushed.

use pactdb::protocol::handle_line;
use pactdb::{Code, Db, Error, Result};
use std::io::{BufRead, ErrorKind, Write};

/// Answers until the input ends. Whoever reads the replies may leave at any time.
pub fn serve(db: &Db, mut input: impl BufRead, mut output: impl Write) -> Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(Error::new(Code::StoreIo, format!("the input: {error}"))),
        }
        // A line that is no text is no request either; the reply says so.
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        let reply = handle_line(db, text);
        let written = writeln!(output, "{reply}").and_then(|()| output.flush());
        match written {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            Err(error) => return Err(Error::new(Code::StoreIo, format!("the output: {error}"))),
        }
    }
}

//! What both ends of a connection know: how a line is sent, and what is said when one of them leaves.

use crate::code::Code;
use crate::error::Error;
use interprocess::local_socket::Stream;
use std::io::Write;

/// Sends a line in one piece.
pub(super) fn send(mut stream: &Stream, line: &str) -> std::io::Result<()> {
    let mut bytes = Vec::with_capacity(line.len() + 1);
    bytes.extend_from_slice(line.as_bytes());
    bytes.push(b'\n');
    stream.write_all(&bytes)
}

/// The error of a client whose store went away; `sent` if its request may have been heard.
pub(super) fn gone(sent: bool) -> Error {
    let message = match sent {
        true => {
            "the process that held the store has ended before it answered: the request may have been done or not, look before you send it again"
        }
        false => "the process that held the store has ended: nothing was done",
    };
    Error::new(Code::StoreGone, message)
}

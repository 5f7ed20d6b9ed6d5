//! The one place that prints.
//!
//! What goes to people passes [`Look::clean`]; what goes to programs is written as it is. Whoever
//! reads may leave at any time, which is no error; a disk that is full is one. Nothing here panics,
//! whatever the streams are.

use crate::render::Look;
use crate::signals::Output;
use pactdb::{Code, Error, Result};
use std::io::{ErrorKind, Write};

/// Writes exact bytes to standard output; false if nobody reads it any more.
pub fn exact(text: &str) -> Result<bool> {
    match write(text) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Error::new(Code::StoreIo, format!("the output: {error}"))),
    }
}

/// Writes for people to standard output; somebody who left is an error here.
pub fn show(look: Look, text: &str) -> std::io::Result<()> {
    write(&look.clean(text))
}

/// Writes for people to standard error. If nobody can read that, there is nobody to tell.
pub fn remark(look: Look, text: &str) {
    let mut output = std::io::stderr().lock();
    let _ = output.write_all(look.clean(text).as_bytes()).and_then(|()| output.flush());
}

fn write(text: &str) -> std::io::Result<()> {
    Output.write_all(text.as_bytes())
}

//! The REPL: statements typed at a prompt, or read from a script.
//!
//! [`run`] talks to a person at a terminal and [`script`] reads from anything else; both drive one
//! [`session::Session`], which knows nothing of terminals. The table in [`meta`] is the only list
//! of dot commands: dispatch, help and completion all read it.

mod arguments;
mod commands;
mod complete;
mod events;
mod files;
mod help;
mod helper;
mod highlight;
mod hint;
mod history;
mod meta;
mod prompt;
mod query;
mod reader;
mod report;
mod script;
mod session;
mod settings;
mod sink;
mod splitter;
mod terminal;

pub use script::{ScriptOptions, script};

use crate::context::Context;
use crate::signals::Input;
use pactdb::{Code, Error, Result};
use std::io::{BufReader, IsTerminal};
use std::path::Path;
use std::process::ExitCode;

/// Opens the REPL, on a new store if there is none. Away from a terminal the standard input is a
/// script.
pub fn run(context: &Context) -> Result<ExitCode> {
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        return terminal::run(context);
    }
    script(context, BufReader::new(Input), &ScriptOptions::default())
}

/// Runs the statements of a file; `-` is standard input.
pub fn run_file(context: &Context, file: &Path, options: ScriptOptions) -> Result<ExitCode> {
    if file == Path::new("-") {
        return script(context, BufReader::new(Input), &options);
    }
    let input = std::fs::File::open(file)
        .map_err(|error| Error::new(Code::StoreIo, format!("{}: {error}", file.display())))?;
    let name = Some(file.display().to_string());
    script(context, BufReader::new(input), &ScriptOptions { name, ..options })
}

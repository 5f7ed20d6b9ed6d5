//! The program: arguments in, text and exit status out. It sees only the library's public face.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program prints")]

mod answer;
mod args;
mod commands;
mod context;
mod demo;
mod pipe;
mod progress;
mod render;
mod repl;
mod request;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = args::Arguments::parse();
    let json = arguments.json;
    let look = context::error_look(&arguments);
    match commands::run(arguments) {
        Ok(code) => code,
        Err(error) if json => {
            // Serializing an error cannot fail: it is made of texts and numbers.
            let text = serde_json::to_string(&error).unwrap_or_default();
            println!("{{\"error\":{text}}}");
            ExitCode::from(1)
        }
        Err(error) => {
            eprint!("{}", render::error(look, &error));
            ExitCode::from(1)
        }
    }
}

//! The program: arguments in, text and exit status out. It sees only the library's public face.

mod answer;
mod args;
mod charts;
mod clock;
mod commands;
mod connect;
mod context;
mod demo;
mod histories;
mod output;
mod pages;
mod pipe;
mod progress;
mod render;
mod repl;
mod signals;
mod states;

use pactdb::{Error, Result, json};
use render::Look;
use std::process::ExitCode;

fn main() -> ExitCode {
    say_nothing_of_caught_panics();
    let arguments = match args::Arguments::of_process() {
        Ok(arguments) => arguments,
        Err(answer) => return usage(&answer),
    };
    let json = arguments.json;
    let look = context::error_look(&arguments);
    let hangup = matches!(
        arguments.command,
        Some(args::Command::Pipe | args::Command::Serve(_) | args::Command::Ui(_))
    );
    let ran =
        signals::listen(hangup).and_then(|()| signals::budget().run(|| commands::run(arguments)));
    ran.unwrap_or_else(|error| {
        let status = failed(look, json, &signals::error_of(error));
        // What a signal ended says so in its status.
        signals::status().unwrap_or(status)
    })
}

/// Says what went wrong. Where even that cannot be said, the status tells of it.
fn failed(look: Look, json: bool, error: &Error) -> ExitCode {
    let said = match json {
        true => reply(error),
        false => Err(error.clone()),
    };
    if let Err(error) = said {
        output::remark(look, &render::error(look, &error));
    }
    ExitCode::from(1)
}

/// The error as a reply on standard output.
fn reply(error: &Error) -> Result<()> {
    let text = json::line(error).map_err(|error| Error::request(error.to_string()))?;
    output::exact(&format!("{{\"error\":{text}}}\n")).map(drop)
}

/// The help that was asked for, or what is wrong with the arguments, which are quoted there.
fn usage(answer: &clap::Error) -> ExitCode {
    if answer.use_stderr() {
        let look = Look::of_output(false);
        output::remark(look, &answer.render().to_string());
        return ExitCode::from(2);
    }
    let look = Look::of_output(Look::wants_colour(&std::io::stdout()));
    let text = match look.colour {
        true => answer.render().ansi().to_string(),
        false => answer.render().to_string(),
    };
    match output::exact(&text) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => failed(look, false, &error),
    }
}

/// A damaged file makes the storage below panic. That is caught, and the error says it all.
fn say_nothing_of_caught_panics() {
    let loud = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !pactdb::panics_are_caught() {
            loud(info);
        }
    }));
}

//! `thread` and `export`: what others read, to the byte.

use crate::args::{ExportArgs, ThreadArgs};
use crate::clock;
use crate::context::Context;
use crate::output;
use crate::states;
use pactdb::json::canonical_string;
use pactdb::protocol::{
    CheckSent, Client, ClientExt, Compare, Exact, Export, Notice, Operation, Request, StateReply,
    Thread,
};
use pactdb::session::ThreadFormat;
use pactdb::{Code, Dialect, Error, Result};

pub fn run(context: &Context, args: ThreadArgs) -> Result<()> {
    let client = &*context.existing()?;
    match asked(args, context.dialect)? {
        Asked::Thread(request) => exact(context, client, request),
        Asked::Other(request) => context.run(client, request),
    }
}

/// What the arguments of `thread` ask for.
pub enum Asked {
    /// A thread.
    Thread(Thread),
    /// Whether it is still what was sent, or what two of them have in common.
    Other(Request),
}

/// What the arguments ask for.
pub fn asked(args: ThreadArgs, dialect: Option<Dialect>) -> Result<Asked> {
    let ThreadArgs { mut at, attempt, check, mut format, strict, drop_unpaired, .. } = args;
    for word in args.what {
        match ThreadFormat::from_name(&word) {
            Some(named) if format.is_none() => format = Some(named),
            None if is_time(&word) && at.is_none() && attempt.is_none() => {
                let Ok(time) = clock::time(&word);
                at = Some(time);
            }
            _ => {
                let known = ThreadFormat::ALL.map(ThreadFormat::name).join(", ");
                let message = format!(
                    "a thread takes one time and one of {known}: `{word}` is neither, or one too many"
                );
                return Err(Error::request(message));
            }
        }
    }
    let format = Some(format.unwrap_or_default());
    if let Some(times) = args.compare {
        let mut times = times.into_iter().map(|time| Some(time).filter(|time| !is_working(time)));
        let (a, b) = (times.next().flatten(), times.next().flatten());
        return Ok(Asked::Other(Compare { a, b, format, strict, drop_unpaired, dialect }.into()));
    }
    Ok(match (attempt, check) {
        (Some(attempt), true) => Asked::Other(CheckSent { attempt }.into()),
        (attempt, _) => {
            let at = at.filter(|at| !is_working(at));
            Asked::Thread(Thread { at, attempt, format, strict, drop_unpaired, dialect })
        }
    })
}

/// Whether a word may be a time.
fn is_time(word: &str) -> bool {
    is_working(word) || clock::time(word).is_ok_and(|time| time.starts_with('@'))
}

/// Whether a time is the working state.
pub fn is_working(time: &str) -> bool {
    matches!(time, "working" | "now")
}

/// One snapshot without an end of line; several of them one a line.
pub fn export(context: &Context, args: ExportArgs) -> Result<()> {
    let client = &*context.existing()?;
    let request = export_request(args, context.dialect);
    match !context.json && (request.all || is_several(client, &request)) {
        true => one_a_line(client, request),
        false => exact(context, client, request),
    }
}

/// The states that are asked for.
pub fn export_request(args: ExportArgs, dialect: Option<Dialect>) -> Export {
    let at = args.at.or(args.time).filter(|at| !is_working(at));
    Export { at, attempt: args.attempt, all: args.all, dialect }
}

/// Whether an export means more than one state. If that cannot be told, the export says why.
pub fn is_several(client: &dyn Client, request: &Export) -> bool {
    let Some(at) = &request.at else { return false };
    let asked: Result<StateReply> = states::at(client, Some(at), request.dialect);
    asked.is_ok_and(|state| !states::is_one(&state))
}

/// Prints snapshots as they come, as long as somebody reads them.
fn one_a_line(client: &dyn Client, request: Export) -> Result<()> {
    let mut left = false;
    let exported = client.ask_streaming(request, &mut |notice| {
        let Notice::Part(snapshot) = notice else { return Ok(()) };
        left = !output::exact(&format!("{}\n", canonical_string(&snapshot)))?;
        match left {
            true => Err(Error::new(Code::Cancelled, "nobody reads the output any more")),
            false => Ok(()),
        }
    });
    if left { Ok(()) } else { exported.map(drop) }
}

/// Asks for something whose very bytes are fixed, and prints it.
fn exact<O: Operation<Reply = Exact>>(
    context: &Context,
    client: &dyn Client,
    request: O,
) -> Result<()> {
    if context.json {
        return context.reply(client, request);
    }
    let answered = client.ask_fully(request)?;
    context.print(&answered.reply.0)?;
    context.warn(&answered.warnings);
    Ok(())
}

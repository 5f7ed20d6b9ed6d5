//! `thread` and `export`: what others read, to the byte.

use crate::args::{ExportArgs, ThreadArgs};
use crate::context::Context;
use crate::output;
use crate::states;
use pactdb::json::canonical_string;
use pactdb::protocol::{
    CheckSent, Client, ClientExt, Compare, Exact, Export, Notice, Operation, StateReply, Thread,
};
use pactdb::{Code, Error, Result};

pub fn run(context: &Context, args: &ThreadArgs) -> Result<()> {
    let client = &*context.existing()?;
    let (format, dialect) = (Some(args.format.into()), context.dialect);
    let (strict, drop_unpaired) = (args.strict, args.drop_unpaired);
    if let Some(times) = &args.compare {
        let mut times =
            times.iter().map(|time| Some(time.clone()).filter(|time| time != "working"));
        let (a, b) = (times.next().flatten(), times.next().flatten());
        let request = Compare { a, b, format, strict, drop_unpaired, dialect };
        return context.run(client, request);
    }
    if let (Some(attempt), true) = (&args.attempt, args.check) {
        return context.run(client, CheckSent { attempt: attempt.clone() });
    }
    let (at, attempt) = (args.at.clone(), args.attempt.clone());
    exact(context, client, Thread { at, attempt, format, strict, drop_unpaired, dialect })
}

/// One snapshot without an end of line; several of them one a line.
pub fn export(context: &Context, args: &ExportArgs) -> Result<()> {
    let client = &*context.existing()?;
    let request = Export {
        at: args.at.clone(),
        attempt: args.attempt.clone(),
        all: args.all,
        dialect: context.dialect,
    };
    match !context.json && (args.all || is_several(client, &request)) {
        true => one_a_line(client, request),
        false => exact(context, client, request),
    }
}

/// Whether an export means more than one state. If that cannot be told, the export says why.
fn is_several(client: &dyn Client, request: &Export) -> bool {
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

//! What each command does: flags to a request, the request to a client, the answer to the
//! terminal.

pub mod attempt;
pub mod edit;
mod fmt;
mod fork;
mod html;
mod import;
mod init;
mod manual;
pub mod read;
pub mod replay;
mod serve;
pub mod sql;
pub mod thread;
mod timeline;
pub mod tree;
pub mod ui;
pub mod watch;

use crate::args::{Arguments, Command, StatsArgs};
use crate::context::Context;
use crate::{demo, pipe, repl};
use pactdb::Result;
use pactdb::protocol::{Compact, EndCadence, GetStats, Rebuild, Redact, Undo, Verify};
use std::process::ExitCode;

/// Runs the command of the arguments; without one, the REPL.
pub fn run(arguments: Arguments) -> Result<ExitCode> {
    let context = &Context::new(&arguments);
    let named = arguments.store_named.then(|| arguments.store.clone());
    match arguments.command {
        None | Some(Command::Repl) => repl::run(context),
        Some(Command::Run { file, keep_going, echo }) => {
            repl::run_file(context, &file, repl::ScriptOptions { keep_going, echo, name: None })
        }
        Some(Command::Fmt(args)) => fmt::run(context, args),
        Some(Command::Demo { file }) => demo::run(context, file, named).map(|()| ExitCode::SUCCESS),
        Some(command) => run_one(context, command).map(|()| ExitCode::SUCCESS),
    }
}

fn run_one(context: &Context, command: Command) -> Result<()> {
    match command {
        Command::Repl | Command::Run { .. } | Command::Fmt(_) | Command::Demo { .. } => Ok(()),
        Command::Init { spec } => init::init(context, spec),
        Command::Pipe => pipe::run(&*context.open_to_stay()?),
        Command::Serve(args) => serve::run(context, args),
        Command::Ui(args) => ui::run(context, args),
        Command::Add(args) => edit::add(context, args),
        Command::Set(args) => edit::set(context, args),
        Command::Move(args) => edit::relocate(context, args),
        Command::Remove { target, force, yes } => edit::remove(context, &target, force, yes),
        Command::Commit(args) => edit::commit(context, &args),
        Command::Batch(args) => edit::batch(context, &args),
        Command::Undo { expected_event } => {
            context.run(&*context.existing()?, Undo { expected_event })
        }
        Command::Restore { at, discard, yes } => edit::restore(context, at, discard, yes),
        Command::Policy(args) => edit::policy(context, args),
        Command::Cadence { end } => context.run(&*context.existing()?, EndCadence { end }),
        Command::Select(args) => read::select(context, args),
        Command::Nodes(args) => read::nodes(context, args),
        Command::Sql(args) => sql::run(context, args),
        Command::Tree(args) => tree::run(context, args),
        Command::Diff(args) => read::diff(context, args),
        Command::Explain(args) => read::explain(context, args),
        Command::Export(args) => match &args.html {
            Some(file) => html::export(context, file, &args.ask),
            None => thread::export(context, args),
        },
        Command::Thread(args) => thread::run(context, args),
        Command::Log(args) => read::log(context, &args),
        Command::Replay(args) => replay::run(context, args),
        Command::Watch(args) => watch::run(context, args),
        Command::Attempt(command) => attempt::run(context, command),
        Command::Import(args) => import::run(context, args),
        Command::Fork(args) => fork::run(context, args),
        Command::Dump(args) => fork::dump_store(context, &args),
        Command::Load(args) => fork::load_store(context, &args),
        Command::Timeline(args) => timeline::run(context, args),
        Command::Stats(StatsArgs { tables }) => {
            context.run(&*context.existing()?, GetStats { tables })
        }
        Command::Verify => context.run(&*context.existing()?, Verify {}),
        Command::Rebuild => context.run(&*context.existing()?, Rebuild {}),
        Command::Redact(args) => context.run(&*context.existing()?, Redact::from(args)),
        Command::Compact => context.run(&*context.existing()?, Compact {}),
        Command::Completions { shell } => manual::completions(context, shell),
        Command::Man => manual::man(context),
    }
}

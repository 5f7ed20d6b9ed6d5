//! `replay`: the log again, event by event or cycle by cycle, or into another store.

use super::fork::said;
use crate::args::ReplayArgs;
use crate::context::Context;
use crate::histories::steps;
use crate::progress::Bar;
use crate::render;
use pactdb::protocol::{Client, Copied, Dump, Replay, replay_into};
use pactdb::{Dialect, Result};
use std::path::Path;

pub fn run(context: &Context, args: ReplayArgs) -> Result<()> {
    let client = &*context.existing()?;
    if let Some(new) = &args.into {
        let made = copy(client, args.to, context.dialect, new)?;
        return said(context, &made, new, "replayed into");
    }
    let request = request(args, context.dialect);
    if context.json {
        return context.reply(client, request);
    }
    let by_cycle = request.by_cycle;
    let steps = steps(client, request)?;
    context.page(&match by_cycle {
        true => render::cycles(context.look, &steps),
        false => render::steps(context.look, &steps),
    })
}

/// The part of the log that is asked for.
pub fn request(args: ReplayArgs, dialect: Option<Dialect>) -> Replay {
    let ReplayArgs { q, from, to, cycles: by_cycle, .. } = args;
    Replay { from, to, q, by_cycle, dialect, ..Replay::default() }
}

/// Makes another store with the same events up to a time.
pub fn copy(
    client: &dyn Client,
    to: Option<String>,
    dialect: Option<Dialect>,
    new: &Path,
) -> Result<Copied> {
    let bar = Bar::new();
    replay_into(client, Dump { at: to, dialect }, new, &mut |told| {
        bar.set("replaying", told.done, told.total);
    })
}

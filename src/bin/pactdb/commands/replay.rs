//! `replay`: the log again, event by event or cycle by cycle, or into another store.

use super::fork::said;
use crate::args::ReplayArgs;
use crate::context::Context;
use crate::histories::steps;
use crate::progress::Bar;
use crate::render;
use pactdb::Result;
use pactdb::protocol::{Client, Dump, Replay, replay_into};
use std::path::Path;

pub fn run(context: &Context, args: ReplayArgs) -> Result<()> {
    let client = &*context.existing()?;
    if let Some(new) = &args.into {
        return into(context, client, args.to, new);
    }
    let request = Replay {
        from: args.from,
        to: args.to,
        q: args.q,
        by_cycle: args.cycles,
        dialect: context.dialect,
        ..Replay::default()
    };
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

fn into(context: &Context, client: &dyn Client, to: Option<String>, new: &Path) -> Result<()> {
    let bar = Bar::new();
    let dump = Dump { at: to, dialect: context.dialect };
    let made = replay_into(client, dump, new, &mut |told| {
        bar.set("replaying", told.done, told.total);
    })?;
    drop(bar);
    said(context, &made, new, "replayed into")
}

//! `replay`: the log again, event by event or cycle by cycle, or into another store.

use crate::answer::state_at;
use crate::args::ReplayArgs;
use crate::context::Context;
use crate::progress::Bar;
use crate::render;
use pactdb::session::{Replay, ReplayRequest, Step, Until, copy};
use pactdb::{Address, Code, Db, Error, Options, Result};
use std::path::Path;

pub fn run(context: &Context, args: ReplayArgs) -> Result<()> {
    let db = context.existing()?;
    let cycle = |time: &Option<String>| -> Result<Option<u64>> {
        time.as_ref().map(|time| cycle_at(context, &db, time)).transpose()
    };
    let (from, to) = (cycle(&args.from)?, cycle(&args.to)?);
    if let Some(new) = &args.into {
        return into(context, &db, to, new);
    }
    let request = ReplayRequest { from, to, select: args.q, dialect: context.dialect };
    let replay = Replay::new(&db, &request)?;
    let (bar, last) = (Bar::new(), replay.last_event());
    let mut steps = Vec::new();
    for step in replay {
        let step = step?;
        bar.set("replaying", step.entry.seq, last);
        steps.push(step);
    }
    drop(bar);
    match (args.cycles, context.json) {
        (false, true) => context.say(&steps, ""),
        (true, true) => context.say(&by_cycle(steps), ""),
        (false, false) => context.page(&render::steps(context.look, &steps)),
        (true, false) => context.page(&render::cycles(context.look, &by_cycle(steps))),
    }
}

/// The steps of each cycle.
fn by_cycle(steps: Vec<Step>) -> Vec<Vec<Step>> {
    let mut cycles: Vec<Vec<Step>> = Vec::new();
    for step in steps {
        match cycles.last_mut() {
            Some(cycle) if cycle.first().is_some_and(|f| f.entry.cycle == step.entry.cycle) => {
                cycle.push(step);
            }
            _ => cycles.push(vec![step]),
        }
    }
    cycles
}

fn into(context: &Context, db: &Db, to: Option<u64>, new: &Path) -> Result<()> {
    let until = to.map_or(Until::End, Until::Cycle);
    let bar = Bar::new();
    let made =
        copy(db, until, new, Options::new(), &mut |done, all| bar.set("replaying", done, all))?;
    drop(bar);
    super::fork::said(context, &made, new, "replayed into")
}

/// The cycle of an address, which may be a bare number.
pub fn cycle_at(context: &Context, db: &Db, time: &str) -> Result<u64> {
    let time = match time.parse::<u64>() {
        Ok(cycle) => format!("@c{cycle}"),
        Err(_) => time.to_owned(),
    };
    let state = state_at(db, Some(&time), context.dialect)?;
    if let Some(at @ Address::Event(_)) = state.address() {
        let message = format!("{at} is the state after an event: name a cycle here, such as @c4");
        return Err(Error::new(Code::SelectorInvalid, message));
    }
    Ok(if state.is_committed() { state.cycle() } else { state.cycle() + 1 })
}

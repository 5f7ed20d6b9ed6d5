//! `thread` and `export`: what others read, to the byte.

use crate::answer::state_at;
use crate::args::{ExportArgs, ThreadArgs};
use crate::context::Context;
use crate::output;
use crate::render;
use pactdb::answer::ReadStates;
use pactdb::protocol::{Body, Reply};
use pactdb::session::{SameThread, ThreadRequest, check_sent, compare, thread};
use pactdb::{Db, Error, Result, Snapshot};

pub fn run(context: &Context, args: &ThreadArgs) -> Result<()> {
    let db = context.existing()?;
    let request = ThreadRequest {
        format: args.format.into(),
        strict: args.strict,
        drop_unpaired: args.drop_unpaired,
    };
    if let Some(times) = &args.compare {
        return compared(context, &db, times, request);
    }
    let state = match &args.attempt {
        Some(id) if args.check => return checked(context, &db, id),
        Some(id) => db.at_attempt(id)?,
        None => state(context, &db, args.at.as_deref())?,
    };
    let said = thread(&state, request)?;
    exact(context, &said.text, &said.warnings)
}

/// Says that an attempt's thread is what it was started with; anything else is an error.
fn checked(context: &Context, db: &Db, attempt: &str) -> Result<()> {
    let same = check_sent(db, attempt)?;
    let SameThread { attempt_id, at_event, format, thread_sha256 } = &same;
    let text = format!(
        "the {format} thread of {attempt_id} at @e{at_event} is what was sent: SHA-256 {thread_sha256}\n"
    );
    context.say(&same, &text)
}

fn compared(context: &Context, db: &Db, times: &[String], request: ThreadRequest) -> Result<()> {
    let mut states = Vec::new();
    for time in times {
        let time = (time != "working").then_some(time.as_str());
        states.push(state_at(db, time, context.dialect)?);
    }
    states.sort_by_key(Snapshot::age);
    let [older, newer] = states.as_slice() else {
        return Err(Error::request("two states are compared: give two times"));
    };
    let found = compare(db, older, newer, request)?;
    let names = [older, newer].map(render::state_name);
    context.say(&found, &render::comparison(context.look, &names, &found))
}

/// One snapshot without an end of line; several of them one a line.
pub fn export(context: &Context, args: &ExportArgs) -> Result<()> {
    let db = context.existing()?;
    if let Some(id) = &args.attempt {
        return exact(context, &db.at_attempt(id)?.export()?, &[]);
    }
    let cycles: Vec<u64> = match &args.at {
        None if args.all => db.history().iter().collect(),
        None => return exact(context, &db.working_state().export()?, &[]),
        Some(at) => match several(context, &db, at)? {
            Some(cycles) => cycles,
            None => return exact(context, &state(context, &db, Some(at))?.export()?, &[]),
        },
    };
    if context.json {
        let exports: Result<Vec<String>> =
            cycles.into_iter().map(|cycle| db.snapshot(cycle)?.export()).collect();
        return context.print(&format!("{{\"ok\":[{}]}}\n", exports?.join(",")));
    }
    for cycle in cycles {
        if !output::exact(&format!("{}\n", db.snapshot(cycle)?.export()?))? {
            break;
        }
    }
    Ok(())
}

/// The cycles of an address that means more than one state.
fn several(context: &Context, db: &Db, at: &str) -> Result<Option<Vec<u64>>> {
    Ok(match db.asked(&format!("{at} *"), context.dialect) {
        Ok(ReadStates::Range { newest, oldest, .. }) => {
            let inside = |cycle: &u64| (oldest..=newest).contains(cycle);
            Some(db.history().iter().filter(inside).collect())
        }
        Ok(ReadStates::Every { .. }) => Some(db.history().iter().collect()),
        Err(error) if at.contains("..") => return Err(error),
        _ => None,
    })
}

/// The state at an address, in the dialect that was asked for or the store's own.
fn state(context: &Context, db: &Db, at: Option<&str>) -> Result<Snapshot> {
    match context.dialect {
        None => db.at(at),
        Some(_) => state_at(db, at, context.dialect),
    }
}

fn exact(context: &Context, text: &str, warnings: &[String]) -> Result<()> {
    if context.json {
        let result = Ok(Body::Exact(text.to_owned()));
        return context.reply(&Reply { rid: None, result, warnings: warnings.to_vec() });
    }
    context.print(text)?;
    context.warn(warnings);
    Ok(())
}

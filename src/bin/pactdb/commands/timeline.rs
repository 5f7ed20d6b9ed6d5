//! `timeline`: the history of a store from afar, as a chart, CSV or JSON.

use crate::args::TimelineArgs;
use crate::charts;
use crate::context::Context;
use crate::render;
use pactdb::protocol::{ClientExt, Timeline};
use pactdb::{Error, Result};

pub fn run(context: &Context, args: TimelineArgs) -> Result<()> {
    if context.json && args.csv {
        return Err(Error::request("--json and --csv are two forms: give one"));
    }
    let range = args.range.unwrap_or_default();
    let asked = charts::request(&range, context.look, context.dialect);
    // Programs get as much as an operation answers without being told.
    let lines = asked.buckets.filter(|_| !context.json && !args.csv);
    let request = Timeline {
        buckets: args.buckets.or(lines),
        by: args.by.into(),
        tokens: args.tokens,
        ..asked
    };
    let client = &*context.existing()?;
    match args.csv {
        true => context.print(&render::timeline_csv(&client.ask(request)?)),
        false => context.run(client, request),
    }
}

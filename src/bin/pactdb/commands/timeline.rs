//! `timeline`: the history of a store from afar, as a chart, CSV or JSON.

use crate::args::TimelineArgs;
use crate::charts;
use crate::context::Context;
use crate::render;
use pactdb::protocol::ClientExt;
use pactdb::{Error, Result};

pub fn run(context: &Context, args: TimelineArgs) -> Result<()> {
    if context.json && args.csv {
        return Err(Error::request("--json and --csv are two forms: give one"));
    }
    // Programs get as much as an operation answers without being told.
    let lines = (!context.json && !args.csv).then(|| charts::lines(context.look));
    let csv = args.csv;
    let request = charts::request(args, lines, context.dialect);
    let client = &*context.existing()?;
    match csv {
        true => context.print(&render::timeline_csv(&client.ask(request)?)),
        false => context.run(client, request),
    }
}

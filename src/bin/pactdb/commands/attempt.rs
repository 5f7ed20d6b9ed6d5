//! `attempt`: provider calls, started, finished and listed.

use crate::args::{AttemptCommand, AttemptFacts};
use crate::context::Context;
use crate::request::{Request, count};
use pactdb::json::parse;
use pactdb::session::ThreadFormat;
use pactdb::{Json, Result};

pub fn run(context: &Context, command: AttemptCommand) -> Result<()> {
    let request = Request::new("attempt");
    let (request, db) = match command {
        AttemptCommand::Start(args) => {
            let mut request = request
                .with("action", Some("start"))
                .with("attempt_id", args.attempt_id)
                .with("started_at", args.started_at)
                .with("format", args.format.map(|form| ThreadFormat::from(form).name()));
            if let Some(params) = &args.params {
                request = request.set("params", parse(params)?);
            }
            (facts(request, args.facts), context.open_or_create()?)
        }
        AttemptCommand::Finish { attempt_id, status, error, ended_at, facts: known } => {
            let request = request
                .with("action", Some("finish"))
                .with("attempt_id", Some(attempt_id))
                .with("status", status)
                .with("error", error)
                .with("ended_at", ended_at);
            (facts(request, known), context.existing()?)
        }
        AttemptCommand::List { cycle, status, facts: known } => {
            let request = request
                .with("action", Some("list"))
                .with("cycle_id", cycle.map(count))
                .with("status", status);
            (facts(request, known), context.existing()?)
        }
    };
    context.run(&db, request.op()?)
}

fn facts(request: Request, facts: AttemptFacts) -> Request {
    let number = |number: Option<u64>| -> Option<Json> { number.map(count) };
    request
        .with("provider", facts.provider)
        .with("model", facts.model)
        .with("params_hash", facts.params_hash)
        .with("token_in", number(facts.token_in))
        .with("token_out", number(facts.token_out))
}

//! `attempt`: provider calls, started, finished and listed.

use crate::args::{AttemptCommand, AttemptFacts, AttemptListArgs};
use crate::context::Context;
use pactdb::json::parse;
use pactdb::{AttemptAction, AttemptRequest, AttemptStatus, Code, Error, Result};

pub fn run(context: &Context, command: AttemptCommand) -> Result<()> {
    let (request, client) = match command {
        AttemptCommand::Start(args) => {
            let mut request = facts(AttemptAction::Start, args.facts);
            request.attempt_id = args.attempt_id;
            request.started_at = args.started_at;
            request.format = args.format;
            request.params = args.params.as_deref().map(parse).transpose()?;
            (request, context.open_or_create()?)
        }
        AttemptCommand::Finish { attempt_id, status, error, ended_at, facts: known } => {
            let mut request = facts(AttemptAction::Finish, known);
            request.attempt_id = Some(attempt_id);
            request.status = status.as_deref().map(named).transpose()?;
            request.error = error;
            request.ended_at = ended_at;
            (request, context.existing()?)
        }
        AttemptCommand::List(args) => (list_request(args)?, context.existing()?),
    };
    context.run(&*client, request)
}

/// The calls that are asked for.
pub fn list_request(args: AttemptListArgs) -> Result<AttemptRequest> {
    let mut request = facts(AttemptAction::List, args.facts);
    request.cycle = args.cycle;
    request.status = args.status.as_deref().map(named).transpose()?;
    Ok(request)
}

fn facts(action: AttemptAction, facts: AttemptFacts) -> AttemptRequest {
    AttemptRequest {
        provider: facts.provider,
        model: facts.model,
        params_hash: facts.params_hash,
        token_in: facts.token_in,
        token_out: facts.token_out,
        ..AttemptRequest::new(action)
    }
}

fn named(name: &str) -> Result<AttemptStatus> {
    name.parse().map_err(|message: String| Error::new(Code::AttrInvalid, message))
}

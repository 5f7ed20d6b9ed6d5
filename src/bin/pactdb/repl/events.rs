//! Dot commands that look at events: the log, lives, replays, calls of providers, what happens now.

use super::arguments::{Shape, parse};
use super::files::copied;
use super::session::{Outcome, Session};
use crate::answer::Answer;
use crate::args::{AttemptListArgs, LogArgs, ReplayArgs, WatchArgs};
use crate::commands::watch::{follow, text};
use crate::commands::{attempt, read, replay as replays};
use crate::histories::steps;
use crate::output;
use crate::render::{self, plural};
use pactdb::language::named_id;
use pactdb::protocol::{ClientExt, Life, Replay, Request, Watch};
use pactdb::{Address, Code, Error, Result};

/// How many events the log shows unless told otherwise.
const EVENTS: u64 = 20;

/// `.life ID`
pub fn life(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let id = named_id(rest).into_owned();
    if id.is_empty() {
        return Err(Error::request("whose life? `.life ID`, for example `.life cb:1`"));
    }
    session.run(Life { id, ..Life::default() }.into())
}

/// `.replay [all] [SELECTOR]`: at a terminal one event for each press of Enter, else all at once.
pub fn replay(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let (all, rest) = match rest.strip_prefix("all") {
        Some(after) if after.is_empty() || after.starts_with(char::is_whitespace) => {
            (true, after.trim())
        }
        _ => (!session.interactive, rest),
    };
    let mut args: ReplayArgs = parse(rest, Shape::Selector)?;
    if args.to.is_none() {
        args.to = last_cycle(session)?;
    }
    if let Some(new) = &args.into {
        let made = replays::copy(session.client(), args.to, Some(session.dialect), new)?;
        return Ok(Outcome::Note(copied("replayed into", new, &made)));
    }
    let request = replays::request(args, Some(session.dialect));
    if !all && !request.by_cycle {
        session.replay = Some(Replay { limit: Some(1), ..request });
        return replay_step(session);
    }
    let by_cycle = request.by_cycle;
    let steps = steps(session.client(), request)?;
    let (look, source) = (session.look(), plural(steps.len() as u64, "event"));
    let text = match by_cycle {
        true => render::cycles(look, &steps),
        false => render::steps(look, &steps),
    };
    Ok(session.keep(Answer { text, warnings: Vec::new(), source: Some(source) }))
}

/// The cycle that a replay goes up to where the session looks at the past.
fn last_cycle(session: &Session<'_>) -> Result<Option<String>> {
    match session.lens {
        None => Ok(None),
        Some(at @ Address::Cycle(_)) => Ok(Some(at.to_string())),
        Some(at @ Address::Event(_)) => {
            let message = format!("a replay goes by cycles, and you are looking at {at}");
            let mut error = Error::request(message);
            error.details.hint = Some("`.at now` goes back to the working state".to_owned());
            Err(error)
        }
    }
}

/// The next event of a replay that goes on.
pub fn replay_step(session: &mut Session<'_>) -> Result<Outcome> {
    let (mut text, mut source) = (String::new(), "that was the last event");
    if let Some(request) = session.replay.take()
        && let [step] = &*steps(session.client(), request.clone())?
    {
        text = render::steps(session.look(), std::slice::from_ref(step));
        source = "Enter shows the next event, any other line ends this";
        session.replay = Some(Replay { after: Some(step.entry.seq), ..request });
    }
    Ok(Answer { text, source: Some(source.to_owned()), ..Answer::default() }.into())
}

/// `.log [N | all]`: the newest events first, as on the command line.
pub fn log(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let mut args: LogArgs = parse(rest, Shape::Words)?;
    if args.count.or(args.limit).is_none() && args.node.is_none() {
        args.count = Some(EVENTS);
    }
    let request = read::log_request(&args);
    let Request::Log(asked) = &request else { return session.run(request) };
    if let Some(answer) = session.formed(&request)? {
        return Ok(session.keep(answer));
    }
    let (events, entries) = (session.store()?.events, session.client().ask((**asked).clone())?);
    let answer = Answer {
        text: render::log(session.look(), &entries),
        warnings: Vec::new(),
        source: Some(format!("{} of {}", entries.len(), plural(events, "event"))),
    };
    Ok(session.keep(answer))
}

/// `.attempts`
pub fn attempts(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let args: AttemptListArgs = parse(rest, Shape::Words)?;
    session.run(attempt::list_request(args)?.into())
}

/// `.watch [SELECTOR]`
pub fn watch(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    if !session.interactive {
        let message =
            "`.watch` goes on until Ctrl-C at a terminal; elsewhere there is `pactdb watch`";
        return Err(Error::request(message));
    }
    let WatchArgs { q, from, after, limit } = parse(rest, Shape::Selector)?;
    let (look, client) = (session.screen(), session.client.clone());
    let request = Watch { q, from, after, limit, dialect: Some(session.dialect) };
    output::remark(look, "watching; Ctrl-C ends it\n");
    let watched = follow(&*client, request, &mut |watched| {
        Ok(output::show(look, &text(look, watched)).is_ok())
    });
    match watched {
        Err(error) if error.code == Code::Cancelled => Ok(String::new().into()),
        watched => watched.map(|()| String::new().into()),
    }
}

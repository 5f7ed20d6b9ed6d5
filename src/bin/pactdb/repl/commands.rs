//! Dot commands that look at the store, and those that change how the session looks at it.

use super::meta::FORMS;
use super::query::{self, Last};
use super::session::{Outcome, Session};
use crate::answer::Answer;
use crate::context::name_of;
use crate::progress::Bar;
use crate::render::{self, TreeOptions, plural, visible};
use pactdb::language::{named_id, nearest_word, parse_selector};
use pactdb::protocol::PolicyRequest;
use pactdb::protocol::{Explain, GetStats, Undo};
use pactdb::session::{Replay, ReplayRequest, ThreadFormat};
use pactdb::{
    Address, AttemptAction, AttemptRequest, Code, Commit, Db, Dialect, Error, Log, Result,
    Snapshot, session,
};

/// How many of the newest turns a tree shows unless told otherwise.
const TURNS: u64 = 10;

/// How many events the log shows unless told otherwise.
const EVENTS: u64 = 20;

/// `.tree [N | all | SELECTOR]`
pub fn tree(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let (look, lens) = (session.look(), session.lens);
    if rest.is_empty() || rest == "all" || rest.parse::<u64>().is_ok() {
        let turns = if rest == "all" { None } else { Some(rest.parse().unwrap_or(TURNS)) };
        let found = session.patiently(move |db| {
            let state = state(db, lens)?;
            let text = render::tree(look, db, &state, &TreeOptions { turns, only: None })?;
            let source = Some(name(db, &state));
            Ok(Answer { text, warnings: Vec::new(), source })
        })?;
        return Ok(session.keep(found));
    }
    let found = ask(session, rest)?;
    let Some(found) = found else { return Ok(Outcome::Interrupted) };
    let answer = found.in_form(look, &session.db, "tree")?;
    session.last = Some(Last::Nodes(Box::new(found)));
    Ok(answer.into())
}

/// `.show SELECTOR`
pub fn show(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    if rest.is_empty() {
        return Err(Error::request("which nodes? `.show SELECTOR`, for example `.show #cb:1`"));
    }
    let Some(found) = ask(session, rest)? else { return Ok(Outcome::Interrupted) };
    let answer = found.in_form(session.look(), &session.db, "full")?;
    session.last = Some(Last::Nodes(Box::new(found)));
    Ok(answer.into())
}

/// Asks a selector that is the argument of a command.
fn ask(session: &Session<'_>, text: &str) -> Result<Option<query::Found>> {
    let selector =
        parse_selector(text, session.dialect).map_err(|error| Error::from(error).in_text(text))?;
    let (q, prefix) = query::through_lens(session, selector.time.is_some(), text);
    let dialect = session.dialect;
    session
        .patiently(move |db| query::find(db, &q, dialect))
        .map_err(|error| super::report::in_line(error, text, &prefix))
}

/// The state that the session looks at.
fn state(db: &Db, lens: Option<Address>) -> Result<Snapshot> {
    match lens {
        Some(Address::Cycle(cycle)) => db.snapshot(cycle),
        Some(Address::Event(seq)) => db.after_event(seq),
        None => Ok(db.working_state()),
    }
}

fn name(db: &Db, state: &Snapshot) -> String {
    render::state_words(state, db.last_cycle())
}

/// `.thread [ADDRESS] [FORMAT]`
pub fn thread(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let (mut at, mut format) = ("", ThreadFormat::Thread);
    for word in rest.split_whitespace() {
        match ThreadFormat::from_name(word) {
            Some(named) => format = named,
            None if at.is_empty() => at = word,
            None => {
                let known = ThreadFormat::ALL.map(ThreadFormat::name).join(", ");
                return Err(Error::request(format!("a thread is one of {known}, not `{word}`")));
            }
        }
    }
    let state = address(session, at)?;
    let thread = session::thread(&state, format)?;
    let value = pactdb::json::parse(&thread.text)?;
    let answer = Answer {
        text: query::pretty(&value),
        warnings: thread.warnings,
        source: Some(name(&session.db, &state)),
    };
    Ok(session.keep(Some(answer)))
}

/// `.life ID`
pub fn life(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let id = named_id(rest).into_owned();
    if id.is_empty() {
        return Err(Error::request("whose life? `.life ID`, for example `.life cb:1`"));
    }
    let look = session.look();
    let found = session.patiently(move |db| {
        let moments = session::life(db, &id)?;
        let source = Some(format!("{} of {id}", plural(moments.len() as u64, "moment")));
        Ok(Answer { text: render::life(look, &moments), warnings: Vec::new(), source })
    })?;
    Ok(session.keep(found))
}

/// `.replay [all] [SELECTOR]`: at a terminal one event for each press of Enter, else all at once.
pub fn replay(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let (all, rest) = match rest.strip_prefix("all") {
        Some(after) if after.is_empty() || after.starts_with(char::is_whitespace) => {
            (true, after.trim())
        }
        _ => (session.interrupt.is_none(), rest),
    };
    let select = (!rest.is_empty()).then(|| rest.to_owned());
    let (look, dialect) = (session.look(), Some(session.dialect));
    let to = match session.lens {
        None => None,
        Some(Address::Cycle(cycle)) => Some(cycle),
        Some(Address::Event(seq)) => {
            let message = format!("a replay goes by cycles, and you are looking at @e{seq}");
            let mut error = Error::request(message);
            error.details.hint = Some("`.at now` goes back to the working state".to_owned());
            return Err(error);
        }
    };
    let request = ReplayRequest { from: None, to, select, dialect };
    if !all {
        session.replay = Some(Replay::new(&session.db, &request)?);
        return replay_step(session);
    }
    let found = session.patiently(move |db| {
        let steps = Replay::new(db, &request)?.collect::<Result<Vec<_>>>()?;
        let source = Some(plural(steps.len() as u64, "event"));
        Ok(Answer { text: render::steps(look, &steps), warnings: Vec::new(), source })
    })?;
    Ok(session.keep(found))
}

/// The next event of a replay that goes on.
pub fn replay_step(session: &mut Session<'_>) -> Result<Outcome> {
    let look = session.look();
    let step = session.replay.as_mut().and_then(Iterator::next).transpose();
    let (text, source) = match step {
        Ok(Some(step)) => {
            (render::steps(look, &[step]), "Enter shows the next event, any other line ends this")
        }
        Ok(None) => {
            session.replay = None;
            (String::new(), "that was the last event")
        }
        Err(error) => {
            session.replay = None;
            return Err(error);
        }
    };
    Ok(Answer { text, source: Some(source.to_owned()), ..Answer::default() }.into())
}

/// The state at an address, or where the session looks.
fn address(session: &Session<'_>, text: &str) -> Result<Snapshot> {
    match text {
        "" => state(&session.db, session.lens),
        "now" => Ok(session.db.working_state()),
        text => crate::answer::state_at(&session.db, Some(text), Some(session.dialect)),
    }
}

/// `.at [ADDRESS | now]`
pub fn at(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    if !rest.is_empty() {
        let state = address(session, rest)?;
        session.lens = state.address();
    }
    let (db, lens) = (&session.db, session.lens);
    let name = name(db, &state(db, lens)?);
    Ok(match lens {
        Some(_) => format!("questions read {name}; `.at now` goes back to the working state\n"),
        None => format!("questions read {name}\n"),
    }
    .into())
}

/// `.log [N | all]`
pub fn log(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let events = session.db.stats()?.events;
    let count = match rest {
        "" => EVENTS,
        "all" => events,
        number => number.parse().map_err(|_| {
            Error::request(format!("how many events? `.log 5` or `.log all`, not `{number}`"))
        })?,
    };
    let from = events.saturating_sub(count) + 1;
    let entries = session.db.log(&Log::new().from(from).limit(count))?;
    let answer = Answer {
        text: render::log(session.look(), &entries),
        warnings: Vec::new(),
        source: Some(format!("{} of {}", entries.len(), plural(events, "event"))),
    };
    Ok(session.keep(Some(answer)))
}

/// `.stats`
pub fn stats(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    nothing(rest, "stats")?;
    session.run(GetStats {}.into())
}

/// `.attempts`
pub fn attempts(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    nothing(rest, "attempts")?;
    let list = session.db.attempt(AttemptRequest::new(AttemptAction::List))?;
    let text = render::attempts(session.look(), &list);
    Ok(session.keep(Some(text.into())))
}

/// `.policy`
pub fn policy(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    if rest.is_empty() {
        session.run(PolicyRequest::default().into())
    } else {
        session.execute(&format!("policy {rest}"))
    }
}

/// `.explain SELECTOR`
pub fn explain(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    if rest.is_empty() {
        return Err(Error::request("which selector? `.explain SELECTOR`"));
    }
    let selector =
        parse_selector(rest, session.dialect).map_err(|error| Error::from(error).in_text(rest))?;
    let (q, _) = query::through_lens(session, selector.time.is_some(), rest);
    let (dialect, look) = (Some(session.dialect), session.look());
    let question = Explain { q, dialect };
    let found = session.patiently(move |db| crate::answer::answer(look, db, question.into()))?;
    Ok(session.keep(found))
}

/// `.last [FORM]`
pub fn last(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let look = session.look();
    if !rest.is_empty() && !FORMS.contains(&rest) {
        let mut error = Error::request(format!("a result has the forms {}", FORMS.join(", ")));
        error.details.hint =
            nearest_word(rest, FORMS).map(|near| format!("did you mean `.last {near}`?"));
        return Err(error);
    }
    let answer = match (&session.last, rest) {
        (None, _) => return Err(Error::request("there is no result yet")),
        (Some(Last::Nodes(found)), form) => found.in_form(look, &session.db, form)?,
        (Some(Last::Range(text, _)), "") => text.clone().into(),
        (Some(Last::Range(_, json)), "json") => format!("{json}\n").into(),
        (Some(Last::Text(text)), "") => text.clone().into(),
        (Some(_), form) => {
            return Err(Error::request(format!("the last result has no form `{form}`: `.last`")));
        }
    };
    Ok(Outcome::Whole(answer))
}

/// `.undo`
pub fn undo(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    nothing(rest, "undo")?;
    session.run(Undo {}.into())
}

/// `.commit`
pub fn commit(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    nothing(rest, "commit")?;
    session.run(Commit::default().into())
}

/// `.verify`
pub fn verify(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    nothing(rest, "verify")?;
    // It holds the store while it runs, so there is no going on without it.
    let bar = Bar::new();
    let verified = session.db.verify(|progress| bar.show(progress))?;
    drop(bar);
    let text = format!(
        "all is well: {} events, {} contents, {} commits, {} derived rows\n",
        verified.events, verified.contents, verified.commits, verified.rows
    );
    Ok(session.keep(Some(text.into())))
}

/// `.dialect [0.1 | 1.0]`
pub fn dialect(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    if !rest.is_empty() {
        session.dialect = rest
            .parse::<Dialect>()
            .map_err(|_| Error::request(format!("a dialect is 0.1 or 1.0, not `{rest}`")))?;
    }
    let own = session.db.dialect();
    let text = match session.dialect == own {
        true => format!("questions are in dialect {own}, the store's own\n"),
        false => format!("questions are in dialect {}, edits in {own}\n", session.dialect),
    };
    Ok(text.into())
}

/// `.timing [on | off]`
pub fn timing(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    session.timing = match rest {
        "on" => true,
        "off" => false,
        "" => !session.timing,
        other => return Err(Error::request(format!("timing is on or off, not `{other}`"))),
    };
    Ok(format!("timing is {}\n", if session.timing { "on" } else { "off" }).into())
}

/// `.history`
pub fn history(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    nothing(rest, "history")?;
    Ok(match &session.history {
        Some(file) => format!("{}\n", visible(&name_of(file))),
        None => "no history is kept here\n".to_owned(),
    }
    .into())
}

/// `.quit`
pub fn quit(_: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    nothing(rest, "quit")?;
    Ok(Outcome::Leave)
}

fn nothing(rest: &str, command: &str) -> Result<()> {
    match rest {
        "" => Ok(()),
        rest => {
            let message = format!("`.{command}` takes nothing, and not `{rest}`");
            Err(Error::new(Code::RequestInvalid, message))
        }
    }
}

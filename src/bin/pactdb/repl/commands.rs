//! Dot commands that look at the store, and those that change how the session looks at it.

use super::meta::FORMS;
use super::query::{self, Last};
use super::session::{Outcome, Session};
use crate::answer::{Answer, pretty};
use crate::commands::ui::Page;
use crate::commands::watch::{follow, text};
use crate::context::name_of;
use crate::histories::steps;
use crate::render::{self, plural, visible};
use crate::{charts, output, states};
use pactdb::language::{named_id, nearest_word, parse_selector};
use pactdb::protocol::{
    ClientExt, Explain, Fmt, Life, PolicyRequest, Replay, Request, Sql, StateReply, Thread, Watch,
};
use pactdb::session::ThreadFormat;
use pactdb::sql::is_question;
use pactdb::{Address, Code, Dialect, Error, Log, Result};

/// How many of the newest turns a tree shows unless told otherwise.
const TURNS: u64 = 10;

/// How many events the log shows unless told otherwise.
const EVENTS: u64 = 20;

/// `.tree [N | all | SELECTOR]`
pub fn tree(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let look = session.look();
    if rest.is_empty() || rest == "all" || rest.parse::<u64>().is_ok() {
        let turns = if rest == "all" { None } else { Some(rest.parse().unwrap_or(TURNS)) };
        let state = address(session, "")?;
        let text = render::tree(look, &states::tree(session.client(), &state, turns)?);
        let source = Some(render::state_words(&state));
        return Ok(session.keep(Answer { text, warnings: Vec::new(), source }));
    }
    in_form(session, rest, "tree")
}

/// `.show SELECTOR`
pub fn show(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    if rest.is_empty() {
        return Err(Error::request("which nodes? `.show SELECTOR`, for example `.show #cb:1`"));
    }
    in_form(session, rest, "full")
}

/// Asks a selector that is the argument of a command.
fn in_form(session: &mut Session<'_>, text: &str, form: &str) -> Result<Outcome> {
    let selector =
        parse_selector(text, session.dialect).map_err(|error| Error::from(error).in_text(text))?;
    let (q, prefix) = query::through_lens(session, selector.time.is_some(), text);
    let found = query::find(session.client(), &q, session.dialect)
        .map_err(|error| super::report::in_line(error, text, &prefix))?;
    let answer = found.in_form(session.look(), session.client(), form)?;
    session.last = Some(Last::Nodes(Box::new(found)));
    Ok(answer.into())
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
    let request = Thread { at: fixed(&state), format: Some(format), ..Thread::default() };
    let thread = session.client().ask_fully(request)?;
    let answer = Answer {
        text: pretty(&pactdb::json::parse(&thread.reply.0)?)?,
        warnings: thread.warnings,
        source: Some(render::state_words(&state)),
    };
    Ok(session.keep(answer))
}

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
    let to = match session.lens {
        None => None,
        Some(at @ Address::Cycle(_)) => Some(at.to_string()),
        Some(at @ Address::Event(_)) => {
            let message = format!("a replay goes by cycles, and you are looking at {at}");
            let mut error = Error::request(message);
            error.details.hint = Some("`.at now` goes back to the working state".to_owned());
            return Err(error);
        }
    };
    let q = (!rest.is_empty()).then(|| rest.to_owned());
    let request = Replay { to, q, dialect: Some(session.dialect), ..Replay::default() };
    if !all {
        session.replay = Some(Replay { limit: Some(1), ..request });
        return replay_step(session);
    }
    let steps = steps(session.client(), request)?;
    let source = Some(plural(steps.len() as u64, "event"));
    let text = render::steps(session.look(), &steps);
    Ok(session.keep(Answer { text, warnings: Vec::new(), source }))
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

/// `.timeline [TIME..TIME]`
pub fn timeline(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let request = charts::request(rest, session.look(), Some(session.dialect));
    session.run(request.into())
}

/// The state at an address, or where the session looks.
fn address(session: &Session<'_>, text: &str) -> Result<StateReply> {
    let (client, lens) = (session.client(), session.lens.map(|lens| lens.to_string()));
    match text {
        "" => states::one_at(client, lens.as_deref(), None),
        "now" => states::one_at(client, None, None),
        text => states::one_at(client, Some(text), Some(session.dialect)),
    }
}

/// The address of a state that means the same whatever comes.
fn fixed(state: &StateReply) -> Option<String> {
    states::address(state).map(|at| at.to_string())
}

/// `.at [ADDRESS | now]`
pub fn at(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let state = address(session, rest)?;
    session.lens = states::address(&state);
    let name = render::state_words(&state);
    Ok(match session.lens {
        Some(_) => format!("questions read {name}; `.at now` goes back to the working state\n"),
        None => format!("questions read {name}\n"),
    }
    .into())
}

/// `.log [N | all]`
pub fn log(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let events = session.store()?.events;
    let count = match rest {
        "" => EVENTS,
        "all" => events,
        number => number.parse().map_err(|_| {
            Error::request(format!("how many events? `.log 5` or `.log all`, not `{number}`"))
        })?,
    };
    let from = Some(events.saturating_sub(count) + 1);
    let request = Log { from, limit: Some(count), ..Log::default() };
    let entries = session.client().ask(request)?;
    let answer = Answer {
        text: render::log(session.look(), &entries),
        warnings: Vec::new(),
        source: Some(format!("{} of {}", entries.len(), plural(events, "event"))),
    };
    Ok(session.keep(answer))
}

/// `.policy`
pub fn policy(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    if rest.is_empty() {
        session.run(PolicyRequest::default().into())
    } else {
        session.execute(&format!("policy {rest}"))
    }
}

/// `.fmt SELECTOR`
pub fn fmt(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    if rest.is_empty() {
        return Err(Error::request("which selector? `.fmt SELECTOR`"));
    }
    let mut answer = Answer::default();
    for to in Dialect::ALL {
        let request = Fmt { q: rest.to_owned(), dialect: Some(session.dialect), to: Some(to) };
        let text = match session.client().ask(request) {
            Ok(formatted) => {
                answer.warnings.extend(formatted.notes);
                formatted.canonical
            }
            Err(error) if to == session.dialect => return Err(error.in_text(rest)),
            Err(error) => format!("cannot say it: {}", error.message),
        };
        answer.text.push_str(&format!("{to}  {}\n", visible(&text)));
    }
    Ok(answer.into())
}

/// `.explain SELECTOR`
pub fn explain(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    if rest.is_empty() {
        return Err(Error::request("which selector? `.explain SELECTOR`"));
    }
    if is_question(rest) {
        let question = Sql { q: query::asked(session, rest), explain: true, ..Sql::default() };
        return session.run(question.into());
    }
    let selector =
        parse_selector(rest, session.dialect).map_err(|error| Error::from(error).in_text(rest))?;
    let (q, _) = query::through_lens(session, selector.time.is_some(), rest);
    session.run(Explain { q, dialect: Some(session.dialect), typed: true }.into())
}

/// `.tables`
pub fn tables(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    nothing(rest, "tables")?;
    Ok(render::table_names(session.look()).into())
}

/// `.schema [TABLE]`
pub fn schema(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let name = Some(rest).filter(|name| !name.is_empty());
    Ok(render::tables(session.look(), name)?.into())
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
        (Some(Last::Nodes(found)), form) => found.in_form(look, session.client(), form)?,
        (Some(Last::Range(text, _)), "") => text.clone().into(),
        (Some(Last::Range(_, json)), "json") => json.clone().into(),
        (Some(Last::Text(text)), "") => text.clone().into(),
        (Some(_), form) => {
            return Err(Error::request(format!("the last result has no form `{form}`: `.last`")));
        }
    };
    Ok(Outcome::Whole(answer))
}

/// `.dialect [0.1 | 1.0]`
pub fn dialect(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    if !rest.is_empty() {
        session.dialect = rest
            .parse::<Dialect>()
            .map_err(|_| Error::request(format!("a dialect is 0.1 or 1.0, not `{rest}`")))?;
    }
    let own = session.store_dialect;
    let text = match session.dialect == own {
        true => format!("questions are in dialect {own}, the store's own\n"),
        false => format!("questions are in dialect {}, edits in {own}\n", session.dialect),
    };
    Ok(text.into())
}

/// `.watch [SELECTOR]`
pub fn watch(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    if !session.interactive {
        let message =
            "`.watch` goes on until Ctrl-C at a terminal; elsewhere there is `pactdb watch`";
        return Err(Error::request(message));
    }
    let (look, client) = (session.look(), session.client.clone());
    let q = Some(rest.to_owned()).filter(|q| !q.is_empty());
    let request = Watch { q, dialect: Some(session.dialect), ..Watch::default() };
    output::remark(look, "watching; Ctrl-C ends it\n");
    let watched = follow(&*client, request, &mut |watched| {
        Ok(output::show(look, &text(look, watched)).is_ok())
    });
    match watched {
        Err(error) if error.code == Code::Cancelled => Ok(String::new().into()),
        watched => watched.map(|()| String::new().into()),
    }
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

/// A command that is one request and takes nothing.
pub fn alone(
    session: &mut Session<'_>,
    rest: &str,
    command: &str,
    request: impl Into<Request>,
) -> Result<Outcome> {
    nothing(rest, command)?;
    session.run(request.into())
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

/// `.ui`
pub fn ui(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    nothing(rest, "ui")?;
    let page = match session.page.take() {
        Some(page) => page,
        None => Page::start(session.context, session.name(), &session.client)?,
    };
    let text = format!("{}\n", page.address);
    session.page = Some(page);
    Ok(text.into())
}

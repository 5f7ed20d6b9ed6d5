//! Dot commands that look at the store.

use super::arguments::{Shape, parse, words};
use super::files::copied;
use super::meta::FORMS;
use super::query::{self, Last};
use super::session::{Outcome, Session};
use super::settings::nothing;
use crate::answer::{Answer, pretty};
use crate::args::{
    AttemptListArgs, CommitArgs, ExplainArgs, LogArgs, ReplayArgs, ThreadArgs, TreeArgs, WatchArgs,
};
use crate::commands::thread::Asked;
use crate::commands::tree::Wanted;
use crate::commands::watch::{follow, text};
use crate::commands::{attempt, edit, read, replay as replays, thread as threads, tree as trees};
use crate::histories::steps;
use crate::render::{self, plural};
use crate::{output, states};
use clap::Args;
use pactdb::language::{named_id, nearest_word, parse_selector};
use pactdb::protocol::{ClientExt, Explain, Life, PolicyRequest, Replay, Request, Sql, Watch};
use pactdb::session::ThreadFormat;
use pactdb::sql::is_question;
use pactdb::{Address, Code, Dialect, Error, Result};

/// How many events the log shows unless told otherwise.
const EVENTS: u64 = 20;

/// `.tree [TIME] [SELECTOR]`
pub fn tree(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let mut wanted = Wanted::of(parse::<TreeArgs>(rest, Shape::Selector)?)?;
    let dialect = session.dialect;
    let has_time = |q: &str| parse_selector(q, dialect).is_ok_and(|it| it.time.is_some());
    if wanted.at.is_none() && !wanted.q.as_deref().is_some_and(has_time) {
        wanted.at = session.lens.map(|lens| lens.to_string());
    }
    let whole = wanted.q.is_some() || wanted.is_asked();
    let answer = trees::draw(session.look(), session.client(), Some(dialect), wanted)?;
    session.last = Some(Last::Text(answer.text.clone()));
    // What was asked for may be long; what was not is as long as the screen.
    Ok(if whole { Outcome::Answer(answer) } else { Outcome::Fitted(answer) })
}

/// `.show SELECTOR`, where an id needs no sign before it.
pub fn show(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    if rest.is_empty() {
        return Err(Error::request("which nodes? `.show SELECTOR`, for example `.show cb:1`"));
    }
    let (text, dialect) = match bare_ids(rest) {
        Some(text) => (text, Dialect::V0_1),
        None => (rest.to_owned(), session.dialect),
    };
    let selector =
        parse_selector(&text, dialect).map_err(|error| Error::from(error).in_text(&text))?;
    let (q, prefix) = query::through_lens(session, selector.time.is_some(), &text);
    let found = query::find(session.client(), &q, dialect)
        .map_err(|error| super::report::in_line(error, &text, &prefix))?;
    let answer = found.in_form(session.look(), session.client(), "full")?;
    session.last = Some(Last::Nodes(Box::new(found)));
    Ok(answer.into())
}

/// Ids without a sign before them, as a selector: `cb:1 cb:2`, `@c12 cb:1`. Names of nodes begin with
/// a letter and are followed by nothing that selects.
fn bare_ids(text: &str) -> Option<String> {
    let words: Vec<&str> = words(text).into_iter().map(|word| &text[word]).collect();
    let (time, ids) = match words.split_first() {
        Some((first, ids)) if first.starts_with('@') => (format!("{first} "), ids),
        _ => (String::new(), &words[..]),
    };
    let is_id = |word: &&str| {
        word.starts_with(char::is_alphanumeric) && !word.contains(['[', '(', '{', '\'', '"', ','])
    };
    let quoted = |id: &&str| format!("#'{}'", id.replace('\\', "\\\\"));
    let selector = ids.iter().map(quoted).collect::<Vec<_>>().join(", ");
    (!ids.is_empty() && ids.iter().all(is_id)).then(|| format!("{time}{selector}"))
}

/// `.thread [TIME] [FORMAT]`
pub fn thread(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let args: ThreadArgs = parse(rest, Shape::Words)?;
    let now = args.what.iter().chain(&args.at).any(|word| threads::is_working(word));
    let request = match threads::asked(args, Some(session.dialect))? {
        Asked::Thread(request) => request,
        Asked::Other(request) => return session.run(request),
    };
    let mut request = request;
    if request.at.is_none() && request.attempt.is_none() && !now {
        request.at = session.lens.map(|lens| lens.to_string());
    }
    let state = match &request.attempt {
        None => Some(states::one_at(session.client(), request.at.as_deref(), request.dialect)?),
        Some(_) => None,
    };
    // The address means the same whatever comes meanwhile.
    request.at = state.as_ref().and_then(states::address).map(|at| at.to_string());
    let thread = session.client().ask_fully(request)?;
    let answer = Answer {
        text: pretty(&pactdb::json::parse(&thread.reply.0)?)?,
        warnings: thread.warnings,
        source: state.as_ref().map(render::state_words),
    };
    Ok(session.keep(answer))
}

/// `.compare`
#[derive(Args)]
pub struct CompareArgs {
    /// Two times, the working state for one that is left out; and for which API
    #[arg(value_name = "TIME TIME FORMAT", required = true, num_args = 1..=3)]
    pub what: Vec<String>,
    /// Refuse what the API does not take as it stands, instead of saying it in another way
    #[arg(long)]
    pub strict: bool,
    /// Leave out calls without a result, and results without a call
    #[arg(long)]
    pub drop_unpaired: bool,
}

/// `.compare TIME [TIME] [FORMAT]`: what two threads have in common.
pub fn compare(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let CompareArgs { what, strict, drop_unpaired } = parse(rest, Shape::Words)?;
    let is_form = |word: &String| ThreadFormat::from_name(word).is_some();
    let (forms, times): (Vec<String>, Vec<String>) = what.into_iter().partition(is_form);
    let mut times: Vec<String> = times
        .iter()
        .map(|time| crate::clock::time(time).unwrap_or_else(|never| match never {}))
        .collect();
    if times.len() == 1 {
        let lens = session.lens.map(|lens| lens.to_string());
        times.push(lens.unwrap_or_else(|| "now".to_owned()));
    }
    if times.len() != 2 || forms.len() > 1 {
        return Err(Error::request("what is compared are two times: `.compare @c41 @c42`"));
    }
    let args = ThreadArgs {
        what: forms,
        strict,
        drop_unpaired,
        compare: Some(times),
        ..ThreadArgs::default()
    };
    match threads::asked(args, Some(session.dialect))? {
        Asked::Other(request) => session.run(request),
        Asked::Thread(request) => session.run(request.into()),
    }
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

/// `.commit`
pub fn commit(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let args: CommitArgs = parse(rest, Shape::Words)?;
    session.run(edit::commit_request(&args).into())
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
    if is_question(rest) {
        let question = Sql { q: query::asked(session, rest), explain: true, ..Sql::default() };
        return session.run(question.into());
    }
    let ExplainArgs { q, at } = parse(rest, Shape::Selector)?;
    let dialect = session.dialect;
    let selector = parse_selector(&q, dialect).map_err(|error| Error::from(error).in_text(&q))?;
    let q = match at {
        Some(_) => read::with_time(session.client(), Some(dialect), q, at)?,
        None => query::through_lens(session, selector.time.is_some(), &q).0,
    };
    session.run(Explain { q, dialect: Some(dialect) }.into())
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

//! Dot commands that look at states.

use super::arguments::{Shape, parse, words};
use super::meta::FORMS;
use super::query::{self, Last};
use super::session::{Outcome, Session};
use super::settings::nothing;
use crate::answer::{Answer, pretty};
use crate::args::{
    CommitArgs, ExplainArgs, RedactArgs, StatsArgs, ThreadArgs, TimelineArgs, TreeArgs,
};
use crate::charts;
use crate::commands::thread::Asked;
use crate::commands::tree::Wanted;
use crate::commands::ui::Page;
use crate::commands::{edit, read, thread as threads, tree as trees};
use crate::render::{self, visible};
use crate::{clock, states};
use clap::Args;
use pactdb::language::{nearest_word, parse_selector};
use pactdb::protocol::{ClientExt, Explain, Fmt, GetStats, PolicyRequest, Redact, Request, Sql};
use pactdb::session::ThreadFormat;
use pactdb::sql::is_question;
use pactdb::{Code, Dialect, Error, Result};

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
    let ids = bare_ids(rest);
    let (by_id, dialect) =
        (ids.is_some(), if ids.is_some() { Dialect::V0_1 } else { session.dialect });
    let text = ids.unwrap_or_else(|| rest.to_owned());
    let selector =
        parse_selector(&text, dialect).map_err(|error| Error::from(error).in_text(&text))?;
    let (q, prefix) = query::through_lens(session, selector.time.is_some(), &text);
    let found = query::find(session.client(), &q, dialect)
        .map_err(|error| super::report::in_line(error, &text, &prefix))?;
    let answer = found.in_form(session.look(), session.client(), "full")?;
    if by_id && answer.text.is_empty() {
        let source = answer.source.unwrap_or_default();
        let from = source.strip_prefix("0 nodes in ").unwrap_or("what was asked");
        let mut error =
            Error::new(Code::NodeNotFound, format!("there is no node {rest} in {from}"));
        error.details.hint = Some("`.life ID` says whether it ever was".to_owned());
        return Err(error);
    }
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
    let time = |word: &String| {
        let Ok(time) = clock::time(word);
        time
    };
    let mut times: Vec<String> = times.iter().map(time).collect();
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

/// `.timeline [TIME..TIME]`
pub fn timeline(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let args: TimelineArgs = parse(rest, Shape::Words)?;
    let csv = args.csv;
    let lines = (!csv).then(|| charts::lines(session.look()));
    let request = charts::request(args, lines, Some(session.dialect));
    if csv {
        let reply = session.client().ask(request)?;
        return Ok(session.keep(render::timeline_csv(&reply).into()));
    }
    session.run(request.into())
}

/// `.redact`
pub fn redact(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let args: RedactArgs = parse(rest, Shape::Words)?;
    session.run(Redact::from(args).into())
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
    let ExplainArgs { q, at } = parse(rest, Shape::Selector)?;
    let dialect = session.dialect;
    let selector = parse_selector(&q, dialect).map_err(|error| Error::from(error).in_text(&q))?;
    let q = match at {
        Some(_) => read::with_time(session.client(), Some(dialect), q, at)?,
        None => query::through_lens(session, selector.time.is_some(), &q).0,
    };
    session.run(Explain { q, dialect: Some(dialect), typed: true }.into())
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

/// `.stats [--tables]`
pub fn stats(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let StatsArgs { tables } = parse(rest, Shape::Words)?;
    session.run(GetStats { tables }.into())
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

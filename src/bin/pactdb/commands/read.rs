//! Commands that read a store. They never make or change one.

use crate::answer::{Answer, state_at};
use crate::args::{AnswerArgs, DiffArgs, LogArgs, SelectArgs, TreeArgs};
use crate::context::Context;
use crate::render::{self, TreeOptions};
use crate::request::{Request, count};
use pactdb::json::Map;
use pactdb::language::{Dialect, named_id, parse_selector};
use pactdb::query::{ReadStates, SelectOptions, Selected};
use pactdb::session::life;
use pactdb::{Code, Db, Error, Json, Result};

pub fn select(context: &Context, op: &str, args: SelectArgs) -> Result<()> {
    let db = context.existing()?;
    let q = timed(context, &db, args.q, args.at)?;
    let request = Request::new(op).with("q", Some(q)).with("options", options(&args.answer));
    context.run(&db, with_dialect(context, request).op()?)
}

pub fn explain(context: &Context, q: String, at: Option<String>) -> Result<()> {
    let db = context.existing()?;
    let q = timed(context, &db, q, at)?;
    let request = Request::new("explain").with("q", Some(q));
    context.run(&db, with_dialect(context, request).op()?)
}

pub fn tree(context: &Context, args: TreeArgs) -> Result<()> {
    let db = context.existing()?;
    let (only, state) = match args.q {
        None => (None, state_at(&db, args.at.as_deref(), context.dialect)?),
        Some(q) => {
            let q = timed(context, &db, q, args.at)?;
            let state = match db.asked(&q, context.dialect)? {
                ReadStates::Working => db.working_state(),
                ReadStates::Snapshot(cycle) => db.snapshot(cycle)?,
                ReadStates::Event { seq, .. } => db.after_event(seq)?,
                _ => {
                    let message = "a tree is of one state: give an address such as @t0, @c4 or @e7";
                    return Err(Error::new(Code::SelectorInvalid, message));
                }
            };
            match db.select(&q, context.dialect, &SelectOptions::default())? {
                Selected::Ids { ids, .. } => {
                    (Some(ids.iter().map(|id| id.to_string()).collect()), state)
                }
                Selected::Range(_) => (None, state),
            }
        }
    };
    if context.json {
        // The same as `export`, so that a program gets the tree and not its drawing.
        let text = state.export()?;
        return context.print(&format!("{{\"ok\":{text}}}\n"));
    }
    let turns = if args.all { None } else { Some(args.turns) };
    let text = render::tree(context.look, &db, &state, &TreeOptions { turns, only })?;
    let source = Some(render::state_words(&state, db.last_cycle()));
    context.show(Answer { text, source, ..Answer::default() })
}

pub fn diff(context: &Context, args: DiffArgs) -> Result<()> {
    let db = context.existing()?;
    let mut times = Vec::new();
    let mut q = None;
    for word in args.what {
        let is_time = word.starts_with('@') && !word.trim().contains(char::is_whitespace);
        match (is_time || word == "working", times.len(), &q) {
            (true, 0 | 1, None) => times.push(Some(word).filter(|word| word != "working")),
            (false, _, None) => q = Some(word),
            _ => return Err(Error::request("diff takes two times at most, then a selector")),
        }
    }
    // Nothing given is what is not committed yet: the newest snapshot and the working state.
    let newest = (db.last_cycle() > 0).then(|| format!("@c{}", db.last_cycle()));
    let mut times = times.into_iter();
    let request = Request::new("diff")
        .with("a", times.next().unwrap_or(newest))
        .with("b", times.next().flatten())
        .with("q", q)
        .flag("rich", args.rich);
    context.run(&db, with_dialect(context, request).op()?)
}

pub fn log(context: &Context, args: &LogArgs) -> Result<()> {
    let db = context.existing()?;
    if let Some(node) = &args.node {
        let mut moments = life(&db, &named_id(node))?;
        if args.reverse {
            moments.reverse();
        }
        moments.truncate(args.limit.map_or(usize::MAX, |limit| limit as usize));
        return match context.json {
            true => context.say(&moments, ""),
            false => context.page(&render::life(context.look, &moments)),
        };
    }
    let op = Request::new("log")
        .with("from", args.from.map(count))
        .with("limit", args.limit.map(count))
        .with("cycle", args.cycle.map(count))
        .with("kind", args.kind.clone())
        .flag("newest_first", args.from.is_none() != args.reverse)
        .op()?;
    context.run(&db, op)
}

/// A selector with the time that was given beside it.
fn timed(context: &Context, db: &Db, q: String, at: Option<String>) -> Result<String> {
    let Some(at) = at else { return Ok(q) };
    let dialect = context.dialect.unwrap_or(db.dialect());
    if parse_selector(&q, dialect).is_ok_and(|selector| selector.time.is_some()) {
        let message = "the selector has a time of its own: leave out --at, or the time";
        return Err(Error::request(message));
    }
    Ok(format!("{at} {q}"))
}

fn with_dialect(context: &Context, request: Request) -> Request {
    request.with("dialect", context.dialect.map(Dialect::name))
}

/// The options object of a `select`.
fn options(args: &AnswerArgs) -> Option<Json> {
    let numbers = [
        ("limit", args.limit),
        ("skip", args.skip),
        ("contextLines", args.context_lines),
        ("maxSnapshots", args.max_snapshots),
        ("maxChangesPerSnapshot", args.max_changes),
    ];
    let mut map: Map = numbers
        .into_iter()
        .filter_map(|(name, number)| Some((name.to_owned(), count(number?))))
        .collect();
    let mut put = |name: &str, value: Option<Json>| {
        map.extend(value.map(|value| (name.to_owned(), value)));
    };
    put("order", args.order.clone().map(Json::from));
    put("includeContent", args.content.then_some(Json::from(true)));
    put("contentMode", args.content_mode.map(|mode| Json::from(mode.name())));
    Some(map).filter(|map| !map.is_empty()).map(Json::Map)
}

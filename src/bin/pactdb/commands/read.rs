//! Commands that read a store. They never make or change one.

use crate::answer::{Answer, state_at};
use crate::args::{AnswerArgs, DiffArgs, LogArgs, SelectArgs, TreeArgs};
use crate::context::Context;
use crate::render::{self, TreeOptions};
use pactdb::answer::ReadStates;
use pactdb::json::from_json;
use pactdb::language::ast::Order;
use pactdb::language::{named_id, parse_selector};
use pactdb::protocol::{Explain, Nodes};
use pactdb::session::life;
use pactdb::{Code, Db, Diff, Error, Json, Log, Result, Select, SelectOptions, Selected};

pub fn select(context: &Context, args: SelectArgs) -> Result<()> {
    let db = context.existing()?;
    let q = timed(context, &db, args.q, args.at)?;
    let options = options(&args.answer)?;
    context.run(&db, Select { q, dialect: context.dialect, options })
}

pub fn nodes(context: &Context, args: SelectArgs) -> Result<()> {
    let db = context.existing()?;
    let q = timed(context, &db, args.q, args.at)?;
    let options = options(&args.answer)?;
    context.run(&db, Nodes { q, dialect: context.dialect, options })
}

pub fn explain(context: &Context, q: String, at: Option<String>) -> Result<()> {
    let db = context.existing()?;
    let q = timed(context, &db, q, at)?;
    context.run(&db, Explain { q, dialect: context.dialect })
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
            match db.select(Select::new(&q).dialect(context.dialect))? {
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
    let request = Diff {
        a: times.next().unwrap_or(newest),
        b: times.next().flatten(),
        q,
        rich: args.rich,
        dialect: context.dialect,
    };
    context.run(&db, request)
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
    let request = Log {
        from: args.from,
        limit: args.limit,
        cycle: args.cycle,
        kind: args.kind.clone(),
        node: None,
        newest_first: args.from.is_none() != args.reverse,
    };
    context.run(&db, request)
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

/// The options of a `select`.
fn options(args: &AnswerArgs) -> Result<SelectOptions> {
    let order = |name: &String| -> Result<Order> {
        let order = from_json(Json::from(name.as_str()));
        order.map_err(|error| Error::request(format!("'options': {error}")))
    };
    Ok(SelectOptions {
        include_content: args.content,
        content_mode: args.content_mode.map(Into::into).unwrap_or_default(),
        context_lines: args.context_lines.map(|lines| u32::try_from(lines).unwrap_or(u32::MAX)),
        max_snapshots: args.max_snapshots,
        max_changes_per_snapshot: args.max_changes,
        limit: args.limit,
        skip: args.skip,
        order: args.order.as_ref().map(order).transpose()?,
        ..SelectOptions::default()
    })
}

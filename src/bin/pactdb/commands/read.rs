//! Commands that read a store. They never make or change one.

use crate::args::{AnswerArgs, DiffArgs, ExplainArgs, LogArgs, SelectArgs};
use crate::connect::is_behind_http;
use crate::context::Context;
use crate::render::{self, ListForm};
use crate::states;
use pactdb::answer::DiffBlock;
use pactdb::json::from_json;
use pactdb::language::ast::Order;
use pactdb::language::{named_id, parse_selector};
use pactdb::protocol::{
    Client, ClientExt, Explain, Life, Nodes, Notice, Request, Selection, Sql, State,
};
use pactdb::sql::is_question;
use pactdb::{Dialect, Diff, Error, Json, Log, Result, Select, SelectOptions};

pub fn select(context: &Context, args: SelectArgs) -> Result<()> {
    let form = form(context, &args)?;
    let client = &*context.existing()?;
    if is_question(&args.q) {
        return rows(context, client, args, form);
    }
    let q = timed(context, client, args.q, args.at)?;
    let question = Select { q, dialect: context.dialect, options: options(&args.answer)? };
    let Some(form) = form else {
        return match context.json || !is_range(context, client, &question.q)? {
            true => context.run(client, question),
            false => range(context, client, question),
        };
    };
    let answered = client.ask_fully(question)?;
    match &answered.reply {
        Selection::Ids(ids) => {
            context.print(&render::listed_ids(form, ids.iter().map(|id| &**id))?)?;
        }
        Selection::Range(range) => {
            context.print(&render::listed_range(form, range)?)?;
            context.warn(&range.warnings);
        }
    }
    context.warn(&answered.warnings);
    Ok(())
}

/// Whether a selector asks what changed over a range. One that cannot be read is judged by who answers.
fn is_range(context: &Context, client: &dyn Client, q: &str) -> Result<bool> {
    let dialect = dialect_of(client, context.dialect)?;
    let time = parse_selector(q, dialect).ok().and_then(|selector| selector.time);
    Ok(time.is_some_and(|time| time.kind.is_range()))
}

/// What changed over a range, block by block as it is found.
fn range(context: &Context, client: &dyn Client, question: Select) -> Result<()> {
    let state = states::of(client, &question.q, question.dialect)?;
    // Over a connection one thing is asked at a time: nodes are asked for over another one.
    let is_far = client.process().is_some() || is_behind_http(&context.store);
    let other = is_far.then(|| context.existing()).transpose()?;
    let beside = other.as_deref().unwrap_or(client);
    let (mut pages, mut shown, mut quiet) = (context.pages(), 0, 0);
    let mut left = false;
    let answered = client.ask_streaming(question, &mut |notice| {
        let Notice::Part(part) = notice else { return Ok(()) };
        let block: DiffBlock = from_json(part)
            .map_err(|error| Error::request(format!("a block cannot be read: {error}")))?;
        if !render::has_changes(&block) {
            quiet += 1;
            return Ok(());
        }
        shown += 1;
        let sides = states::sides_of_block(beside, &block, state.store.cycle)?;
        let written = pages.write(&render::range_block(context.look, &sides, &block));
        left = written.is_err();
        written
    });
    if left {
        return pages.finish();
    }
    let answered = answered?;
    if let Selection::Range(range) = &answered.reply {
        pages.write(&render::range_end(context.look, (shown, quiet), range))?;
        pages.finish()?;
        context.warn(&range.warnings);
    }
    context.warn(&answered.warnings);
    context.source(&render::source(&state, None));
    Ok(())
}

/// The form for programs that was asked for.
fn form(context: &Context, args: &SelectArgs) -> Result<Option<ListForm>> {
    if context.json && (args.csv || args.jsonl) {
        return Err(Error::request("--json, --jsonl and --csv are three forms: give one"));
    }
    Ok(match (args.csv, args.jsonl) {
        (true, _) => Some(ListForm::Csv),
        (_, true) => Some(ListForm::JsonLines),
        _ => None,
    })
}

/// A question that is answered with rows.
fn rows(
    context: &Context,
    client: &dyn Client,
    args: SelectArgs,
    form: Option<ListForm>,
) -> Result<()> {
    let q = match args.at {
        Some(at) => format!("{at} {}", args.q),
        None => args.q,
    };
    let question = Sql { q, ..Sql::default() };
    match form {
        Some(form) => super::sql::listed(context, client, question, form),
        None => context.run(client, question),
    }
}

pub fn nodes(context: &Context, args: SelectArgs) -> Result<()> {
    let form = form(context, &args)?;
    let client = &*context.existing()?;
    if is_question(&args.q) {
        return rows(context, client, args, form);
    }
    let q = timed(context, client, args.q, args.at)?;
    let question = Nodes { q, dialect: context.dialect, options: options(&args.answer)? };
    let Some(form) = form else { return context.run(client, question) };
    let answered = client.ask_fully(question)?;
    context.print(&render::listed_nodes(form, &answered.reply)?)?;
    context.warn(&answered.warnings);
    Ok(())
}

pub fn explain(context: &Context, ExplainArgs { q, at }: ExplainArgs) -> Result<()> {
    let client = &*context.existing()?;
    if is_question(&q) && at.is_none() {
        return context.run(client, Sql { q, explain: true, ..Sql::default() });
    }
    let q = timed(context, client, q, at)?;
    context.run(client, Explain { q, dialect: context.dialect, typed: true })
}

pub fn diff(context: &Context, args: DiffArgs) -> Result<()> {
    let client = &*context.existing()?;
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
    let newest = client.ask(State::default())?.store.cycle;
    let newest = (newest > 0).then(|| format!("@c{newest}"));
    let mut times = times.into_iter();
    let request = Diff {
        a: times.next().unwrap_or(newest),
        b: times.next().flatten(),
        q,
        rich: args.rich,
        dialect: context.dialect,
    };
    context.run(client, request)
}

pub fn log(context: &Context, args: &LogArgs) -> Result<()> {
    context.run(&*context.existing()?, log_request(args))
}

/// The events that are asked for, or the life of a node.
pub fn log_request(args: &LogArgs) -> Request {
    let limit = args.count.or(args.limit);
    if let Some(node) = &args.node {
        let id = named_id(node).into_owned();
        return Life { id, limit, newest_first: args.reverse }.into();
    }
    Log {
        from: args.from,
        limit,
        cycle: args.cycle,
        kind: args.kind.clone(),
        node: None,
        newest_first: args.from.is_none() != args.reverse,
    }
    .into()
}

fn timed(context: &Context, client: &dyn Client, q: String, at: Option<String>) -> Result<String> {
    with_time(client, context.dialect, q, at)
}

/// A selector with the time that was given beside it.
pub fn with_time(
    client: &dyn Client,
    dialect: Option<Dialect>,
    q: String,
    at: Option<String>,
) -> Result<String> {
    let Some(at) = at else { return Ok(q) };
    let dialect = dialect_of(client, dialect)?;
    if parse_selector(&q, dialect).is_ok_and(|selector| selector.time.is_some()) {
        let message = "the selector has a time of its own: leave out --at, or the time";
        return Err(Error::request(message));
    }
    Ok(format!("{at} {q}"))
}

/// The dialect that was given, or the store's own.
fn dialect_of(client: &dyn Client, dialect: Option<Dialect>) -> Result<Dialect> {
    match dialect {
        Some(dialect) => Ok(dialect),
        None => Ok(client.ask(State::default())?.store.dialect),
    }
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
        ..typed()
    })
}

/// The options of a question that a person typed.
pub fn typed() -> SelectOptions {
    SelectOptions { typed: true, ..SelectOptions::default() }
}

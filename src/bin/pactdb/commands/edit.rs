//! Commands that change a store.

use crate::args::{AddArgs, BatchArgs, CommitArgs, ContentArgs, MoveArgs, PolicyArgs, SetArgs};
use crate::context::Context;
use crate::render::{cut, plural, visible};
use crate::request::{Request, count};
use pactdb::json::Map;
use pactdb::json::parse_document as parse;
use pactdb::limits::MAX_LINE_BYTES;
use pactdb::query::{SelectOptions, Selected};
use pactdb::{Code, Error, Json, Result};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Headers that `--clear` can remove.
const CLEARABLE: [&str; 10] =
    ["content", "ttl", "priority", "key", "tags", "cad", "pinned", "refs", "mime", "encoding"];

pub fn add(context: &Context, args: AddArgs) -> Result<()> {
    let op = Request::new("add")
        .with("to", args.to)
        .with("type", args.node_type)
        .flag("container", args.container)
        .with("id", args.id)
        .with("role", args.role)
        .with("kind", args.kind)
        .with("key", args.key)
        .list("tags", args.tags)
        .with("ttl", args.ttl)
        .with("cad", args.cad)
        .with("offset", args.offset)
        .with("priority", args.priority)
        .with("content", content(args.content)?)
        .list("refs", args.refs)
        .flag("pinned", args.pinned)
        .flag("removable", args.removable)
        .with("provenance", args.provenance)
        .with("mime", args.mime)
        .with("encoding", args.encoding)
        .with("attrs", attrs(&args.attrs)?)
        .with("created_at_ns", args.created_at_ns)
        .op()?;
    context.run(&context.open_or_create()?, op)
}

pub fn set(context: &Context, args: SetArgs) -> Result<()> {
    let mut request = Request::new("set")
        .with("target", Some(args.target))
        .with("content", content(args.content)?)
        .with("ttl", args.ttl)
        .with("priority", args.priority)
        .with("key", args.key)
        .list("tags", args.tags)
        .with("cad", args.cad)
        .flag("pinned", args.pinned)
        .list("refs", args.refs)
        .with("mime", args.mime)
        .with("encoding", args.encoding)
        .with("attrs", attrs(&args.attrs)?);
    for field in &args.clear {
        if !CLEARABLE.contains(&field.as_str()) {
            let message = format!("--clear takes {}, not {field}", CLEARABLE.join(", "));
            return Err(Error::request(message));
        }
        request = request.set(field, Json::Null);
    }
    context.run(&context.existing()?, request.op()?)
}

pub fn relocate(context: &Context, args: MoveArgs) -> Result<()> {
    let op = Request::new("move")
        .with("target", Some(args.target))
        .with("to", Some(args.to))
        .with("offset", args.offset)
        .with("created_at_ns", args.created_at_ns)
        .op()?;
    context.run(&context.existing()?, op)
}

pub fn remove(context: &Context, target: &str, force: bool, yes: bool) -> Result<()> {
    let db = context.existing()?;
    // What the target matches is only looked up to ask about it; the edit decides by itself.
    let found = db.select(target.trim_end_matches('?'), None, &SelectOptions::default());
    if let Ok(Selected::Ids { ids, .. }) = found
        && !ids.is_empty()
    {
        let names = cut(&visible(&ids.join(" ")), 60);
        let many = plural(ids.len() as u64, "node");
        context.confirm(yes, &format!("remove {many} with all below ({names})?"))?;
    }
    let op = Request::new("remove").with("target", Some(target)).flag("force", force).op()?;
    context.run(&db, op)
}

pub fn commit(context: &Context, args: &CommitArgs) -> Result<()> {
    let op = Request::new("commit")
        .with("expected_cycle", args.expected_cycle)
        .with("created_at_ns", args.created_at_ns)
        .flag("dry_run", args.dry_run)
        .op()?;
    let db = if args.dry_run { context.existing()? } else { context.open_or_create()? };
    context.run(&db, op)
}

pub fn batch(context: &Context, args: &BatchArgs) -> Result<()> {
    let text = read_text(&args.file)?;
    let ops = match text.trim_start().starts_with('[') {
        true => parse(&text)?,
        false => {
            let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
            let ops = lines.map(|(i, line)| {
                parse(line).map_err(|error| {
                    let error = Error::from(error);
                    Error { message: format!("line {}: {}", i + 1, error.message), ..error }
                })
            });
            Json::List(ops.collect::<Result<_>>()?)
        }
    };
    let op =
        Request::new("batch").set("ops", ops).with("expected_cycle", args.expected_cycle).op()?;
    context.run(&context.open_or_create()?, op)
}

pub fn restore(context: &Context, at: String, discard: bool, yes: bool) -> Result<()> {
    let db = context.existing()?;
    let edits = db.stats()?.uncommitted;
    if discard && edits > 0 {
        context.confirm(yes, &format!("throw {} away?", plural(edits, "uncommitted edit")))?;
    }
    let op = Request::new("restore").with("at", Some(at)).flag("discard", discard).op()?;
    context.run(&db, op)
}

pub fn policy(context: &Context, args: PolicyArgs) -> Result<()> {
    if args.clear {
        let op = Request::new("policy").set("set", Json::List(Vec::new())).op()?;
        return context.run(&context.existing()?, op);
    }
    if let Some(text) = &args.set {
        let op = Request::new("policy").set("set", parse(text)?).op()?;
        return context.run(&context.open_or_create()?, op);
    }
    let limits = [
        ("max_blocks", args.max_blocks),
        ("max_bytes", args.max_bytes),
        ("max_tokens", args.max_tokens),
        ("protect_recent_turns", args.protect_recent_turns),
    ];
    let mut policy: Map = limits
        .into_iter()
        .filter_map(|(name, limit)| Some((name.to_owned(), count(limit?))))
        .collect();
    policy.extend(args.region.map(|region| ("region".to_owned(), Json::from(region))));
    if policy.is_empty() {
        return context.run(&context.existing()?, Request::new("policy").op()?);
    }
    let db = context.open_or_create()?;
    let mut list = Vec::new();
    if args.append {
        for policy in db.policies() {
            let value = serde_json::to_value(policy);
            let value = value.map_err(|error| Error::request(error.to_string()))?;
            list.push(Json::try_from(value)?);
        }
    }
    list.push(Json::Map(policy));
    context.run(&db, Request::new("policy").set("set", Json::List(list)).op()?)
}

/// The content that was given, if any.
fn content(args: ContentArgs) -> Result<Option<Json>> {
    let text = match (args.content, args.file) {
        (None, None) => return Ok(None),
        (Some(text), _) if text != "-" => text,
        (_, Some(file)) => read_text(&file)?,
        (Some(_), None) => read_text(Path::new("-"))?,
    };
    if args.content_json {
        return Ok(Some(parse(&text)?));
    }
    Ok(Some(Json::from(text)))
}

/// Attributes as `NAME=VALUE`: a value that is JSON is that, everything else a text.
fn attrs(pairs: &[String]) -> Result<Option<Json>> {
    let mut map = Map::new();
    for pair in pairs {
        let Some((name, value)) = pair.split_once('=') else {
            return Err(Error::request(format!("--attr takes NAME=VALUE, not {pair}")));
        };
        let value = parse(value).unwrap_or_else(|_| Json::from(value));
        map.insert(name.to_owned(), value);
    }
    Ok(Some(map).filter(|map| !map.is_empty()).map(Json::Map))
}

/// The text of a file, or of standard input for `-`; no more of it than a line of the pipe has.
pub fn read_text(path: &Path) -> Result<String> {
    let failed = |error: std::io::Error| {
        Error::new(Code::StoreIo, format!("cannot read {}: {error}", path.display()))
    };
    let mut text = String::new();
    let most = MAX_LINE_BYTES as u64 + 1;
    let read = match path == Path::new("-") {
        true => std::io::stdin().lock().take(most).read_to_string(&mut text),
        false => File::open(path).map_err(failed)?.take(most).read_to_string(&mut text),
    };
    if read.map_err(failed)? > MAX_LINE_BYTES {
        let message = format!("{} has more than {MAX_LINE_BYTES} bytes: split it", path.display());
        return Err(Error::new(Code::Limit, message));
    }
    Ok(text)
}

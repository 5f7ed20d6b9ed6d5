//! Commands that change a store.

use crate::args::{AddArgs, BatchArgs, CommitArgs, ContentArgs, MoveArgs, PolicyArgs, SetArgs};
use crate::context::Context;
use crate::render::{cut, plural, visible};
use crate::signals::Input;
use pactdb::json::parse_document as parse;
use pactdb::limits::MAX_LINE_BYTES;
use pactdb::protocol::{ClientExt, PolicyRequest, Selection, State};
use pactdb::{
    Add, Batch, Code, Commit, Error, Json, Map, Move, Policy, Region, Remove, Restore, Result,
    Select, Set,
};
use std::fs::File;
use std::io::Read;
use std::path::Path;

pub fn add(context: &Context, args: AddArgs) -> Result<()> {
    let request = Add {
        to: args.to,
        node_type: args.node_type,
        container: args.container.then_some(true),
        id: args.id,
        role: args.role,
        kind: args.kind,
        key: args.key,
        tags: args.tags,
        ttl: args.ttl,
        cad: args.cad,
        offset: args.offset,
        priority: args.priority,
        content: content(args.content)?.filter(|content| !content.is_null()),
        refs: args.refs,
        pinned: args.pinned,
        removable: args.removable,
        provenance: args.provenance,
        mime: args.mime,
        encoding: args.encoding,
        attrs: attrs(&args.attrs)?,
        created_at_ns: args.created_at_ns,
        headers: args.headers.0,
    };
    context.run(&*context.open_or_create()?, request)
}

pub fn set(context: &Context, args: SetArgs) -> Result<()> {
    let content = content(args.content)?.map(|content| Some(content).filter(|c| !c.is_null()));
    let mut request = Set {
        target: args.target,
        content,
        ttl: args.ttl.map(Some),
        priority: args.priority.map(Some),
        key: args.key.map(Some),
        tags: Some(args.tags).filter(|tags| !tags.is_empty()),
        cad: args.cad.map(Some),
        pinned: args.pinned.then_some(true),
        refs: Some(args.refs).filter(|refs| !refs.is_empty()),
        mime: args.mime.map(Some),
        encoding: args.encoding.map(Some),
        attrs: attrs(&args.attrs)?,
        headers: args.headers.0,
    };
    for field in &args.clear {
        request.clear(field)?;
    }
    context.run(&*context.existing()?, request)
}

pub fn relocate(context: &Context, args: MoveArgs) -> Result<()> {
    let MoveArgs { target, to, offset, created_at_ns } = args;
    context.run(&*context.existing()?, Move { target, to, offset, created_at_ns })
}

pub fn remove(context: &Context, target: &str, force: bool, yes: bool) -> Result<()> {
    let client = &*context.existing()?;
    // What the target matches is only looked up to ask about it; the edit decides by itself.
    let q = target.trim_end_matches('?').to_owned();
    let found = client.ask(Select { q, ..Select::default() });
    if let Ok(Selection::Ids(ids)) = found
        && !ids.is_empty()
    {
        let names = cut(&visible(&ids.join(" ")), 60);
        let many = plural(ids.len() as u64, "node");
        context.confirm(yes, &format!("remove {many} with all below ({names})?"))?;
    }
    context.run(client, Remove { target: target.to_owned(), force })
}

pub fn commit(context: &Context, args: &CommitArgs) -> Result<()> {
    let client = if args.dry_run { context.existing()? } else { context.open_or_create()? };
    context.run(&*client, commit_request(args))
}

/// The end of a cycle that is asked for.
pub fn commit_request(args: &CommitArgs) -> Commit {
    Commit {
        created_at_ns: args.created_at_ns,
        expected_cycle: args.expected_cycle,
        expected_event: args.expected_event,
        dry_run: args.dry_run,
    }
}

pub fn batch(context: &Context, args: &BatchArgs) -> Result<()> {
    let text = read_text(&args.file)?;
    let ops = match text.trim_start().starts_with('[') {
        true => parse(&text)?,
        false => {
            let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
            let ops = lines.map(|(i, line)| {
                parse(line).map_err(|error| {
                    let mut error = Error::from(error);
                    error.message = format!("line {}: {}", i + 1, error.message);
                    error
                })
            });
            Json::List(ops.collect::<Result<_>>()?)
        }
    };
    let mut request = Batch::from_json(Map::from([("ops".to_owned(), ops)]))?;
    request.expected_cycle = args.expected_cycle;
    context.run(&*context.open_or_create()?, request)
}

pub fn restore(context: &Context, at: String, discard: bool, yes: bool) -> Result<()> {
    let client = &*context.existing()?;
    let edits = client.ask(State::default())?.store.uncommitted;
    if discard && edits > 0 {
        context.confirm(yes, &format!("throw {} away?", plural(edits, "uncommitted edit")))?;
    }
    context.run(client, Restore { at, discard })
}

pub fn policy(context: &Context, args: PolicyArgs) -> Result<()> {
    if args.clear {
        let request = PolicyRequest { set: Some(Vec::new()) };
        return context.run(&*context.existing()?, request);
    }
    if let Some(text) = &args.set {
        let request = PolicyRequest::from_json(parse(text)?)?;
        return context.run(&*context.open_or_create()?, request);
    }
    let policy = Policy {
        region: args.region.as_deref().map(region).transpose()?,
        max_blocks: args.max_blocks,
        max_bytes: args.max_bytes,
        max_tokens: args.max_tokens,
        max_turns: args.max_turns,
        max_nodes: args.max_nodes,
        protect_recent_turns: args.protect_recent_turns,
    };
    if policy == Policy::default() {
        return context.run(&*context.existing()?, PolicyRequest::default());
    }
    let client = &*context.open_or_create()?;
    let mut list = match args.append {
        true => client.ask(PolicyRequest::default())?,
        false => Vec::new(),
    };
    list.push(policy);
    context.run(client, PolicyRequest { set: Some(list) })
}

fn region(name: &str) -> Result<Region> {
    name.parse().map_err(|message: String| Error::new(Code::AttrInvalid, message))
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
fn attrs(pairs: &[String]) -> Result<Map> {
    let mut map = Map::new();
    for pair in pairs {
        let Some((name, value)) = pair.split_once('=') else {
            return Err(Error::request(format!("--attr takes NAME=VALUE, not {pair}")));
        };
        let value = parse(value).unwrap_or_else(|_| Json::from(value));
        map.insert(name.to_owned(), value);
    }
    Ok(map)
}

/// The text of a file, or of standard input for `-`; no more of it than a line of the pipe has.
pub fn read_text(path: &Path) -> Result<String> {
    let failed = |error: std::io::Error| {
        Error::new(Code::StoreIo, format!("cannot read {}: {error}", path.display()))
    };
    let mut text = String::new();
    let most = MAX_LINE_BYTES as u64 + 1;
    let read = match path == Path::new("-") {
        true => Input.take(most).read_to_string(&mut text),
        false => File::open(path).map_err(failed)?.take(most).read_to_string(&mut text),
    };
    if read.map_err(failed)? > MAX_LINE_BYTES {
        let message = format!("{} has more than {MAX_LINE_BYTES} bytes: split it", path.display());
        return Err(Error::new(Code::Limit, message));
    }
    Ok(text)
}

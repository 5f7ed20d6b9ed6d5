//! Events as a dump has them: the kind in one word, and an object with all inputs.

use super::fields::{Fields, count, invalid, text};
use super::form::{
    addition, additions, bounded, content, lifetime, node, number, object, read_addition,
    read_additions, read_as, read_content, read_hashes, read_lifetime, read_node, texts, time,
    written,
};
use super::notes::{read_attempt, read_origin, write_attempt, write_origin};
use crate::change::{Change, Commit, Event, Import, Relocation, Restore};
use crate::error::Result;
use crate::json::Json;
use crate::model::{Generation, Id, Name, Node, SetBy, TextField, header};
use crate::snapshot::hex;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) fn write(event: &Event) -> Json {
    let digest = |digest: &[u8; 32]| ("digest", Json::Str(hex(digest)));
    match event {
        Event::Created { generation } => object([("spec", Json::from(generation.name()))]),
        Event::Added(added) => addition(added),
        Event::Changed { ids, change } => {
            object([("ids", texts(ids)), ("change", write_change(change))])
        }
        Event::Moved { steps } => {
            object([("steps", Json::List(steps.iter().map(write_step).collect()))])
        }
        Event::Removed { ids } => object([("ids", texts(ids))]),
        Event::PolicySet { policies } => object([("policies", written(policies))]),
        Event::CadenceEnded { key } => object([("key", Json::from(&**key))]),
        Event::Attempt(attempt) => write_attempt(attempt),
        Event::Undone { group } => object([("group", number(*group))]),
        Event::Committed(commit) => {
            let mut fields = vec![
                ("cycle", number(commit.cycle)),
                ("turn", Json::from(&*commit.turn)),
                ("created_at_ns", Json::Int(commit.created_at_ns)),
                ("materialized", additions(&commit.materialized)),
                digest(&commit.digest),
            ];
            fields.extend(commit.core.as_ref().map(|core| ("core", Json::from(&**core))));
            object(fields)
        }
        Event::Imported(import) => object([
            ("cycle", number(import.cycle)),
            ("root", node(&import.regions[0])),
            ("seq", node(&import.regions[2])),
            ("sys", write_nodes(&import.sys)),
            ("ah", write_nodes(&import.ah)),
            ("turns", Json::List(import.turns.iter().map(|turn| write_nodes(turn)).collect())),
            digest(&import.digest),
        ]),
        Event::Restored(restore) => object([
            ("at", number(restore.at)),
            ("cycle", number(restore.cycle)),
            ("materialized", additions(&restore.materialized)),
            digest(&restore.digest),
        ]),
        Event::Origin(origin) => write_origin(origin),
    }
}

pub(super) fn read(kind: &str, mut data: Fields) -> Result<Event> {
    let event = match kind {
        "created" => {
            let spec = data.text("spec")?;
            let generation = Generation::from_name(&spec);
            let generation = generation.ok_or_else(|| invalid(format!("no spec '{spec}'")))?;
            Event::Created { generation }
        }
        "add" => return read_addition(data).map(Event::Added),
        "set" => Event::Changed { ids: ids(&mut data)?, change: read_change(&mut data)? },
        "move" => {
            let steps = data.list("steps")?.unwrap_or_default();
            Event::Moved { steps: steps.into_iter().map(read_step).collect::<Result<_>>()? }
        }
        "remove" => Event::Removed { ids: ids(&mut data)? },
        "policy" => {
            let policies = data.list("policies")?.unwrap_or_default();
            Event::PolicySet { policies: read_as(Json::List(policies))? }
        }
        "cadence" => Event::CadenceEnded { key: data.text("key")?.into() },
        "attempt" => return read_attempt(data).map(Event::Attempt),
        "undo" => Event::Undone { group: data.count("group")? },
        "commit" => Event::Committed(Commit {
            cycle: bounded("cycle", data.count("cycle")?)?,
            turn: data.text("turn")?.into(),
            core: data.optional_text("core")?.map(Id::from),
            created_at_ns: time("created_at_ns", data.int("created_at_ns")?)?,
            materialized: read_additions(data.list("materialized")?)?,
            digest: data.hash("digest")?,
        }),
        "import" => Event::Imported(read_import(&mut data)?),
        "restore" => Event::Restored(Restore {
            at: data.count("at")?,
            cycle: bounded("cycle", data.count("cycle")?)?,
            materialized: read_additions(data.list("materialized")?)?,
            digest: data.hash("digest")?,
        }),
        "origin" => Event::Origin(read_origin(&mut data)?),
        other => return Err(invalid(format!("there is no event '{other}'"))),
    };
    data.finish()?;
    Ok(event)
}

fn ids(data: &mut Fields) -> Result<Vec<Id>> {
    Ok(data.texts("ids")?.into_iter().map(Id::from).collect())
}

fn write_change(change: &Change) -> Json {
    let mut fields = Vec::new();
    if let Some(value) = &change.content {
        fields.push(("content", value.as_ref().map_or(Json::Null, content)));
    }
    if let Some(value) = &change.lifetime {
        fields.push(("lifetime", value.as_ref().map_or(Json::Null, lifetime)));
    }
    fields.extend(change.priority.map(|value| ("priority", Json::Int(value))));
    for (field, text) in &change.texts {
        fields.push((field.name(), text.as_ref().map_or(Json::Null, |text| Json::from(&**text))));
    }
    fields.extend(change.tags.as_ref().map(|tags| ("tags", texts(tags))));
    fields.extend(change.cad.map(|cad| ("cad", cad.map_or(Json::Null, number))));
    fields.extend(change.pinned.map(|pinned| ("pinned", Json::Bool(pinned))));
    fields.extend(change.refs.as_ref().map(|refs| ("refs", texts(refs))));
    if !change.attrs.is_empty() {
        let attr = |(name, value): (&Name, &Option<Json>)| {
            (name.to_string(), value.clone().unwrap_or(Json::Null))
        };
        fields.push(("attrs", Json::Map(change.attrs.iter().map(attr).collect())));
    }
    if !change.hashes.is_empty() {
        let hash = |hash: &Option<[u8; 32]>| hash.map_or(Json::Null, |hash| Json::Str(hex(&hash)));
        fields.push(("hashes", Json::List(change.hashes.iter().map(hash).collect())));
    }
    object(fields)
}

fn read_change(data: &mut Fields) -> Result<Change> {
    let mut fields = data.object("change")?;
    let tags = fields.take("tags");
    let refs = fields.take("refs");
    let list = |name: &str, value: Option<Json>| -> Result<Option<Vec<Arc<str>>>> {
        match value {
            None => Ok(None),
            Some(Json::List(items)) => {
                let items = items.into_iter().map(|item| text(name, item).map(Into::into));
                items.collect::<Result<Vec<_>>>().map(Some)
            }
            Some(_) => Err(invalid(format!("'{name}' must be a list"))),
        }
    };
    let mut texts = BTreeMap::new();
    for field in TextField::ALL {
        let always = header(field.name()).is_some_and(|header| header.given == SetBy::Always);
        if always {
            let read = |value| Ok(Name::from(text(field.name(), value)?));
            texts.extend(fields.nullable(field.name(), read)?.map(|text| (*field, text)));
        }
    }
    let change = Change {
        texts,
        content: fields.nullable("content", read_content)?,
        lifetime: fields.nullable("lifetime", read_lifetime)?,
        priority: fields.optional_int("priority")?,
        tags: list("tags", tags)?,
        cad: fields.nullable("cad", |value| bounded("cad", count("cad", value)?))?,
        pinned: fields.optional_flag("pinned")?,
        refs: list("refs", refs)?,
        attrs: match fields.optional_object("attrs")? {
            None => Default::default(),
            Some(attrs) => {
                let attr = |(name, value): (String, Json)| {
                    (Name::from(name), (!value.is_null()).then_some(value))
                };
                attrs.rest().into_iter().map(attr).collect()
            }
        },
        hashes: read_hashes(fields.list("hashes")?.unwrap_or_default())?,
    };
    fields.finish()?;
    Ok(change)
}

fn write_step(step: &Relocation) -> Json {
    let mut fields = vec![
        ("id", Json::from(&*step.id)),
        ("parent", Json::from(&*step.parent)),
        ("offset", Json::Int(step.offset)),
    ];
    fields.extend(step.core.as_ref().map(|core| ("core", node(core))));
    object(fields)
}

fn read_step(value: Json) -> Result<Relocation> {
    let mut fields = Fields::of("a step", value)?;
    let step = Relocation {
        id: fields.text("id")?.into(),
        parent: fields.text("parent")?.into(),
        offset: fields.int("offset")?,
        core: fields.optional_object("core")?.map(read_node).transpose()?.map(Arc::new),
    };
    fields.finish()?;
    Ok(step)
}

fn write_nodes(nodes: &[(Arc<Node>, u32)]) -> Json {
    let entry = |(top, parent): &(Arc<Node>, u32)| {
        object([("node", node(top)), ("parent", number((*parent).into()))])
    };
    Json::List(nodes.iter().map(entry).collect())
}

fn read_nodes(list: Option<Vec<Json>>) -> Result<Vec<(Arc<Node>, u32)>> {
    let entry = |value| {
        let mut fields = Fields::of("a node", value)?;
        let parent = u32::try_from(fields.count("parent")?);
        let parent = parent.map_err(|_| invalid("'parent' is too large"))?;
        let node = read_node(fields.object("node")?)?;
        fields.finish()?;
        Ok((Arc::new(node), parent))
    };
    list.unwrap_or_default().into_iter().map(entry).collect()
}

fn read_import(data: &mut Fields) -> Result<Import> {
    let (sys, ah) = (read_nodes(data.list("sys")?)?, read_nodes(data.list("ah")?)?);
    let top = |name: &str, nodes: &[(Arc<Node>, u32)]| {
        let top = nodes.first().map(|(node, _)| node.clone());
        top.ok_or_else(|| invalid(format!("'{name}' is empty, and has the region itself")))
    };
    let regions = [
        Arc::new(read_node(data.object("root")?)?),
        top("sys", &sys)?,
        Arc::new(read_node(data.object("seq")?)?),
        top("ah", &ah)?,
    ];
    let turn = |value| match value {
        Json::List(nodes) => read_nodes(Some(nodes)),
        _ => Err(invalid("a turn must be a list of nodes")),
    };
    Ok(Import {
        cycle: bounded("cycle", data.count("cycle")?)?,
        regions,
        sys,
        ah,
        turns: data
            .list("turns")?
            .unwrap_or_default()
            .into_iter()
            .map(turn)
            .collect::<Result<_>>()?,
        digest: data.hash("digest")?,
    })
}

//! Nodes and what they are made of, as a dump has them.

use super::fields::{Fields, invalid, read_hash};
use crate::change::Addition;
use crate::error::Result;
use crate::json::{Json, from_json, to_json};
use crate::limits::{MAX_NUMBER, MAX_TIME_NS};
use crate::model::{
    Class, ContentRef, FlagField, Header, Held, Id, Lifetime, ListField, Name, Node, TABLE,
    TextField, header,
};
use crate::snapshot::hex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

const CLASSES: [(&str, Class); 7] = [
    ("root", Class::Root),
    ("sys", Class::Sys),
    ("seq", Class::Seq),
    ("ah", Class::Ah),
    ("turn", Class::Turn),
    ("container", Class::Container),
    ("block", Class::Block),
];

pub(super) fn object<'a>(fields: impl IntoIterator<Item = (&'a str, Json)>) -> Json {
    Json::Map(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// A number. Nothing that is counted comes near the end of 63 bits.
pub(super) fn number(value: u64) -> Json {
    Json::Int(i64::try_from(value).unwrap_or(i64::MAX))
}

/// What has the same form here as in the protocol.
pub(super) fn written<T: Serialize>(value: &T) -> Json {
    // Plain data can always be written.
    to_json(value).unwrap_or(Json::Null)
}

/// The same, read back.
pub(super) fn read_as<T: DeserializeOwned>(value: Json) -> Result<T> {
    from_json(value).map_err(|error| invalid(error.to_string()))
}

pub(super) fn texts(list: &[Arc<str>]) -> Json {
    Json::List(list.iter().map(|text| Json::from(&**text)).collect())
}

pub(super) fn content(content: &ContentRef) -> Json {
    object([
        ("seq", number(content.seq)),
        ("part", number(content.item.into())),
        ("bytes", number(content.bytes)),
    ])
}

pub(super) fn read_content(value: Json) -> Result<ContentRef> {
    let mut fields = Fields::of("'content'", value)?;
    let part = fields.count("part")?;
    let content = ContentRef {
        seq: fields.count("seq")?,
        item: u32::try_from(part).map_err(|_| invalid("'part' is too large"))?,
        bytes: fields.count("bytes")?,
    };
    fields.finish()?;
    Ok(content)
}

pub(super) fn lifetime(life: &Lifetime) -> Json {
    object([
        ("given", number(life.given)),
        ("since", number(life.since)),
        ("expires_at", number(life.expires_at)),
    ])
}

pub(super) fn read_lifetime(value: Json) -> Result<Lifetime> {
    let mut fields = Fields::of("'lifetime'", value)?;
    let life = Lifetime {
        given: bounded("given", fields.count("given")?)?,
        since: bounded("since", fields.count("since")?)?,
        expires_at: fields.count("expires_at")?,
    };
    fields.finish()?;
    Ok(life)
}

/// A number that sums are made with.
pub(super) fn bounded(name: &str, value: u64) -> Result<u64> {
    match value <= MAX_NUMBER as u64 {
        true => Ok(value),
        false => Err(invalid(format!("'{name}' is at most {MAX_NUMBER}"))),
    }
}

/// A time that later ones can follow.
pub(super) fn time(name: &str, value: i64) -> Result<i64> {
    // Nodes that are made together take a nanosecond each after the time that was given.
    match value <= MAX_TIME_NS.saturating_add(MAX_NUMBER) {
        true => Ok(value),
        false => Err(invalid(format!("'{name}' is too late"))),
    }
}

/// A node. What has its default value is left out, but for what names and dates it.
pub(super) fn node(node: &Node) -> Json {
    let class = CLASSES.iter().find(|(_, class)| *class == node.class);
    let mut fields = vec![
        ("id", Json::from(&*node.id)),
        ("type", Json::from(&*node.node_type)),
        ("class", Json::from(class.map_or("", |(word, _)| *word))),
        ("cycle", number(node.cycle)),
        ("created_at_ns", Json::Int(node.created_at_ns)),
        ("creation_index", number(node.creation_index)),
    ];
    if node.offset != 0 {
        fields.push(("offset", Json::Int(node.offset)));
    }
    if node.priority != 0 {
        fields.push(("priority", Json::Int(node.priority)));
    }
    let iso = node.created_at_iso.as_ref().map(|iso| ("created_at_iso", Json::from(&**iso)));
    fields.extend(iso);
    let plain = |row: &Header| matches!(row.held, Held::Text(_) | Held::List(_) | Held::Flag(_));
    for header in TABLE.iter().filter(|row| plain(row)) {
        fields.extend(header.own_value(node, 0).map(|value| (header.name, value)));
    }
    fields.extend(node.cad.map(|cad| ("cad", number(cad))));
    fields.extend(node.lifetime.as_ref().map(|life| ("lifetime", lifetime(life))));
    fields.extend(node.content.as_ref().map(|named| ("content", content(named))));
    fields.extend(node.content_hash.map(|hash| ("content_hash", Json::Str(hex(&hash)))));
    if !node.attrs.is_empty() {
        let attrs = node.attrs.iter().map(|(name, value)| (name.to_string(), value.clone()));
        fields.push(("attrs", Json::Map(attrs.collect())));
    }
    object(fields)
}

pub(super) fn read_node(mut fields: Fields) -> Result<Node> {
    let word = fields.text("class")?;
    let class = CLASSES.iter().find(|(known, _)| *known == word).map(|(_, class)| *class);
    let class = class.ok_or_else(|| invalid(format!("there is no class '{word}'")))?;
    let (id, node_type) = (fields.text("id")?, fields.text("type")?);
    if Class::of_type(&node_type).is_some_and(|decided| decided != class) {
        return Err(invalid(format!("the type {node_type} is not of the class {word}")));
    }
    let mut node = Node::bare(id.into(), node_type.into(), class);
    node.cycle = bounded("cycle", fields.count("cycle")?)?;
    node.created_at_ns = time("created_at_ns", fields.int("created_at_ns")?)?;
    node.creation_index = fields.count("creation_index")?;
    node.offset = fields.optional_int("offset")?.unwrap_or(0);
    node.priority = fields.optional_int("priority")?.unwrap_or(0);
    node.created_at_iso = fields.optional_text("created_at_iso")?.map(Name::from);
    for field in TextField::ALL {
        *field.of_mut(&mut node) = fields.optional_text(field.name())?.map(Name::from);
        let wrong = header(field.name()).and_then(|header| header.misplaced(&node));
        wrong.map_or(Ok(()), |what| Err(invalid(what)))?;
    }
    for field in ListField::ALL {
        let texts = fields.texts(field.name())?;
        *field.of_mut(&mut node) = texts.into_iter().map(Name::from).collect();
    }
    for field in FlagField::ALL {
        *field.of_mut(&mut node) = fields.flag(field.name())?;
    }
    node.cad = fields.optional_count("cad")?.map(|cad| bounded("cad", cad)).transpose()?;
    node.lifetime = fields.take("lifetime").map(read_lifetime).transpose()?;
    node.content = fields.take("content").map(read_content).transpose()?;
    node.content_hash = fields.optional_hash("content_hash")?;
    if let Some(attrs) = fields.optional_object("attrs")? {
        node.attrs = attrs.rest().into_iter().map(|(name, value)| (name.into(), value)).collect();
    }
    fields.finish()?;
    Ok(node)
}

pub(super) fn read_hashes(list: Vec<Json>) -> Result<Vec<Option<[u8; 32]>>> {
    let read = |value| match value {
        Json::Null => Ok(None),
        Json::Str(text) => read_hash("hashes", &text).map(Some),
        _ => Err(invalid("'hashes' has hashes and nulls")),
    };
    list.into_iter().map(read).collect()
}

pub(super) fn addition(addition: &Addition) -> Json {
    let mut fields =
        vec![("parent", Json::from(&*addition.parent)), ("node", node(&addition.node))];
    fields.extend(addition.core.as_ref().map(|core| ("core", node(core))));
    if !addition.shifts.is_empty() {
        let shift = |(id, offset): &(Id, i64)| {
            object([("id", Json::from(&**id)), ("offset", Json::Int(*offset))])
        };
        fields.push(("shifts", Json::List(addition.shifts.iter().map(shift).collect())));
    }
    object(fields)
}

pub(super) fn read_addition(mut fields: Fields) -> Result<Addition> {
    let shifts = fields.list("shifts")?.unwrap_or_default().into_iter().map(|value| {
        let mut fields = Fields::of("a shift", value)?;
        let shift = (Id::from(fields.text("id")?), fields.int("offset")?);
        fields.finish()?;
        Ok(shift)
    });
    let shifts = shifts.collect::<Result<_>>()?;
    let addition = Addition {
        parent: fields.text("parent")?.into(),
        node: Arc::new(read_node(fields.object("node")?)?),
        core: fields.optional_object("core")?.map(read_node).transpose()?.map(Arc::new),
        shifts,
    };
    fields.finish()?;
    Ok(addition)
}

pub(super) fn additions(list: &[Addition]) -> Json {
    Json::List(list.iter().map(addition).collect())
}

pub(super) fn read_additions(list: Option<Vec<Json>>) -> Result<Vec<Addition>> {
    let read = |value| read_addition(Fields::of("an addition", value)?);
    list.unwrap_or_default().into_iter().map(read).collect()
}

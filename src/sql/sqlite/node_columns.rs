//! The columns of nodes: every header, by the one table of headers, and what is derived.

use super::json::{column_of, json_of, list_of, text_of};
use super::table::{Column, Kind, Takes, Value};
use crate::db::View;
use crate::error::Result;
use crate::json::{Json, Map, canonical_string};
use crate::model::{
    AttrKind, ContentRef, EngineText, Header, Held, Node, Place, Subtree, TABLE, Tree, header,
    iso_from_ns,
};
use crate::query::plan::State;
use crate::query::{Moment, ResultItem, SummaryHit, Timeline};
use crate::snapshot::text_tokens;
use std::sync::{Arc, LazyLock};

/// What a column of nodes shows.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shows {
    Header(&'static Header),
    Parent,
    Turn,
    Depth,
    Age,
    At,
    Time,
    Bytes,
    Chars,
    Lines,
    Tokens,
    Path,
    Attrs,
    Json,
    FirstCycle,
    LastCycle,
}

/// The columns of nodes, in order.
pub(super) static NODE_COLUMNS: LazyLock<Vec<(Column, Shows)>> = LazyLock::new(|| {
    use Kind::{Integer, Text};
    let headers = TABLE.iter().filter(|header| header.held != Held::Children);
    let mut columns: Vec<(Column, Shows)> =
        headers.map(|header| (header_column(header), Shows::Header(header))).collect();
    let mut derived = |name, kind, shows, about| {
        columns.push((Column::new(name, kind, about), shows));
    };
    derived("parent", Text, Shows::Parent, "the id of the node that it lies in");
    derived("turn", Text, Shows::Turn, "the id of the turn that it lies in");
    derived("depth", Integer, Shows::Depth, "-1 in ^sys, 0 in ^ah, from 1 in turns, newest first");
    derived("age", Integer, Shows::Age, "how many cycles ago it was made");
    derived("at", Integer, Shows::At, "the cycle of the snapshot that it was found in");
    derived("time", Text, Shows::Time, "when it was made, in UTC");
    derived("bytes", Integer, Shows::Bytes, "the size of its content");
    derived("chars", Integer, Shows::Chars, "the characters of its content");
    derived("lines", Integer, Shows::Lines, "the lines of its content");
    derived("tokens", Integer, Shows::Tokens, "data_tokens, or what the tokenizer o200k counts");
    derived("path", Text, Shows::Path, "its position: (d1,0,2)");
    derived("attrs", Text, Shows::Attrs, "its custom attributes as a JSON object");
    derived("json", Text, Shows::Json, "its content if that is JSON");
    derived("first_cycle", Integer, Shows::FirstCycle, "the first snapshot that has it");
    derived("last_cycle", Integer, Shows::LastCycle, "the newest snapshot that it was found in");
    for (column, shows) in &mut columns {
        match shows {
            Shows::At | Shows::Bytes => column.takes = Takes::Range,
            Shows::Header(header) if header.name == "id" => column.takes = Takes::Equal,
            Shows::Header(header) if header.name == "cycle" => column.takes = Takes::Range,
            _ => {}
        }
    }
    columns
});

fn header_column(header: &'static Header) -> Column {
    let (kind, about) = match header.held {
        Held::Text(_) | Held::EngineText(_) => (Kind::Text, "a header"),
        Held::Number(_) => (Kind::Integer, "a header"),
        Held::Flag(_) | Held::Attr(AttrKind::Flag) => (Kind::Integer, "a header: 1 or 0"),
        Held::List(_) => (Kind::Text, "a header: a JSON list"),
        Held::Attr(AttrKind::Integer { .. }) => (Kind::Integer, "a header"),
        Held::Attr(AttrKind::Text) => (Kind::Text, "a header"),
        Held::Content => (Kind::Text, "its content; what is no text is JSON"),
        Held::Children => (Kind::Any, ""),
    };
    Column::new(header.name, kind, about)
}

/// The number of a column of nodes.
pub(super) fn number_of(name: &str) -> usize {
    NODE_COLUMNS.iter().position(|(column, _)| column.name == name).unwrap_or(usize::MAX)
}

/// The columns that need no more than the turn index has, a bit for each.
pub(super) static FROM_INDEX: LazyLock<u64> = LazyLock::new(|| {
    let has = |shows: &Shows| match shows {
        Shows::Header(header) => {
            header.in_template || header.name == "id" || header.held == Held::Content
        }
        Shows::Depth | Shows::At | Shows::LastCycle | Shows::FirstCycle => true,
        Shows::Parent | Shows::Turn | Shows::Path => true,
        Shows::Bytes | Shows::Chars | Shows::Lines | Shows::Json => true,
        _ => false,
    };
    let numbers = (0..63).zip(NODE_COLUMNS.iter()).filter(|(_, (_, shows))| has(shows));
    numbers.fold(0, |bits, (number, _)| bits | 1 << number)
});

/// A node that was found, and the state that it was found in.
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    pub(super) hit: &'a SummaryHit,
    /// The cycle that its ttl is counted to.
    pub(super) cycle: u64,
    /// The cycle that ages are counted to.
    pub(super) now: u64,
    pub(super) state: State,
}

/// Makes the columns of nodes. What rows share is read once.
pub(super) struct NodeReader {
    view: Arc<View>,
    tree: Option<(State, Tree)>,
    part: Option<(State, Place, Arc<Subtree>)>,
    /// The content of the row, once it is read.
    content: Option<Arc<Json>>,
    is_read: bool,
}

impl NodeReader {
    /// For nodes of one moment.
    pub(super) fn new(view: Arc<View>) -> NodeReader {
        NodeReader { view, tree: None, part: None, content: None, is_read: false }
    }

    /// Begins another row.
    pub(super) fn begin(&mut self) {
        (self.content, self.is_read) = (None, false);
    }

    /// Whether the content of the row was read.
    #[cfg(test)]
    pub(super) fn has_read(&self) -> bool {
        self.is_read
    }

    /// A column of the row.
    pub(super) fn column<'a>(&'a mut self, found: Found<'a>, shows: Shows) -> Result<Value<'a>> {
        let hit = found.hit;
        Ok(match shows {
            Shows::Header(header) if header.held == Held::Content => self
                .content(hit.content())?
                .map_or(Value::Null, |content| Value::Text(text_of(content))),
            Shows::Header(header) if header.held == ID => Value::text(hit.id()),
            Shows::Depth => Value::maybe_int(hit.depth()),
            Shows::At | Shows::LastCycle => Value::int(found.now),
            Shows::Bytes => Value::maybe_int(hit.content().map(|content| content.bytes)),
            Shows::Chars => self.measured(hit, |text| Some(text.chars().count() as u64))?,
            Shows::Lines => self.measured(hit, |text| Some(text.lines().count() as u64))?,
            Shows::Json => self.content(hit.content())?.map_or(Value::Null, json_of),
            Shows::Parent => self.parent(found)?,
            Shows::Turn => self.turn(found)?,
            Shows::Path => self.path(found)?,
            Shows::FirstCycle => self.first_cycle(found)?,
            Shows::Header(_) | Shows::Age | Shows::Time | Shows::Tokens | Shows::Attrs => {
                let Some(node) = hit.node() else { return Ok(Value::Null) };
                match shows {
                    Shows::Header(header) => header_value(header, node, found.cycle),
                    Shows::Age => Value::int(i128::from(found.now) - i128::from(node.cycle)),
                    Shows::Time => Value::owned(iso_from_ns(node.created_at_ns)),
                    Shows::Attrs => Value::owned(attrs(node)),
                    _ => match node.attrs.get("data_tokens") {
                        Some(Json::Int(given)) => Value::Int(*given),
                        _ => self.measured(hit, text_tokens)?,
                    },
                }
            }
        })
    }

    fn content(&mut self, content: Option<ContentRef>) -> Result<Option<&Json>> {
        if !self.is_read {
            let contents = self.view.contents();
            let content = content.as_ref().map(|content| contents.content(content));
            self.content = content.transpose()?;
            self.is_read = true;
        }
        Ok(self.content.as_deref())
    }

    fn measured<'a>(
        &mut self,
        hit: &SummaryHit,
        measure: impl FnOnce(&str) -> Option<u64>,
    ) -> Result<Value<'a>> {
        let content = self.content(hit.content())?;
        Ok(Value::maybe_int(content.and_then(|content| measure(&text_of(content)))))
    }

    /// The tree that a node was found in.
    fn tree(&mut self, found: Found<'_>) -> Result<&Tree> {
        let known = self.tree.take().filter(|(state, _)| *state == found.state);
        let tree = match known {
            Some(known) => known,
            None => (found.state, Moment::of(&*self.view, found.state)?.tree),
        };
        Ok(&self.tree.insert(tree).1)
    }

    /// The part that a node lies in; none for the root and `^seq`.
    fn part(&mut self, found: Found<'_>) -> Result<Option<&Subtree>> {
        let tree = self.tree(found)?;
        let Some(place) = found.hit.place(tree) else { return Ok(None) };
        let known =
            matches!(&self.part, Some((state, at, _)) if (*state, *at) == (found.state, place));
        if !known {
            let part = self.tree(found)?.subtree(place)?;
            self.part = Some((found.state, place, part));
        }
        Ok(self.part.as_ref().map(|(.., part)| &**part))
    }

    fn parent<'a>(&'a mut self, found: Found<'a>) -> Result<Value<'a>> {
        let (hits, number) = match found.hit {
            SummaryHit::Whole(hit) => return Ok(Value::maybe_text(hit.parent.as_deref())),
            SummaryHit::Indexed { hits, number, .. } => (hits, *number),
        };
        let index = found.hit.rank().1 as usize;
        Ok(match hits.nodes_of(number).and_then(|nodes| nodes.parent(index)) {
            Some(parent) => Value::maybe_text(hits.id_in_turn(number, parent)),
            None if found.hit.is_in_turn() => Value::text(&self.tree(found)?.seq().id),
            None => Value::text(&self.tree(found)?.root().id),
        })
    }

    fn turn<'a>(&'a mut self, found: Found<'a>) -> Result<Value<'a>> {
        Ok(match found.hit {
            hit if !hit.is_in_turn() => Value::Null,
            SummaryHit::Indexed { hits, number, .. } => {
                Value::maybe_text(hits.id_in_turn(*number, 0))
            }
            SummaryHit::Whole(_) => {
                Value::maybe_text(self.part(found)?.map(|part| &*part.top().id))
            }
        })
    }

    /// The position of R6.9: the depth, and the offsets from there.
    fn path<'a>(&mut self, found: Found<'_>) -> Result<Value<'a>> {
        let Some(depth) = found.hit.depth() else { return Ok(Value::Null) };
        let part = match found.hit {
            SummaryHit::Indexed { hits, number, .. } => hits.nodes_of(*number),
            SummaryHit::Whole(_) => self.part(found)?,
        };
        let Some(part) = part else { return Ok(Value::Null) };
        let mut offsets = Vec::new();
        let mut next = Some(found.hit.rank().1 as usize).filter(|index| *index < part.len());
        while let Some(index) = next {
            next = part.parent(index);
            if next.is_some() {
                offsets.push(format!(",{}", part.node(index).offset));
            }
        }
        offsets.reverse();
        Ok(Value::owned(format!("(d{depth}{})", offsets.concat())))
    }

    fn first_cycle<'a>(&self, found: Found<'_>) -> Result<Value<'a>> {
        let places = self.view.places_of(found.hit.id())?;
        let first = places.iter().map(|(cycle, _)| *cycle).min();
        // The root and `^seq` lie in no place, and are in every snapshot; what is in no snapshot yet
        // will be in the next.
        let first = match found.hit.depth() {
            None => self.view.history().iter().next(),
            Some(_) => first.or(Some(found.now)),
        };
        Ok(Value::maybe_int(first))
    }
}

/// Where nodes hold their ids.
const ID: Held = Held::EngineText(EngineText::Id);

fn header_value<'a>(header: &Header, node: &'a Node, cycle: u64) -> Value<'a> {
    match header.held {
        Held::Text(field) => match field.text(node) {
            Some(text) => Value::text(text),
            None => match node.attrs.get(header.name).filter(|_| field.value(node).is_some()) {
                Some(value) => column_of(value),
                None => Value::Null,
            },
        },
        Held::EngineText(text) => text.of(node).map_or(Value::Null, Value::Text),
        Held::Number(field) => Value::maybe_int(field.of(node, cycle)),
        Held::List(field) => match &field.of(node)[..] {
            [] => Value::Null,
            list => list_of(list),
        },
        Held::Flag(field) => Value::Int((*field.of(node)).into()),
        Held::Attr(kind) => match (node.attrs.get(header.name), kind) {
            (Some(value), _) => column_of(value),
            (None, AttrKind::Flag) => Value::Int(0),
            (None, _) => Value::Null,
        },
        Held::Content | Held::Children => Value::Null,
    }
}

/// The custom attributes, without headers that are kept among them.
fn attrs(node: &Node) -> String {
    let own = node.attrs.iter().filter(|(name, _)| header(name).is_none());
    let map: Map = own.map(|(name, value)| (name.to_string(), value.clone())).collect();
    canonical_string(&Json::Map(map))
}

//! Messages and instructions as the Anthropic API accepts them.
//!
//! The user speaks first, and neighbours of one role are one message. The results of a message's
//! calls stand at the start of the message after it. A thought is taken only with the signature
//! that the API gave it, and never last.

use super::notes::Notes;
use super::pairs::Naming;
use super::parts::{Map, Whose, anthropic, content, object, show, text_part};
use super::piece::{Piece, empty_result, left_out};
use super::script::{Reply, Script, arguments};
use super::shapes::Shape;
use super::shapes::anthropic::{CACHE, CALLER, CITATIONS, NAME};
use super::unit::{Sort, Unit, is_space};
use crate::json::Json;
use crate::model::Place;
use std::collections::BTreeSet;

/// Ids may be of any length.
pub(super) const NAMING: Naming =
    Naming { most_id: usize::MAX, plain_id: true, most_tool: 128, functions: false };

/// How many breakpoints of the prompt cache a request may have.
const BREAKPOINTS: usize = 4;

pub(super) fn messages(script: &Script, notes: &mut Notes) -> Vec<Piece> {
    let mut writer = Writer { script, notes, system: Vec::new(), messages: Vec::new() };
    let line = writer.line();
    for (i, at) in line.iter().enumerate() {
        writer.unit(*at, &line[i..]);
    }
    writer.close(&[]);
    writer.first();
    writer.last();
    writer.breakpoints();
    let whole = writer.system.len() == 1;
    let instruction = |block: Block| block.instruction(script, whole);
    let mut pieces: Vec<Piece> = writer.system.into_iter().map(instruction).collect();
    pieces.extend(writer.messages.into_iter().map(|message| message.piece(script)));
    pieces
}

/// A block of a message, and the unit that it is from.
struct Block {
    at: usize,
    value: Json,
    /// Whether it can be the message's text, without a block around it.
    plain: bool,
}

struct Message {
    role: &'static str,
    blocks: Vec<Block>,
    calls: BTreeSet<usize>,
}

struct Writer<'a> {
    script: &'a Script,
    notes: &'a mut Notes,
    system: Vec<Block>,
    messages: Vec<Message>,
}

impl<'a> Writer<'a> {
    /// The units that this API has a place for.
    fn line(&mut self) -> Vec<usize> {
        let mut line = Vec::with_capacity(self.script.units.len());
        for (at, unit) in self.script.units.iter().enumerate() {
            match unit.sort == Sort::Thought && !unit.is_signed() {
                true => self.notes.mention(unit, "is a thought without a signature", "left out"),
                false => line.push(at),
            }
        }
        line
    }

    /// Says a unit. `rest` begins with it.
    fn unit(&mut self, at: usize, rest: &[usize]) {
        let unit = &self.script.units[at];
        match unit.sort {
            Sort::Standing if unit.place == Place::Sys || self.messages.is_empty() => {
                let blocks = self.said(at, unit, Whose::Instruction);
                self.system.extend(blocks);
            }
            Sort::Standing => {
                let what = "is an instruction after the conversation has begun";
                self.notes.mended(unit, what, "said in the user's name, after a label");
                let mut unit = unit.clone();
                unit.becomes_said(unit.role.clone());
                let blocks = self.said(at, &unit, Whose::User);
                self.push("user", blocks, rest);
            }
            Sort::Said if unit.role == "assistant" => {
                let blocks = self.said(at, unit, Whose::Assistant);
                self.push("assistant", blocks, rest);
            }
            Sort::Said => {
                let blocks = self.said(at, unit, Whose::User);
                self.push("user", blocks, rest);
            }
            Sort::Thought => {
                let value = thought(unit);
                self.extra(unit, &[]);
                self.push("assistant", vec![Block { at, value, plain: false }], rest);
            }
            Sort::Call => {
                let value = self.call(at, unit);
                self.push("assistant", vec![Block { at, value, plain: false }], rest);
                if let Some(message) = self.messages.last_mut() {
                    message.calls.insert(at);
                }
            }
            Sort::Answer => {
                let call = self.script.call(at);
                let open = self.messages.last();
                if open.is_some_and(|open| call.is_some_and(|call| open.calls.contains(&call))) {
                    self.close(rest);
                }
            }
        }
    }

    /// Puts blocks into the message of a role.
    fn push(&mut self, role: &'static str, blocks: Vec<Block>, rest: &[usize]) {
        if blocks.is_empty() {
            return;
        }
        let ends = |open: &Message| {
            let call = open.calls.last().zip(blocks.first());
            open.role != role
                || call.is_some_and(|(call, block)| self.script.comes_later(block.at, *call))
        };
        if self.messages.last().is_some_and(ends) {
            self.close(rest);
        }
        match self.messages.last_mut() {
            Some(open) if open.role == role => open.blocks.extend(blocks),
            _ => self.messages.push(Message { role, blocks, calls: BTreeSet::new() }),
        }
    }

    /// Ends the assistant's message: calls are answered, and a thought is never last.
    fn close(&mut self, rest: &[usize]) {
        let Some(open) = self.messages.last_mut().filter(|open| open.role == "assistant") else {
            return;
        };
        let is_thought = |block: &&Block| self.script.units[block.at].sort == Sort::Thought;
        while let Some(last) = open.blocks.last().filter(is_thought) {
            let unit = &self.script.units[last.at];
            self.notes.mended(unit, "is a thought that nothing comes after", "left out");
            open.blocks.pop();
        }
        pair_served(&mut open.blocks, self.script, self.notes);
        let calls = std::mem::take(&mut open.calls);
        if open.blocks.is_empty() {
            self.messages.pop();
        }
        let following = self.script.following(&calls, rest);
        let replies = self.script.replies(&calls, &following, self.notes);
        let blocks: Vec<Block> = replies.iter().map(|reply| self.reply(reply)).collect();
        if !blocks.is_empty() {
            self.messages.push(Message { role: "user", blocks, calls: BTreeSet::new() });
        }
    }
}

impl Writer<'_> {
    /// What is said, in blocks.
    fn said(&mut self, at: usize, unit: &Unit, whose: Whose) -> Vec<Block> {
        let fields: &[(&str, Shape)] = &[("cache_control", CACHE), ("citations", CITATIONS)];
        let said = content(unit, whose, anthropic, self.notes);
        let said = said.or_else(|| unit.refusal().map(Json::from));
        match said {
            None => {
                self.notes.mended(unit, "is empty", "left out");
                Vec::new()
            }
            Some(Json::List(parts)) => {
                self.extra(unit, &[]);
                parts.into_iter().map(|value| Block { at, value, plain: false }).collect()
            }
            Some(text) => {
                let extra = self.extra(unit, fields);
                let plain = unit.message().is_none() && extra.is_empty();
                let value = typed("text", extra, [("text", text)]);
                vec![Block { at, value, plain }]
            }
        }
    }

    /// What else a block brings that the API has a place for.
    fn extra(&mut self, unit: &Unit, fields: &[(&str, Shape)]) -> Map {
        let mut kept = Map::new();
        for (name, value) in unit.extra() {
            let field = fields.iter().find(|(field, _)| field == name);
            match field.is_some_and(|(_, shape)| shape.fits(value)) {
                true => drop(kept.insert(name.clone(), value.clone())),
                // It is said as a text.
                false if name == "refusal" && unit.refusal().is_some() => {}
                false => left_out(unit, name, self.notes),
            }
        }
        kept
    }

    fn call(&mut self, at: usize, unit: &Unit) -> Json {
        let fields = [("cache_control", CACHE), ("caller", CALLER), ("toolset_name", NAME)];
        let extra = self.extra(unit, &fields);
        let fields = [
            ("id", Json::from(self.script.id(at))),
            ("name", Json::Str(NAMING.tool(unit, self.notes))),
            ("input", arguments(unit, self.notes)),
        ];
        typed("tool_use", extra, fields)
    }

    /// A result may be a text, blocks, or nothing; any other value is said as JSON.
    fn reply(&mut self, reply: &Reply) -> Block {
        let id = ("tool_use_id", Json::from(self.script.id(reply.call)));
        let Some(at) = reply.answer else {
            let content = Json::Str(self.script.ending(reply.call));
            let value = typed("tool_result", Map::new(), [id, ("content", content)]);
            return Block { at: reply.call, value, plain: false };
        };
        let unit = &self.script.units[at];
        let mut map = self.extra(unit, &[("cache_control", CACHE), ("toolset_name", NAME)]);
        if unit.content.is_some() {
            let said = content(unit, Whose::Result, anthropic, self.notes);
            let said = said.unwrap_or_else(|| empty_result(unit, self.notes));
            map.insert("content".into(), said);
        }
        if let Some(Json::Bool(failed)) = unit.node.attrs.get("data_is_error") {
            map.insert("is_error".into(), Json::Bool(*failed));
        }
        Block { at, value: typed("tool_result", map, [id]), plain: false }
    }

    /// The user speaks first.
    fn first(&mut self) {
        let (block, what, text) = match (self.messages.first(), self.system.first()) {
            (Some(Message { role: "assistant", blocks, .. }), _) => (
                blocks.first(),
                "is the assistant's, and the user speaks first there",
                "[the assistant speaks first]",
            ),
            (None, block) => {
                (block, "is an instruction, and nobody has spoken yet", "[nothing was said yet]")
            }
            _ => return,
        };
        let Some(at) = block.map(|block| block.at) else { return };
        let done = format!("the user says {text} here");
        match self.messages.is_empty() {
            true => self.notes.mention(&self.script.units[at], what, done),
            false => self.notes.mended(&self.script.units[at], what, done),
        }
        let blocks = vec![Block { at, value: text_part(text), plain: true }];
        self.messages.insert(0, Message { role: "user", blocks, calls: BTreeSet::new() });
    }

    /// What the assistant has to go on from may not end in white space.
    fn last(&mut self) {
        let Some(open) = self.messages.last_mut().filter(|open| open.role == "assistant") else {
            return;
        };
        let Some(Block { at, value: Json::Map(map), .. }) = open.blocks.last_mut() else { return };
        if let Some(Json::Str(text)) = map.get_mut("text")
            && text.ends_with(is_space)
        {
            text.truncate(text.trim_end_matches(is_space).len());
            let what = "is the assistant's last word and ends in white space";
            self.notes.mended(&self.script.units[*at], what, "that is left out");
        }
    }

    /// The last breakpoints of the prompt cache are kept, as many as the API allows.
    fn breakpoints(&mut self) {
        let messages = self.messages.iter_mut().flat_map(|message| &mut message.blocks);
        let mut blocks: Vec<&mut Block> = self.system.iter_mut().chain(messages).collect();
        let count: usize = blocks.iter().map(|block| breakpoints(&block.value)).sum();
        let mut excess = count.saturating_sub(BREAKPOINTS);
        for block in &mut blocks {
            let before = excess;
            strip(&mut block.value, &mut excess);
            if excess < before {
                let what = "has a cache_control, and too many come after it";
                self.notes.mended(&self.script.units[block.at], what, "left out");
            }
        }
    }
}

fn breakpoints(value: &Json) -> usize {
    match value {
        Json::List(items) => items.iter().map(breakpoints).sum(),
        Json::Map(map) => {
            // The arguments of a call are its own.
            let inner = map.iter().filter(|(name, _)| *name != "input");
            inner.map(|(_, value)| breakpoints(value)).sum::<usize>() + usize::from(is_marked(map))
        }
        _ => 0,
    }
}

fn is_marked(map: &Map) -> bool {
    map.get("cache_control").is_some_and(|mark| !mark.is_null())
}

fn strip(value: &mut Json, excess: &mut usize) {
    match value {
        Json::List(items) => items.iter_mut().for_each(|item| strip(item, excess)),
        Json::Map(map) => {
            let inner = map.iter_mut().filter(|(name, _)| *name != "input");
            inner.for_each(|(_, value)| strip(value, excess));
            if *excess > 0 && is_marked(map) {
                map.remove("cache_control");
                *excess -= 1;
            }
        }
        _ => {}
    }
}

impl Block {
    /// An instruction: a text if it is the only one, else a block.
    fn instruction(self, script: &Script, whole: bool) -> Piece {
        let ids = vec![script.units[self.at].id().clone()];
        Piece { ids, value: self.text(whole), beside: true }
    }

    fn text(self, alone: bool) -> Json {
        match self.value {
            Json::Map(mut map) if alone && self.plain => map.remove("text").unwrap_or(Json::Null),
            value => value,
        }
    }
}

impl Message {
    fn piece(self, script: &Script) -> Piece {
        let mut ids = Vec::with_capacity(self.blocks.len());
        for block in &self.blocks {
            let id = script.units[block.at].id();
            if ids.last() != Some(id) {
                ids.push(id.clone());
            }
        }
        let alone = self.blocks.len() == 1 && self.blocks[0].plain;
        let mut values: Vec<Json> =
            self.blocks.into_iter().map(|block| block.text(alone)).collect();
        let content = match (alone, values.pop()) {
            (true, Some(text)) => text,
            (_, last) => {
                values.extend(last);
                Json::List(values)
            }
        };
        let value = object([("role", Json::from(self.role)), ("content", content)]);
        Piece { ids, value, beside: false }
    }
}

fn typed<const N: usize>(kind: &str, mut map: Map, fields: [(&str, Json); N]) -> Json {
    map.insert("type".into(), Json::from(kind));
    map.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
    Json::Map(map)
}

fn thought(unit: &Unit) -> Json {
    let text = Json::Str(unit.text());
    if unit.is_redacted() {
        return object([("type", Json::from("redacted_thinking")), ("data", text)]);
    }
    let signature = Json::from(unit.attr("data_signature").unwrap_or_default());
    object([("type", Json::from("thinking")), ("thinking", text), ("signature", signature)])
}

/// Tools that the provider runs itself: a call and its result lie in one message, or both are
/// texts.
fn pair_served(blocks: &mut [Block], script: &Script, notes: &mut Notes) {
    let mut open: std::collections::BTreeMap<String, usize> = Default::default();
    let mut whole: BTreeSet<usize> = BTreeSet::new();
    let mut served: Vec<usize> = Vec::new();
    for (i, block) in blocks.iter().enumerate() {
        let Json::Map(map) = &block.value else { continue };
        let field = |name: &str| map.get(name).and_then(Json::as_str).unwrap_or_default();
        let kind = field("type");
        if kind == "server_tool_use" {
            open.entry(field("id").to_owned()).or_insert(i);
            served.push(i);
        } else if kind.ends_with("_tool_result") {
            served.push(i);
            whole.extend(open.remove(field("tool_use_id")).into_iter().flat_map(|use_| [use_, i]));
        }
    }
    for i in served.into_iter().filter(|i| !whole.contains(i)) {
        let block = &mut blocks[i];
        let unit = &script.units[block.at];
        notes.mended(
            unit,
            "is of a tool of the provider and lacks its other half",
            "said as a text",
        );
        let kind = unit.node.kind.as_deref().unwrap_or("tool");
        block.value = text_part(show(kind, &block.value));
    }
}

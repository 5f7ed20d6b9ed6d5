//! Messages as the OpenAI chat API accepts them. Every message with calls is followed by one
//! message for each of them. Thoughts are left out: that API never takes them.

use super::notes::Notes;
use super::pairs::{Naming, plain_name};
use super::parts::{Map, Whose, content, object, openai, text_part};
use super::piece::{Piece, empty_result, left_out};
use super::script::{Reply, Script, arguments_text};
use super::shapes;
use super::unit::{Sort, Unit, label};
use crate::json::{Json, canonical_string};
use std::collections::BTreeMap;

/// The API refuses longer ids and names.
pub(super) const NAMING: Naming =
    Naming { most_id: 40, plain_id: false, most_tool: 64, functions: true };

pub(super) fn messages(script: &Script, notes: &mut Notes) -> Vec<Piece> {
    let mut writer = Writer { script, notes, said: BTreeMap::new() };
    let line = writer.line();
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(first) = line.get(at) {
        let run = writer.run(&line[at..]);
        let group = &line[at..at + run];
        at += run;
        if script.units[*first].sort == Sort::Answer {
            // It is said with its call.
            continue;
        }
        let calls = writer.of_sort(group, true).into_iter().collect();
        let replies = script.replies(&calls, &script.following(&calls, &line[at..]), writer.notes);
        pieces.push(writer.message(group));
        pieces.extend(replies.iter().map(|reply| writer.reply(reply)));
    }
    pieces
}

struct Writer<'a> {
    script: &'a Script,
    notes: &'a mut Notes,
    /// The contents of what is said.
    said: BTreeMap<usize, Json>,
}

impl<'a> Writer<'a> {
    fn unit(&self, at: usize) -> &'a Unit {
        &self.script.units[at]
    }

    /// The units that this API has a place for.
    fn line(&mut self) -> Vec<usize> {
        let mut line = Vec::with_capacity(self.script.units.len());
        for (at, unit) in self.script.units.iter().enumerate() {
            let whose = match (unit.sort, unit.role.as_str()) {
                (Sort::Thought, _) => {
                    let what = "is a thought, which this API does not take";
                    self.notes.mention(unit, what, "left out");
                    continue;
                }
                (Sort::Call | Sort::Answer, _) => {
                    line.push(at);
                    continue;
                }
                (Sort::Standing, _) => Whose::Instruction,
                (_, "assistant") => Whose::Assistant,
                _ => Whose::User,
            };
            match content(unit, whose, openai, self.notes) {
                Some(content) => drop(self.said.insert(at, content)),
                None if unit.refusal().is_some() => {}
                None => {
                    self.notes.mended(unit, "is empty", "left out");
                    continue;
                }
            }
            line.push(at);
        }
        line
    }

    /// How many of these are one message: what is said, in parts that name the same message, and
    /// the calls that come with it.
    fn run(&self, line: &[usize]) -> usize {
        let Some(first) = line.first().map(|at| self.unit(*at)) else { return 0 };
        let joins = |unit: &Unit| {
            let same = unit.role == first.role && unit.label == first.label;
            same && unit.place == first.place && unit.goes_with(first)
        };
        let count = |from: usize, sort: Sort, alone: bool| {
            let later = |i: usize| i > from && self.script.comes_later(line[i], line[i - 1]);
            let rest = (from..line.len()).take_while(|i| {
                let unit = self.unit(line[*i]);
                let one = sort != Sort::Call || !later(*i);
                unit.sort == sort
                    && joins(unit)
                    && one
                    && (!alone || !self.script.is_function(line[*i]))
            });
            rest.count()
        };
        let parts = match first.sort {
            Sort::Answer => return 1,
            Sort::Call => 0,
            _ if first.message().is_none() => 1,
            sort => count(0, sort, false),
        };
        let calls = match line.get(parts) {
            // The API has one function for each message.
            Some(at) if self.script.is_function(*at) && joins(self.unit(*at)) => 1,
            _ => count(parts, Sort::Call, true),
        };
        parts + calls
    }

    /// Calls of a message, or what else there is.
    fn of_sort(&self, group: &[usize], calls: bool) -> Vec<usize> {
        let wanted = |at: &usize| (self.unit(*at).sort == Sort::Call) == calls;
        group.iter().copied().filter(wanted).collect()
    }

    fn message(&mut self, group: &[usize]) -> Piece {
        let (calls, parts) = (self.of_sort(group, true), self.of_sort(group, false));
        let mut map = Map::new();
        for (i, at) in group.iter().enumerate() {
            self.beside(self.unit(*at), (i == 0).then_some(&mut map));
        }
        let mut contents: Vec<Json> = parts.iter().filter_map(|at| self.said.remove(at)).collect();
        let content = match contents.len() {
            0 => Json::Null,
            1 => contents.remove(0),
            _ => Json::List(contents.into_iter().flat_map(as_parts).collect()),
        };
        let bare = group.first().and_then(|at| self.unit(*at).node.attrs.get("data_bare"));
        // The message that it came from may have had no content either.
        if !parts.is_empty() || bare != Some(&Json::Bool(true)) {
            map.insert("content".into(), content);
        }
        match calls.as_slice() {
            [] => {}
            [only] if self.script.is_function(*only) => {
                let called = self.called(*only, "arguments");
                map.insert("function_call".into(), called);
            }
            several => {
                let calls = several.iter().map(|at| self.call(*at)).collect();
                map.insert("tool_calls".into(), Json::List(calls));
            }
        }
        let ids = group.iter().map(|at| self.unit(*at).id().clone()).collect();
        Piece { ids, value: Json::Map(map), beside: false }
    }

    /// What stands beside the content of a message. What else a block brings has no place here.
    fn beside(&mut self, unit: &Unit, map: Option<&mut Map>) {
        let speaks = map.is_some() && unit.role == "assistant";
        let mut kept = Map::new();
        for (name, value) in unit.extra() {
            let fits = match name.as_str() {
                "refusal" => value.is_null() || unit.refusal().is_some(),
                "audio" => value.is_null() || shapes::openai::AUDIO.fits(value),
                "function_call" => value.is_null(),
                _ => false,
            };
            match fits && speaks {
                true => drop(kept.insert(name.clone(), value.clone())),
                false => left_out(unit, name, self.notes),
            }
        }
        let Some(map) = map else { return };
        map.extend(kept);
        map.insert("role".into(), Json::from(unit.role.as_str()));
        let Some(own) = unit.attr("data_name").filter(|name| !name.is_empty()) else { return };
        let name = plain_name(own, NAMING.most_tool);
        if name != own {
            let what = format!("has the name {}, which this API does not allow", label(own));
            self.notes.mended(unit, what, format!("it is {name} here"));
        }
        map.insert("name".into(), Json::Str(name));
    }

    fn call(&mut self, at: usize) -> Json {
        let custom = self.unit(at).attr("data_tool_type") == Some("custom");
        let (kind, input) = if custom { ("custom", "input") } else { ("function", "arguments") };
        object([
            ("id", Json::from(self.script.id(at))),
            ("type", Json::from(kind)),
            (kind, self.called(at, input)),
        ])
    }

    /// The name and the arguments of a call.
    fn called(&mut self, at: usize, input: &str) -> Json {
        let unit = self.unit(at);
        let arguments = match (input, unit.content.as_deref()) {
            ("input", Some(Json::Str(text))) => text.clone(),
            ("input", Some(other)) => canonical_string(other),
            ("input", None) => String::new(),
            _ => arguments_text(unit, self.notes),
        };
        let name = NAMING.tool(unit, self.notes);
        object([("name", Json::Str(name)), (input, Json::Str(arguments))])
    }

    fn reply(&mut self, reply: &Reply) -> Piece {
        let (unit, content) = match reply.answer.map(|answer| self.unit(answer)) {
            Some(unit) => {
                self.beside(unit, None);
                let said = content(unit, Whose::Result, openai, self.notes);
                (unit, said.unwrap_or_else(|| empty_result(unit, self.notes)))
            }
            None => (self.unit(reply.call), Json::Str(self.script.ending(reply.call))),
        };
        let value = match self.script.is_function(reply.call) {
            true => {
                let name = self.unit(reply.call).attr("data_tool_name").unwrap_or_default();
                object([
                    ("role", Json::from("function")),
                    ("name", Json::from(name)),
                    ("content", content),
                ])
            }
            false => object([
                ("role", Json::from("tool")),
                ("tool_call_id", Json::from(self.script.id(reply.call))),
                ("content", content),
            ]),
        };
        Piece { ids: vec![unit.id().clone()], value, beside: false }
    }
}

fn as_parts(content: Json) -> Vec<Json> {
    match content {
        Json::List(parts) => parts,
        Json::Str(text) => vec![text_part(text)],
        _ => Vec::new(),
    }
}

//! `lives`: one row for each node that ever was. `calls`: tool calls with their results.

use super::super::json::text_of;
use super::super::life_walk::{Life, Wanted, lives};
use super::super::table::{Ask, Column, Kind, Pages, Rows, Shape, Table, Takes, Value, once};
use crate::db::View;
use crate::error::Result;
use crate::json::Json;
use crate::model::Node;
use crate::query::Timeline;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, LazyLock};

pub(super) static LIVES: LazyLock<Shape> = LazyLock::new(|| {
    use Kind::{Integer, Text};
    Shape {
        name: "lives",
        args: &[],
        columns: vec![
            Column::new("id", Text, "the node").taking(Takes::Equal),
            Column::new("type", Text, "its type"),
            Column::new("role", Text, "its role"),
            Column::new("kind", Text, "its kind"),
            Column::new("key", Text, "its key"),
            Column::new("born", Integer, "the first snapshot that has it").taking(Takes::Range),
            Column::new("turn", Text, "the turn that it lies or lay in"),
            Column::new("ended", Integer, "the first snapshot that does not have it any more"),
            Column::new("how", Text, "expired, pruned, cascaded, removed or restored"),
            Column::new("bytes", Integer, "the size of its content"),
        ],
        about: "one row for each node that ever was, as it was last",
    }
});

pub(super) static CALLS: LazyLock<Shape> = LazyLock::new(|| {
    use Kind::{Integer, Text};
    Shape {
        name: "calls",
        args: &[],
        columns: vec![
            Column::new("id", Text, "the block with the call"),
            Column::new("result_id", Text, "the block with its result"),
            Column::new("call_id", Text, "the data_call_id that both have"),
            Column::new("tool", Text, "the data_tool_name"),
            Column::new("arguments", Text, "the content of the call"),
            Column::new("bytes", Integer, "the size of the call"),
            Column::new("result_bytes", Integer, "the size of the result"),
            Column::new("cycle", Integer, "the first snapshot that has the call"),
            Column::new("result_cycle", Integer, "the first snapshot that has the result"),
            Column::new("result_ended", Integer, "the first that does not have it any more"),
            Column::new("result_how", Text, "how it went"),
        ],
        about: "tool calls, each with its result; a call without one has nulls",
    }
});

/// The place of `born` among the columns of `lives`.
const BORN: usize = 5;

/// `lives`
pub(super) struct Lives(pub(super) Arc<View>);

impl Table for Lives {
    fn shape(&self) -> &'static Shape {
        &LIVES
    }

    fn rows(&self, ask: Ask) -> Result<Box<dyn Rows>> {
        let id = ask.text(0);
        let Some(cycles) = ask.counts(BORN) else {
            return Ok(Box::new(Pages::new(once(Vec::new()), life_column)));
        };
        let born = Some(cycles).filter(|cycles| *cycles != (0, i64::MAX as u64));
        let all = lives(&self.0, &Wanted { id: id.as_deref(), born, keep: &|_| true })?;
        Ok(Box::new(Pages::new(once(all), life_column)))
    }
}

fn life_column(life: &Life, column: usize) -> Result<Value<'_>> {
    let node = &*life.node;
    Ok(match column {
        0 => Value::text(&node.id),
        1 => Value::text(&node.node_type),
        2 => Value::maybe_text(node.role.as_deref()),
        3 => Value::maybe_text(node.kind.as_deref()),
        4 => Value::maybe_text(node.key.as_deref()),
        5 => Value::int(life.born),
        6 => Value::maybe_text(life.turn.as_deref()),
        7 => Value::maybe_int(life.ended.map(|(cycle, _)| cycle)),
        8 => Value::maybe_text(life.ended.map(|(_, how)| how)),
        9 => Value::maybe_int(node.content.map(|content| content.bytes)),
        _ => Value::Null,
    })
}

/// `calls`
pub(super) struct Calls(pub(super) Arc<View>);

struct Called {
    call: Life,
    result: Option<Life>,
}

impl Table for Calls {
    fn shape(&self) -> &'static Shape {
        &CALLS
    }

    fn rows(&self, _: Ask) -> Result<Box<dyn Rows>> {
        let keep = |node: &Node| node.is_call() || (node.is_result() && node.call_id().is_some());
        let (calls, results): (Vec<Life>, Vec<Life>) =
            lives(&self.0, &Wanted { id: None, born: None, keep: &keep })?
                .into_iter()
                .partition(|life| life.node.is_call());
        let mut open: HashMap<String, VecDeque<Life>> = HashMap::new();
        for result in results {
            let id = result.node.call_id().unwrap_or_default().to_owned();
            open.entry(id).or_default().push_back(result);
        }
        // Calls that share an id have their results in the same order.
        let pair = |call: Life| {
            let results = call.node.call_id().and_then(|id| open.get_mut(id));
            let result = results.and_then(VecDeque::pop_front);
            Called { call, result }
        };
        let all: Vec<Called> = calls.into_iter().map(pair).collect();
        let view = self.0.clone();
        Ok(Box::new(Pages::new(once(all), move |called: &Called, column| {
            call_column(&view, called, column)
        })))
    }
}

fn call_column<'a>(
    view: &View,
    Called { call, result }: &'a Called,
    column: usize,
) -> Result<Value<'a>> {
    let result = result.as_ref();
    let bytes = |life: &Life| life.node.content.map(|content| content.bytes);
    Ok(match column {
        0 => Value::text(&call.node.id),
        1 => Value::maybe_text(result.map(|result| &*result.node.id)),
        2 => Value::maybe_text(call.node.call_id()),
        3 => Value::maybe_text(attr(&call.node, "data_tool_name")),
        4 => match &call.node.content {
            Some(content) => {
                Value::owned(text_of(&*view.contents().content(content)?).into_owned())
            }
            None => Value::Null,
        },
        5 => Value::maybe_int(bytes(call)),
        6 => Value::maybe_int(result.and_then(bytes)),
        7 => Value::int(call.born),
        8 => Value::maybe_int(result.map(|result| result.born)),
        9 => Value::maybe_int(result.and_then(|result| result.ended).map(|(cycle, _)| cycle)),
        10 => Value::maybe_text(result.and_then(|result| result.ended).map(|(_, how)| how)),
        _ => Value::Null,
    })
}

fn attr<'a>(node: &'a Node, name: &str) -> Option<&'a str> {
    node.attrs.get(name).and_then(Json::as_str)
}

//! Random operations as protocol requests.
//!
//! An [`Op`] holds choices, not ids: which of the nodes that exist, which of a small pool of names. It becomes a
//! request only against the model's present state ([`Op::request`]), so a shrunk sequence still talks about nodes
//! that are there. Ids of added nodes are always given; most are unused, some collide on purpose.

mod adds;
mod documents;
mod picks;
mod wrong;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::model::Model;
use adds::Add;
use documents::Change;
use picks::{Pick, Time, Which, pick, time, which};

/// One operation, not yet tied to a state.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Add(Add),
    Set { target: Vec<Which>, lenient: bool, fields: Vec<(usize, Pick)> },
    Move { target: Which, to: adds::To, lenient: bool, offset: Option<i64>, at: Option<i64> },
    Remove { target: Vec<Which>, lenient: bool, force: bool },
    Commit { at: Option<i64>, expected: Option<bool>, dry_run: bool },
    Batch { ops: Vec<Op>, commit: bool, expected: Option<bool> },
    Policy(Vec<(Pick, Pick, Pick)>),
    EndCadence(Pick),
    Undo,
    Restore { at: Time, discard: bool },
    Import { of: Time, changes: Vec<(Change, Pick, Pick)>, cycle: Pick },
    Messages { roles: Vec<Pick>, at: Option<i64> },
    Export(Time),
    Thread(Time),
    Diff(Time, Time),
    Wrong(Pick, Pick),
}

/// Sequences of operations, made of short runs that get somewhere together.
pub(crate) fn sequence(runs: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Op>> {
    prop::collection::vec(run(), runs).prop_map(|runs| runs.concat())
}

fn run() -> impl Strategy<Value = Vec<Op>> {
    let commit = || Op::Commit { at: None, expected: None, dry_run: false };
    let committed = move |op: Op| vec![commit(), op];
    let nest = (adds::box_to_empty(), prop::collection::vec(adds::brief(), 1..3));
    let nest = nest.prop_map(|(outer, inner)| {
        std::iter::once(outer).chain(inner).map(Op::Add).collect::<Vec<Op>>()
    });
    prop_oneof![
        90 => op().prop_map(|op| vec![op]),
        4 => incoming().prop_map(committed),
        2 => restore().prop_map(committed),
        4 => nest,
    ]
}

/// Any operation.
pub(crate) fn op() -> impl Strategy<Value = Op> {
    let expected = || prop::option::weighted(0.3, prop::bool::weighted(0.8));
    let batch = (prop::collection::vec(edit(), 0..6), any::<bool>(), expected());
    let policies = prop::collection::vec((pick(), pick(), pick()), 0..3);
    prop_oneof![
        50 => edit(),
        14 => commit(expected()),
        8 => batch.prop_map(|(ops, commit, expected)| Op::Batch { ops, commit, expected }),
        4 => policies.prop_map(Op::Policy),
        5 => Just(Op::Undo),
        3 => restore(),
        2 => incoming(),
        2 => time().prop_map(Op::Export),
        1 => time().prop_map(Op::Thread),
        3 => (time(), time()).prop_map(|(a, b)| Op::Diff(a, b)),
    ]
}

fn commit(expected: impl Strategy<Value = Option<bool>>) -> impl Strategy<Value = Op> {
    (moment(), expected, prop::bool::weighted(0.2)).prop_map(|(at, expected, dry_run)| Op::Commit {
        at,
        expected,
        dry_run,
    })
}

fn moment() -> impl Strategy<Value = Option<i64>> {
    prop::option::weighted(0.3, 0i64..3000)
}

fn restore() -> impl Strategy<Value = Op> {
    (time(), prop::bool::weighted(0.6)).prop_map(|(at, discard)| Op::Restore { at, discard })
}

/// A document or a flat log.
fn incoming() -> impl Strategy<Value = Op> {
    let changes = prop::collection::vec((documents::change(), pick(), pick()), 0..3);
    let import = (time(), changes, pick());
    let messages = (prop::collection::vec(pick(), 0..5), moment());
    prop_oneof![
        6 => import.prop_map(|(of, changes, cycle)| Op::Import { of, changes, cycle }),
        1 => messages.prop_map(|(roles, at)| Op::Messages { roles, at }),
    ]
}

/// An operation that may stand in a batch.
fn edit() -> impl Strategy<Value = Op> {
    let targets = || prop::collection::vec(which(), 1..3);
    let fields = prop::collection::vec((0..SETTABLE.len(), pick()), 0..4);
    let set = (targets(), prop::bool::weighted(0.2), fields);
    let offset = prop::option::of(-2i64..3);
    let lenient = prop::bool::weighted(0.2);
    let moves = (which(), adds::to(), lenient, offset, prop::option::weighted(0.2, 0i64..3000));
    let remove = (targets(), prop::bool::weighted(0.2), prop::bool::weighted(0.3));
    prop_oneof![
        30 => adds::add().prop_map(Op::Add),
        10 => set.prop_map(|(target, lenient, fields)| Op::Set { target, lenient, fields }),
        8 => moves.prop_map(|(target, to, lenient, offset, at)| {
            Op::Move { target, to, lenient, offset, at }
        }),
        7 => remove.prop_map(|(target, lenient, force)| Op::Remove { target, lenient, force }),
        1 => pick().prop_map(Op::EndCadence),
        5 => (pick(), pick()).prop_map(|(kind, node)| Op::Wrong(kind, node)),
    ]
}

const SETTABLE: [&str; 11] = [
    "content", "ttl", "priority", "key", "tags", "cad", "pinned", "refs", "mime", "encoding",
    "attrs",
];

impl Op {
    /// The request that this choice means in the model's present state.
    pub(crate) fn request(&self, model: &Model) -> Value {
        match self {
            Op::Add(add) => add.request(model),
            Op::Set { target, lenient, fields } => set(model, target, *lenient, fields),
            Op::Move { target, to, lenient, offset, at } => {
                let target = target.selector(model);
                let to = to.text(model) + if *lenient { "?" } else { "" };
                let mut request = json!({"op": "move", "target": target, "to": to});
                put(&mut request, "offset", *offset);
                put(&mut request, "created_at_ns", *at);
                request
            }
            Op::Remove { target, lenient, force } => {
                let mut request =
                    json!({"op": "remove", "target": picks::list(model, target, *lenient)});
                put(&mut request, "force", force.then_some(true));
                request
            }
            Op::Commit { at, expected, dry_run } => {
                let mut request = json!({"op": "commit"});
                put(&mut request, "dry_run", dry_run.then_some(true));
                put(&mut request, "created_at_ns", *at);
                put(&mut request, "expected_cycle", expected_cycle(model, *expected));
                request
            }
            Op::Batch { ops, commit, expected } => batch(model, ops, *commit, *expected),
            Op::Policy(policies) => {
                let policies: Vec<Value> = policies.iter().map(policy).collect();
                json!({"op": "policy", "set": policies})
            }
            Op::EndCadence(key) => json!({"op": "cadence", "end": key.of(&picks::KEYS)}),
            Op::Undo => json!({"op": "undo"}),
            Op::Restore { at, discard } => {
                let mut request = json!({"op": "restore", "at": at.snapshot(model)});
                put(&mut request, "discard", discard.then_some(true));
                request
            }
            Op::Import { of, changes, cycle } => documents::request(model, of, changes, *cycle),
            Op::Messages { roles, at } if !model.has_policies() => {
                let message = |role: &Pick| {
                    let role = role.of(&["user", "assistant", "user", "system", "tool"]);
                    json!({"role": role, "content": "said"})
                };
                let messages: Vec<Value> = roles.iter().map(message).collect();
                let mut request = json!({"op": "import", "messages": messages});
                put(&mut request, "created_at_ns", *at);
                request
            }
            // A policy could prune a message before anybody has seen the id that it got.
            Op::Messages { .. } => json!({"op": "export"}),
            Op::Export(at) => json!({"op": "export", "at": at.address(model)}),
            Op::Thread(at) => json!({"op": "thread", "at": at.address(model)}),
            Op::Diff(a, b) => json!({"op": "diff", "a": a.address(model), "b": b.address(model)}),
            Op::Wrong(kind, node) => wrong::request(model, *kind, *node),
        }
    }
}

fn put<T: Into<Value>>(request: &mut Value, name: &str, value: Option<T>) {
    if let Some(value) = value {
        request[name] = value.into();
    }
}

/// The right cycle, or one that is not.
fn expected_cycle(model: &Model, right: Option<bool>) -> Option<i64> {
    right.map(|right| if right { model.last_cycle() } else { model.last_cycle() + 1 })
}

fn set(model: &Model, target: &[Which], lenient: bool, fields: &[(usize, Pick)]) -> Value {
    let mut request = json!({"op": "set", "target": picks::list(model, target, lenient)});
    for (field, choice) in fields {
        let name = SETTABLE[*field];
        let number = choice.0 as i64;
        request[name] = match name {
            "content" => choice.json(),
            "ttl" => [json!(null), json!(number % 5)][usize::from(number % 4 > 0)].clone(),
            "priority" => [json!(null), json!(number % 7 - 3)][usize::from(number % 4 > 0)].clone(),
            "key" => {
                [json!(null), json!(choice.of(&picks::KEYS))][usize::from(number % 4 > 0)].clone()
            }
            "tags" => {
                [json!([]), json!(["t1", "t2"]), json!(["t1"])][choice.0 as usize % 3].clone()
            }
            "cad" => [json!(null), json!(1 + number % 3)][usize::from(number % 3 > 0)].clone(),
            "pinned" => json!(number % 2 == 0),
            "refs" => json!([choice.any_id(model)]),
            "mime" => choice.of(&[json!(null), json!("text/plain"), json!("image/png")]).clone(),
            "encoding" => choice.of(&[json!(false), json!("base64"), json!("")]).clone(),
            _ => json!({ (*choice.of(&picks::ATTRS)): choice.json() }),
        };
    }
    request
}

/// Later operations of the batch are built on what the earlier ones would do.
fn batch(model: &Model, ops: &[Op], commit: bool, expected: Option<bool>) -> Value {
    let mut ahead = model.clone();
    let mut requests = Vec::new();
    for op in ops {
        let request = op.request(&ahead);
        ahead.handle(&request);
        requests.push(request);
    }
    if commit {
        requests.push(json!({"op": "commit"}));
    }
    let mut request = json!({"op": "batch", "ops": requests});
    put(&mut request, "expected_cycle", expected_cycle(model, expected));
    request
}

fn policy((region, limit, protect): &(Pick, Pick, Pick)) -> Value {
    let mut policy = json!({});
    put(&mut policy, "region", *region.of(&[None, Some("^sys"), Some("^seq"), Some("^ah")]));
    let size = i64::from(limit.0) / 5;
    match limit.0 % 5 {
        0 => policy["max_blocks"] = json!(size % 7),
        1 => policy["max_bytes"] = json!(size % 40),
        2 => policy["max_tokens"] = json!(size % 12),
        3 => policy["max_turns"] = json!(size % 6),
        _ => policy["max_nodes"] = json!(size % 20),
    }
    put(&mut policy, "protect_recent_turns", *protect.of(&[None, Some(1), Some(2), Some(3)]));
    policy
}

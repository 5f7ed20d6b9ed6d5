//! The naive model: the rules of the store, implemented as slowly and plainly as possible.
//!
//! It keeps no log and no index. State is cloned whole for every snapshot and every undo step, children are found by
//! looking at all nodes, and a refused request is rolled back by putting the old model back. It shares no code with
//! the engine, so that a difference between the two is a mistake in one of them or a gap in the rules.
//!
//! Where the rules leave room, `CHOICES.md` beside this file lists the reading taken; the comments say `choice N`.
//!
//! Ids. These are fixed by the rules: ids that a request or an import gives, `mt:N`/`seg:N` for sealed turns and
//! `mc:N`/`cont:N` for cores made by sealing (with `-2`, `-3`… if taken), and the ids of regions. Open, and asked of the
//! `made` callback in order of creation: a block or container added without an id, a core that an edit, a cadence
//! or a message import makes in the head, an instance that a cadence makes, an imported message, an attempt.

mod add;
mod attempts;
mod batch;
mod cadence;
pub(crate) mod canon;
mod check;
mod commit;
mod diff;
mod edit;
mod export;
mod fail;
mod fields;
mod history;
mod import;
mod insert;
mod messages;
mod moves;
mod node;
mod policy;
mod probe;
mod prune;
mod selector;
mod tree;

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use serde_json::{Value, json};

pub(crate) use canon::{canonical, float_repr};
use fail::{Fail, Res};
use node::{Class, Node};
use policy::Policy;
use tree::Tree;

/// Supplies an id for a type prefix wherever the rules leave the id open.
pub(crate) type Made<'a> = &'a mut dyn FnMut(&str) -> String;

/// A store as the rules describe it.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// Vocabulary and dialect of generation 1.0.
    v1: bool,
    /// What the wall clock says, always.
    clock: i64,
    state: State,
    /// The state right after the last commit, import or restore.
    committed: State,
    /// Every id ever given; undo does not free them.
    used: HashSet<String>,
    snapshots: Vec<Rc<Snapshot>>,
    undo: Vec<UndoStep>,
    attempts: Vec<Value>,
    /// For ids that nobody supplies.
    counter: u64,
    /// Ids from outside that break the rules.
    complaints: Vec<String>,
}

/// What undo takes back.
#[derive(Clone, Debug)]
struct State {
    tree: Tree,
    /// Nodes that are no more, as they last were.
    gone: BTreeMap<String, Gone>,
    /// Cadences ended by name: key to the id of the newest instance at that time.
    ended: BTreeMap<String, String>,
    last_cycle: i64,
    last_ns: i64,
    next_index: i64,
    policies: Vec<Policy>,
    /// A cadence made instances since the last snapshot.
    cadence_made: bool,
}

#[derive(Clone, Debug)]
struct Gone {
    node: Node,
    by_edit: bool,
}

#[derive(Clone, Debug)]
struct Snapshot {
    cycle: i64,
    tree: Tree,
}

#[derive(Clone, Debug)]
struct UndoStep {
    before: State,
    effect: Effect,
    op: String,
}

/// What an accepted operation was, for undo and for "uncommitted edits".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    Nothing,
    Policy,
    Edit,
    Commit,
}

impl Model {
    pub(crate) fn new(spec: &str) -> Model {
        Model::with_clock(spec, 0)
    }

    /// A store whose wall clock stands still.
    pub(crate) fn with_clock(spec: &str, start_ns: i64) -> Model {
        assert!(matches!(spec, "0.1" | "1.0"), "unknown generation {spec}");
        let tree = Tree::new();
        let state = State {
            gone: BTreeMap::new(),
            ended: BTreeMap::new(),
            last_cycle: 0,
            last_ns: 0,
            next_index: 0,
            policies: Vec::new(),
            cadence_made: false,
            tree,
        };
        Model {
            v1: spec == "1.0",
            clock: start_ns,
            used: state.tree.nodes.keys().cloned().collect(),
            committed: state.clone(),
            state,
            snapshots: Vec::new(),
            undo: Vec::new(),
            attempts: Vec::new(),
            counter: 0,
            complaints: Vec::new(),
        }
    }

    /// Answers a request; open ids are the model's own.
    pub(crate) fn handle(&mut self, request: &Value) -> Value {
        let (mut counter, used) = (self.counter, self.used.clone());
        let reply = self.handle_with_ids(request, &mut |prefix| {
            loop {
                counter += 1;
                // A letter keeps these ids away from the shapes that sealing uses.
                let id = format!("{prefix}:z{counter}");
                if !used.contains(&id) {
                    return id;
                }
            }
        });
        self.counter = counter;
        reply
    }

    /// Answers a request; `made` supplies the ids that the rules leave open.
    pub(crate) fn handle_with_ids(&mut self, request: &Value, made: Made<'_>) -> Value {
        let before = self.clone();
        let mut reply = match self.run(request, made) {
            Ok(ok) => json!({ "ok": ok }),
            Err(fail) => {
                *self = before;
                json!({"error": fail.json()})
            }
        };
        if let Some(rid) = request.get("rid") {
            reply["rid"] = rid.clone();
        }
        reply
    }

    fn run(&mut self, request: &Value, made: Made<'_>) -> Res<Value> {
        let before = self.state.clone();
        let (reply, effect) = match fields::op(request)? {
            "batch" => self.batch(request, made)?,
            "import" => self.import(request, made)?,
            "restore" => self.restore(request, made)?,
            "undo" => self.take_back(request)?,
            "export" => (self.export(request)?, Effect::Nothing),
            "thread" => (self.thread(request)?, Effect::Nothing),
            "diff" => (self.diff(request)?, Effect::Nothing),
            "attempt" => (self.attempt(request, made)?, Effect::Nothing),
            _ => self.run_edit(request, made)?,
        };
        if matches!(effect, Effect::Edit | Effect::Policy) {
            let op = fields::op(request)?.to_string();
            self.undo.push(UndoStep { before, effect, op });
        }
        Ok(reply)
    }

    /// The operations that may stand in a batch.
    fn run_edit(&mut self, request: &Value, made: Made<'_>) -> Res<(Value, Effect)> {
        match fields::op(request)? {
            "add" => self.add(request, made),
            "set" => self.set(request),
            "move" => self.relocate(request),
            "remove" => self.remove(request),
            "commit" => self.commit(request, made),
            "policy" => self.policy(request),
            "cadence" => self.end_cadence(request),
            "select" | "nodes" | "explain" | "log" | "stats" | "verify" => {
                Err(Fail::one(fail::UNSUPPORTED))
            }
            _ => Err(Fail::one("E_REQUEST_INVALID")),
        }
    }

    fn word(&self, class: Class) -> &'static str {
        match (class, self.v1) {
            (Class::Turn, false) => "mt",
            (Class::Turn, true) => "seg",
            (Class::Container, false) => "mc",
            (Class::Container, true) => "cont",
            (Class::Block, false) => "cb",
            (Class::Block, true) => "block",
            _ => "^root",
        }
    }

    /// An id from outside, checked for what an engine may not choose.
    fn fresh(&mut self, prefix: &str, made: Made<'_>) -> String {
        let id = made(prefix);
        if self.used.contains(&id) {
            self.complaints.push(format!("the made id {id:?} was used before"));
        }
        let last = id.rsplit(':').next().unwrap_or(&id);
        if ["pre", "core", "post", "first", "last", "nth", "depth"].contains(&last) {
            self.complaints.push(format!("the made id {id:?} ends in the name of a pseudo"));
        }
        if fields::is_numbered_shape(&id) {
            self.complaints.push(format!("the made id {id:?} has a shape kept for sealing"));
        }
        id
    }

    /// Puts a new node in: stamps it with the cycle in progress, the time and its index (R2.5).
    fn create(&mut self, mut node: Node, given_ns: Option<i64>) {
        let state = &mut self.state;
        state.last_ns = given_ns.unwrap_or(self.clock).max(state.last_ns + 1);
        node.created_at_ns = state.last_ns;
        node.cycle = state.last_cycle + 1;
        node.creation_index = state.next_index;
        state.next_index += 1;
        self.used.insert(node.id.clone());
        state.tree.insert(node);
    }

    /// Takes a subtree out of the tree and remembers what its nodes were.
    fn bury(&mut self, id: &str, by_edit: bool) {
        for id in self.state.tree.subtree(id) {
            let node = self.state.tree.nodes.remove(&id).unwrap();
            self.state.gone.insert(id, Gone { node, by_edit });
        }
    }

    /// R3.2, R13: in the newest snapshot and in a turn.
    fn is_sealed(&self, id: &str) -> bool {
        let committed = self.snapshots.last().is_some_and(|newest| newest.tree.has(id));
        committed && self.state.tree.turn_of(id).is_some()
    }
}

//! Statements: what a line of the REPL or of a script says, beside a plain selector.
//!
//! A statement names nodes by selectors and carries values; what the values mean for an operation
//! is not judged here. Invariants: fields are never empty and never repeat a name; the place of an
//! [`Add`] without a type does not end in a bare type, which would be read as the type.

use super::filter::{AttrName, TypeName, Value};
use super::selector::{Place, Selector, Target};
use super::time::Time;
use crate::json::Json;
use crate::language::span::At;

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// A selector: a question.
    Select(Selector),
    /// `add`
    Add(Add),
    /// `set`
    Set(Set),
    /// `move`
    Move(Move),
    /// `rm`
    Remove(Remove),
    /// `commit`
    Commit(Commit),
    /// `undo`
    Undo(At),
    /// `restore`
    Restore(Restore),
    /// `diff`
    Diff(Diff),
    /// `policy`
    Policy(Policy),
    /// `cadence end`
    EndCadence(EndCadence),
}

impl Statement {
    /// The whole statement.
    pub fn at(&self) -> At {
        match self {
            Statement::Select(selector) => selector.at,
            Statement::Add(add) => add.at,
            Statement::Set(set) => set.at,
            Statement::Move(request) => request.at,
            Statement::Remove(remove) => remove.at,
            Statement::Commit(commit) => commit.at,
            Statement::Undo(at) => *at,
            Statement::Restore(restore) => restore.at,
            Statement::Diff(diff) => diff.at,
            Statement::Policy(policy) => policy.at,
            Statement::EndCadence(cadence) => cadence.at,
        }
    }
}

/// `add ^ah .cb {role='user', ttl=2} 'Hello'`; every part but one may be left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Add {
    /// The whole statement.
    pub at: At,
    /// Where; the active head if there is none.
    pub place: Option<Place>,
    /// Its type.
    pub node_type: Option<TypeName>,
    /// Headers and attributes.
    pub fields: Option<Fields>,
    /// The content.
    pub content: Option<Content>,
}

/// `set #cb:1 {ttl=null} 'new text'`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// The whole statement.
    pub at: At,
    /// Which nodes.
    pub target: Target,
    /// Headers and attributes.
    pub fields: Option<Fields>,
    /// The content.
    pub content: Option<Content>,
}

/// `move #cb:1 to ^sys {offset=2}`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The whole statement.
    pub at: At,
    /// Which nodes.
    pub target: Target,
    /// Their new parent.
    pub to: Place,
    /// The offset.
    pub fields: Option<Fields>,
}

/// `rm #cb:1 force`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remove {
    /// The whole statement.
    pub at: At,
    /// Which nodes.
    pub target: Target,
    /// Also if others refer to them.
    pub force: bool,
}

/// `commit {expected_cycle=3}`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The whole statement.
    pub at: At,
    /// What the caller expects.
    pub fields: Option<Fields>,
}

/// `restore @c4 discard`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restore {
    /// The whole statement.
    pub at: At,
    /// Which snapshot; never a range.
    pub to: Time,
    /// Throws uncommitted edits away.
    pub discard: bool,
}

/// `diff rich @t0 @t-5 .cb`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff {
    /// The whole statement.
    pub at: At,
    /// With parents, moves and offsets.
    pub rich: bool,
    /// The states to compare, at most two. One is compared with the working state; if there is
    /// none, the newest snapshot is.
    pub states: Vec<Moment>,
    /// Which nodes; all if there is no selector. It has no time.
    pub selector: Option<Selector>,
}

/// A state to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moment {
    /// `now`: the working state.
    Now(At),
    /// A snapshot; never a range.
    Time(Time),
}

/// `policy`, `policy none`, `policy {max_blocks=100}`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The whole statement.
    pub at: At,
    /// The new policies; none asks for those in force, an empty list removes them.
    pub set: Option<Vec<Fields>>,
}

/// `cadence end notes`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndCadence {
    /// The whole statement.
    pub at: At,
    /// The key.
    pub key: String,
}

/// `{role='user', tags=[a, b], pinned}`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    /// With its braces.
    pub at: At,
    /// The fields, at least one, no name twice.
    pub list: Vec<Field>,
}

/// One field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The whole field.
    pub at: At,
    /// Its name.
    pub name: AttrName,
    /// Its value.
    pub value: FieldValue,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// The name alone: true.
    Flag,
    /// One value; the bare words `true` and `false` are truth values.
    One(Value),
    /// A list, never empty.
    Many(Vec<Value>),
}

/// The content of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// With its quotes, and with `json`.
    pub at: At,
    /// A text, or another JSON value: `json '[1, 2]'`.
    pub value: Json,
}

//! Statements back to text, in their canonical spelling.
//!
//! Invariant: reading the text in the same dialect gives the same statement.

use super::pieces;
use super::text::{Canonical, separated};
use crate::json::{Json, canonical_string};
use crate::language::ast::{
    Add, Content, Diff, Field, FieldValue, Fields, Moment, Move, Policy, Remove, Restore, Set,
    Statement, TypeName,
};
use crate::language::dialect::Dialect;
use crate::language::words::Keyword;

impl Canonical for Statement {
    fn write(&self, out: &mut String, dialect: Dialect) {
        match self {
            Statement::Select(selector) => selector.write(out, dialect),
            Statement::Add(add) => write_add(out, add, dialect),
            Statement::Set(set) => write_set(out, set, dialect),
            Statement::Move(request) => write_move(out, request, dialect),
            Statement::Remove(remove) => write_remove(out, remove, dialect),
            Statement::Commit(commit) => {
                out.push_str(Keyword::Commit.name());
                write_fields(out, commit.fields.as_ref());
            }
            Statement::Undo(_) => out.push_str(Keyword::Undo.name()),
            Statement::Restore(restore) => write_restore(out, restore, dialect),
            Statement::Diff(diff) => write_diff(out, diff, dialect),
            Statement::Policy(policy) => write_policy(out, policy),
            Statement::EndCadence(cadence) => {
                out.push_str("cadence end ");
                pieces::write_quoted(out, &cadence.key);
            }
        }
    }
}

fn write_add(out: &mut String, add: &Add, dialect: Dialect) {
    out.push_str(Keyword::Add.name());
    if let Some(place) = &add.place {
        out.push(' ');
        place.write(out, dialect);
    }
    if let Some(name) = &add.node_type {
        out.push(' ');
        write_type(out, name);
    }
    write_fields(out, add.fields.as_ref());
    write_content(out, add.content.as_ref());
}

fn write_set(out: &mut String, set: &Set, dialect: Dialect) {
    out.push_str("set ");
    set.target.write(out, dialect);
    write_fields(out, set.fields.as_ref());
    write_content(out, set.content.as_ref());
}

fn write_move(out: &mut String, request: &Move, dialect: Dialect) {
    out.push_str("move ");
    request.target.write(out, dialect);
    out.push_str(" to ");
    request.to.write(out, dialect);
    write_fields(out, request.fields.as_ref());
}

fn write_remove(out: &mut String, remove: &Remove, dialect: Dialect) {
    out.push_str("rm ");
    remove.target.write(out, dialect);
    if remove.force {
        out.push_str(" force");
    }
}

fn write_restore(out: &mut String, restore: &Restore, dialect: Dialect) {
    out.push_str("restore ");
    restore.to.write(out, dialect);
    if restore.discard {
        out.push_str(" discard");
    }
}

fn write_diff(out: &mut String, diff: &Diff, dialect: Dialect) {
    out.push_str(if diff.rich { "diff rich" } else { "diff" });
    for state in &diff.states {
        out.push(' ');
        match state {
            Moment::Now(_) => out.push_str(Keyword::Now.name()),
            Moment::Time(time) => time.write(out, dialect),
        }
    }
    if let Some(selector) = &diff.selector {
        out.push(' ');
        selector.write(out, dialect);
    }
}

fn write_policy(out: &mut String, policy: &Policy) {
    out.push_str(Keyword::Policy.name());
    match policy.set.as_deref() {
        None => {}
        Some([]) => out.push_str(" none"),
        Some(policies) => policies.iter().for_each(|fields| write_fields(out, Some(fields))),
    }
}

fn write_type(out: &mut String, name: &TypeName) {
    out.push('.');
    pieces::write_type(out, name);
}

fn write_fields(out: &mut String, fields: Option<&Fields>) {
    let Some(fields) = fields else { return };
    out.push_str(" {");
    separated(out, ", ", &fields.list, write_field);
    out.push('}');
}

fn write_field(out: &mut String, field: &Field) {
    pieces::write_attr_name(out, &field.name);
    match &field.value {
        FieldValue::Flag => {}
        FieldValue::One(value) => {
            out.push('=');
            pieces::write_value(out, value);
        }
        FieldValue::Many(values) => {
            out.push_str("=[");
            separated(out, ", ", values, pieces::write_value);
            out.push(']');
        }
    }
}

fn write_content(out: &mut String, content: Option<&Content>) {
    match content.map(|content| &content.value) {
        None => {}
        Some(Json::Str(text)) => {
            out.push(' ');
            pieces::write_quoted(out, text);
        }
        Some(value) => {
            out.push_str(" json '");
            out.push_str(&canonical_string(value).replace('\'', "\\'"));
            out.push('\'');
        }
    }
}

//! Constructors for attribute filters, their tests and values.

use super::literals::Made;
use crate::language::ast::{
    At, AttrFilter, AttrName, FilterForm, Op, Test, TestKind, Value, ValueKind,
};
use crate::language::lexing::unquoted;
use crate::language::syntax_error::SyntaxError;
use crate::language::words::NULLS;

pub(in crate::language) fn filter(
    l: usize,
    form: FilterForm,
    tests: Vec<Test>,
    r: usize,
) -> AttrFilter {
    AttrFilter { at: At::new(l, r), form, tests }
}

pub(in crate::language) fn present(l: usize, name: AttrName, r: usize) -> Test {
    Test { at: At::new(l, r), name, kind: TestKind::Present }
}

pub(in crate::language) fn compare(
    l: usize,
    name: AttrName,
    op: Op,
    value: Value,
    r: usize,
) -> Test {
    Test { at: At::new(l, r), name, kind: TestKind::Compare(op, value) }
}

pub(in crate::language) fn within(l: usize, name: AttrName, values: Vec<Value>, r: usize) -> Test {
    Test { at: At::new(l, r), name, kind: TestKind::In(values) }
}

pub(in crate::language) fn compare_list(
    l: usize,
    name: AttrName,
    op: Op,
    values: Vec<Value>,
    r: usize,
) -> Made<Test> {
    if op == Op::Eq {
        return Ok(within(l, name, values, r));
    }
    let message = format!("a list goes with `in` or `=`, not with `{}`", op.name());
    Err(SyntaxError::invalid(At::new(l, r).0, message))
}

pub(in crate::language) fn attr_name(l: usize, text: &str, r: usize) -> AttrName {
    AttrName { at: At::new(l, r), text: text.to_owned() }
}

pub(in crate::language) fn quoted_attr_name(l: usize, quoted: &str, r: usize) -> AttrName {
    AttrName { at: At::new(l, r), text: unquoted(quoted) }
}

pub(in crate::language) fn word_value(l: usize, word: &str, r: usize) -> Value {
    let kind = match NULLS.contains(&word) {
        true => ValueKind::Null,
        false => ValueKind::Word(word.to_owned()),
    };
    Value { at: At::new(l, r), kind }
}

pub(in crate::language) fn text_value(l: usize, quoted: &str, r: usize) -> Value {
    Value { at: At::new(l, r), kind: ValueKind::Text(unquoted(quoted)) }
}

pub(in crate::language) fn number_value(l: usize, number: &str, r: usize) -> Value {
    Value { at: At::new(l, r), kind: ValueKind::Number(number.to_owned()) }
}

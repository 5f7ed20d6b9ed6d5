//! Constructors for the tests and values of attribute filters.

use super::literals::Made;
use crate::language::ast::{At, AttrName, Op, Test, TestKind, Value, ValueKind};
use crate::language::syntax_error::SyntaxError;
use crate::language::words::NULLS;

pub(crate) fn compare_list(
    l: usize,
    name: AttrName,
    op: Op,
    values: Vec<Value>,
    r: usize,
) -> Made<Test> {
    let at = At::new(l, r);
    let kind = match op {
        Op::Eq => TestKind::In(values),
        Op::Ne => TestKind::NotIn(values),
        _ => {
            let message = format!("a list goes with `in`, `=` or `!=`, not with `{}`", op.name());
            return Err(SyntaxError::invalid(at.0, message));
        }
    };
    Ok(Test { at, name, kind })
}

pub(crate) fn word_value(l: usize, word: &str, r: usize) -> Value {
    let kind = match NULLS.contains(&word) {
        true => ValueKind::Null,
        false => ValueKind::Word(word.to_owned()),
    };
    Value { at: At::new(l, r), kind }
}

//! The comparison rules of R6.5, in their order: null, numbers, strings, tags, booleans, others.

use crate::json::Json;
use crate::language::ast::Op;
use crate::query::plan::{Check, Number, Value, ValueText};
use std::cmp::Ordering;

/// A check of an attribute that is null.
pub(crate) fn check_null(check: &Check) -> bool {
    match check {
        Check::Compare(Op::Eq, value) => *value == Value::Null,
        Check::Compare(Op::Ne, value) => *value != Value::Null,
        Check::OneOf(values) => values.contains(&Value::Null),
        Check::NotMatch(_) => true,
        Check::Present
        | Check::Compare(..)
        | Check::OneText(_)
        | Check::Match(_)
        | Check::Never => false,
    }
}

pub(crate) fn check_number(number: Option<i128>, check: &Check) -> bool {
    let Some(number) = number else { return check_null(check) };
    let equal = |value: &Value| compare_number(number, Op::Eq, value);
    match check {
        Check::Present => true,
        Check::Compare(op, value) => compare_number(number, *op, value),
        Check::OneOf(values) => values.iter().any(equal),
        Check::Match(pattern) => pattern.is_match(&number.to_string()),
        Check::NotMatch(pattern) => !pattern.is_match(&number.to_string()),
        Check::OneText(_) | Check::Never => false,
    }
}

fn compare_number(number: i128, op: Op, value: &Value) -> bool {
    let order = match value {
        Value::Given(ValueText { number: Some(other), .. }) => Number::Int(number).compare(other),
        _ => None,
    };
    decide(op, order)
}

pub(crate) fn check_text(text: Option<&str>, check: &Check) -> bool {
    let Some(text) = text else { return check_null(check) };
    let compare = |op: Op, value: &Value| match value {
        Value::Null => op == Op::Ne,
        Value::Given(given) => decide(op, Some(text.cmp(&*given.text))),
    };
    match check {
        Check::Present => true,
        Check::Compare(op, value) => compare(*op, value),
        Check::OneOf(values) => values.iter().any(|value| compare(Op::Eq, value)),
        Check::OneText(texts) => texts.contains(text),
        Check::Match(pattern) => pattern.is_match(text),
        Check::NotMatch(pattern) => !pattern.is_match(text),
        Check::Never => false,
    }
}

/// A check of a set of texts: any of them may satisfy it; `!=` and `!~` ask that all do. An empty set
/// is null.
pub(crate) fn check_any<'t>(mut texts: impl Iterator<Item = &'t str>, check: &Check) -> bool {
    let Some(first) = texts.next() else { return check_null(check) };
    let mut texts = std::iter::once(first).chain(texts);
    match check {
        Check::Compare(Op::Ne, _) | Check::NotMatch(_) => {
            texts.all(|text| check_text(Some(text), check))
        }
        check => texts.any(|text| check_text(Some(text), check)),
    }
}

/// A check of a content or a custom attribute.
pub(crate) fn check_other(value: &Json, check: &Check) -> bool {
    match value {
        Json::Null => return check_null(check),
        Json::Bool(true) => return check_text(Some("true"), check),
        Json::Bool(false) => return check_text(Some("false"), check),
        _ => {}
    }
    match check {
        Check::Present => true,
        Check::Compare(op, Value::Null) => *op == Op::Ne,
        Check::Compare(Op::Eq, Value::Given(given)) => equal_other(value, given),
        Check::Compare(Op::Ne, Value::Given(given)) => !equal_other(value, given),
        Check::Compare(op, Value::Given(given)) => decide(*op, order_other(value, given)),
        Check::OneOf(values) => values.iter().any(|other| match other {
            Value::Null => false,
            Value::Given(given) => equal_other(value, given),
        }),
        Check::Match(pattern) => pattern.is_match(&value.text()),
        Check::NotMatch(pattern) => !pattern.is_match(&value.text()),
        Check::OneText(_) | Check::Never => false,
    }
}

/// Equality keeps types: 5 is not '5'.
fn equal_other(value: &Json, given: &ValueText) -> bool {
    match value {
        Json::Int(_) | Json::BigInt(_) | Json::Float(_) => {
            let order = Number::of_json(value).zip(given.number.as_ref());
            given.bare_number && order.is_some_and(|(a, b)| a.compare(b) == Some(Ordering::Equal))
        }
        _ => !given.bare_number && *value.text() == *given.text,
    }
}

fn order_other(value: &Json, given: &ValueText) -> Option<Ordering> {
    match (Number::of_json(value), &given.number) {
        (Some(number), Some(other)) => number.compare(other),
        _ => Some((*value.text()).cmp(&*given.text)),
    }
}

/// What an operator makes of an order; without one only `!=` holds.
fn decide(op: Op, order: Option<Ordering>) -> bool {
    match (op, order) {
        (Op::Ne, None) => true,
        (_, None) | (Op::Match | Op::NotMatch, _) => false,
        (Op::Eq, Some(order)) => order.is_eq(),
        (Op::Ne, Some(order)) => order.is_ne(),
        (Op::Lt, Some(order)) => order.is_lt(),
        (Op::Le, Some(order)) => order.is_le(),
        (Op::Gt, Some(order)) => order.is_gt(),
        (Op::Ge, Some(order)) => order.is_ge(),
    }
}

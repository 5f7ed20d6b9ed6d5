//! The controls behind a selector: names and values to [`ControlKind`] (R6.11).
//!
//! A known control with a wrong value is an error; an unknown one is kept, to be warned about.

use super::ast::{At, Control, ControlKind, Mode, Order, Value, ValueKind};
use super::error::SelectorError;
use super::span::Span;

pub(super) fn control(
    l: usize,
    name: &str,
    value: Option<Value>,
    r: usize,
) -> Result<Control, SelectorError> {
    let at = At::new(l, r);
    let kind = match name {
        "limit" => ControlKind::Limit(count(at.0, name, value)?),
        "skip" => ControlKind::Skip(count(at.0, name, value)?),
        "first" => flag(at.0, name, value, ControlKind::First)?,
        "unique" => flag(at.0, name, value, ControlKind::Unique)?,
        "order" => ControlKind::Order(choice(at.0, name, value, &ORDERS)?),
        "mode" => ControlKind::Mode(choice(at.0, name, value, &MODES)?),
        _ => ControlKind::Unknown(name.to_owned(), value),
    };
    Ok(Control { at, kind })
}

/// The words of `@order=`.
pub(super) const ORDERS: [(&str, Order); 3] =
    [("path", Order::Path), ("recent", Order::Recent), ("id", Order::Id)];

/// The words of `@mode=`.
pub(super) const MODES: [(&str, Mode); 2] =
    [("pairwise", Mode::Pairwise), ("latest", Mode::Latest)];

/// A second control of the same known kind contradicts the first or says nothing.
pub(super) fn refuse_repeat(earlier: &[Control], control: &Control) -> Result<(), SelectorError> {
    let same = |other: &Control| {
        !matches!(control.kind, ControlKind::Unknown(..))
            && std::mem::discriminant(&other.kind) == std::mem::discriminant(&control.kind)
    };
    match earlier.iter().any(same) {
        true => Err(SelectorError::invalid(control.at.0, "this control is given twice")),
        false => Ok(()),
    }
}

fn count(at: Span, name: &str, value: Option<Value>) -> Result<u64, SelectorError> {
    let number = value.and_then(|value| match value.kind {
        ValueKind::Number(text) => text.parse().ok(),
        _ => None,
    });
    number.ok_or_else(|| {
        SelectorError::invalid(at, format!("`@{name}` takes a whole number, 0 or more"))
            .with_hint(format!("for example `@{name}=10`"))
    })
}

fn flag(
    at: Span,
    name: &str,
    value: Option<Value>,
    kind: ControlKind,
) -> Result<ControlKind, SelectorError> {
    match value {
        None => Ok(kind),
        Some(_) => Err(SelectorError::invalid(at, format!("`@{name}` takes no value"))),
    }
}

fn choice<T: Copy>(
    at: Span,
    name: &str,
    value: Option<Value>,
    words: &[(&str, T)],
) -> Result<T, SelectorError> {
    let given = value.as_ref().and_then(|value| match &value.kind {
        ValueKind::Word(text) | ValueKind::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let found = words.iter().find(|(word, _)| Some(*word) == given);
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let message = format!("`@{name}` takes one of: {}", names.join(", "));
        SelectorError {
            expected: names.into_iter().map(str::to_owned).collect(),
            ..SelectorError::invalid(at, message)
        }
    })
}

//! The controls behind a selector: names and values to [`ControlKind`] (R6.11).
//!
//! A known control with a wrong value is an error; an unknown one is kept, to be warned about.

use crate::language::ast::{At, Control, ControlKind, Mode, Order, Value, ValueKind};
use crate::language::span::Span;
use crate::language::syntax_error::SyntaxError;

pub(crate) fn control(
    l: usize,
    name: &str,
    value: Option<Value>,
    r: usize,
) -> Result<Control, SyntaxError> {
    let at = At::new(l, r);
    let kind = match name {
        "limit" => ControlKind::Limit(count(at.0, name, value)?),
        "skip" => ControlKind::Skip(count(at.0, name, value)?),
        "first" => flag(at.0, name, value, ControlKind::First)?,
        "unique" => flag(at.0, name, value, ControlKind::Unique)?,
        "order" => ControlKind::Order(choice(at.0, name, value, &Order::WORDS)?),
        "mode" => ControlKind::Mode(choice(at.0, name, value, &Mode::WORDS)?),
        _ => ControlKind::Unknown(name.to_owned(), value),
    };
    Ok(Control { at, kind })
}

/// A second control of the same known kind contradicts the first or says nothing.
pub(crate) fn refuse_repeat(earlier: &[Control], control: &Control) -> Result<(), SyntaxError> {
    let same = |other: &Control| {
        !matches!(control.kind, ControlKind::Unknown(..))
            && std::mem::discriminant(&other.kind) == std::mem::discriminant(&control.kind)
    };
    match earlier.iter().any(same) {
        true => Err(SyntaxError::invalid(control.at.0, "this control is given twice")),
        false => Ok(()),
    }
}

fn count(at: Span, name: &str, value: Option<Value>) -> Result<u64, SyntaxError> {
    let number = value.and_then(|value| match value.kind {
        ValueKind::Number(text) => text.parse().ok(),
        _ => None,
    });
    number.ok_or_else(|| {
        SyntaxError::invalid(at, format!("`@{name}` takes a whole number, 0 or more"))
            .with_hint(format!("for example `@{name}=10`"))
    })
}

fn flag(
    at: Span,
    name: &str,
    value: Option<Value>,
    kind: ControlKind,
) -> Result<ControlKind, SyntaxError> {
    match value {
        None => Ok(kind),
        Some(_) => Err(SyntaxError::invalid(at, format!("`@{name}` takes no value"))),
    }
}

fn choice<T: Copy>(
    at: Span,
    name: &str,
    value: Option<Value>,
    words: &[(&str, T)],
) -> Result<T, SyntaxError> {
    let given = value.as_ref().and_then(|value| match &value.kind {
        ValueKind::Word(text) | ValueKind::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let found = words.iter().find(|(word, _)| Some(*word) == given);
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let message = format!("`@{name}` takes one of: {}", names.join(", "));
        SyntaxError {
            expected: names.into_iter().map(str::to_owned).collect(),
            ..SyntaxError::invalid(at, message)
        }
    })
}

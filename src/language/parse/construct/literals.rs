//! Numbers and lists of the grammar, and the result of a constructor that may refuse.

use crate::language::syntax_error::SyntaxError;

/// What a constructor makes, or why it refuses.
pub(super) type Made<T> = Result<T, SyntaxError>;

pub(crate) fn and<T>(mut items: Vec<T>, item: T) -> Vec<T> {
    items.push(item);
    items
}

/// The integer, or the nearest one of 64 bits.
pub(crate) fn integer(number: &str) -> i64 {
    number.parse().unwrap_or(if number.starts_with('-') { i64::MIN } else { i64::MAX })
}

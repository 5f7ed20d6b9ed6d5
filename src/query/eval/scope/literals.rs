//! Texts that must stand in a content for it to satisfy a check.

use crate::language::ast::Op;
use crate::query::plan::{Check, Value, ValueText};
use regex_syntax::hir::literal::{ExtractKind, Extractor};

/// One of the texts of each list must stand in the content; no list if any content may satisfy the check.
pub(super) fn texts_of(check: &Check) -> Vec<Vec<Vec<u8>>> {
    match check {
        Check::Compare(Op::Eq, value) => given(std::slice::from_ref(value)),
        Check::OneOf(values) => given(values),
        Check::Match(pattern) => literals(pattern.as_str()),
        _ => Vec::new(),
    }
}

/// A content that equals one of some values; numbers have more than one text.
fn given(values: &[Value]) -> Vec<Vec<Vec<u8>>> {
    let text = |value: &Value| match value {
        Value::Given(ValueText { text, bare_number: false, .. }) => Some(text.as_bytes().to_vec()),
        _ => None,
    };
    values.iter().map(text).collect::<Option<Vec<_>>>().into_iter().collect()
}

/// What every match of a pattern begins with, and what it ends with.
fn literals(pattern: &str) -> Vec<Vec<Vec<u8>>> {
    let Ok(hir) = regex_syntax::parse(pattern) else { return Vec::new() };
    let of = |kind: ExtractKind| {
        let found = Extractor::new().kind(kind).extract(&hir);
        let texts = found.literals()?.iter().map(|literal| literal.as_bytes().to_vec());
        Some(texts.collect())
    };
    [of(ExtractKind::Prefix), of(ExtractKind::Suffix)].into_iter().flatten().collect()
}

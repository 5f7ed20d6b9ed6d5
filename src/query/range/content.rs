//! How two contents differ (R8.5): lines, a JSON patch, or words; from the older to the newer.
//!
//! A string is text; every other content is JSON. Contents with too many pieces are not compared:
//! only their sizes are given.

use super::result::{ContentDiff, Hunk, Summary, TokenOp};
use crate::json::{self, Json, canonical_string, laid_out};
use crate::limits::MAX_DIFF_PIECES;
use crate::query::options::ContentMode;
use crate::snapshot::content_bytes;
use serde_json::Value;
use similar::{ChangeTag, TextDiff};
use std::borrow::Cow;

/// One side of a comparison.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    /// The content; null if there is none.
    pub(super) content: &'a Json,
    /// The address of its snapshot.
    pub(super) label: &'a str,
}

/// Compares two contents of a node. The second value is a warning.
pub(super) fn content_diff(
    id: &str,
    newer: Side<'_>,
    older: Side<'_>,
    mode: ContentMode,
    context: usize,
) -> (ContentDiff, Option<String>) {
    let is_text = |side: Side<'_>| matches!(side.content, Json::Str(_));
    let (mode, warning) = match mode {
        ContentMode::Jsonpatch if is_text(newer) || is_text(older) => {
            let message = format!("{id}: a content is text and not JSON, so the diff is unified");
            (ContentMode::Unified, Some(message))
        }
        mode => (mode, None),
    };
    let bytes = |side: Side<'_>| match side.content {
        Json::Null => 0,
        content => content_bytes(content),
    };
    let (new, old) = (text_of(newer.content), text_of(older.content));
    let summary = Summary {
        bytes_newer: bytes(newer),
        bytes_older: bytes(older),
        identical: newer.content == older.content,
        truncated: mode != ContentMode::Jsonpatch && (is_long(&new, mode) || is_long(&old, mode)),
    };
    let mut made = ContentDiff {
        mode,
        mime: None,
        summary,
        diff: None,
        patch: None,
        hunks: None,
        tokenizer: None,
    };
    match mode {
        ContentMode::Jsonpatch => made.patch = Some(patch(older.content, newer.content)),
        ContentMode::Tokens => made.tokenizer = Some(Cow::Borrowed("word")),
        ContentMode::Unified => {}
    }
    if !summary.truncated {
        match mode {
            ContentMode::Unified => {
                let header = [(older, "older"), (newer, "newer")]
                    .map(|(side, word)| format!("{word}({})/{id}", side.label));
                made.diff = Some(unified(&old, &new, &header, context));
            }
            ContentMode::Tokens => made.hunks = Some(hunks(&old, &new, context)),
            ContentMode::Jsonpatch => {}
        }
    }
    (made, warning)
}

/// A string's own text, and JSON with a line for each member.
fn text_of(content: &Json) -> Cow<'_, str> {
    match content {
        Json::Str(text) => Cow::Borrowed(text),
        Json::Null => Cow::Borrowed(""),
        other => Cow::Owned(laid_out(other)),
    }
}

fn is_long(text: &str, mode: ContentMode) -> bool {
    let pieces = match mode {
        ContentMode::Tokens => text.split_whitespace().take(MAX_DIFF_PIECES + 1).count(),
        _ => text.lines().take(MAX_DIFF_PIECES + 1).count(),
    };
    pieces > MAX_DIFF_PIECES
}

fn unified(old: &str, new: &str, header: &[String; 2], context: usize) -> String {
    TextDiff::from_lines(old, new)
        .unified_diff()
        .context_radius(context)
        .header(&header[0], &header[1])
        .to_string()
}

fn patch(older: &Json, newer: &Json) -> Json {
    let patch = json_patch::diff(&guarded(older), &guarded(newer));
    unguarded(serde_json::to_value(patch).unwrap_or_default())
}

/// What a text begins with that stands for a number, or that began with it already. A
/// `serde_json::Value` cannot hold every number that a [`Json`] can.
const GUARD: char = '\0';

/// A value for the patch library: numbers that it would change are texts in it.
fn guarded(value: &Json) -> Value {
    match value {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Int(number) => Value::from(*number),
        Json::Float(_) | Json::BigInt(_) => {
            Value::String(format!("{GUARD}n{}", canonical_string(value)))
        }
        Json::Str(text) if text.starts_with(GUARD) => Value::String(format!("{GUARD}s{text}")),
        Json::Str(text) => Value::from(text.as_str()),
        Json::List(items) => items.iter().map(guarded).collect(),
        Json::Map(map) => map.iter().map(|(key, item)| (key.clone(), guarded(item))).collect(),
    }
}

/// The value again.
fn unguarded(value: Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(value),
        Value::Number(number) => number.as_i64().map_or(Json::Null, Json::Int),
        Value::String(text) => match text.strip_prefix(GUARD) {
            None => Json::Str(text),
            Some(rest) => match rest.strip_prefix('n') {
                Some(number) => json::parse(number).unwrap_or(Json::Null),
                None => Json::from(rest.strip_prefix('s').unwrap_or(rest)),
            },
        },
        Value::Array(items) => Json::List(items.into_iter().map(unguarded).collect()),
        Value::Object(map) => {
            Json::Map(map.into_iter().map(|(key, item)| (key, unguarded(item))).collect())
        }
    }
}

fn hunks(old: &str, new: &str, context: usize) -> Vec<Hunk> {
    let diff = TextDiff::from_words(old, new);
    let mut hunks = Vec::new();
    for group in diff.grouped_ops(context) {
        let mut ops: Vec<TokenOp> = Vec::new();
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let op = match change.tag() {
                ChangeTag::Equal => "keep",
                ChangeTag::Delete => "del",
                ChangeTag::Insert => "ins",
            };
            match ops.last_mut() {
                Some(last) if last.op == op => last.text.push_str(change.value()),
                _ => ops.push(TokenOp { op: Cow::Borrowed(op), text: change.value().to_owned() }),
            }
        }
        hunks.push(Hunk { ops });
    }
    hunks
}

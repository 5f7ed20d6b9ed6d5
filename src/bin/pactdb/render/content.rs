//! How a content changed, line by line, with the words that differ.

use super::look::{Look, Tone};
use pactdb::Json;
use similar::{ChangeTag, TextDiff};

/// How many lines around a change are shown.
const CONTEXT: usize = 1;

/// The lines that went and that came, each after `indent`.
pub fn content_diff(
    look: Look,
    older: Option<&Json>,
    newer: Option<&Json>,
    indent: &str,
) -> String {
    let (older, newer) = (text(older), text(newer));
    let diff = TextDiff::from_lines(&older, &newer);
    let mut out = String::new();
    for (i, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if i > 0 {
            out.push_str(&format!("{indent}  {}\n", look.paint(Tone::Dim, "⋯")));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (sign, tone) = match change.tag() {
                ChangeTag::Delete => ("-", Tone::Removed),
                ChangeTag::Insert => ("+", Tone::Added),
                ChangeTag::Equal => (" ", Tone::Dim),
            };
            let line = change.value().trim_end_matches(['\n', '\r']);
            out.push_str(&format!("{indent}{}\n", look.paint(tone, &format!("{sign} {line}"))));
        }
    }
    out
}

/// A content as lines: JSON is laid out.
fn text(content: Option<&Json>) -> String {
    match content {
        None => String::new(),
        Some(Json::Str(text)) => text.clone(),
        Some(other) => pactdb::json::pretty(other).unwrap_or_default(),
    }
}

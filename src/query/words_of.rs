//! Tests in words, for `explain`.

use super::ast::{Op, Zone};
use super::plan::{Attr, Check, CustomAttr, FlagAttr, ListAttr, NumberAttr, Test, TextAttr, Value};
use crate::model::Class;
use std::borrow::Cow;

/// A test in words.
pub(super) fn test_words(test: &Test) -> String {
    match test {
        Test::Real => "a place of their own".to_owned(),
        Test::Class(classes) => {
            let all = [
                (Class::Root, "^root"),
                (Class::Sys, "^sys"),
                (Class::Seq, "^seq"),
                (Class::Ah, "^ah"),
                (Class::Turn, "turn"),
                (Class::Container, "container"),
                (Class::Block, "block"),
            ];
            let named = all.iter().filter(|(class, _)| classes.contains(*class));
            let words: Vec<&str> = named.map(|(_, word)| *word).collect();
            format!("class {}", words.join(" or "))
        }
        Test::Ids(ids) => format!("id {}", list(ids.iter().map(|id| &**id))),
        Test::Named(name) => format!("type {name} or …:{name}"),
        Test::Container(depths) => format!("a region or turn at depth {depths}"),
        Test::Depth(depths) => format!("depth {depths}"),
        Test::Sign(zone) => zone_words(*zone).to_owned(),
        Test::Offset(offset) => format!("offset {offset}"),
        Test::Ephemeral => "a finite ttl and no cad".to_owned(),
        Test::Sticky => "a finite ttl and cad 1".to_owned(),
        Test::Attr(attr, check) => format!("{} {}", attr_words(attr), check_words(check)),
        Test::Not(inner) => format!("not ({})", test_words(inner)),
        Test::Any(tests) => {
            let tests: Vec<String> = tests.iter().map(test_words).collect();
            format!("one of ({})", tests.join("; "))
        }
        Test::All(tests) => {
            let tests: Vec<String> = tests.iter().map(test_words).collect();
            format!("({})", tests.join(" and "))
        }
    }
}

/// A sign of the offset in words.
pub(super) fn zone_words(zone: Zone) -> &'static str {
    match zone {
        Zone::Pre => "offset below 0",
        Zone::Core => "offset 0",
        Zone::Post => "offset above 0",
    }
}

fn attr_words(attr: &Attr) -> Cow<'_, str> {
    Cow::Borrowed(match attr {
        Attr::Number(attr) => match attr {
            NumberAttr::Offset => "offset",
            NumberAttr::Ttl => "ttl",
            NumberAttr::Priority => "priority",
            NumberAttr::Cycle => "cycle",
            NumberAttr::CreatedAtNs => "created_at_ns",
            NumberAttr::CreationIndex => "creation_index",
            NumberAttr::Cad => "cad",
            NumberAttr::Depth => "depth",
            NumberAttr::Sdepth => "sdepth",
            NumberAttr::Age => "age",
            NumberAttr::BornTurn => "born_turn",
        },
        Attr::Text(attr) => match attr {
            TextAttr::Id => "id",
            TextAttr::NodeType => "nodeType",
            TextAttr::Type => "type",
            TextAttr::Role => "role",
            TextAttr::Kind => "kind",
            TextAttr::Key => "key",
            TextAttr::CreatedAtIso => "created_at_iso",
            TextAttr::ContentHash => "content_hash",
            TextAttr::Provenance => "provenance",
            TextAttr::Mime => "mime",
            TextAttr::Encoding => "encoding",
        },
        Attr::Tags => "a tag",
        Attr::Kinds => "kind (their own, or in their type)",
        Attr::Flag(FlagAttr::Pinned) => "pinned",
        Attr::Flag(FlagAttr::Removable) => "removable",
        Attr::List(ListAttr::Tags) => "tags",
        Attr::List(ListAttr::Refs) => "refs",
        Attr::Content => "content",
        Attr::Custom(CustomAttr { name, long: None }) => name,
        Attr::Custom(CustomAttr { name, long: Some(long) }) => {
            return Cow::Owned(format!("{name} (or {long})"));
        }
    })
}

fn check_words(check: &Check) -> String {
    match check {
        Check::Present => "that is not null".to_owned(),
        Check::Compare(op, value) => {
            let op = match op {
                Op::Eq => "equal to",
                Op::Ne => "other than",
                Op::Lt => "less than",
                Op::Le => "at most",
                Op::Gt => "greater than",
                Op::Ge => "at least",
                Op::Match => "like",
            };
            format!("{op} {}", value_words(value))
        }
        Check::OneOf(values) => {
            let values: Vec<String> = values.iter().map(value_words).collect();
            format!("among {}", values.join(", "))
        }
        Check::OneText(texts) => list(texts.iter().map(|text| &**text)),
        Check::Match(pattern) => format!("in which /{pattern}/ is found"),
        Check::Never => "that cannot be".to_owned(),
    }
}

fn value_words(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Given(given) if given.bare_number => given.text.to_string(),
        Value::Given(given) => format!("'{}'", given.text),
    }
}

/// A few texts; a long list is cut.
fn list<'a>(texts: impl ExactSizeIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 8;
    let more = texts.len().saturating_sub(SHOWN);
    let shown: Vec<String> = texts.take(SHOWN).map(|text| format!("'{text}'")).collect();
    let shown = shown.join(" or ");
    if more > 0 { format!("{shown} or {more} more") } else { shown }
}

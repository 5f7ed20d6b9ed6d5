//! The canonical spelling of the leaves: ids, types, filters, values, depths.
//!
//! The same in both dialects. Invariant: two pieces written one behind the other are read as two.

use super::text::separated;
use crate::language::ast::{
    AttrFilter, AttrName, DepthExpr, DepthItem, FilterForm, Id, Tag, Test, TestKind, TypeName,
    Value, ValueKind, Zone,
};
use crate::language::lexing::without_pseudos;
use crate::language::words::{LOWEST_DEPTH, is_name_char, is_name_start};

pub(crate) fn write_id(out: &mut String, id: &Id) {
    let plain = id.text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && id.text.chars().all(|c| is_name_char(c) || c == ':')
        && without_pseudos(&id.text) == id.text;
    out.push('#');
    if plain { out.push_str(&id.text) } else { write_quoted(out, &id.text) }
}

pub(crate) fn write_type(out: &mut String, name: &TypeName) {
    out.push_str(&name.base);
    if let Some(name) = &name.name {
        out.push(':');
        out.push_str(name);
    }
}

pub(crate) fn write_tag(out: &mut String, tag: &Tag) {
    out.push('+');
    out.push_str(&tag.text);
}

pub(crate) fn write_zone(out: &mut String, zone: Zone) {
    out.push_str(match zone {
        Zone::Pre => ":pre",
        Zone::Core => ":core",
        Zone::Post => ":post",
    });
}

/// A depth as a step or as the first element of a position.
pub(crate) fn write_depth_step(out: &mut String, depth: &DepthExpr) {
    match depth.items[..] {
        [DepthItem::One(n)] if n >= LOWEST_DEPTH => out.push_str(&format!("d{n}")),
        [DepthItem::Range(from, to)] if from >= LOWEST_DEPTH => {
            out.push_str(&format!("d{from}..d{to}"));
        }
        _ => {
            out.push_str("depth(");
            write_depths(out, &depth.items);
            out.push(')');
        }
    }
}

pub(crate) fn write_depths(out: &mut String, items: &[DepthItem]) {
    separated(out, ", ", items, |out, item| match item {
        DepthItem::One(n) => out.push_str(&n.to_string()),
        DepthItem::Range(from, to) => out.push_str(&format!("{from}..{to}")),
        DepthItem::Compare(op, n) => out.push_str(&format!("{}{n}", op.name())),
        DepthItem::Set(items) => {
            out.push('{');
            write_depths(out, items);
            out.push('}');
        }
    });
}

pub(crate) fn write_attrs(out: &mut String, attrs: &AttrFilter, form: FilterForm) {
    let (open, close) = match form {
        FilterForm::Square => ('[', ']'),
        FilterForm::Brace => ('{', '}'),
        FilterForm::Group => ('(', ')'),
    };
    out.push(open);
    separated(out, ", ", &attrs.tests, write_test);
    out.push(close);
}

fn write_test(out: &mut String, test: &Test) {
    write_attr_name(out, &test.name);
    match &test.kind {
        TestKind::Present => {}
        TestKind::Compare(op, value) => {
            out.push_str(op.name());
            write_value(out, value);
        }
        TestKind::In(values) => {
            out.push_str(" in [");
            separated(out, ", ", values, write_value);
            out.push(']');
        }
        TestKind::NotIn(values) => {
            out.push_str("!=[");
            separated(out, ", ", values, write_value);
            out.push(']');
        }
    }
}

pub(crate) fn write_attr_name(out: &mut String, name: &AttrName) {
    let plain = name.text.starts_with(is_name_start)
        && name.text.chars().all(|c| is_name_char(c) || c == ':');
    if plain { out.push_str(&name.text) } else { write_quoted(out, &name.text) }
}

pub(crate) fn write_value(out: &mut String, value: &Value) {
    match &value.kind {
        ValueKind::Text(text) => write_quoted(out, text),
        ValueKind::Word(text) | ValueKind::Number(text) => out.push_str(text),
        ValueKind::Null => out.push_str("null"),
    }
}

pub(crate) fn write_quoted(out: &mut String, text: &str) {
    out.push('\'');
    for c in text.chars() {
        if matches!(c, '\\' | '\'') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('\'');
}

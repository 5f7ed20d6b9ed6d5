//! What a part must hold for a step to match in it.

use super::literals::texts_of;
use crate::index::{Lookup, NameKind, Trigrams};
use crate::language::ast::Op;
use crate::model::{NumberField, TextField};
use crate::query::plan::{
    Attr, Check, ClassSet, Compound, Number, NumberAttr, Test, TextAttr, Value, ValueText,
};

/// Something that a part must hold to matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Need {
    /// A node of one of these classes.
    Class(ClassSet),
    /// A node with a finite ttl, of which at most so much remains.
    Finite(u64),
    /// What this lookup finds.
    Lookup(Lookup),
}

/// What a part must hold for a node in it to satisfy a compound.
pub(super) fn needs_of(compound: &Compound) -> Vec<Need> {
    compound.tests.iter().flat_map(needs_of_test).collect()
}

fn needs_of_test(test: &Test) -> Vec<Need> {
    match test {
        Test::Class(classes) => vec![Need::Class(*classes)],
        Test::Named(name) => vec![one_of(vec![NameKind::TypeEnd.hash(name)])],
        Test::All(tests) => tests.iter().flat_map(needs_of_test).collect(),
        Test::Ephemeral | Test::Sticky => vec![Need::Finite(u64::MAX)],
        Test::Attr(Attr::Number(NumberAttr::Header(NumberField::Ttl)), check)
            if needs_value(check) =>
        {
            vec![Need::Finite(most_of(check))]
        }
        Test::Attr(attr, Check::OneText(texts)) => match name_kinds_of(attr) {
            [] => Vec::new(),
            kinds => {
                let hashes = |text| kinds.iter().map(move |kind| kind.hash(text));
                vec![one_of(texts.iter().flat_map(|text| hashes(text)).collect())]
            }
        },
        Test::Attr(Attr::Custom(attr), check) if needs_value(check) => {
            let names = std::iter::once(&attr.name).chain(&attr.long);
            let hashes = names.map(|name| NameKind::Attribute.hash(name));
            vec![Need::Lookup(Lookup::Attributes(hashes.collect()))]
        }
        Test::Attr(Attr::Content, check) => {
            let sets = texts_of(check).into_iter().filter_map(|texts| {
                // A text that is too short may be anywhere.
                texts.iter().map(|text| Trigrams::of(text)).collect::<Option<Vec<_>>>()
            });
            sets.map(|texts| Need::Lookup(Lookup::Texts(texts))).collect()
        }
        _ => Vec::new(),
    }
}

fn one_of(hashes: Vec<u32>) -> Need {
    Need::Lookup(Lookup::Names(hashes))
}

/// The greatest ttl that may satisfy a check; not always the least such number.
fn most_of(check: &Check) -> u64 {
    let Check::Compare(
        Op::Eq | Op::Lt | Op::Le,
        Value::Given(ValueText { number: Some(Number::Int(most)), .. }),
    ) = check
    else {
        return u64::MAX;
    };
    u64::try_from((*most).max(0)).unwrap_or(u64::MAX)
}

/// Whether null fails a check.
fn needs_value(check: &Check) -> bool {
    match check {
        Check::Compare(Op::Eq, value) => *value != Value::Null,
        Check::Compare(Op::Ne, value) => *value == Value::Null,
        Check::OneOf(values) => !values.contains(&Value::Null),
        Check::NotMatch(_) => false,
        _ => true,
    }
}

/// The kinds of names among which a text must be for an attribute to have it.
fn name_kinds_of(attr: &Attr) -> &'static [NameKind] {
    match attr {
        Attr::Text(TextAttr::Header(TextField::Role)) => &[NameKind::Role],
        Attr::Text(TextAttr::Header(TextField::Kind)) => &[NameKind::Kind],
        Attr::Text(TextAttr::Header(TextField::Key)) => &[NameKind::Key],
        Attr::Text(TextAttr::NODE_TYPE) => &[NameKind::NodeType],
        Attr::Text(TextAttr::Type) => &[NameKind::TypeEnd],
        Attr::Kinds => &[NameKind::Kind, NameKind::TypeEnd],
        Attr::Tags => &[NameKind::Tag],
        _ => &[],
    }
}

//! The names in a selector that only a store can know: ids, keys, tags, roles, kinds, types and
//! attributes.
//!
//! A name counts where nothing can match unless something has it. What a test excludes, and words of
//! the language, are left out. Nothing here knows which names there are.

use super::ast::{
    AttrFilter, Base, Id, Op, Selector, Tag, Test, TestKind, TypeName, ValueKind, Visit,
    visit_filters, visit_group,
};
use super::dialect::Dialect;
use super::span::Span;
use super::words::is_canonical_type;
use crate::model::{DERIVED, HEADERS};

/// A name that a selector asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// What it is the name of.
    pub kind: MentionKind,
    /// The name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

/// What a name in a selector is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MentionKind {
    /// A node.
    Id,
    /// A family of nodes.
    Key,
    /// A tag.
    Tag,
    /// Who speaks.
    Role,
    /// What sort of thing is said.
    Kind,
    /// A type, as `.summary` asks for it.
    Type,
    /// What stands behind the colon of `.cb:summary`: a kind or a type, or a misspelt pseudo.
    Suffix,
    /// An attribute.
    Attribute,
}

/// The names that a selector asks for, in the order of the text; with `alternatives` also those of
/// groups that have another way out, as `#draft ?? .cb` has.
pub fn mentions(selector: &Selector, dialect: Dialect, alternatives: bool) -> Vec<Mention> {
    let mut search = Search { dialect, found: Vec::new() };
    for group in selector.groups.iter().filter(|group| alternatives || group.chains.len() == 1) {
        visit_group(group, &mut search);
    }
    visit_filters(&selector.late_filters, &mut search);
    search.found
}

struct Search {
    dialect: Dialect,
    found: Vec<Mention>,
}

impl Search {
    fn add(&mut self, kind: MentionKind, name: &str, span: Span) {
        self.found.push(Mention { kind, name: name.to_owned(), span });
    }

    /// The values that an attribute has to have one of.
    fn values(&mut self, test: &Test) {
        let values = match &test.kind {
            TestKind::Compare(Op::Eq, value) => std::slice::from_ref(value),
            TestKind::In(values) => values,
            _ => return,
        };
        for value in values {
            let (ValueKind::Text(text) | ValueKind::Word(text) | ValueKind::Number(text)) =
                &value.kind
            else {
                continue;
            };
            match test.name.text.as_str() {
                "id" => self.add(MentionKind::Id, text, value.at.0),
                "key" => self.add(MentionKind::Key, text, value.at.0),
                "tag" => self.add(MentionKind::Tag, text, value.at.0),
                "role" => self.add(MentionKind::Role, text, value.at.0),
                "kind" => self.add(MentionKind::Kind, text, value.at.0),
                "type" | "nodeType" => self.type_value(text, value.at.0),
                _ => {}
            }
        }
    }

    fn type_value(&mut self, text: &str, span: Span) {
        match text.split_once(':') {
            _ if is_canonical_type(text) || text.starts_with('^') => {}
            Some((base, name)) if Base::from_name(base).is_some() => {
                self.add(MentionKind::Suffix, name, span);
            }
            _ => self.add(MentionKind::Type, text, span),
        }
    }
}

impl Visit for Search {
    fn id(&mut self, id: &Id) {
        let kind = if self.dialect.hash_is_key() { MentionKind::Key } else { MentionKind::Id };
        self.add(kind, &id.text, id.at.0);
    }

    fn tag(&mut self, tag: &Tag) {
        self.add(MentionKind::Tag, &tag.text, tag.at.0);
    }

    fn type_name(&mut self, name: &TypeName) {
        match (Base::from_name(&name.base), &name.name) {
            (Some(_), None) => {}
            (Some(_), Some(suffix)) => self.add(MentionKind::Suffix, suffix, name.at.0),
            (None, None) if is_canonical_type(&name.base) => {}
            (None, None) => self.add(MentionKind::Type, &name.base, name.at.0),
            (None, Some(suffix)) => {
                self.add(MentionKind::Type, &format!("{}:{suffix}", name.base), name.at.0);
            }
        }
    }

    fn attrs(&mut self, filter: &AttrFilter) {
        for test in &filter.tests {
            let name = test.name.text.as_str();
            let of_language = HEADERS.into_iter().chain(DERIVED).any(|known| known == name);
            let absence = matches!(&test.kind, TestKind::Compare(Op::Eq, value)
                if value.kind == ValueKind::Null);
            match of_language {
                true => self.values(test),
                false if absence => {}
                false => self.add(MentionKind::Attribute, name, test.name.at.0),
            }
        }
    }
}

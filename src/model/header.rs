//! What is said of a header (R2): its name, its type, who may set it, which nodes have it, where a
//! node holds it, and who keeps it. The rows are in `table`.
//!
//! The first headers are fields of [`Node`] and have a place of their own in stored bytes, which
//! are frozen. Those that come later are kept among the custom attributes: no stored form, digest
//! or request has to learn of them.

use super::{Class, EngineText, FlagField, ListField, Node, NumberField, TextField, with_article};
use crate::json::Json;
use crate::limits::MAX_NAME_BYTES;

/// Where a node holds a header, which is also what its values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// A text that somebody may give.
    Text(TextField),
    /// A text of the engine's making.
    EngineText(EngineText),
    /// An integer.
    Number(NumberField),
    /// A list of texts.
    List(ListField),
    /// True, or not there.
    Flag(FlagField),
    /// Any JSON value, which is kept elsewhere.
    Content,
    /// Other nodes, which the tree knows.
    Children,
    /// A value among the custom attributes, under the name of the header, which no custom attribute
    /// can be given (R2.3). Every header that comes after `encoding` is of this sort.
    Attr(AttrKind),
}

/// What a header that is kept among the attributes can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttrKind {
    /// A text as long as a name can be.
    Text,
    /// An integer between two bounds, which are allowed.
    Integer {
        /// The lower bound.
        least: i64,
        /// The upper bound.
        most: i64,
    },
    /// True, or not there.
    Flag,
}

impl AttrKind {
    /// Whether a value is one that the header can have.
    pub fn fits(self, value: &Json) -> bool {
        match (self, value) {
            (AttrKind::Text, Json::Str(text)) => text.len() <= MAX_NAME_BYTES,
            (AttrKind::Integer { least, most }, Json::Int(number)) => {
                (least..=most).contains(number)
            }
            (AttrKind::Flag, Json::Bool(_)) => true,
            _ => false,
        }
    }

    /// What the header can be, in words.
    pub fn words(self) -> String {
        match self {
            AttrKind::Text => format!("a string of at most {MAX_NAME_BYTES} bytes"),
            AttrKind::Integer { least, most } => format!("an integer from {least} to {most}"),
            AttrKind::Flag => "true or false".to_owned(),
        }
    }

    /// The value that a text spells, as on a command line. It is judged with all others.
    pub fn spelled(self, text: &str) -> Json {
        match self {
            AttrKind::Text => Json::from(text),
            AttrKind::Integer { .. } | AttrKind::Flag => {
                crate::json::parse(text).unwrap_or_else(|_| Json::from(text))
            }
        }
    }
}

/// Whether a value of an optional header means that there is none (R2.2).
pub fn is_absent(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(false) => true,
        Json::List(items) => items.is_empty(),
        _ => false,
    }
}

/// Who may give a header its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetBy {
    /// The engine alone.
    Never,
    /// An `add`; nothing changes it afterwards but, for an offset, a `move`.
    Once,
    /// An `add` and a `set`.
    Always,
}

/// A header of nodes.
#[derive(Debug, Clone, Copy)]
pub struct Header {
    /// Its name, as documents have it.
    pub name: &'static str,
    /// Where a node holds it. Filters compare it as what it is.
    pub held: Held,
    /// Who may set it.
    pub given: SetBy,
    /// Its place among the headers that a diff tracks (R8.3), from 1; 0 if it does not.
    pub tracked: u8,
    /// The class of the nodes that alone may have it, in words too, where it is not for all.
    pub only: Option<(Class, &'static str)>,
    /// Whether it is in every object, as null if there is none.
    pub always: bool,
    /// Whether what a cadence brings back has it as the original did (R4.7).
    pub comes_back: bool,
    /// Whether the template of a turn has it, so that the index answers for it.
    pub in_template: bool,
    /// What it is for, in a few words, where a request has no field that says so.
    pub about: &'static str,
}

impl Header {
    /// Whether it is true or not there.
    pub fn is_flag(&self) -> bool {
        matches!(self.held, Held::Flag(_) | Held::Attr(AttrKind::Flag))
    }

    /// Its value at a cycle, the last one committed; none if the node does not have it, or does
    /// not hold it itself.
    pub fn value(&self, node: &Node, cycle: u64) -> Option<Json> {
        match self.held {
            Held::Text(field) => field.value(node),
            Held::EngineText(text) => text.of(node).map(|text| Json::from(&*text)),
            Held::Number(field) => field.of(node, cycle).map(Json::from),
            Held::List(field) => match &field.of(node)[..] {
                [] => None,
                list => Some(Json::List(list.iter().map(|item| Json::from(&**item)).collect())),
            },
            Held::Flag(field) => field.of(node).then_some(Json::Bool(true)),
            Held::Attr(_) => node.attrs.get(self.name).cloned(),
            Held::Content | Held::Children => None,
        }
    }

    /// The same without what an import of an earlier release kept as an attribute.
    pub fn own_value(&self, node: &Node, cycle: u64) -> Option<Json> {
        match self.held {
            Held::Text(field) => field.of(node).as_deref().map(Json::from),
            Held::Attr(_) => None,
            _ => self.value(node, cycle),
        }
    }

    /// Makes a text, a list, a flag or an attribute of a node what it is in another.
    pub fn copy(&self, from: &Node, to: &mut Node) {
        match self.held {
            Held::Text(field) => field.of_mut(to).clone_from(field.of(from)),
            Held::List(field) => field.of_mut(to).clone_from(field.of(from)),
            Held::Flag(field) => *field.of_mut(to) = *field.of(from),
            Held::Attr(_) => match from.attrs.get_key_value(self.name) {
                Some((name, value)) => drop(to.attrs.insert(name.clone(), value.clone())),
                None => drop(to.attrs.remove(self.name)),
            },
            _ => {}
        }
    }

    /// What is wrong about a node that has it and may not, by its class. What is kept among the
    /// attributes is judged when it is given, because an import may have brought it before.
    pub fn misplaced(&self, node: &Node) -> Option<String> {
        let wrong = self.refused_by(node.class)?;
        self.own_value(node, 0).map(|_| wrong)
    }

    /// What is wrong about a node of a class that has it, if anything is.
    pub fn refused_by(&self, class: Class) -> Option<String> {
        let (only, _) = self.only.filter(|(only, _)| class != *only)?;
        let only = if only == Class::Block { "block" } else { "container" };
        Some(match self.is_flag() {
            true => format!("only a {only} can be {}", self.name),
            false => format!("only a {only} can have {}", with_article(self.name)),
        })
    }
}

//! Headers as nodes hold them: by type, where each is in a [`Node`].
//!
//! A text, list or flag of nodes is one line of `fields!`, from which readers and writers follow.
//! All of it is resolved when it is compiled: a filter asks these once for every node.

use super::{Name, Node, hex};
use crate::json::Json;
use std::borrow::Cow;

/// An enum of the fields of [`Node`] that have one type. A variant has the name of its header.
macro_rules! fields {
    ($(#[$doc:meta])* $Fields:ident: $Type:ty { $($Variant:ident = $field:ident,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "each variant is the header that its name spells")]
        pub enum $Fields { $($Variant,)* }

        impl $Fields {
            /// All of them.
            pub const ALL: &[$Fields] = &[$($Fields::$Variant,)*];

            /// The name of the header.
            pub fn name(self) -> &'static str {
                match self { $($Fields::$Variant => stringify!($field),)* }
            }

            /// The field of a node.
            #[inline]
            pub fn of(self, node: &Node) -> &$Type {
                match self { $($Fields::$Variant => &node.$field,)* }
            }

            /// The field of a node that is being made.
            pub fn of_mut(self, node: &mut Node) -> &mut $Type {
                match self { $($Fields::$Variant => &mut node.$field,)* }
            }
        }
    };
}

fields! {
    /// The optional texts. New ones are added at the end.
    TextField: Option<Name> {
        Role = role,
        Kind = kind,
        Key = key,
        Provenance = provenance,
        Mime = mime,
        Encoding = encoding,
    }
}

fields! {
    /// The lists of texts; an empty one is as good as none.
    ListField: Vec<Name> {
        Tags = tags,
        Refs = refs,
    }
}

fields! {
    /// The flags; false is as good as none.
    FlagField: bool {
        Pinned = pinned,
        Removable = removable,
    }
}

impl TextField {
    /// Those that came after the first release. They are in the extras of records, and imports of
    /// earlier releases kept them as custom attributes.
    pub const LATER: &[TextField] = TextField::ALL.split_at(TextField::Mime as usize).1;

    /// What a reader sees as text.
    #[inline]
    pub fn text(self, node: &Node) -> Option<&str> {
        match self.of(node) {
            Some(text) => Some(text),
            None => self.kept_as_attr(node)?.as_str(),
        }
    }

    /// What a reader sees.
    pub fn value(self, node: &Node) -> Option<Json> {
        match self.of(node) {
            Some(text) => Some(Json::from(&**text)),
            None => self.kept_as_attr(node).cloned(),
        }
    }

    fn kept_as_attr(self, node: &Node) -> Option<&Json> {
        if self >= TextField::Mime { node.attrs.get(self.name()) } else { None }
    }
}

/// A name with its article.
pub fn with_article(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {name}")
}

/// The headers that are integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant is the header that its name spells")]
pub enum NumberField {
    Ttl,
    Cad,
    Offset,
    Priority,
    Cycle,
    CreatedAtNs,
    CreationIndex,
}

impl NumberField {
    /// Its value at a cycle, the last one committed.
    #[inline]
    pub fn of(self, node: &Node, cycle: u64) -> Option<i128> {
        Some(match self {
            NumberField::Ttl => node.ttl_at(cycle)?.into(),
            NumberField::Cad => node.cad?.into(),
            NumberField::Offset => node.offset.into(),
            NumberField::Priority => node.priority.into(),
            NumberField::Cycle => node.cycle.into(),
            NumberField::CreatedAtNs => node.created_at_ns.into(),
            NumberField::CreationIndex => node.creation_index.into(),
        })
    }
}

/// The headers that are texts of the engine's making.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant is the header that its name spells")]
pub enum EngineText {
    Id,
    NodeType,
    CreatedAtIso,
    ContentHash,
}

impl EngineText {
    /// Its value.
    #[inline]
    pub fn of(self, node: &Node) -> Option<Cow<'_, str>> {
        match self {
            EngineText::Id => Some(Cow::Borrowed(&node.id)),
            EngineText::NodeType => Some(Cow::Borrowed(&node.node_type)),
            EngineText::CreatedAtIso => Some(Cow::Owned(node.created_at_iso())),
            EngineText::ContentHash => node.shown_hash().map(|hash| Cow::Owned(hex(&hash))),
        }
    }
}

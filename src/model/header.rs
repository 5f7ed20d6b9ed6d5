//! The one table of headers (R2): a row says of each header its name, its type, who may set it,
//! which nodes have it, where a node holds it, and who keeps it.
//!
//! Requests, statements, documents, dumps, diffs, filters and completion go by it. A new header is
//! a field of [`Node`], its line in `field`, a row of this table, its stored form, and whatever rule
//! it has of its own; tests name every place that has to know it beyond that.

use super::{Class, EngineText, FlagField, ListField, Node, NumberField, TextField, with_article};
use crate::json::Json;

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
}

/// The names of all headers, as documents have them; anything else is a custom attribute.
pub const HEADERS: [&str; ROWS.len()] = {
    let mut names = [""; ROWS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = ROWS[i].name;
        i += 1;
    }
    names
};

/// Every header.
pub static TABLE: [Header; ROWS.len()] = ROWS;

const ROWS: [Header; 23] = {
    use Held::{Flag, List, Number, Text};
    use SetBy::{Always, Never, Once};
    const BLOCKS: Option<(Class, &str)> = Some((Class::Block, "only blocks have one"));
    const COME_BACK: Option<(Class, &str)> = Some((Class::Block, "only blocks come back"));
    const CONTAINERS: Option<(Class, &str)> =
        Some((Class::Container, "only containers can be removable"));
    // A header that the engine alone sets, and what most headers of others are.
    let own = Header {
        name: "",
        held: Held::Children,
        given: Never,
        tracked: 0,
        only: None,
        always: false,
        comes_back: false,
        in_template: false,
    };
    let row = Header { comes_back: true, ..own };
    let common = Header { in_template: true, ..row };
    [
        Header { name: "id", held: engine(EngineText::Id), given: Once, ..own },
        Header { name: "nodeType", held: engine(EngineText::NodeType), tracked: 5, ..common },
        Header { name: "role", held: Text(TextField::Role), given: Once, tracked: 6, ..common },
        Header { name: "kind", held: Text(TextField::Kind), given: Once, tracked: 7, ..common },
        Header { name: "key", held: Text(TextField::Key), given: Always, tracked: 8, ..common },
        Header { name: "tags", held: List(ListField::Tags), given: Always, tracked: 9, ..common },
        Header {
            name: "ttl",
            held: Number(NumberField::Ttl),
            given: Always,
            tracked: 1,
            always: true,
            ..row
        },
        Header {
            name: "cad",
            held: Number(NumberField::Cad),
            given: Always,
            tracked: 10,
            only: COME_BACK,
            ..common
        },
        Header {
            name: "offset",
            held: Number(NumberField::Offset),
            given: Once,
            tracked: 4,
            ..common
        },
        Header {
            name: "priority",
            held: Number(NumberField::Priority),
            given: Always,
            tracked: 2,
            ..common
        },
        Header { name: "refs", held: List(ListField::Refs), given: Always, tracked: 12, ..row },
        Header {
            name: "pinned",
            held: Flag(FlagField::Pinned),
            given: Always,
            tracked: 11,
            ..common
        },
        Header {
            name: "removable",
            held: Flag(FlagField::Removable),
            given: Once,
            tracked: 18,
            only: CONTAINERS,
            ..common
        },
        Header {
            name: "provenance",
            held: Text(TextField::Provenance),
            given: Once,
            tracked: 17,
            ..own
        },
        Header {
            name: "mime",
            held: Text(TextField::Mime),
            given: Always,
            tracked: 13,
            only: BLOCKS,
            ..row
        },
        Header {
            name: "encoding",
            held: Text(TextField::Encoding),
            given: Always,
            tracked: 14,
            only: BLOCKS,
            ..row
        },
        Header { name: "content", held: Held::Content, given: Always, tracked: 16, ..row },
        Header {
            name: "content_hash",
            held: engine(EngineText::ContentHash),
            tracked: 15,
            only: BLOCKS,
            ..row
        },
        Header { name: "cycle", held: Number(NumberField::Cycle), tracked: 19, ..own },
        Header {
            name: "created_at_ns",
            held: Number(NumberField::CreatedAtNs),
            given: Once,
            tracked: 20,
            ..own
        },
        Header {
            name: "created_at_iso",
            held: engine(EngineText::CreatedAtIso),
            tracked: 21,
            ..own
        },
        Header {
            name: "creation_index",
            held: Number(NumberField::CreationIndex),
            tracked: 22,
            ..own
        },
        Header { name: "children", ..own },
    ]
};

const fn engine(text: EngineText) -> Held {
    Held::EngineText(text)
}

impl Header {
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
            Held::Content | Held::Children => None,
        }
    }

    /// The same without what an import of an earlier release kept as an attribute.
    pub fn own_value(&self, node: &Node, cycle: u64) -> Option<Json> {
        match self.held {
            Held::Text(field) => field.of(node).as_deref().map(Json::from),
            _ => self.value(node, cycle),
        }
    }

    /// Makes a text, list or flag of a node what it is in another.
    pub fn copy(&self, from: &Node, to: &mut Node) {
        match self.held {
            Held::Text(field) => field.of_mut(to).clone_from(field.of(from)),
            Held::List(field) => field.of_mut(to).clone_from(field.of(from)),
            Held::Flag(field) => *field.of_mut(to) = *field.of(from),
            _ => {}
        }
    }

    /// What is wrong about a node that has it and may not, by its class.
    pub fn misplaced(&self, node: &Node) -> Option<String> {
        let (class, _) = self.only.filter(|(class, _)| node.class != *class)?;
        self.own_value(node, 0)?;
        let class = if class == Class::Block { "block" } else { "container" };
        Some(match self.held {
            Held::Flag(_) => format!("only a {class} can be {}", self.name),
            _ => format!("only a {class} can have {}", with_article(self.name)),
        })
    }
}

/// What is not kept in a node and yet tracked by a diff: the parent, between priority and offset.
pub const PARENT_TRACKED: u8 = 3;

/// What a request calls by another name than documents do, or has beside the headers.
const REQUEST_WORDS: [&str; 3] = ["type", "container", "parent"];

/// What filters know beside the headers; no custom attribute has such a name.
pub const DERIVED: [&str; 9] =
    ["tag", "type", "parent", "depth", "sdepth", "age", "born_turn", "ephemeral", "sticky"];

/// The header of that name.
pub fn header(name: &str) -> Option<&'static Header> {
    TABLE.iter().find(|header| header.name == name)
}

/// The row of what a node holds.
pub fn header_of(held: Held) -> Option<&'static Header> {
    TABLE.iter().find(|header| header.held == held)
}

/// The headers that a `set` may set, `content` first, then in the order of a diff.
pub fn settable() -> Vec<&'static Header> {
    let mut rows: Vec<&Header> = TABLE.iter().filter(|row| row.given == SetBy::Always).collect();
    rows.sort_by_key(|row| (row.name != "content", row.tracked));
    rows
}

/// The headers that an `add` may give, `content` apart.
pub fn addable() -> impl Iterator<Item = &'static Header> {
    TABLE.iter().filter(|header| header.given != SetBy::Never && header.name != "content")
}

/// Whether a name is one that an edit cannot set because it is fixed when a node is made.
pub fn is_fixed(name: &str) -> bool {
    REQUEST_WORDS.contains(&name) || header(name).is_some_and(|row| row.given != SetBy::Always)
}

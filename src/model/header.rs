//! The one table of headers (R2): a row says of each header its name, its type, who may set it,
//! which nodes have it, and how it is read off a node.
//!
//! Requests, statements, documents, diffs, filters and completion look here. A new header is a
//! field of [`Node`], a row of this table, and whatever rule it has of its own.

use super::{Class, Node, hex};
use crate::json::Json;

/// What the values of a header are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderType {
    /// A text.
    Text,
    /// An integer.
    Int,
    /// A list of texts.
    Texts,
    /// True, or not there.
    Flag,
    /// Any JSON value.
    Any,
    /// Objects of other nodes.
    Nodes,
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
    /// What its values are.
    pub values: HeaderType,
    /// Who may set it.
    pub given: SetBy,
    /// Its place among the headers that a diff tracks (R8.3), from 1; 0 if it does not.
    pub tracked: u8,
    /// The class of the nodes that alone may have it, in words too, where it is not for all.
    pub only: Option<(Class, &'static str)>,
    /// Whether it is in every object, as null if there is none.
    pub always: bool,
    /// Its value at a cycle, the last one committed; none if the node does not have it, or does not
    /// hold it itself.
    pub value: fn(&Node, u64) -> Option<Json>,
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
    use HeaderType::{Any, Flag, Int, Nodes, Text, Texts};
    use SetBy::{Always, Never, Once};
    let row = Header {
        name: "",
        values: Text,
        given: Never,
        tracked: 0,
        only: None,
        always: false,
        value: |_, _| None,
    };
    [
        Header { name: "id", given: Once, value: |n, _| text(Some(&n.id)), ..row },
        Header { name: "nodeType", tracked: 5, value: |n, _| text(Some(&n.node_type)), ..row },
        Header {
            name: "role",
            given: Once,
            tracked: 6,
            value: |n, _| text(n.role.as_deref()),
            ..row
        },
        Header {
            name: "kind",
            given: Once,
            tracked: 7,
            value: |n, _| text(n.kind.as_deref()),
            ..row
        },
        Header {
            name: "key",
            given: Always,
            tracked: 8,
            value: |n, _| text(n.key.as_deref()),
            ..row
        },
        Header {
            name: "tags",
            values: Texts,
            given: Always,
            tracked: 9,
            value: |n, _| list(&n.tags),
            ..row
        },
        Header {
            name: "ttl",
            values: Int,
            given: Always,
            tracked: 1,
            always: true,
            value: |n, cycle| n.ttl_at(cycle).map(number),
            ..row
        },
        Header {
            name: "cad",
            values: Int,
            given: Always,
            tracked: 10,
            only: Some((Class::Block, "only blocks come back")),
            value: |n, _| n.cad.map(number),
            ..row
        },
        Header {
            name: "offset",
            values: Int,
            given: Once,
            tracked: 4,
            value: |n, _| Some(Json::Int(n.offset)),
            ..row
        },
        Header {
            name: "priority",
            values: Int,
            given: Always,
            tracked: 2,
            value: |n, _| Some(Json::Int(n.priority)),
            ..row
        },
        Header {
            name: "refs",
            values: Texts,
            given: Always,
            tracked: 12,
            value: |n, _| list(&n.refs),
            ..row
        },
        Header {
            name: "pinned",
            values: Flag,
            given: Always,
            tracked: 11,
            value: |n, _| flag(n.pinned),
            ..row
        },
        Header {
            name: "removable",
            values: Flag,
            given: Once,
            tracked: 18,
            only: Some((Class::Container, "only containers can be removable")),
            value: |n, _| flag(n.removable),
            ..row
        },
        Header {
            name: "provenance",
            given: Once,
            tracked: 17,
            value: |n, _| text(n.provenance.as_deref()),
            ..row
        },
        Header {
            name: "mime",
            given: Always,
            tracked: 13,
            only: Some((Class::Block, "only blocks have one")),
            value: |n, _| n.mime_value(),
            ..row
        },
        Header {
            name: "encoding",
            given: Always,
            tracked: 14,
            only: Some((Class::Block, "only blocks have one")),
            value: |n, _| n.encoding_value(),
            ..row
        },
        // A content is kept elsewhere, and children and parents are the tree's.
        Header { name: "content", values: Any, given: Always, tracked: 16, ..row },
        Header {
            name: "content_hash",
            tracked: 15,
            only: Some((Class::Block, "only blocks have one")),
            value: |n, _| n.shown_hash().map(|hash| Json::Str(hex(&hash))),
            ..row
        },
        Header {
            name: "cycle",
            values: Int,
            tracked: 19,
            value: |n, _| Some(number(n.cycle)),
            ..row
        },
        Header {
            name: "created_at_ns",
            values: Int,
            given: Once,
            tracked: 20,
            value: |n, _| Some(Json::Int(n.created_at_ns)),
            ..row
        },
        Header {
            name: "created_at_iso",
            tracked: 21,
            value: |n, _| Some(Json::Str(n.created_at_iso())),
            ..row
        },
        Header {
            name: "creation_index",
            values: Int,
            tracked: 22,
            value: |n, _| Some(number(n.creation_index)),
            ..row
        },
        Header { name: "children", values: Nodes, ..row },
    ]
};

/// What is not kept in a node and yet tracked by a diff: the parent, between priority and offset.
pub const PARENT_TRACKED: u8 = 3;

/// What a request calls by another name than documents do, or has beside the headers.
const REQUEST_WORDS: [&str; 3] = ["type", "container", "parent"];

/// The header of that name.
pub fn header(name: &str) -> Option<&'static Header> {
    TABLE.iter().find(|header| header.name == name)
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

fn text(text: Option<&str>) -> Option<Json> {
    text.map(Json::from)
}

fn list(list: &[super::Name]) -> Option<Json> {
    let items = || list.iter().map(|item| Json::from(&**item)).collect();
    (!list.is_empty()).then(|| Json::List(items()))
}

fn flag(flag: bool) -> Option<Json> {
    flag.then_some(Json::Bool(true))
}

fn number(value: u64) -> Json {
    match i64::try_from(value) {
        Ok(value) => Json::Int(value),
        Err(_) => Json::BigInt(value.to_string().into()),
    }
}

//! The one table of headers (R2), and what is asked of it. A new header is one row of it, and the
//! rule that it has of its own: see [`Held::Attr`].

use super::header::{Header, Held, SetBy};
use super::{Class, EngineText, FlagField, ListField, NumberField, TextField};

/// Every header.
pub static TABLE: &[Header] = ROWS;

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

const ROWS: &[Header] = {
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
        about: "",
    };
    let row = Header { comes_back: true, ..own };
    let common = Header { in_template: true, ..row };
    &[
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
        // Headers that no release has: tests show by them that a row is all that one needs.
        #[cfg(test)]
        Header {
            name: "confidence",
            held: Held::Attr(super::AttrKind::Integer { least: 0, most: 100 }),
            given: Always,
            tracked: 201,
            only: BLOCKS,
            about: "how sure it is, in percent",
            ..row
        },
        #[cfg(test)]
        Header {
            name: "stage",
            held: Held::Attr(super::AttrKind::Text),
            given: Once,
            tracked: 202,
            about: "where in the work it was made",
            ..own
        },
        #[cfg(test)]
        Header {
            name: "checked",
            held: Held::Attr(super::AttrKind::Flag),
            given: Always,
            tracked: 203,
            about: "whether somebody looked at it",
            ..row
        },
    ]
};

const fn engine(text: EngineText) -> Held {
    Held::EngineText(text)
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

/// The headers that are kept among the attributes, which requests have no fields for.
pub fn kept_as_attrs() -> impl Iterator<Item = &'static Header> {
    TABLE.iter().filter(|header| matches!(header.held, Held::Attr(_)))
}

/// The headers that an `add` may give, `content` apart.
pub fn addable() -> impl Iterator<Item = &'static Header> {
    TABLE.iter().filter(|header| header.given != SetBy::Never && header.name != "content")
}

/// Whether a name is one that an edit cannot set because it is fixed when a node is made.
pub fn is_fixed(name: &str) -> bool {
    REQUEST_WORDS.contains(&name) || header(name).is_some_and(|row| row.given != SetBy::Always)
}

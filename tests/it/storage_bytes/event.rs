//! Events as records have them, with the extras of version 2, and as dumps show them.

use super::bytes::Cursor;
use super::document::Document;
use super::node::{ContentAt, Lifetime, Node, content_document, lifetime_document, three};
use super::notes::{Attempt, Policy};

pub(super) struct Addition {
    parent: String,
    pub(super) node: Node,
    core: Option<Node>,
    shifts: Vec<(String, i64)>,
}

#[derive(Default)]
pub(super) struct Change {
    content: Option<Option<ContentAt>>,
    lifetime: Option<Option<Lifetime>>,
    priority: Option<i64>,
    key: Option<Option<String>>,
    tags: Option<Vec<String>>,
    cad: Option<Option<u64>>,
    pinned: Option<bool>,
    refs: Option<Vec<String>>,
    attrs: Vec<(String, Option<String>)>,
    hashes: Vec<Option<[u8; 32]>>,
    mime: Option<Option<String>>,
    encoding: Option<Option<String>>,
}

type Nodes = Vec<(Node, u64)>;

pub(super) enum Event {
    Created(String),
    Added(Addition),
    Changed(Vec<String>, Change),
    Moved(Vec<(String, String, i64, Option<Node>)>),
    Removed(Vec<String>),
    PolicySet(Vec<Policy>),
    CadenceEnded(String),
    Attempt(Attempt),
    Undone(u64),
    Committed {
        cycle: u64,
        turn: String,
        core: Option<String>,
        time: i64,
        materialized: Vec<Addition>,
        digest: [u8; 32],
    },
    Imported {
        cycle: u64,
        root: Node,
        seq: Node,
        /// `^sys`, `^ah`, and the turns.
        parts: Vec<Nodes>,
        digest: [u8; 32],
    },
    Restored {
        at: u64,
        cycle: u64,
        materialized: Vec<Addition>,
        digest: [u8; 32],
    },
    Origin {
        kind: u8,
        names: [Option<String>; 3],
        digest: [u8; 32],
        cycle: Option<u64>,
    },
}

fn text(bytes: &mut Cursor<'_>) -> String {
    bytes.text()
}

fn marked(bytes: &mut Cursor<'_>) -> u64 {
    bytes.marked()
}

impl Addition {
    fn read(bytes: &mut Cursor<'_>) -> Addition {
        Addition {
            parent: bytes.text(),
            node: Node::in_record(bytes),
            core: bytes.option(Node::in_record),
            shifts: bytes.list(|bytes| (bytes.text(), bytes.marked_signed())),
        }
    }

    fn dumped(&self) -> Document {
        let shift = |(id, to): &(String, i64)| {
            Document::map([
                ("id", Some(Document::text(id))),
                ("offset", Some(Document::number(to))),
            ])
        };
        let shifts = Document::List(self.shifts.iter().map(shift).collect());
        Document::map([
            ("parent", Some(Document::text(&self.parent))),
            ("node", Some(self.node.dumped())),
            ("core", self.core.as_ref().map(Node::dumped)),
            ("shifts", (!self.shifts.is_empty()).then_some(shifts)),
        ])
    }
}

impl Change {
    fn read(bytes: &mut Cursor<'_>) -> Change {
        Change {
            content: bytes.option(|bytes| bytes.option(three)),
            lifetime: bytes.option(|bytes| bytes.option(three)),
            priority: bytes.option(|bytes| bytes.marked_signed()),
            key: bytes.option(|bytes| bytes.option(text)),
            tags: bytes.option(|bytes| bytes.list(text)),
            cad: bytes.option(|bytes| bytes.option(marked)),
            pinned: bytes.option(|bytes| bytes.flag()),
            refs: bytes.option(|bytes| bytes.list(text)),
            attrs: bytes.list(|bytes| (bytes.text(), bytes.option(text))),
            hashes: bytes.list(|bytes| bytes.option(|bytes| bytes.array())),
            ..Change::default()
        }
    }

    fn dumped(&self) -> Document {
        fn nullable<T>(value: Option<T>, show: impl FnOnce(T) -> Document) -> Document {
            value.map_or_else(Document::null, show)
        }
        let name = |value: &Option<Option<String>>| {
            value.as_ref().map(|value| nullable(value.as_ref(), |text| Document::text(text)))
        };
        let attrs = self.attrs.iter();
        let attrs =
            attrs.map(|(name, value)| (name.clone(), nullable(value.clone(), Document::Raw)));
        let hashes =
            self.hashes.iter().map(|hash| nullable(hash.as_ref(), |hash| Document::hex(hash)));
        Document::map([
            ("content", self.content.map(|content| nullable(content, content_document))),
            ("lifetime", self.lifetime.map(|life| nullable(life, lifetime_document))),
            ("priority", self.priority.map(Document::number)),
            ("key", name(&self.key)),
            ("tags", self.tags.as_deref().map(Document::texts)),
            ("cad", self.cad.map(|cad| nullable(cad, Document::number))),
            ("pinned", self.pinned.map(Document::number)),
            ("refs", self.refs.as_deref().map(Document::texts)),
            ("mime", name(&self.mime)),
            ("encoding", name(&self.encoding)),
            ("attrs", (!self.attrs.is_empty()).then(|| Document::Map(attrs.collect()))),
            ("hashes", (!self.hashes.is_empty()).then(|| Document::List(hashes.collect()))),
        ])
    }
}

fn nodes(bytes: &mut Cursor<'_>) -> Nodes {
    bytes.list(|bytes| (Node::in_record(bytes), bytes.marked()))
}

fn nodes_document(nodes: &Nodes) -> Document {
    let entry = |(node, parent): &(Node, u64)| {
        Document::map([("node", Some(node.dumped())), ("parent", Some(Document::number(parent)))])
    };
    Document::List(nodes.iter().map(entry).collect())
}

impl Event {
    pub(super) fn read(bytes: &mut Cursor<'_>) -> Event {
        match bytes.marked() {
            0 => Event::Created(bytes.text()),
            1 => Event::Added(Addition::read(bytes)),
            2 => Event::Changed(bytes.list(text), Change::read(bytes)),
            3 => Event::Moved(bytes.list(|bytes| {
                let (id, parent) = (bytes.text(), bytes.text());
                (id, parent, bytes.marked_signed(), bytes.option(Node::in_record))
            })),
            4 => Event::Removed(bytes.list(text)),
            5 => Event::PolicySet(Policy::list(bytes)),
            6 => Event::CadenceEnded(bytes.text()),
            7 => Event::Attempt(Attempt::in_record(bytes)),
            8 => Event::Undone(bytes.marked()),
            9 => Event::Committed {
                cycle: bytes.marked(),
                turn: bytes.text(),
                core: bytes.option(text),
                time: bytes.marked_signed(),
                materialized: bytes.list(Addition::read),
                digest: bytes.array(),
            },
            10 => {
                let cycle = bytes.marked();
                let (root, seq) = (Node::in_record(bytes), Node::in_record(bytes));
                let mut parts = vec![nodes(bytes), nodes(bytes)];
                parts.extend(bytes.list(nodes));
                Event::Imported { cycle, root, seq, parts, digest: bytes.array() }
            }
            11 => Event::Restored {
                at: bytes.marked(),
                cycle: bytes.marked(),
                materialized: bytes.list(Addition::read),
                digest: bytes.array(),
            },
            12 => Event::Origin {
                kind: bytes.byte(),
                names: [bytes.option(text), bytes.option(text), bytes.option(text)],
                digest: bytes.array(),
                cycle: bytes.option(marked),
            },
            other => panic!("there is no event {other}"),
        }
    }

    /// Nodes that may have later headers, in the order in which extras count them.
    pub(super) fn nodes(&mut self) -> Vec<&mut Node> {
        match self {
            Event::Added(addition) => vec![&mut addition.node],
            Event::Committed { materialized, .. } | Event::Restored { materialized, .. } => {
                materialized.iter_mut().map(|addition| &mut addition.node).collect()
            }
            Event::Imported { parts, .. } => {
                parts.iter_mut().flatten().map(|(node, _)| node).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Reads the extras, and puts them where they belong.
    pub(super) fn with_extras(mut self, bytes: &mut Cursor<'_>) -> Event {
        let mut all = self.nodes();
        let mut next = 0;
        for _ in 0..bytes.marked() {
            let number = bytes.marked();
            assert!(number >= next, "extras of nodes ascend");
            next = number + 1;
            let node = &mut all[number as usize];
            **node = std::mem::take(*node).with_later(bytes);
        }
        let mime = bytes.option(|bytes| bytes.option(text));
        let encoding = bytes.option(|bytes| bytes.option(text));
        match self {
            Event::Changed(ids, change) => {
                assert_eq!(bytes.take(3), [0; 3], "extras of a provider call");
                Event::Changed(ids, Change { mime, encoding, ..change })
            }
            Event::Attempt(attempt) => {
                assert!(mime.is_none() && encoding.is_none(), "extras of a change");
                Event::Attempt(attempt.with_later(bytes))
            }
            other => {
                assert!(mime.is_none() && encoding.is_none(), "extras of a change");
                assert_eq!(bytes.take(3), [0; 3], "extras of a provider call");
                other
            }
        }
    }

    /// The event's kind and its data, as a dump has them.
    pub(super) fn dumped(&self) -> (&'static str, Document) {
        let ids = |ids: &[String]| ("ids", Some(Document::texts(ids)));
        let digest = |digest: &[u8; 32]| ("digest", Some(Document::hex(digest)));
        match self {
            Event::Created(spec) => {
                ("created", Document::map([("spec", Some(Document::text(spec)))]))
            }
            Event::Added(addition) => ("add", addition.dumped()),
            Event::Changed(list, change) => {
                ("set", Document::map([ids(list), ("change", Some(change.dumped()))]))
            }
            Event::Moved(steps) => {
                let step = |(id, parent, offset, core): &(String, String, i64, Option<Node>)| {
                    Document::map([
                        ("id", Some(Document::text(id))),
                        ("parent", Some(Document::text(parent))),
                        ("offset", Some(Document::number(offset))),
                        ("core", core.as_ref().map(Node::dumped)),
                    ])
                };
                let steps = Document::List(steps.iter().map(step).collect());
                ("move", Document::map([("steps", Some(steps))]))
            }
            Event::Removed(list) => ("remove", Document::map([ids(list)])),
            Event::PolicySet(policies) => {
                let policies = Document::List(policies.iter().map(Policy::dumped).collect());
                ("policy", Document::map([("policies", Some(policies))]))
            }
            Event::CadenceEnded(key) => {
                ("cadence", Document::map([("key", Some(Document::text(key)))]))
            }
            Event::Attempt(attempt) => ("attempt", attempt.dumped()),
            Event::Undone(group) => {
                ("undo", Document::map([("group", Some(Document::number(group)))]))
            }
            Event::Origin { kind, names, digest: hash, cycle: shared } => {
                let [name, format, session] =
                    [0, 1, 2].map(|i| names[i].as_deref().map(Document::text));
                let fields = [
                    ("kind", Some(Document::text(["import", "fork"][usize::from(*kind)]))),
                    ("name", name),
                    ("format", format),
                    ("session", session),
                    digest(hash),
                    ("cycle", shared.map(Document::number)),
                ];
                ("origin", Document::map(fields))
            }
            _ => self.dumped_closing(),
        }
    }

    /// The same for events that close a cycle.
    fn dumped_closing(&self) -> (&'static str, Document) {
        let list = |list: &[Addition]| Document::List(list.iter().map(Addition::dumped).collect());
        let digest = |digest: &[u8; 32]| ("digest", Some(Document::hex(digest)));
        let cycle = |cycle: &u64| ("cycle", Some(Document::number(cycle)));
        match self {
            Event::Committed { cycle: number, turn, core, time, materialized, digest: hash } => {
                let fields = [
                    cycle(number),
                    ("turn", Some(Document::text(turn))),
                    ("core", core.as_deref().map(Document::text)),
                    ("created_at_ns", Some(Document::number(time))),
                    ("materialized", Some(list(materialized))),
                    digest(hash),
                ];
                ("commit", Document::map(fields))
            }
            Event::Imported { cycle: number, root, seq, parts, digest: hash } => {
                let turns = Document::List(parts[2..].iter().map(nodes_document).collect());
                let fields = [
                    cycle(number),
                    ("root", Some(root.dumped())),
                    ("seq", Some(seq.dumped())),
                    ("sys", Some(nodes_document(&parts[0]))),
                    ("ah", Some(nodes_document(&parts[1]))),
                    ("turns", Some(turns)),
                    digest(hash),
                ];
                ("import", Document::map(fields))
            }
            Event::Restored { at, cycle: number, materialized, digest: hash } => {
                let fields = [
                    ("at", Some(Document::number(at))),
                    cycle(number),
                    ("materialized", Some(list(materialized))),
                    digest(hash),
                ];
                ("restore", Document::map(fields))
            }
            _ => unreachable!("the others are in dumped"),
        }
    }

    /// The cycle that it closes, and the digest that it says.
    pub(super) fn closes(&self) -> Option<(u64, [u8; 32])> {
        match self {
            Event::Committed { cycle, digest, .. }
            | Event::Imported { cycle, digest, .. }
            | Event::Restored { cycle, digest, .. } => Some((*cycle, *digest)),
            _ => None,
        }
    }

    /// The names under which an origin is found.
    pub(super) fn origin_keys(&self) -> Vec<String> {
        let Event::Origin { kind, names: [_, format, session], digest, .. } = self else {
            return Vec::new();
        };
        let kind = ["import", "fork"][usize::from(*kind)];
        let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut keys = vec![format!("{kind} {digits}")];
        let format = format.as_deref().unwrap_or_default();
        keys.extend(session.iter().map(|session| format!("{kind} {format} session {session}")));
        keys
    }
}

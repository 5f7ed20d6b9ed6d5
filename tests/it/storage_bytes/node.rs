//! Nodes: their two forms in rows, what a digest covers of them, and how dumps and exports show
//! them.

use super::bytes::Cursor;
use super::document::Document;

pub(super) const CLASSES: [&str; 7] = ["root", "sys", "seq", "ah", "turn", "container", "block"];
pub(super) const BLOCK: u8 = 6;

/// What a ttl was given as, the cycle that it counts from, and the one at which it ends.
pub(super) type Lifetime = [u64; 3];

/// The event and the part of a content, and its size.
pub(super) type ContentAt = [u64; 3];

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Node {
    pub(super) id: String,
    pub(super) node_type: String,
    pub(super) class: u8,
    pub(super) offset: i64,
    pub(super) lifetime: Option<Lifetime>,
    pub(super) priority: i64,
    pub(super) cycle: u64,
    pub(super) created_at_ns: i64,
    pub(super) created_at_iso: Option<String>,
    pub(super) creation_index: u64,
    pub(super) role: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) key: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) cad: Option<u64>,
    pub(super) content: Option<ContentAt>,
    pub(super) content_hash: Option<[u8; 32]>,
    pub(super) provenance: Option<String>,
    pub(super) removable: bool,
    pub(super) pinned: bool,
    pub(super) refs: Vec<String>,
    pub(super) attrs: Vec<(String, String)>,
    pub(super) mime: Option<String>,
    pub(super) encoding: Option<String>,
}

pub(super) fn three(bytes: &mut Cursor<'_>) -> [u64; 3] {
    [bytes.marked(), bytes.marked(), bytes.marked()]
}

impl Node {
    /// The form in records.
    pub(super) fn in_record(bytes: &mut Cursor<'_>) -> Node {
        let text = |bytes: &mut Cursor<'_>| bytes.text();
        // Fields of a struct are read in the order in which they stand here.
        let node = Node {
            id: bytes.text(),
            node_type: bytes.text(),
            class: bytes.byte(),
            offset: bytes.marked_signed(),
            lifetime: bytes.option(three),
            priority: bytes.marked_signed(),
            cycle: bytes.marked(),
            created_at_ns: bytes.marked_signed(),
            created_at_iso: bytes.option(text),
            creation_index: bytes.marked(),
            role: bytes.option(text),
            kind: bytes.option(text),
            key: bytes.option(text),
            tags: bytes.list(text),
            cad: bytes.option(|bytes| bytes.marked()),
            content: bytes.option(three),
            content_hash: bytes.option(|bytes| bytes.array()),
            provenance: bytes.option(text),
            removable: bytes.flag(),
            pinned: bytes.flag(),
            refs: bytes.list(text),
            attrs: bytes.list(|bytes| (bytes.text(), bytes.text())),
            ..Node::default()
        };
        assert!(usize::from(node.class) < CLASSES.len(), "{node:?}");
        node
    }

    /// The form in records, followed by the later headers.
    pub(super) fn whole(bytes: &mut Cursor<'_>) -> Node {
        let node = Node::in_record(bytes);
        node.with_later(bytes)
    }

    /// Reads the later headers of a node.
    pub(super) fn with_later(self, bytes: &mut Cursor<'_>) -> Node {
        Node {
            mime: bytes.option(|bytes| bytes.text()),
            encoding: bytes.option(|bytes| bytes.text()),
            ..self
        }
    }

    /// The form in versions of parts, in skeletons and in templates.
    pub(super) fn in_part(bytes: &mut Cursor<'_>) -> Node {
        let flags = bytes.septets();
        let has = |bit: u32| flags >> bit & 1 == 1;
        let three = |bytes: &mut Cursor<'_>| [bytes.septets(), bytes.septets(), bytes.septets()];
        let node = Node {
            class: (flags >> 18) as u8,
            id: bytes.short_text(),
            node_type: bytes.short_text(),
            cycle: bytes.septets(),
            created_at_ns: bytes.septets_signed(),
            creation_index: bytes.septets(),
            offset: if has(0) { bytes.septets_signed() } else { 0 },
            lifetime: has(1).then(|| three(bytes)),
            priority: if has(2) { bytes.septets_signed() } else { 0 },
            created_at_iso: has(3).then(|| bytes.short_text()),
            role: has(4).then(|| bytes.short_text()),
            kind: has(5).then(|| bytes.short_text()),
            key: has(6).then(|| bytes.short_text()),
            tags: if has(7) { bytes.short_list() } else { Vec::new() },
            cad: has(8).then(|| bytes.septets()),
            content: has(9).then(|| three(bytes)),
            content_hash: has(10).then(|| bytes.array()),
            provenance: has(11).then(|| bytes.short_text()),
            removable: has(12),
            pinned: has(13),
            refs: if has(14) { bytes.short_list() } else { Vec::new() },
            mime: has(16).then(|| bytes.short_text()),
            encoding: has(17).then(|| bytes.short_text()),
            attrs: match has(15) {
                true => {
                    let count = bytes.septets();
                    (0..count).map(|_| (bytes.short_text(), bytes.short_text())).collect()
                }
                false => Vec::new(),
            },
        };
        assert!(flags >> 18 < CLASSES.len() as u64, "{node:?}");
        node
    }

    /// Adds the bytes that a digest covers.
    pub(super) fn hash_into(&self, out: &mut Vec<u8>) {
        hash_text(&self.id, out);
        hash_text(&self.node_type, out);
        out.push(self.class);
        out.extend(self.offset.to_le_bytes());
        out.push(u8::from(self.lifetime.is_some()));
        out.extend(self.lifetime.iter().flat_map(|life| life[2].to_le_bytes()));
        out.extend(self.priority.to_le_bytes());
        out.extend(self.cycle.to_le_bytes());
        out.extend(self.created_at_ns.to_le_bytes());
        out.extend(self.creation_index.to_le_bytes());
        let texts = [&self.created_at_iso, &self.role, &self.kind, &self.key, &self.provenance];
        texts.into_iter().for_each(|text| hash_optional(text.as_deref(), out));
        for list in [&self.tags, &self.refs] {
            out.extend((list.len() as u64).to_le_bytes());
            list.iter().for_each(|text| hash_text(text, out));
        }
        out.push(u8::from(self.cad.is_some()));
        out.extend(self.cad.iter().flat_map(|cad| cad.to_le_bytes()));
        out.push(u8::from(self.content.is_some()));
        out.push(u8::from(self.content_hash.is_some()));
        out.extend(self.content_hash.iter().flatten());
        let later = self.mime.is_some() || self.encoding.is_some();
        out.push(u8::from(self.removable) | u8::from(later) << 1);
        out.push(u8::from(self.pinned));
        let mut attrs = String::new();
        self.attr_document().write(&mut attrs);
        hash_text(&attrs, out);
        if later {
            hash_optional(self.mime.as_deref(), out);
            hash_optional(self.encoding.as_deref(), out);
        }
    }

    fn attr_document(&self) -> Document {
        let attrs = self.attrs.iter();
        Document::Map(
            attrs.map(|(name, value)| (name.clone(), Document::Raw(value.clone()))).collect(),
        )
    }

    /// The node as a dump has it.
    pub(super) fn dumped(&self) -> Document {
        let text = |text: &Option<String>| text.as_deref().map(Document::text);
        let list = |list: &[String]| (!list.is_empty()).then(|| Document::texts(list));
        let flag = |flag: bool| flag.then(|| Document::Raw("true".to_owned()));
        let signed = |number: i64| (number != 0).then(|| Document::number(number));
        Document::map([
            ("id", Some(Document::text(&self.id))),
            ("type", Some(Document::text(&self.node_type))),
            ("class", Some(Document::text(CLASSES[usize::from(self.class)]))),
            ("cycle", Some(Document::number(self.cycle))),
            ("created_at_ns", Some(Document::number(self.created_at_ns))),
            ("created_at_iso", text(&self.created_at_iso)),
            ("creation_index", Some(Document::number(self.creation_index))),
            ("offset", signed(self.offset)),
            ("priority", signed(self.priority)),
            ("lifetime", self.lifetime.map(lifetime_document)),
            ("role", text(&self.role)),
            ("kind", text(&self.kind)),
            ("key", text(&self.key)),
            ("tags", list(&self.tags)),
            ("refs", list(&self.refs)),
            ("cad", self.cad.map(Document::number)),
            ("content", self.content.map(content_document)),
            ("content_hash", self.content_hash.map(|hash| Document::hex(&hash))),
            ("provenance", text(&self.provenance)),
            ("removable", flag(self.removable)),
            ("pinned", flag(self.pinned)),
            ("mime", text(&self.mime)),
            ("encoding", text(&self.encoding)),
            ("attrs", (!self.attrs.is_empty()).then(|| self.attr_document())),
        ])
    }

    /// The node as an export of a cycle has it, without its content and its children.
    pub(super) fn exported(&self, cycle: u64) -> Document {
        let (Document::Map(mut fields), Document::Map(attrs)) =
            (self.dumped(), self.attr_document())
        else {
            unreachable!("both are objects")
        };
        for name in ["type", "class", "lifetime", "content", "attrs"] {
            fields.remove(name);
        }
        if self.class != BLOCK {
            fields.remove("content_hash");
        }
        let ttl = self.lifetime.map(|[_, since, end]| end.saturating_sub(cycle.max(since)));
        let iso = self.created_at_iso.clone().unwrap_or_else(|| iso(self.created_at_ns));
        fields.extend([
            ("nodeType".to_owned(), Document::text(&self.node_type)),
            ("offset".to_owned(), Document::number(self.offset)),
            ("priority".to_owned(), Document::number(self.priority)),
            ("ttl".to_owned(), ttl.map_or_else(Document::null, Document::number)),
            ("created_at_iso".to_owned(), Document::Text(iso)),
        ]);
        for (name, value) in attrs {
            fields.entry(name).or_insert(value);
        }
        Document::Map(fields)
    }
}

pub(super) fn hash_text(text: &str, out: &mut Vec<u8>) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

fn hash_optional(text: Option<&str>, out: &mut Vec<u8>) {
    out.push(u8::from(text.is_some()));
    text.into_iter().for_each(|text| hash_text(text, out));
}

pub(super) fn lifetime_document([given, since, end]: Lifetime) -> Document {
    let number = |number: u64| Some(Document::number(number));
    Document::map([("given", number(given)), ("since", number(since)), ("expires_at", number(end))])
}

pub(super) fn content_document([seq, part, bytes]: ContentAt) -> Document {
    let number = |number: u64| Some(Document::number(number));
    Document::map([("seq", number(seq)), ("part", number(part)), ("bytes", number(bytes))])
}

/// UTC with nine digits of a second.
fn iso(ns: i64) -> String {
    let (seconds, fraction) = (ns.div_euclid(1_000_000_000), ns.rem_euclid(1_000_000_000));
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (mut year, mut left) = (1970, days);
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = |year: i64| if leap(year) { 366 } else { 365 };
    while left < 0 {
        year -= 1;
        left += length(year);
    }
    while left >= length(year) {
        left -= length(year);
        year += 1;
    }
    let february = if leap(year) { 29 } else { 28 };
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < days {
            break;
        }
        left -= days;
        month += 1;
    }
    let (hour, minute) = (second / 3600, second / 60 % 60);
    let (day, second) = (left + 1, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:09}Z")
}

//! A node's object, read for showing.

use super::columns::Cell;
use super::look::{Look, Tone};
use super::matched::{Matched, Sought};
use pactdb::json::line;
use pactdb::{Json, Map};

/// What is shown of a node.
#[derive(Debug, Clone, Default)]
pub struct NodeView {
    /// Its id.
    pub id: String,
    /// Its type.
    pub node_type: String,
    /// Who speaks.
    pub role: Option<String>,
    /// What sort of thing it says.
    pub kind: Option<String>,
    /// Its family.
    pub key: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Cycles that remain.
    pub ttl: Option<i64>,
    /// Its cadence.
    pub cad: Option<i64>,
    /// Whether it is pinned.
    pub pinned: bool,
    /// Its offset.
    pub offset: i64,
    /// The cycle that it was made for.
    pub cycle: i64,
    /// Its depth, where it has one.
    pub depth: Option<i64>,
    /// Its parent, if that is known.
    pub parent: Option<String>,
    /// The tool that it calls.
    pub tool: Option<String>,
    /// What it says, in one line.
    pub words: String,
    /// The part of it that was searched for.
    pub matched: Option<Matched>,
    /// The cycle of the snapshot that it is described in, if every one was asked.
    pub at: Option<i64>,
}

impl NodeView {
    /// From an object as `nodes` answers it.
    pub fn of(object: &Map) -> NodeView {
        let text = |name: &str| object.get(name).and_then(Json::as_str).map(str::to_owned);
        let number = |name: &str| object.get(name).and_then(Json::as_i64);
        let tags = match object.get("tags") {
            Some(Json::List(tags)) => {
                tags.iter().filter_map(Json::as_str).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        };
        NodeView {
            id: text("id").unwrap_or_default(),
            node_type: text("nodeType").unwrap_or_default(),
            role: text("role"),
            kind: text("kind"),
            key: text("key"),
            tags,
            ttl: number("ttl"),
            cad: number("cad"),
            pinned: matches!(object.get("pinned"), Some(Json::Bool(true))),
            offset: number("offset").unwrap_or(0),
            cycle: number("cycle").unwrap_or(0),
            depth: number("depth"),
            parent: text("parent"),
            tool: text("data_tool_name").filter(|_| text("kind").as_deref() == Some("call")),
            words: object.get("content").map(words).unwrap_or_default(),
            matched: None,
            at: number("at"),
        }
    }

    /// The same, with the part of its content that was searched for.
    pub fn matching(object: &Map, sought: &Sought, look: Look) -> NodeView {
        // As much as the last column of a table gets at least.
        let columns = look.width / 3;
        let matched = object.get("content").and_then(|text| sought.in_content(text, columns));
        NodeView { matched, ..NodeView::of(object) }
    }

    /// Role and kind, in the role's colour.
    pub fn voice(&self) -> Cell {
        let tone = Tone::of_role(self.role.as_deref());
        let role = Cell::new(tone, self.role.clone().unwrap_or_default());
        match (&self.role, &self.kind) {
            (_, None) => role,
            (None, Some(kind)) => Cell::new(Tone::Plain, kind.clone()),
            (Some(_), Some(kind)) => role.and(Tone::Dim, format!(" {kind}")),
        }
    }

    /// What remains of its time, after a word for it; the last cycle stands out.
    pub fn remaining(&self, word: &str) -> Cell {
        match self.ttl {
            None => Cell::empty(),
            Some(ttl) if ttl <= 1 => Cell::right(Tone::Soon, format!("{word}{ttl}")),
            Some(ttl) => Cell::right(Tone::Plain, format!("{word}{ttl}")),
        }
    }

    /// What it says, after its key, tags and other marks; what was searched for comes before them.
    pub fn marked_words(&self) -> Cell {
        let key = self.key.iter().map(|key| format!("key={key}"));
        let tags = self.tags.iter().map(|tag| format!("+{tag}"));
        let cad = self.cad.iter().map(|cad| format!("cad {cad}"));
        let pinned = self.pinned.then(|| "pinned".to_owned());
        let marks: Vec<String> = key.chain(tags).chain(cad).chain(pinned).collect();
        let gap = if marks.is_empty() || self.words.is_empty() { "" } else { "  " };
        let marks = marks.join(" ");
        let called = self.called();
        match &self.matched {
            Some(_) => self.matched_words().and(Tone::Dim, format!("{gap}{marks}")),
            None => Cell::new(Tone::Dim, format!("{marks}{gap}"))
                .and(Tone::Tool, called)
                .and(Tone::Plain, &self.words),
        }
    }

    /// The part of its content that was searched for.
    pub fn matched_words(&self) -> Cell {
        let Some(Matched { before, hit, after }) = &self.matched else { return Cell::empty() };
        Cell::new(Tone::Plain, before).and(Tone::Match, hit).and(Tone::Plain, after)
    }

    /// The snapshot that it is described in.
    pub fn snapshot(&self) -> Cell {
        Cell::new(Tone::Dim, self.at.map(|at| format!("@c{at}")).unwrap_or_default())
    }

    /// The tool that it calls, before what it is called with.
    pub fn called(&self) -> String {
        self.tool.as_ref().map(|tool| format!("{tool} ")).unwrap_or_default()
    }

    /// Whether it is a turn.
    pub fn is_turn(&self) -> bool {
        matches!(self.node_type.split(':').next(), Some("mt" | "seg"))
    }

    /// The type, unless it is the plain word of a class.
    pub fn special_type(&self) -> Option<&str> {
        let plain = ["mt", "mc", "cb", "seg", "cont", "block"];
        (!plain.contains(&self.node_type.as_str()) && !self.node_type.starts_with('^'))
            .then_some(self.node_type.as_str())
    }
}

/// A content in one line: white space is one space, what is no text is JSON.
pub fn words(content: &Json) -> String {
    // More than any terminal shows; the rest of a long text need not be looked at.
    const ENOUGH: usize = 2_000;
    let text = match content {
        Json::Str(text) => text.chars().take(ENOUGH).collect(),
        // Only what nobody sees is written out.
        other => line(other).unwrap_or_default().chars().take(ENOUGH).collect::<String>(),
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

//! The few selector forms that edits in the tests use, and their results on the working tree.
//!
//! Known: `^sys` `^seq` `^ah` `^root`, `#id` (1.0: `#key`), `#'quoted'`, `{id='x'}`, `[id='x']`, positions made of
//! a depth and offsets, lists of these with commas, and a final `?` on targets. All else is unsupported.

use super::fail::{Fail, Res, UNSUPPORTED};
use super::node::Class;
use super::tree::Tree;

/// Where a selector stands: it decides what insertions and `?` mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Target,
    AddTo,
    MoveTo,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    Region(Class),
    Id(String),
    Key(String),
    Position(Position),
}

/// A depth, steps down from it, and for an add the place among the children.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Position {
    pub(crate) depth: i64,
    pub(crate) steps: Vec<Step>,
    pub(crate) insertion: Option<Insertion>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step {
    /// `seg` or `mt` after the depth: that turn itself.
    Itself,
    Offset(i64),
    /// `mc[offset=0]`: only the core.
    Core,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Insertion {
    Start,
    End,
    After(usize),
    Before(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Selector {
    pub(crate) items: Vec<Item>,
    /// Ends in `?`: no match is no error.
    pub(crate) lenient: bool,
}

impl Selector {
    /// The single position of a selector, if it is one.
    pub(crate) fn position(&self) -> Option<&Position> {
        match self.items.as_slice() {
            [Item::Position(position)] => Some(position),
            _ => None,
        }
    }
}

/// `keyed`: `#x` names a key, as in dialect 1.0.
pub(crate) fn parse(text: &str, keyed: bool, place: Place) -> Res<Selector> {
    let mut text = text.trim();
    if text.is_empty() || text.starts_with('@') {
        return Err(Fail::one("E_SELECTOR_INVALID"));
    }
    let lenient = text.ends_with('?');
    if lenient {
        if text.ends_with("??") {
            return Err(Fail::one(UNSUPPORTED));
        }
        text = text[..text.len() - 1].trim_end();
    }
    let parts = split(text)?;
    let items: Vec<Item> = parts.iter().map(|part| item(part, keyed, place)).collect::<Res<_>>()?;
    let inserts = |item: &Item| matches!(item, Item::Position(p) if p.insertion.is_some());
    if items.len() > 1 && items.iter().any(inserts) {
        return Err(Fail::one(UNSUPPORTED));
    }
    Ok(Selector { items, lenient })
}

/// Splits at the commas that are in no quotes, brackets or parentheses.
fn split(text: &str) -> Res<Vec<String>> {
    let (mut parts, mut quote, mut open, mut escaped) = (vec![String::new()], None, 0i32, false);
    for c in text.chars() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(q), _) if c == q => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => open += 1,
            (None, ')' | ']' | '}') => open -= 1,
            (None, ',') if open == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().unwrap().push(c);
    }
    if quote.is_some() || open != 0 || parts.iter().any(|part| part.trim().is_empty()) {
        return Err(Fail::one("E_SELECTOR_INVALID"));
    }
    Ok(parts.iter().map(|part| part.trim().to_string()).collect())
}

fn item(text: &str, keyed: bool, place: Place) -> Res<Item> {
    match text {
        "^root" => return Ok(Item::Region(Class::Root)),
        "^sys" => return Ok(Item::Region(Class::Sys)),
        "^seq" => return Ok(Item::Region(Class::Seq)),
        "^ah" => return Ok(Item::Region(Class::Ah)),
        _ => {}
    }
    if let Some(name) = text.strip_prefix('#') {
        let name = match quoted(name) {
            Some(name) => name,
            None => plain(name)?,
        };
        return Ok(if keyed { Item::Key(name) } else { Item::Id(name) });
    }
    for (open, close) in [('{', '}'), ('[', ']')] {
        if let Some(inner) = text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)) {
            let (name, value) = inner.split_once('=').ok_or(Fail::one(UNSUPPORTED))?;
            return match (name.trim(), quoted(value.trim())) {
                ("id", Some(value)) => Ok(Item::Id(value)),
                _ => Err(Fail::one(UNSUPPORTED)),
            };
        }
    }
    match text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => position(inner, place).map(Item::Position),
        None => Err(Fail::one(UNSUPPORTED)),
    }
}

/// The text in quotes, if all of `text` is one quoted string.
fn quoted(text: &str) -> Option<String> {
    let mut chars = text.chars();
    let mark = chars.next().filter(|c| matches!(c, '\'' | '"'))?;
    let mut out = String::new();
    loop {
        match chars.next()? {
            '\\' => match chars.next()? {
                c @ ('\\' | '\'' | '"') => out.push(c),
                c => out.extend(['\\', c]),
            },
            c if c == mark => return chars.as_str().is_empty().then_some(out),
            c => out.push(c),
        }
    }
}

fn plain(text: &str) -> Res<String> {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':');
    let pseudo = ["first", "last", "nth", "pre", "core", "post", "depth"];
    let last = text.rsplit_once(':').map_or("", |(_, last)| last);
    let starts = text.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !starts || !text.chars().all(legal) || pseudo.contains(&last) {
        return Err(Fail::one(UNSUPPORTED));
    }
    Ok(text.to_string())
}

fn position(inner: &str, place: Place) -> Res<Position> {
    let mut elements: Vec<&str> = inner.split(',').map(str::trim).collect();
    let depth = elements.remove(0).strip_prefix('d').and_then(|n| n.parse().ok());
    let depth = depth.ok_or(Fail::one(UNSUPPORTED))?;
    let mut insertion = None;
    if let Some(last) = elements.last() {
        insertion = as_insertion(last, place)?;
        if insertion.is_some() {
            elements.pop();
        }
    }
    if insertion.is_some() && place != Place::AddTo {
        return Err(Fail::one("E_SELECTOR_INVALID"));
    }
    let mut steps = Vec::new();
    for (i, element) in elements.iter().enumerate() {
        steps.push(match *element {
            "" | "end" => return Err(Fail::one("E_SELECTOR_INVALID")),
            "seg" | "mt" if i == 0 => Step::Itself,
            "mc[offset=0]" | "cont[offset=0]" => Step::Core,
            text if text.starts_with('+') => return Err(Fail::one(UNSUPPORTED)),
            text => Step::Offset(text.parse().map_err(|_| Fail::one(UNSUPPORTED))?),
        });
    }
    Ok(Position { depth, steps, insertion })
}

fn as_insertion(last: &str, place: Place) -> Res<Option<Insertion>> {
    if last.is_empty() {
        return Ok(Some(Insertion::Start));
    }
    if last == "end" {
        return Ok(Some(Insertion::End));
    }
    if place == Place::Target || !last.starts_with(['+', '-']) {
        return Ok(None);
    }
    let count = last[1..].parse().map_err(|_| Fail::one(UNSUPPORTED))?;
    let after = last.starts_with('+');
    Ok(Some(if after { Insertion::After(count) } else { Insertion::Before(count) }))
}

/// The matches in result order: canonical, or by recency if a single key is pinned (R7.2).
pub(crate) fn resolve(tree: &Tree, selector: &Selector) -> Vec<String> {
    let mut found = tree.preorder();
    found.retain(|id| selector.items.iter().any(|item| matches(tree, item, id)));
    if let [Item::Key(_)] = selector.items.as_slice() {
        let rank = |id: &String| match tree.depth(id) {
            Some(-1) => i64::MAX - 1,
            Some(depth) => depth,
            None => i64::MAX,
        };
        found.sort_by(|a, b| {
            let (x, y) = (tree.get(a), tree.get(b));
            rank(a)
                .cmp(&rank(b))
                .then(y.created_at_ns.cmp(&x.created_at_ns))
                .then(y.creation_index.cmp(&x.creation_index))
                .then(a.as_bytes().cmp(b.as_bytes()))
        });
    }
    found
}

fn matches(tree: &Tree, item: &Item, id: &str) -> bool {
    let node = tree.get(id);
    match item {
        Item::Region(class) => node.class == *class,
        Item::Id(wanted) => node.id == *wanted,
        Item::Key(key) => node.key.as_ref() == Some(key),
        Item::Position(position) => reached(tree, position).iter().any(|other| other == id),
    }
}

/// The nodes that a position names, its insertion left aside.
fn reached(tree: &Tree, position: &Position) -> Vec<String> {
    let mut at: Vec<String> = tree.at_depth(position.depth).into_iter().collect();
    for step in &position.steps {
        at = match step {
            Step::Itself => at,
            Step::Core => at.iter().filter_map(|id| tree.core_of(id)).collect(),
            Step::Offset(offset) => at
                .iter()
                .flat_map(|id| tree.children(id))
                .filter(|node| node.offset == *offset)
                .map(|node| node.id.clone())
                .collect(),
        };
    }
    at
}

//! Names in a question that nothing has: a misspelt role, a tag that was never given, a node that is
//! gone.
//!
//! Asked only when a question finds nothing, or when a person typed it. The work does not grow with
//! the history: the inverted index says whether turns have a name; `^sys`, `^ah` and the newest turns
//! are looked through for names that are near it, and for what the index does not have yet.

use super::lives::gone;
use super::view::View;
use crate::index::{Lookup, NameKind};
use crate::language::ast::Selector;
use crate::language::words::{Base, PseudoName, is_canonical_type};
use crate::language::{AdviceKind, Dialect, Mention, MentionKind, advise, mentions, nearest_word};
use crate::model::{DERIVED, HEADERS, Node, Place, Subtree, Tree};
use crate::query::{Read, ReadStates, Timeline};
use std::collections::{BTreeMap, BTreeSet};

/// How many of the newest turns are looked through.
const TURNS: usize = 64;

/// How many versions are looked through of turns that the index does not have yet, and of `^sys` how
/// many, of how many cycles.
const UNINDEXED: usize = 1_000;
const VERSIONS: usize = 16;
const CYCLES: u64 = 4_096;

/// How many names are offered where none is near.
const OFFERED: usize = 6;

/// Columns of SQL that people look for among attributes, and what they call them.
const COLUMNS: [(&str, &[&str]); 4] = [
    ("bytes", &["bytes", "size", "length", "len"]),
    ("chars", &["chars", "characters"]),
    ("lines", &["lines"]),
    ("tokens", &["tokens", "token_count"]),
];

/// What to say of the names of a selector that nothing has in the states that it reads. With
/// `found_some` only of parts that have no other way out.
pub(super) fn unknown_names(
    view: &View,
    selector: &Selector,
    dialect: Dialect,
    states: ReadStates,
    found_some: bool,
) -> Read<Vec<String>> {
    let is_guessed = |kind| matches!(kind, AdviceKind::LikelyHeader | AdviceKind::LikelyPseudo);
    let advised = advise(selector, dialect);
    let guessed: Vec<_> =
        advised.iter().filter(|advice| is_guessed(advice.kind)).map(|advice| advice.span).collect();
    let mut asked = mentions(selector, dialect, !found_some);
    asked.retain(|mention| !guessed.contains(&mention.span));
    asked.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
    asked.dedup_by(|a, b| (a.kind, &a.name) == (b.kind, &b.name));
    asked.sort_by_key(|mention| mention.span.start);
    let mut search = Search { view, dialect, states, seen: None };
    let mut said = Vec::new();
    for mention in &asked {
        said.extend(search.say(mention)?);
    }
    Ok(said)
}

struct Search<'a> {
    view: &'a View,
    dialect: Dialect,
    states: ReadStates,
    /// The names that were seen in the newest parts, once they were looked for.
    seen: Option<Seen>,
}

impl Search<'_> {
    /// What there is to say of a name.
    fn say(&mut self, mention: &Mention) -> Read<Option<String>> {
        if mention.kind == MentionKind::Id {
            return self.id(&mention.name);
        }
        let dialect = self.dialect;
        if self.is_indexed(mention)? || self.seen()?.has(mention, dialect) {
            return Ok(None);
        }
        let name = &mention.name;
        let what = match mention.kind {
            MentionKind::Key => format!("no node has the key `{name}`"),
            MentionKind::Tag => format!("no node has the tag `{name}`"),
            MentionKind::Role => format!("no node has the role `{name}`"),
            MentionKind::Kind => format!("no node has the kind `{name}`"),
            MentionKind::Type => format!("no node has the type `{name}`"),
            MentionKind::Suffix => {
                format!("`:{name}` is no pseudo, and no node has this kind or type")
            }
            MentionKind::Attribute => format!("no node has the attribute `{name}`"),
            MentionKind::Id => return Ok(None),
        };
        if let Some(column) = column_like(mention) {
            let how = format!("`… | where {column} > 100`");
            return Ok(Some(format!("{what}; {column} are counted by a stage: {how}")));
        }
        let seen = self.seen()?;
        if mention.kind == MentionKind::Type && seen.names(MentionKind::Kind).contains(&**name) {
            return Ok(Some(format!("{what}; the kind is `[kind='{name}']`")));
        }
        if mention.kind == MentionKind::Key && !self.view.places_of(name)?.is_empty() {
            return Ok(Some(format!("{what}; the node is `{{id='{name}'}}`")));
        }
        let seen = self.seen()?;
        let near = nearest_word(name, seen.meant(mention.kind));
        let kinds = || seen.names(MentionKind::Kind);
        let near_kind = (mention.kind == MentionKind::Type).then(|| nearest_word(name, kinds()));
        let near_kind = near_kind.flatten();
        let offered = match near {
            Some(near) => format!(" (did you mean `{near}`?)"),
            None => match near_kind {
                Some(near) => format!(" (did you mean the kind, `[kind='{near}']`?)"),
                None => offer(&seen.names(mention.kind)),
            },
        };
        Ok(Some(format!("{what}{offered}")))
    }

    /// A node that is not in the state that is asked.
    fn id(&mut self, id: &str) -> Read<Option<String>> {
        let tree = self.tree()?;
        if tree.get(id)?.is_some() {
            return Ok(None);
        }
        if let Some(said) = gone(self.view, id, self.states)? {
            return Ok(Some(said));
        }
        if !self.view.places_of(id)?.is_empty() {
            return Ok(None);
        }
        let seen = self.seen()?;
        if seen.names(MentionKind::Key).contains(id) {
            let said = format!("no node has the id `{id}`; the key is `[key='{id}']`");
            return Ok(Some(said));
        }
        let near = match nearest_word(id, seen.names(MentionKind::Id).iter().copied()) {
            Some(near) => format!(" (did you mean `#{near}`?)"),
            None => String::new(),
        };
        Ok(Some(format!("no node has the id `{id}`{near}")))
    }

    /// The newest state that is asked.
    fn tree(&self) -> Read<Tree> {
        match self.states {
            ReadStates::Working => self.view.working(),
            ReadStates::Snapshot(cycle) => self.view.at(cycle),
            ReadStates::Event { seq, after } => Ok(self.view.after_event(seq, after)?.0),
            ReadStates::Every { .. } => match self.view.history().back(0) {
                Some(newest) => self.view.at(newest),
                None => self.view.working(),
            },
            ReadStates::Range { newest, .. } if self.view.history().contains(newest) => {
                self.view.at(newest)
            }
            ReadStates::Range { .. } => self.view.working(),
        }
    }

    /// Whether a turn that the index has may have the name.
    fn is_indexed(&self, mention: &Mention) -> Read<bool> {
        let (name, cycle) = (mention.name.as_str(), self.view.last_cycle());
        let most = self.view.unindexed(cycle).len();
        let of_type = [NameKind::Kind, NameKind::TypeEnd].map(|kind| kind.hash(name)).to_vec();
        let lookup = match mention.kind {
            MentionKind::Key => Lookup::Names(vec![NameKind::Key.hash(name)]),
            MentionKind::Tag => Lookup::Names(vec![NameKind::Tag.hash(name)]),
            MentionKind::Role => Lookup::Names(vec![NameKind::Role.hash(name)]),
            MentionKind::Kind | MentionKind::Suffix => Lookup::Names(of_type),
            MentionKind::Type => Lookup::Names(vec![NameKind::TypeEnd.hash(name)]),
            MentionKind::Attribute => {
                let long = NameKind::Attribute.hash(&format!("data_{name}"));
                Lookup::Attributes(vec![NameKind::Attribute.hash(name), long])
            }
            MentionKind::Id => return Ok(false),
        };
        // The turns that the index does not have yet are always among what it finds.
        let found = self.view.turns_with(cycle, &lookup, most)?;
        Ok(found.is_none_or(|turns| turns.len() > most))
    }

    /// The names of the newest parts.
    fn seen(&mut self) -> Read<&Seen> {
        let seen = match self.seen.take() {
            Some(seen) => seen,
            None => self.look_around()?,
        };
        Ok(self.seen.insert(seen))
    }

    fn look_around(&self) -> Read<Seen> {
        let mut seen = Seen::default();
        let tree = self.tree()?;
        let newest = tree.spine().iter().rev().take(TURNS).map(Place::Turn);
        for place in [Place::Ah, Place::Sys].into_iter().chain(newest) {
            seen.add(&*tree.subtree(place)?);
        }
        let (last, head) = (self.view.last_cycle(), self.view.working()?);
        let mut left = UNINDEXED;
        for slot in self.view.unindexed(last).into_iter().rev() {
            let place = Place::Turn(slot);
            if head.spine().contains(slot) {
                seen.add(&*head.subtree(place)?);
            }
            // What is gone from it since was there all the same.
            for cycle in self.view.versions(place, slot.cycle, last)?.into_iter().rev() {
                let tree = self.view.at(cycle)?;
                if left > 0 && tree.spine().contains(slot) {
                    seen.add(&*tree.subtree(place)?);
                }
                left = left.saturating_sub(1);
            }
        }
        // Of the past of `^sys` the index knows nothing.
        let from = last.saturating_sub(CYCLES);
        let versions = self.view.versions(Place::Sys, from, last)?;
        for cycle in versions.into_iter().rev().take(VERSIONS) {
            seen.add(&*self.view.at(cycle)?.subtree(Place::Sys)?);
        }
        Ok(seen)
    }
}

/// The column of SQL that an attribute was probably meant to be.
fn column_like(mention: &Mention) -> Option<&'static str> {
    let named = |names: &[&str]| names.contains(&mention.name.as_str());
    let column = COLUMNS.iter().find(|(_, names)| named(names))?.0;
    (mention.kind == MentionKind::Attribute).then_some(column)
}

/// Some of the names that there are.
fn offer(names: &BTreeSet<&str>) -> String {
    let some: Vec<String> = names.iter().take(OFFERED).map(|name| format!("`{name}`")).collect();
    match &some[..] {
        [] => ", or any other".to_owned(),
        [one] => format!(" (there is {one})"),
        some if some.len() < names.len() => format!(" (there are {} …)", some.join(", ")),
        some => format!(" (there are {})", some.join(", ")),
    }
}

/// Names that nodes have.
#[derive(Default)]
struct Seen(BTreeMap<MentionKind, BTreeSet<String>>);

impl Seen {
    fn add(&mut self, part: &Subtree) {
        part.entries().iter().for_each(|entry| self.add_node(&entry.node));
    }

    fn add_node(&mut self, node: &Node) {
        let mut add = |kind, name: &str| {
            let names = self.0.entry(kind).or_default();
            if !names.contains(name) {
                names.insert(name.to_owned());
            }
        };
        add(MentionKind::Id, &node.id);
        let named = [
            (MentionKind::Role, &node.role),
            (MentionKind::Kind, &node.kind),
            (MentionKind::Key, &node.key),
        ];
        for (kind, name) in named {
            if let Some(name) = name {
                add(kind, name);
            }
        }
        node.tags.iter().for_each(|tag| add(MentionKind::Tag, tag));
        node.attrs.keys().for_each(|name| add(MentionKind::Attribute, name));
        let mut rest = &*node.node_type;
        add(MentionKind::Type, rest);
        while let Some((_, end)) = rest.split_once(':') {
            add(MentionKind::Type, end);
            rest = end;
        }
    }

    /// Whether something has a name.
    fn has(&self, mention: &Mention, dialect: Dialect) -> bool {
        let has = |kind| self.0.get(&kind).is_some_and(|names| names.contains(&mention.name));
        match mention.kind {
            MentionKind::Kind if dialect.kind_is_a_set() => {
                has(MentionKind::Kind) || has(MentionKind::Type)
            }
            MentionKind::Suffix => has(MentionKind::Kind) || has(MentionKind::Type),
            MentionKind::Attribute => {
                let long = format!("data_{}", mention.name);
                let all = self.0.get(&MentionKind::Attribute);
                has(mention.kind) || all.is_some_and(|names| names.contains(&long))
            }
            kind => has(kind),
        }
    }

    /// The names of a kind.
    fn names(&self, kind: MentionKind) -> BTreeSet<&str> {
        let of = |kind| self.0.get(&kind).into_iter().flatten().map(String::as_str);
        let is_own = |name: &&str| !is_canonical_type(name) && !name.contains(':');
        let names: BTreeSet<&str> = match kind {
            MentionKind::Suffix => {
                of(MentionKind::Kind).chain(of(MentionKind::Type).filter(is_own)).collect()
            }
            kind => of(kind).collect(),
        };
        names.into_iter().filter(|name| !name.starts_with('^')).collect()
    }

    /// What could have been meant: these, and words of the language.
    fn meant(&self, kind: MentionKind) -> Vec<&str> {
        let words: Vec<&str> = match kind {
            MentionKind::Suffix => PseudoName::ALL.map(PseudoName::name).to_vec(),
            MentionKind::Attribute => HEADERS.into_iter().chain(DERIVED).collect(),
            MentionKind::Type => Base::ALL.into_iter().flat_map(Base::names).collect(),
            _ => Vec::new(),
        };
        words.into_iter().chain(self.names(kind)).collect()
    }
}

//! Summaries of turns: what most questions ask of a turn, so that they need not read it.
//!
//! Turns of a conversation look alike: the same types, roles and kinds at the same places. What
//! they have in common is a *template*, a subtree whose nodes lack all that is their own; turns
//! that look alike share one. A summary is a template, and the ids, contents and ttls of the turn's
//! nodes. Whatever depends on the template alone is decided once for all turns that share it. A
//! page has the summaries of several turns, each in several versions, and which nodes stayed as
//! they were from one version to the next. Nothing here knows of storage.

use crate::model::{ContentRef, Lifetime, Node, Slot, Subtree, TABLE};
use std::collections::HashMap;
use std::sync::Arc;

/// The template of a part: the same nodes without ids, times, contents and custom attributes.
/// A finite ttl and a content are there, but not which. Nodes keep their order.
pub fn template(part: &Subtree) -> Subtree {
    let mut copy = part.clone();
    for index in 0..part.len() {
        let node = part.node(index);
        let mut common = Node {
            offset: node.offset,
            lifetime: node.lifetime.map(|_| Lifetime { given: 0, since: 0, expires_at: 0 }),
            priority: node.priority,
            // The order among siblings, which times and ids decide, is kept by this.
            creation_index: index as u64,
            cad: node.cad,
            content: node.content.map(|_| ContentRef { seq: 0, item: 0, bytes: 0 }),
            ..Node::bare("".into(), node.node_type.clone(), node.class)
        };
        for header in TABLE.iter().filter(|header| header.in_template) {
            header.copy(node, &mut common);
        }
        copy.replace(index, Arc::new(common));
    }
    copy
}

/// A template, and how many of its nodes have a content and a finite ttl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The nodes.
    pub nodes: Arc<Subtree>,
    /// How many have a content.
    pub contents: u32,
    /// How many have a finite ttl.
    pub lives: u32,
    /// How many before each node have a content, and how many a finite ttl.
    before: Arc<[[u32; 2]]>,
}

impl Template {
    /// The template with these nodes.
    pub fn new(nodes: Arc<Subtree>) -> Template {
        let mut before = Vec::with_capacity(nodes.len());
        let (mut contents, mut lives) = (0, 0);
        for entry in nodes.entries() {
            before.push([contents, lives]);
            contents += u32::from(entry.node.content.is_some());
            lives += u32::from(entry.node.lifetime.is_some());
        }
        Template { nodes, contents, lives, before: before.into() }
    }
}

/// A version of a turn on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SummaryVersion {
    /// The turn.
    pub slot: Slot,
    /// The cycle that this version holds from.
    pub from: u64,
    /// The number of its template; none if the turn has to be read, or has gone.
    pub template: Option<u32>,
    /// Its first node, content and ttl among those of the page.
    at: [u32; 3],
}

impl SummaryVersion {
    /// A version of a turn that holds from a cycle.
    pub fn new(slot: Slot, from: u64, template: Option<u32>) -> SummaryVersion {
        SummaryVersion { slot, from, template, at: [0; 3] }
    }
}

/// The summaries of some turns, in several versions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SummaryPage {
    /// By turn, then by cycle.
    turns: Vec<SummaryVersion>,
    columns: Arc<Columns>,
}

/// What the versions on a page consist of, each behind the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns {
    /// Templates, by their numbers.
    pub templates: Vec<Template>,
    /// The ids of all nodes.
    pub ids: String,
    /// Where each id begins, and where the last one ends.
    pub bounds: Vec<u32>,
    /// Each content: its sequence number, its item and its size.
    pub contents: Vec<ContentRef>,
    /// Each finite ttl.
    pub lives: Vec<Lifetime>,
    /// For each node, whether it is the same in the version before, below the same parent.
    pub sames: Vec<bool>,
}

impl SummaryPage {
    /// The page with these versions, by turn and then by cycle; none if they do not fit what they
    /// consist of. Contents, and ttls with what stayed the same, may be left out together.
    pub fn new(mut turns: Vec<SummaryVersion>, columns: Columns) -> Option<SummaryPage> {
        let mut at = [0u32; 3];
        for turn in &mut turns {
            turn.at = at;
            if let Some(number) = turn.template {
                let template = columns.templates.get(number as usize)?;
                let sizes = [template.nodes.len() as u32, template.contents, template.lives];
                for (at, size) in at.iter_mut().zip(sizes) {
                    *at = at.checked_add(size)?;
                }
            }
        }
        let [nodes, contents, lives] = at.map(|count| count as usize);
        let Columns { ids, bounds, .. } = &columns;
        let fits = bounds.len() == nodes + 1
            && bounds.last().is_some_and(|end| *end as usize == ids.len())
            && (columns.contents.is_empty() || columns.contents.len() == contents)
            && (columns.lives.is_empty() || columns.lives.len() == lives)
            && (columns.sames.is_empty() || columns.sames.len() == nodes);
        fits.then(|| SummaryPage { turns, columns: Arc::new(columns) })
    }

    /// The page of some versions of turns, by turn and then by cycle.
    pub fn of(versions: &[(Slot, u64, Option<Arc<Subtree>>)]) -> SummaryPage {
        let mut columns = Columns { bounds: vec![0], ..Columns::default() };
        let mut turns = Vec::new();
        let mut before: Option<(Slot, &Subtree)> = None;
        for (slot, from, part) in versions {
            let template = part.as_deref().map(|part| columns.add(part, before, *slot));
            turns.push(SummaryVersion::new(*slot, *from, template));
            before = part.as_deref().map(|part| (*slot, part));
        }
        SummaryPage::new(turns, columns).unwrap_or_default()
    }

    /// The versions.
    pub fn turns(&self) -> impl Iterator<Item = (SummaryVersion, Option<TurnSummary<'_>>)> {
        self.turns.iter().map(|turn| (*turn, self.summary(turn)))
    }

    /// What is known of a turn as it is in the snapshot of a cycle, which is not newer than the
    /// page.
    pub fn at(&self, slot: Slot, cycle: u64) -> Option<TurnSummary<'_>> {
        let after = self.turns.partition_point(|turn| (turn.slot, turn.from) <= (slot, cycle));
        let turn = self.turns.get(after.checked_sub(1)?)?;
        if turn.slot == slot { self.summary(turn) } else { None }
    }

    /// The same for turns that are asked for in order: `next` is where the search goes on, from 0.
    pub fn next_at(&self, next: &mut usize, slot: Slot, cycle: u64) -> Option<TurnSummary<'_>> {
        let mut found = None;
        while let Some(turn) = self.turns.get(*next)
            && turn.slot <= slot
        {
            if turn.slot == slot && turn.from <= cycle {
                found = Some(turn);
            }
            *next += 1;
        }
        found.and_then(|turn| self.summary(turn))
    }

    fn summary(&self, turn: &SummaryVersion) -> Option<TurnSummary<'_>> {
        TurnSummary::new(
            &self.columns,
            TurnAt { template: turn.template?, at: turn.at, from: turn.from },
        )
    }
}

/// Where the columns of a page have what is known of a version of a turn.
#[derive(Debug, Clone, Copy)]
pub struct TurnAt {
    /// The number of its template.
    template: u32,
    /// Its first node, content and ttl.
    at: [u32; 3],
    /// The cycle that it holds from.
    from: u64,
}

impl Columns {
    /// Adds a part, and says the number of its template.
    fn add(&mut self, part: &Subtree, before: Option<(Slot, &Subtree)>, slot: Slot) -> u32 {
        for entry in part.entries() {
            self.ids.push_str(&entry.node.id);
            self.bounds.push(self.ids.len() as u32);
        }
        let nodes = || part.entries().iter().map(|entry| &entry.node);
        self.contents.extend(nodes().filter_map(|node| node.content));
        self.lives.extend(nodes().filter_map(|node| node.lifetime));
        match before {
            Some((other, before)) if other == slot => self.sames.extend(sames(before, part)),
            _ => self.sames.extend(nodes().map(|_| false)),
        }
        let template = Template::new(Arc::new(template(part)));
        let known = self.templates.iter().position(|known| *known == template);
        known.unwrap_or_else(|| {
            self.templates.push(template);
            self.templates.len() - 1
        }) as u32
    }
}

/// For each node of a part whether it is the same in the version before, below the same parent.
pub fn sames(before: &Subtree, part: &Subtree) -> Vec<bool> {
    let parent = |part: &Subtree, index: usize| {
        part.parent(index).map(|parent| part.node(parent).id.clone())
    };
    let ids = before.entries().iter().map(|entry| &*entry.node.id);
    let known: HashMap<&str, usize> = ids.enumerate().map(|(index, id)| (id, index)).collect();
    let same = |index: usize| {
        let node = part.node(index);
        known.get(&*node.id).is_some_and(|old| {
            let old = *old;
            before.node(old) == node && parent(before, old) == parent(part, index)
        })
    };
    (0..part.len()).map(same).collect()
}

/// What is known of a version of a turn without reading it.
#[derive(Debug, Clone, Copy)]
pub struct TurnSummary<'a> {
    /// What it has in common with others; the nodes are the turn's, in its order.
    pub template: &'a Arc<Subtree>,
    /// The cycle that this version holds from.
    pub from: u64,
    before: &'a [[u32; 2]],
    columns: &'a Arc<Columns>,
    at: TurnAt,
}

impl<'a> TurnSummary<'a> {
    /// The summary that stands at a place in columns; none if there is no such place.
    pub fn new(columns: &'a Arc<Columns>, at: TurnAt) -> Option<TurnSummary<'a>> {
        let template = columns.templates.get(at.template as usize)?;
        let (nodes, before) = (&template.nodes, &template.before);
        Some(TurnSummary { template: nodes, from: at.from, before, columns, at })
    }

    /// The columns, and where it stands in them, for whoever keeps it.
    pub fn kept(&self) -> (&'a Arc<Columns>, TurnAt) {
        (self.columns, self.at)
    }

    /// The id of a node; none if there is no such node.
    pub fn id(&self, index: usize) -> Option<&'a str> {
        let at = self.at.at[0] as usize + index;
        let bounds = &self.columns.bounds;
        let (from, to) = (bounds.get(at)?, bounds.get(at + 1)?);
        self.columns.ids.get(*from as usize..*to as usize)
    }

    /// Where the content of a node is; none if it has no content, or if the page does not know.
    pub fn content(&self, index: usize) -> Option<ContentRef> {
        self.template.entries().get(index).filter(|entry| entry.node.content.is_some())?;
        let at = self.at.at[1].checked_add(self.before.get(index)?[0])?;
        self.columns.contents.get(at as usize).copied()
    }

    /// The ttl of a node; none if it has none, or if the page does not know.
    pub fn life(&self, index: usize) -> Option<Lifetime> {
        self.template.entries().get(index).filter(|entry| entry.node.lifetime.is_some())?;
        let at = self.at.at[2].checked_add(self.before.get(index)?[1])?;
        self.columns.lives.get(at as usize).copied()
    }

    /// Whether a node is known to be the same in the version before, below the same parent.
    pub fn is_same(&self, index: usize) -> bool {
        self.columns.sames.get(self.at.at[0] as usize + index).copied().unwrap_or(false)
    }
}

/// What the index says of a turn.
#[derive(Debug, Clone, Copy)]
pub enum Indexed<'a> {
    /// The turn, as it is at that cycle, is not in the index: it has to be read.
    No,
    /// Its template is none of those that matter: the turn need not be read.
    CannotMatch,
    /// It is in the index with this summary.
    Summary(TurnSummary<'a>),
}

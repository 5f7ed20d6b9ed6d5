//! Questions: a selector, read through the lens, and its answer kept for another look.

use super::meta;
use super::report;
use super::session::{Outcome, Session};
use crate::answer::{Answer, now, source};
use crate::render::{self, Look, NodeView, Tone, TreeOptions, visible};
use pactdb::answer::ReadStates;
use pactdb::language::ast::Selector;
use pactdb::{Db, Dialect, Error, Json, Map, Result, Select, Selected, Snapshot};

/// The last result, in a form from which others can be made.
pub enum Last {
    /// Nodes.
    Nodes(Box<Found>),
    /// What changed over a range: as text, and as JSON.
    Range(String, String),
    /// Anything else.
    Text(String),
}

/// Nodes that a question found.
pub struct Found {
    nodes: Vec<Map>,
    warnings: Vec<String>,
    /// The cycle that ages are counted to.
    now: Option<u64>,
    source: String,
    /// The state that they are from, if it is one.
    state: Option<Snapshot>,
}

/// Answers a selector; one without a time is read through the lens.
pub fn select(session: &mut Session<'_>, selector: &Selector, line: &str) -> Result<Outcome> {
    let text = selector.at.0.of(line);
    let (q, prefix) = through_lens(session, selector.time.is_some(), text);
    let (dialect, look) = (session.dialect, session.look());
    let blame = |error| report::in_line(error, line, &prefix);
    if selector.time.as_ref().is_some_and(|time| time.kind.is_range()) {
        return range(session, q, dialect, look).map_err(blame);
    }
    let found = session.patiently(move |db| find(db, &q, dialect)).map_err(blame)?;
    let Some(found) = found else { return Ok(Outcome::Interrupted) };
    let mut answer = Answer {
        text: table(look, &found),
        warnings: found.warnings.clone(),
        source: Some(found.source.clone()),
    };
    if found.nodes.is_empty()
        && let Some(name) = meta::meant(line)
    {
        answer.warnings.push(format!("nothing has this type; the command is `.{name}`"));
    }
    session.last = Some(Last::Nodes(Box::new(found)));
    Ok(answer.into())
}

/// A selector as it is asked, and what was put in front of it.
pub fn through_lens(session: &Session<'_>, has_time: bool, text: &str) -> (String, String) {
    match session.lens {
        Some(lens) if !has_time => {
            let prefix = format!("{lens} ");
            (format!("{prefix}{text}"), prefix)
        }
        _ => (text.to_owned(), String::new()),
    }
}

fn range(session: &mut Session<'_>, q: String, dialect: Dialect, look: Look) -> Result<Outcome> {
    let found = session.patiently(move |db| {
        let asked = db.asked(&q, Some(dialect))?;
        let source = source(db, asked, None);
        Ok(match db.select(Select::new(&q).dialect(Some(dialect)))? {
            Selected::Range(range) => {
                let text = render::range(look, db, &range)?;
                let json = pactdb::json::pretty(&range)
                    .map_err(|error| Error::request(error.to_string()))?;
                let answer = Answer { text, warnings: range.warnings, source: Some(source) };
                (answer, json)
            }
            Selected::Ids { ids, warnings } => {
                let text = render::ids(ids.iter().map(|id| &**id));
                (Answer { text, warnings, source: Some(source) }, String::new())
            }
        })
    })?;
    let Some((answer, json)) = found else { return Ok(Outcome::Interrupted) };
    session.last = Some(Last::Range(answer.text.clone(), json));
    Ok(answer.into())
}

/// The nodes that a selector matches.
pub fn find(db: &Db, q: &str, dialect: Dialect) -> Result<Found> {
    let asked = db.asked(q, Some(dialect))?;
    let state = match asked {
        ReadStates::Working => Some(db.working_state()),
        ReadStates::Snapshot(cycle) => Some(db.snapshot(cycle)?),
        ReadStates::Event { seq, .. } => Some(db.after_event(seq)?),
        _ => None,
    };
    let nodes = db.nodes(Select::new(q).dialect(Some(dialect)))?;
    let source = source(db, asked, Some(nodes.nodes.len()));
    let now = now(db, asked);
    Ok(Found { nodes: nodes.nodes, warnings: nodes.warnings, now, source, state })
}

fn table(look: Look, found: &Found) -> String {
    let views: Vec<NodeView> = found.nodes.iter().map(NodeView::of).collect();
    render::nodes(look, &views, found.now)
}

impl Found {
    /// The answer in one of the forms of `.last`.
    pub fn in_form(&self, look: Look, db: &Db, form: &str) -> Result<Answer> {
        let text = match (form, &self.state) {
            ("json", _) => pretty(&Json::List(self.nodes.iter().cloned().map(Json::Map).collect())),
            ("ids", _) => render::ids(self.ids()),
            ("full", _) => self.nodes.iter().map(|node| full(look, node)).collect(),
            ("tree", Some(state)) => {
                let only = Some(self.ids().map(str::to_owned).collect());
                render::tree(look, db, state, &TreeOptions { turns: None, only })?
            }
            ("tree", None) => {
                let message = "these nodes are of several states: a tree is of one";
                return Err(Error::request(message));
            }
            _ => table(look, self),
        };
        Ok(Answer { text, warnings: Vec::new(), source: Some(self.source.clone()) })
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().filter_map(|node| node.get("id").and_then(Json::as_str))
    }
}

/// A value as JSON that a person can read.
pub fn pretty(value: &Json) -> String {
    match pactdb::json::pretty(value) {
        Ok(text) => format!("{text}\n"),
        Err(error) => format!("{error}\n"),
    }
}

/// A node with every header, and its whole content below them.
fn full(look: Look, node: &Map) -> String {
    let id = node.get("id").and_then(Json::as_str).unwrap_or("?");
    let mut out = format!("{}\n", look.paint(Tone::Id, id));
    for (name, value) in node.iter().filter(|(name, _)| *name != "id" && *name != "content") {
        let value = match value {
            Json::Str(text) => text.clone(),
            other => pactdb::json::canonical_string(other),
        };
        let name = look.paint(Tone::Dim, &format!("{name}:"));
        out.push_str(&format!("  {name} {}\n", visible(&value)));
    }
    let content = match node.get("content") {
        Some(Json::Str(text)) => text.clone(),
        Some(other) => pretty(other),
        None => String::new(),
    };
    content.lines().for_each(|line| out.push_str(&format!("  │ {}\n", visible(line))));
    out
}

//! Questions: a selector, read through the lens, and its answer kept for another look.

use super::meta;
use super::report;
use super::session::{Outcome, Session};
use crate::answer::{Answer, pretty, select as select_in_words};
use crate::commands::read::typed;
use crate::render::{self, Look, NodeView, Sought, Tone, visible};
use crate::states;
use pactdb::language::ast::Selector;
use pactdb::protocol::{Client, ClientExt, Nodes, Selection, StateReply};
use pactdb::sql::{has_stages, is_sql};
use pactdb::{Dialect, Error, Json, Map, Result, Select};

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
    /// The states that they are from.
    state: StateReply,
    /// What was searched for.
    sought: Sought,
}

/// Answers a selector; one without a time is read through the lens.
pub fn select(session: &mut Session<'_>, selector: &Selector, line: &str) -> Result<Outcome> {
    let text = selector.at.0.of(line);
    let (q, prefix) = through_lens(session, selector.time.is_some(), text);
    let (dialect, look) = (session.dialect, session.look());
    let blame = |error| report::in_line(error, line, &prefix);
    if selector.time.as_ref().is_some_and(|time| time.kind.is_range()) {
        return range(session, q, dialect).map_err(blame);
    }
    let question = Nodes { q: q.clone(), dialect: Some(dialect), ..Nodes::default() };
    if let Some(answer) = session.formed(&question.into()).map_err(blame)? {
        return Ok(answer.into());
    }
    let found = find(session.client(), &q, dialect).map_err(blame)?;
    let mut answer = Answer {
        text: table(look, &found),
        warnings: found.warnings.clone(),
        source: Some(found.source()),
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

/// A question that is answered with rows. Stages without a time read the state that the lens is on.
pub fn asked(session: &Session<'_>, text: &str) -> String {
    let selects = has_stages(text) && !is_sql(text);
    let has_time = !selects || text.trim_start().starts_with(['@', '|']) || is_each(text);
    through_lens(session, has_time, text).0
}

/// Whether a text asks each snapshot of a range, which it names.
fn is_each(text: &str) -> bool {
    text.split_whitespace().next() == Some("each")
}

fn range(session: &mut Session<'_>, q: String, dialect: Dialect) -> Result<Outcome> {
    let question = Select { q, dialect: Some(dialect), options: typed() };
    let (answer, selection) = select_in_words(session.look(), session.client(), question)?;
    let json = match selection {
        Selection::Range(range) => pretty(&range)?,
        Selection::Ids(_) => String::new(),
    };
    session.last = Some(Last::Range(answer.text.clone(), json));
    Ok(answer.into())
}

/// The nodes that a selector matches.
pub fn find(client: &dyn Client, q: &str, dialect: Dialect) -> Result<Found> {
    let options = typed();
    let question = Nodes { q: q.to_owned(), dialect: Some(dialect), options: options.clone() };
    let answered = client.ask_fully(question)?;
    let state = states::of_answer(client, q, Some(dialect), &options)?;
    let sought = Sought::by(q, dialect);
    Ok(Found { nodes: answered.reply, warnings: answered.warnings, state, sought })
}

fn table(look: Look, found: &Found) -> String {
    let views: Vec<NodeView> =
        found.nodes.iter().map(|node| NodeView::matching(node, &found.sought, look)).collect();
    render::nodes(look, &views, found.state.now)
}

impl Found {
    /// The answer in one of the forms of `.last`.
    pub fn in_form(&self, look: Look, client: &dyn Client, form: &str) -> Result<Answer> {
        let text = match form {
            "json" => pretty(&self.nodes)?,
            "ids" => render::ids(self.ids()),
            "full" => {
                let nodes: Result<Vec<String>> =
                    self.nodes.iter().map(|node| full(look, node)).collect();
                nodes?.concat()
            }
            "tree" if states::is_one(&self.state) => {
                render::tree(look, &states::tree_of(client, &self.state, self.ids())?)
            }
            "tree" => {
                let message = "these nodes are of several states: a tree is of one";
                return Err(Error::request(message));
            }
            _ => table(look, self),
        };
        Ok(Answer { text, warnings: Vec::new(), source: Some(self.source()) })
    }

    fn source(&self) -> String {
        render::source(&self.state, Some(self.nodes.len()))
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().filter_map(|node| node.get("id").and_then(Json::as_str))
    }
}

/// A node with every header, and its whole content below them.
fn full(look: Look, node: &Map) -> Result<String> {
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
        Some(other) => pretty(other)?,
        None => String::new(),
    };
    for line in content.lines() {
        out.push_str(&look.wrap(&format!("  │ {}", visible(line)), "  │ "));
        out.push('\n');
    }
    Ok(out)
}

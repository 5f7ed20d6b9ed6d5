//! Calls and their results: who answers whom, and the names that they have in an API.

use super::notes::Notes;
use super::unit::{Sort, Unit, is_blank, label};
use crate::json::Json;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What an API allows as names.
pub(super) struct Naming {
    /// The most characters of a call's id.
    pub(super) most_id: usize,
    /// Whether an id has letters, digits, `_` and `-` only.
    pub(super) plain_id: bool,
    /// The most characters of a tool's name.
    pub(super) most_tool: usize,
    /// Whether there are calls of an older sort, without ids.
    pub(super) functions: bool,
}

/// Who answers whom: places among the units.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    answers: BTreeMap<usize, usize>,
    calls: BTreeMap<usize, usize>,
}

impl Pairs {
    fn tie(&mut self, call: usize, answer: usize) {
        self.answers.insert(call, answer);
        self.calls.insert(answer, call);
    }

    /// The result of a call.
    pub(super) fn answer(&self, call: usize) -> Option<usize> {
        self.answers.get(&call).copied()
    }

    /// The call of a result.
    pub(super) fn call(&self, answer: usize) -> Option<usize> {
        self.calls.get(&answer).copied()
    }

    /// Whether a unit is a call or a result without its other half.
    pub(super) fn lacks(&self, at: usize, unit: &Unit) -> bool {
        match unit.sort {
            Sort::Call => self.answer(at).is_none(),
            Sort::Answer => self.call(at).is_none(),
            _ => false,
        }
    }
}

/// Calls that are answered by the results right after them. Where neither has an id, a result
/// answers the call directly before it.
pub(super) fn adjacent(units: &[Unit]) -> Pairs {
    let mut pairs = Pairs::default();
    let mut open: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
    let mut answering = false;
    let mut before: Option<usize> = None;
    for (at, unit) in units.iter().enumerate() {
        match unit.sort {
            Sort::Thought => continue,
            Sort::Answer => {
                let call = match unit.call_id() {
                    Some(id) => open.get_mut(id).and_then(VecDeque::pop_front),
                    None => before.filter(|call| nameless(&units[*call], unit)),
                };
                if let Some(call) = call {
                    pairs.tie(call, at);
                }
                answering = true;
            }
            sort => {
                if answering || sort != Sort::Call {
                    open.clear();
                }
                answering = false;
                if let (Sort::Call, Some(id)) = (sort, unit.call_id()) {
                    open.entry(id).or_default().push_back(at);
                }
            }
        }
        before = Some(at);
    }
    pairs
}

/// Whether a call and the result after it have no ids, and the same tool.
fn nameless(call: &Unit, answer: &Unit) -> bool {
    let tool = answer.attr("data_tool_name");
    call.sort == Sort::Call
        && call.call_id().is_none()
        && tool.is_none_or(|tool| call.attr("data_tool_name") == Some(tool))
}

/// The same, and results that lie elsewhere: each answers the nearest call before it that has its
/// id and no result, else the nearest one after it.
pub(super) fn all(units: &[Unit]) -> Pairs {
    let mut pairs = adjacent(units);
    let mut open: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (at, unit) in units.iter().enumerate() {
        if let (Sort::Call, Some(id), None) = (unit.sort, unit.call_id(), pairs.answer(at)) {
            open.entry(id).or_default().insert(at);
        }
    }
    for (at, unit) in units.iter().enumerate() {
        if unit.sort != Sort::Answer || pairs.call(at).is_some() {
            continue;
        }
        let Some(calls) = unit.call_id().and_then(|id| open.get_mut(id)) else { continue };
        let nearest = calls.range(..at).next_back().or_else(|| calls.range(at..).next());
        if let Some(call) = nearest.copied() {
            calls.remove(&call);
            pairs.tie(call, at);
        }
    }
    pairs
}

/// Calls of the older sort: without an id, and with a result right after them that says so.
pub(super) fn functions(units: &[Unit], pairs: &Pairs, naming: &Naming) -> BTreeSet<usize> {
    let is_function = |at: &usize| {
        let call = &units[*at];
        let name = call.attr("data_tool_name").unwrap_or_default();
        let answer = pairs.answer(*at).map(|answer| &units[answer]);
        call.call_id().is_none()
            && !name.is_empty()
            && name == plain_name(name, naming.most_tool)
            && answer.is_some_and(|answer| {
                answer.node.role.as_deref() == Some("function")
                    && !matches!(answer.content.as_deref(), Some(Json::List(_)))
            })
    };
    (0..units.len()).filter(|at| naming.functions && is_function(at)).collect()
}

/// The ids that calls have in the thread: their own where the API allows it and nobody before has
/// it, else one that is made of it, or of the node's id.
pub(super) fn call_ids(
    units: &[Unit],
    functions: &BTreeSet<usize>,
    naming: &Naming,
    notes: &mut Notes,
) -> BTreeMap<usize, String> {
    let mut found: BTreeMap<usize, String> = BTreeMap::new();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let calls = || {
        let named = units.iter().enumerate().filter(|(at, _)| !functions.contains(at));
        named.filter(|(_, unit)| unit.sort == Sort::Call)
    };
    for (at, unit) in calls() {
        let own = unit.call_id().filter(|id| *id == naming.id(id));
        if let Some(id) = own.filter(|id| !taken.contains(*id)) {
            taken.insert(id.to_owned());
            found.insert(at, id.to_owned());
        }
    }
    for (at, unit) in calls() {
        if found.contains_key(&at) {
            continue;
        }
        let base = match unit.call_id() {
            Some(id) => naming.id(id),
            None => naming.id(&format!("call_{}", unit.id())),
        };
        // Room for a number behind it.
        let stem: String = base.chars().take(naming.most_id.saturating_sub(8)).collect();
        let numbered = (2..).map(|number: usize| format!("{stem}_{number}"));
        let mut names = std::iter::once(base).chain(numbered);
        let Some(id) = names.find(|id| !taken.contains(id)) else { continue };
        let what = match unit.call_id() {
            None => "has no data_call_id to be paired by".to_owned(),
            Some(own) if own == naming.id(own) => {
                format!("has the id {} of another call", label(own))
            }
            Some(own) => format!("has the id {}, which this API does not allow", label(own)),
        };
        notes.mended(unit, what, format!("its call has the id {id} here"));
        taken.insert(id.clone());
        found.insert(at, id);
    }
    found
}

impl Naming {
    /// A text as an id: itself, if it is one.
    fn id(&self, text: &str) -> String {
        let allowed = |c: char| match self.plain_id {
            true => is_plain(c),
            false => !c.is_control(),
        };
        let text = text.chars().map(|c| if allowed(c) { c } else { '_' });
        text.take(self.most_id).collect()
    }

    /// The name of the called tool as the API allows it.
    pub(super) fn tool(&self, unit: &Unit, notes: &mut Notes) -> String {
        let Some(own) = unit.attr("data_tool_name").filter(|name| !is_blank(name)) else {
            notes.mended(unit, "has no data_tool_name", "its tool is called unknown here");
            return "unknown".to_owned();
        };
        let name = plain_name(own, self.most_tool);
        if name != own {
            let what = format!("calls {}, a name that this API does not allow", label(own));
            notes.mended(unit, what, format!("its tool is called {name} here"));
        }
        name
    }
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// A name of letters, digits, `_` and `-`.
pub(super) fn plain_name(text: &str, most: usize) -> String {
    text.chars().map(|c| if is_plain(c) { c } else { '_' }).take(most).collect()
}

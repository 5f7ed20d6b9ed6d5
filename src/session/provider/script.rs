//! What has to be said, whatever the API: the blocks of a state with every call tied to its result
//! or to the way in which that ended, and results without a call as things said.

use super::ends::{Ending, Gone, endings};
use super::notes::Notes;
use super::pairs::{self, Naming, Pairs};
use super::unit::{Sort, Unit, label};
use super::units::units;
use crate::db::Snapshot;
use crate::error::Result;
use crate::json::{self, Json, canonical_string};
use std::collections::{BTreeMap, BTreeSet};

/// The blocks of a thread.
pub(super) struct Script {
    pub(super) units: Vec<Unit>,
    pairs: Pairs,
    functions: BTreeSet<usize>,
    ids: BTreeMap<usize, String>,
    gone: BTreeMap<usize, Gone>,
}

/// The answer to a call: a result, or how it ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reply {
    /// The call.
    pub(super) call: usize,
    /// The result, if there is one.
    pub(super) answer: Option<usize>,
}

impl Script {
    pub(super) fn new(
        state: &Snapshot,
        naming: &Naming,
        drop_unpaired: bool,
        notes: &mut Notes,
    ) -> Result<Script> {
        let mut units = units(state, notes)?;
        if drop_unpaired {
            let pairs = pairs::adjacent(&units);
            let mut at = 0..;
            units.retain(|unit| {
                let lacks = at.next().is_some_and(|at| pairs.lacks(at, unit));
                if lacks {
                    notes.mention(unit, "has lost its other half", "left out");
                }
                !lacks
            });
        }
        let pairs = pairs::all(&units);
        for (at, unit) in units.iter_mut().enumerate() {
            if unit.sort == Sort::Answer && pairs.lacks(at, unit) {
                orphan(unit, notes);
            }
        }
        let open: Vec<usize> =
            (0..units.len()).filter(|at| pairs.lacks(*at, &units[*at])).collect();
        let gone = endings(state, &units, &open)?;
        let functions = pairs::functions(&units, &pairs, naming);
        let ids = pairs::call_ids(&units, &functions, naming, notes);
        let script = Script { units, pairs, functions, ids, gone };
        for at in open {
            let done = format!("its result is {} here", script.ending(at));
            notes.mended(&script.units[at], UNANSWERED, done);
        }
        Ok(script)
    }

    /// Whether a call is one of the older sort, without an id, whose result is right after it.
    pub(super) fn is_function(&self, call: usize) -> bool {
        self.functions.contains(&call)
    }

    /// The call that a result is for.
    pub(super) fn call(&self, answer: usize) -> Option<usize> {
        self.pairs.call(answer)
    }

    /// The id of a call in this thread.
    pub(super) fn id(&self, call: usize) -> &str {
        self.ids.get(&call).map_or("", String::as_str)
    }

    /// What stands for a result that is not there.
    pub(super) fn ending(&self, call: usize) -> String {
        self.gone.get(&call).map_or(Ending::Absent, |gone| gone.ending).text()
    }

    /// Whether a unit of the assistant comes after calls that were answered, and so is not of
    /// their message, although their results are gone.
    pub(super) fn comes_later(&self, at: usize, call: usize) -> bool {
        let (unit, call_unit) = (&self.units[at], &self.units[call]);
        if unit.message().is_some() && unit.goes_with(call_unit) {
            return false;
        }
        let after = self.gone.get(&call).is_some_and(|gone| gone.made_at < unit.node.created_at_ns);
        after || unit.place != call_unit.place || unit.sort == Sort::Said
    }

    /// The answers to calls of one message, which are in order. Those of them that stand right
    /// after it keep their order; the others take the place that their calls have.
    pub(super) fn replies(
        &self,
        calls: &BTreeSet<usize>,
        following: &[usize],
        notes: &mut Notes,
    ) -> Vec<Reply> {
        let here: BTreeSet<usize> = following.iter().filter_map(|at| self.call(*at)).collect();
        let mut missing = calls.difference(&here).copied().peekable();
        let mut replies = Vec::with_capacity(calls.len());
        for answer in following {
            let Some(call) = self.call(*answer) else { continue };
            while let Some(earlier) = missing.next_if(|earlier| *earlier < call) {
                replies.push(self.moved(earlier, notes));
            }
            replies.push(Reply { call, answer: Some(*answer) });
        }
        replies.extend(missing.map(|call| self.moved(call, notes)));
        replies
    }

    /// The answer to a call that does not follow it.
    fn moved(&self, call: usize, notes: &mut Notes) -> Reply {
        let answer = self.pairs.answer(call);
        if let Some(answer) = answer {
            let done = format!("its result {} is said there", self.units[answer].id());
            notes.mended(&self.units[call], UNANSWERED, done);
        }
        Reply { call, answer }
    }

    /// The results that stand at the start of these units and answer calls of one message.
    pub(super) fn following(&self, calls: &BTreeSet<usize>, units: &[usize]) -> Vec<usize> {
        let answers = |at: &&usize| self.call(**at).is_some_and(|call| calls.contains(&call));
        units.iter().take_while(answers).copied().collect()
    }
}

const UNANSWERED: &str = "is a call without a result right after it";

/// A result whose call has gone is told by the user.
fn orphan(unit: &mut Unit, notes: &mut Notes) {
    let (what, name) = match unit.call_id() {
        Some(id) => {
            let id = label(id);
            let what = format!("answers the call {id}, which is not there");
            (what, format!("result of the call {id}"))
        }
        None => ("has no data_call_id to be paired by".to_owned(), "tool result".to_owned()),
    };
    let done = match unit.content {
        Some(_) => "said in the user's name, after a label",
        None => "left out, as it says nothing",
    };
    notes.mended(unit, what, done);
    unit.becomes_said(name);
}

/// The arguments of a call as an object.
pub(super) fn arguments(unit: &Unit, notes: &mut Notes) -> Json {
    let what = match unit.content.as_deref() {
        None => return Json::Map(Default::default()),
        Some(Json::Str(text)) if text.trim().is_empty() => return Json::Map(Default::default()),
        Some(Json::Str(text)) => match json::parse(text) {
            Ok(Json::Map(map)) => return Json::Map(map),
            Ok(_) => "has arguments that are no object",
            Err(_) => "has arguments that are not JSON",
        },
        Some(Json::Map(map)) => return Json::Map(map.clone()),
        Some(_) => "has arguments that are no object",
    };
    notes.mended(unit, what, "they are the field input of an object here");
    let input = unit.content.as_deref().cloned().unwrap_or(Json::Null);
    Json::Map(json::Map::from([("input".to_owned(), input)]))
}

/// The same as a text: the very text that was given, if it is one.
pub(super) fn arguments_text(unit: &Unit, notes: &mut Notes) -> String {
    match (arguments(unit, notes), unit.content.as_deref()) {
        (object, Some(Json::Str(text))) if json::parse(text).is_ok_and(|own| own == object) => {
            text.clone()
        }
        (object, _) => canonical_string(&object),
    }
}

//! `explain`: what a selector means, when and where it looks, and what each part did.
//!
//! Words for people, in the order of the stages. It runs the selector on one state to count what
//! each step comes to; it changes nothing.

mod describe;

use crate::language::Dialect;
use crate::language::advise;
use crate::language::ast::Mode;
use crate::language::canonical_form;
use crate::language::format;
use crate::query::cost::cost_warning;
use crate::query::count::{Counted, count};
use crate::query::eval::{can_be_followed, find_ids, reads, trace};
use crate::query::options::SelectOptions;
use crate::query::plan::{
    Ask, Chain, Depends, Group, Link, Plan, Reach, Start, State, When, Window, critical_depths,
};
use crate::query::query_error::QueryError;
use crate::query::resolve::{Question, resolve};
use crate::query::timeline::{Moment, Tally, Timeline};
use describe::{describe_compound, describe_step};
use serde::{Deserialize, Serialize};
use std::cell::Cell;

/// A selector, explained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Explanation {
    /// The dialect that it was read in.
    pub dialect: String,
    /// Its canonical form, as `fmt` writes it.
    pub canonical: String,
    /// The same, for clients that know it by this name.
    pub expanded: String,
    /// Which states are asked.
    pub time: String,
    /// The steps, in words, each with the number of nodes that it came to in the parts that were
    /// read.
    pub plan: Vec<String>,
    /// What is read.
    pub reads: Vec<String>,
    /// What was done for each chain that was tried, in the newest state that is asked.
    pub ran: Vec<Ran>,
    /// What every snapshot together answers, if all are asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finds: Option<Finds>,
    /// What is worth knowing about the text.
    pub advice: Vec<String>,
}

/// What was done for a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ran {
    /// How many nodes it found.
    pub results: usize,
    /// What was looked at.
    #[serde(flatten)]
    pub tally: Tally,
}

/// What a question finds in all snapshots.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finds {
    /// How many nodes, as far as they were counted.
    pub results: u64,
    /// Whether there may be more.
    pub more: bool,
    /// The ids of the first ones.
    pub first: Vec<String>,
}

/// How many ids an explanation names.
const NAMED: usize = 5;

/// Explains a selector against a store.
pub fn explain(
    timeline: &dyn Timeline,
    text: &str,
    dialect: Dialect,
) -> Result<Explanation, QueryError> {
    explain_typed(timeline, text, dialect, false)
}

/// The same of a selector that a person typed, perhaps, see [`SelectOptions::typed`].
pub fn explain_typed(
    timeline: &dyn Timeline,
    text: &str,
    dialect: Dialect,
    typed: bool,
) -> Result<Explanation, QueryError> {
    let selector = Question::read(text, dialect)?;
    let options = SelectOptions { typed, ..SelectOptions::default() };
    let plan = resolve(&selector, timeline, &options)?;
    let moment = match sample(timeline, &plan.when) {
        Some(state) => Some(Moment::of(timeline, state)?),
        None => None,
    };
    let canonical = format(&canonical_form(&selector, dialect), dialect);
    let advice = advise(&selector, dialect).into_iter().map(|advice| match advice.suggestion {
        Some(suggestion) => format!("{} (try {suggestion})", advice.message),
        None => advice.message,
    });
    Ok(Explanation {
        dialect: dialect.name().to_owned(),
        expanded: canonical.clone(),
        canonical,
        time: time_words(&plan, timeline),
        plan: plan_words(&plan, moment.as_ref())?,
        reads: read_words(&plan, moment.as_ref())?,
        ran: match moment {
            Some(moment) => run(&plan.ask, &moment)?,
            None => Vec::new(),
        },
        finds: match plan.when {
            When::Every => count(timeline, &plan, NAMED)?.map(finds),
            _ => None,
        },
        advice: advice.chain(cost_warning(timeline, &plan)?).collect(),
    })
}

fn finds(counted: Counted) -> Finds {
    let Counted { count, more, first } = counted;
    Finds { results: count, more, first: first.iter().map(|id| id.to_string()).collect() }
}

/// Runs each chain that an answer needs, and counts.
fn run(ask: &Ask, moment: &Moment<'_>) -> Result<Vec<Ran>, QueryError> {
    let mut ran = Vec::new();
    for group in ask.groups.iter() {
        for chain in &group.chains {
            let only = Group { chains: vec![chain.clone()] };
            let window = match ask.groups.len() {
                1 => ask.window,
                _ => Window { skip: 0, limit: ask.window.enough() },
            };
            let only = Ask { groups: [only].into(), order: ask.order, window };
            let tally = Cell::default();
            let moment = Moment { tally: Some(&tally), ..moment.clone() };
            let results = find_ids(&only, &moment)?.len();
            ran.push(Ran { results, tally: tally.get() });
            if results > 0 {
                break;
            }
        }
    }
    Ok(ran)
}

/// The newest state that is asked.
fn sample(timeline: &dyn Timeline, when: &When) -> Option<State> {
    match when {
        When::One(state) => Some(*state),
        When::Every => timeline.history().back(0).map(State::Cycle),
        When::Range { stops, .. } => stops.first().map(|stop| stop.state),
    }
}

fn time_words(plan: &Plan, timeline: &dyn Timeline) -> String {
    match &plan.when {
        When::One(State::Working) => "the working state".to_owned(),
        When::One(State::Cycle(cycle)) => format!("the snapshot of cycle {cycle}"),
        When::One(State::Event { seq, after: 0 }) => {
            format!("the working state right after event {seq}, before the first commit")
        }
        When::One(State::Event { seq, after }) => {
            format!("the working state right after event {seq}, after the commit of cycle {after}")
        }
        When::Every => format!("every snapshot, newest first: {}", timeline.history().len()),
        When::Range { kind, stops, .. } => {
            let label = |index: usize| stops.get(index).map(|stop| stop.label(*kind));
            let last = stops.len().saturating_sub(1);
            let ends = [label(0), label(last)].map(Option::unwrap_or_default);
            let pairs = match plan.mode {
                Mode::Pairwise => "neighbours compared",
                Mode::Latest => "the newest compared with the oldest",
            };
            format!("{} snapshots from {} back to {}, {pairs}", stops.len(), ends[0], ends[1])
        }
    }
}

fn plan_words(plan: &Plan, moment: Option<&Moment<'_>>) -> Result<Vec<String>, QueryError> {
    let mut lines = Vec::new();
    let Ask { groups, order, window } = &plan.ask;
    for (i, group) in groups.iter().enumerate() {
        for (j, chain) in group.chains.iter().enumerate() {
            match (i, j) {
                (0, 0) => {}
                (_, 0) => lines.push("and also:".to_owned()),
                _ => lines.push("or, if there is none:".to_owned()),
            }
            let mut sizes = match moment {
                Some(moment) => trace(chain, moment)?.into_iter().map(Some).collect(),
                None => Vec::new(),
            }
            .into_iter();
            chain_words(chain, &mut |line, counted| {
                let size = if counted { sizes.next().flatten() } else { None };
                lines.push(match size {
                    Some(size) => format!("{line}: {size}"),
                    None => line,
                });
            });
        }
    }
    let recent = matches!(&groups[..], [group] if group.chains.iter().any(|chain| chain.recent));
    lines.push(match (order, recent) {
        (Some(order), _) => format!("in the order {order:?}").to_lowercase(),
        (None, true) => "newest first, because the key is given".to_owned(),
        (None, false) => "in canonical order".to_owned(),
    });
    if window.skip > 0 {
        lines.push(format!("without the first {}", window.skip));
    }
    if let Some(limit) = window.limit {
        lines.push(format!("at most {limit}"));
    }
    Ok(lines)
}

/// Gives each line to `say`, and whether the set after it is counted.
fn chain_words(chain: &Chain, say: &mut dyn FnMut(String, bool)) {
    match &chain.start {
        Start::Step(step) => say(format!("{} anywhere", describe_step(step)), true),
        Start::Chains(chains) => {
            for inner in chains {
                chain_words(inner, &mut |line, _| say(format!("  {line}"), false));
            }
            say("all of these".to_owned(), true);
        }
    }
    for Link { reach, step } in &chain.links {
        let reach = match reach {
            Reach::Below => "below these",
            Reach::Child => "children of these",
            Reach::Itself => "of these",
        };
        say(format!("{} {reach}", describe_step(step)), true);
    }
    if !chain.filter.tests.is_empty() {
        say(format!("of these only {}", describe_compound(&chain.filter)), true);
    }
}

fn read_words(plan: &Plan, moment: Option<&Moment<'_>>) -> Result<Vec<String>, QueryError> {
    let Some(moment) = moment else { return Ok(vec!["nothing: there is no snapshot".to_owned()]) };
    let mut lines = Vec::new();
    if let When::One(State::Event { .. }) = plan.when {
        lines.push(match moment.replayed {
            0 => "no events: a commit led to this state".to_owned(),
            1 => "1 event of this cycle, applied again".to_owned(),
            events => format!("{events} events of this cycle, applied again"),
        });
    }
    let mut local = true;
    for group in plan.ask.groups.iter() {
        local &= group.chains.len() == 1;
        for chain in &group.chains {
            let reads = reads(chain, moment)?;
            let how = match (reads.by_id, reads.part_by_part) {
                (true, _) => ", found through the index of ids",
                (false, true) => ", one after the other",
                (false, false) => ", together, because something is counted over several",
            };
            local &= reads.local;
            lines.push(format!("{} of {} parts of the tree{how}", reads.parts, reads.of));
        }
    }
    let depends = Depends::of(&plan.ask);
    let by_parts = match plan.when {
        When::Every => critical_depths(&plan.ask).is_some(),
        _ => !depends.depth && !depends.age && plan.ask.window.is_open(),
    };
    if matches!(plan.when, When::Every) && !depends.age {
        local = can_be_followed(&plan.ask, moment)?;
    }
    match (&plan.when, local && by_parts) {
        (When::One(_), _) => {}
        (_, true) => lines.push("of each further snapshot only what changed".to_owned()),
        (_, false) => lines.push("of each further snapshot as much again".to_owned()),
    }
    Ok(lines)
}

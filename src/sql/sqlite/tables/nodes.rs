//! `pact(SELECTOR)` and `each(RANGE, SELECTOR)`: the nodes that a selector finds.

use super::super::node_columns::{FROM_INDEX, Found, NODE_COLUMNS, NodeReader, number_of};
use super::super::selector::{narrowed, plan_of};
use super::super::source::Source;
use super::super::table::{Ask, Rows, Shape, Table, Value};
use crate::code::Code;
use crate::db::View;
use crate::error::{Error, Result};
use crate::query::plan::{Plan, State, When};
use crate::query::{NodePage, SummaryHit, Timeline};
use std::sync::{Arc, LazyLock};

/// Hits that are fetched at a time: few at first, in case that is enough.
const FIRST_PAGE: usize = 64;
const LAST_PAGE: usize = 4096;

pub(super) static PACT: LazyLock<Shape> = LazyLock::new(|| Shape {
    name: "pact",
    args: &["selector"],
    columns: NODE_COLUMNS.iter().map(|(column, _)| *column).collect(),
    about: "the nodes that a selector finds, at its time; of @* each where it was last",
});

pub(super) static EACH: LazyLock<Shape> = LazyLock::new(|| Shape {
    name: "each",
    args: &["range", "selector"],
    columns: NODE_COLUMNS.iter().map(|(column, _)| *column).collect(),
    about: "the nodes that a selector finds in each snapshot of a range; at says in which",
});

/// `pact(SELECTOR)`
pub(super) struct Pact(pub(super) Arc<View>);

impl Table for Pact {
    fn shape(&self) -> &'static Shape {
        &PACT
    }

    fn rows(&self, ask: Ask) -> Result<Box<dyn Rows>> {
        let plan = plan_of(&self.0, &ask.args[0])?;
        if let When::Range { .. } = plan.when {
            let message = "a range has no nodes, only differences";
            let mut error = Error::new(Code::SqlInvalid, message);
            let hint =
                "changes('RANGE SELECTOR') has these, and each('RANGE', 'SELECTOR') the nodes";
            error.details.hint = Some(hint.to_owned());
            return Err(error);
        }
        let when = plan.when.clone();
        Ok(Box::new(NodeRows::new(&self.0, plan, vec![when], &ask)))
    }
}

/// `each(RANGE, SELECTOR)`
pub(super) struct Each(pub(super) Arc<View>);

impl Table for Each {
    fn shape(&self) -> &'static Shape {
        &EACH
    }

    fn rows(&self, ask: Ask) -> Result<Box<dyn Rows>> {
        let plan = plan_of(&self.0, &format!("{} {}", ask.args[0], ask.args[1]))?;
        let (least, most) = ask.range(number_of("at"));
        let wanted =
            |cycle: u64| i64::try_from(cycle).is_ok_and(|cycle| (least..=most).contains(&cycle));
        // Oldest first.
        let states: Vec<When> = match &plan.when {
            When::One(state) => vec![When::One(*state)],
            When::Every => {
                let cycles = self.0.history().iter().filter(|cycle| wanted(*cycle));
                cycles.map(|cycle| When::One(State::Cycle(cycle))).collect()
            }
            When::Range { stops, .. } => {
                let stops = stops.iter().rev().filter(|stop| wanted(stop.cycle));
                stops.map(|stop| When::One(stop.state)).collect()
            }
        };
        Ok(Box::new(NodeRows::new(&self.0, plan, states, &ask)))
    }
}

/// The nodes that a plan finds at some times, one after the other.
struct NodeRows {
    view: Arc<View>,
    plan: Plan,
    times: std::vec::IntoIter<When>,
    source: Option<Source>,
    page: NodePage<SummaryHit>,
    /// The row, by its number on the page.
    row: usize,
    /// Whether columns are looked at that the turn index does not have.
    whole: bool,
    /// How large a content is, at least and at most, if that was asked for.
    bytes: Option<(i64, i64)>,
    size: usize,
    reader: NodeReader,
}

impl NodeRows {
    fn new(view: &Arc<View>, mut plan: Plan, times: Vec<When>, ask: &Ask) -> NodeRows {
        let enough = ask.enough.and_then(|rows| usize::try_from(rows).ok());
        if let Some(when) = times.first() {
            plan.when = when.clone();
        }
        NodeRows {
            view: view.clone(),
            plan: narrowed(plan, ask),
            times: times.into_iter(),
            source: None,
            page: NodePage::new(),
            row: 0,
            whole: ask.used & !*FROM_INDEX != 0,
            bytes: Some(ask.range(number_of("bytes"))).filter(|all| *all != (i64::MIN, i64::MAX)),
            size: enough.unwrap_or(FIRST_PAGE).clamp(1, LAST_PAGE),
            reader: NodeReader::new(view.clone()),
        }
    }

    /// Fetches a page with hits; false if none are left.
    fn fetch(&mut self) -> Result<bool> {
        loop {
            let Some(source) = &mut self.source else {
                let Some(when) = self.times.next() else { return Ok(false) };
                self.plan.when = when;
                self.source = Some(Source::new(self.view.clone(), &self.plan, self.whole));
                continue;
            };
            source.fill(self.size, &mut self.page)?;
            self.size = (self.size * 2).min(LAST_PAGE);
            if !self.page.nodes.is_empty() {
                return Ok(true);
            }
            self.source = None;
        }
    }

    /// Whether a hit has to be looked at by SQLite.
    fn keeps(&self, hit: &SummaryHit) -> bool {
        self.bytes.is_none_or(|(least, most)| {
            let bytes = hit.content().map(|content| i64::try_from(content.bytes));
            bytes.is_some_and(|bytes| (least..=most).contains(&bytes.unwrap_or(i64::MAX)))
        })
    }
}

/// A row, by its number on a page.
fn found_on<'p>(page: &'p NodePage<SummaryHit>, row: usize, when: &When) -> Option<Found<'p>> {
    let hit = page.nodes.get(row)?;
    let cycle = page.cycle_of(row);
    let state = match when {
        When::One(state) => *state,
        _ => State::Cycle(cycle),
    };
    let now = match state {
        State::Cycle(cycle) => cycle,
        State::Event { .. } | State::Working => cycle.saturating_add(1),
    };
    Some(Found { hit, cycle, now, state })
}

impl Rows for NodeRows {
    fn next(&mut self) -> Result<bool> {
        self.reader.begin();
        self.row += 1;
        loop {
            let rest = self.page.nodes.get(self.row..).unwrap_or_default();
            if let Some(skipped) = rest.iter().position(|hit| self.keeps(hit)) {
                self.row += skipped;
                return Ok(true);
            }
            if !self.fetch()? {
                self.page.nodes.clear();
                return Ok(false);
            }
            self.row = 0;
        }
    }

    fn column(&mut self, column: usize) -> Result<Value<'_>> {
        let NodeRows { page, row, plan, reader, .. } = self;
        match (found_on(page, *row, &plan.when), NODE_COLUMNS.get(column)) {
            (Some(found), Some((_, shows))) => reader.column(found, *shows),
            _ => Ok(Value::Null),
        }
    }
}

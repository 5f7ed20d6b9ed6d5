//! `pact(SELECTOR)` and `each(RANGE, SELECTOR)`: the nodes that a selector finds.

use super::super::node_columns::{FROM_INDEX, Found, NODE_COLUMNS, NodeReader, number_of};
use super::super::selector::{narrowed, plan_of};
use super::super::source::{Row, Source};
use super::super::table::{Ask, Rows, Shape, Table, Value};
use crate::code::Code;
use crate::db::View;
use crate::error::{Error, Result};
use crate::query::Timeline;
use crate::query::plan::{Plan, State, When};
use std::collections::VecDeque;
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
        Ok(Box::new(NodeRows::new(&self.0, vec![plan], &ask)))
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
        let states: Vec<State> = match &plan.when {
            When::One(state) => vec![*state],
            When::Every => {
                let cycles = self.0.history().iter().filter(|cycle| wanted(*cycle));
                cycles.map(State::Cycle).collect()
            }
            When::Range { stops, .. } => {
                let stops = stops.iter().rev().filter(|stop| wanted(stop.cycle));
                stops.map(|stop| stop.state).collect()
            }
        };
        let of = |state: State| Plan { when: When::One(state), ..plan.clone() };
        Ok(Box::new(NodeRows::new(&self.0, states.into_iter().map(of).collect(), &ask)))
    }
}

/// The nodes that some plans find, one plan after the other.
struct NodeRows {
    view: Arc<View>,
    plans: VecDeque<Plan>,
    source: Option<(When, Source)>,
    page: VecDeque<Row>,
    /// Whether columns are looked at that the turn index does not have.
    whole: bool,
    size: usize,
    row: Option<Found>,
    reader: NodeReader,
}

impl NodeRows {
    fn new(view: &Arc<View>, plans: Vec<Plan>, ask: &Ask) -> NodeRows {
        let enough = ask.enough.and_then(|rows| usize::try_from(rows).ok());
        NodeRows {
            view: view.clone(),
            plans: plans.into_iter().map(|plan| narrowed(plan, ask)).collect(),
            source: None,
            page: VecDeque::new(),
            whole: ask.used & !*FROM_INDEX != 0,
            size: enough.unwrap_or(FIRST_PAGE).clamp(1, LAST_PAGE),
            row: None,
            reader: NodeReader::new(view.clone()),
        }
    }

    /// Fetches hits until there are some, or none are left.
    fn fetch(&mut self) -> Result<()> {
        while self.page.is_empty() {
            if self.source.is_none() {
                let Some(plan) = self.plans.pop_front() else { return Ok(()) };
                self.source =
                    Some((plan.when.clone(), Source::new(self.view.clone(), &plan, self.whole)));
            }
            let Some((_, source)) = &mut self.source else { return Ok(()) };
            self.page = source.next(self.size)?.into();
            self.size = (self.size * 2).min(LAST_PAGE);
            if self.page.is_empty() {
                self.source = None;
            }
        }
        Ok(())
    }
}

impl Rows for NodeRows {
    fn next(&mut self) -> Result<bool> {
        self.fetch()?;
        self.reader.begin();
        let Some(row) = self.page.pop_front() else {
            self.row = None;
            return Ok(false);
        };
        let state = match &self.source {
            Some((When::One(state), _)) => *state,
            _ => State::Cycle(row.cycle),
        };
        let now = match state {
            State::Cycle(cycle) => cycle,
            State::Event { .. } | State::Working => row.cycle.saturating_add(1),
        };
        self.row = Some(Found { row, now, state });
        Ok(true)
    }

    fn column(&mut self, column: usize) -> Result<Value<'_>> {
        match (&self.row, NODE_COLUMNS.get(column)) {
            (Some(found), Some((_, shows))) => self.reader.column(found, *shows),
            _ => Ok(Value::Null),
        }
    }
}

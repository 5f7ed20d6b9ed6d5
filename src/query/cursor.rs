//! A question that is answered page by page: the nodes of one state or of every snapshot, in the order
//! of R7.
//!
//! A cursor borrows nothing. Whoever asks for a page brings the store, which must have every cycle
//! that it had for the page before; commits and edits since do not show. It holds a page and what the
//! language needs: for `@*` the ids that were given, and for the order by id all ids.

use super::eval::{Hit, ResultItem, Search};
use super::history::{Every, Met};
use super::plan::{Ask, Plan, State, When};
use super::timeline::{HeldMoment, Moment, Read, Timeline};

/// A question on its way.
pub(crate) struct Cursor<T = Hit>(Way<T>);

enum Way<T> {
    One(Box<One<T>>),
    Every(Box<Every<T>>),
}

struct One<T> {
    state: State,
    ask: Ask,
    search: Search<T>,
    /// The moment, from the first page on.
    held: Option<HeldMoment>,
}

impl<T> One<T> {
    /// The moment, which is to be held again.
    fn moment<'a>(&mut self, timeline: &'a dyn Timeline) -> Read<Moment<'a>> {
        match self.held.take() {
            Some(held) => Ok(Moment::held(held, timeline)),
            None => Moment::of(timeline, self.state),
        }
    }
}

impl<T: ResultItem> Cursor<T> {
    /// The nodes that a question finds; none if it is about a range, which has no nodes.
    pub(crate) fn new(plan: &Plan) -> Option<Cursor<T>> {
        match plan.when {
            When::One(state) => Some(Cursor::at(state, &plan.ask)),
            When::Every => Some(Cursor(Way::Every(Box::new(Every::new(&plan.ask))))),
            When::Range { .. } => None,
        }
    }

    /// The nodes that a question finds in one state.
    pub(crate) fn at(state: State, ask: &Ask) -> Cursor<T> {
        let (search, ask) = (Search::new(ask), ask.clone());
        Cursor(Way::One(Box::new(One { state, ask, search, held: None })))
    }

    /// The next nodes, at most so many and fewer only if there are no more, each with the cycle that
    /// its ttl is counted to.
    pub(crate) fn next(&mut self, timeline: &dyn Timeline, most: usize) -> Read<Vec<Met<T>>> {
        match &mut self.0 {
            Way::One(one) => {
                let moment = one.moment(timeline)?;
                let page = one.search.next(&one.ask, &moment, most);
                let cycle = moment.cycle;
                one.held = Some(moment.hold());
                Ok(page?.into_iter().map(|node| (cycle, node)).collect())
            }
            Way::Every(every) => every.next(timeline, most),
        }
    }

    /// Puts the next nodes on a page in place of what is there, as they are found together: about so
    /// many, and none only if there are no more.
    #[cfg(feature = "sql")]
    pub(crate) fn fill(
        &mut self,
        timeline: &dyn Timeline,
        about: usize,
        page: &mut NodePage<T>,
    ) -> Read<()> {
        // What the nodes before hold is used again.
        page.nodes.clear();
        page.cycles.clear();
        match &mut self.0 {
            Way::One(one) => {
                let moment = one.moment(timeline)?;
                let filled = one.search.some(&one.ask, &moment, about, &mut page.nodes);
                page.cycle = moment.cycle;
                one.held = Some(moment.hold());
                filled
            }
            Way::Every(every) => {
                for (cycle, node) in every.next(timeline, about)? {
                    page.cycles.push(cycle);
                    page.nodes.push(node);
                }
                Ok(())
            }
        }
    }
}

/// Nodes, with the cycles that their ttls are counted to.
#[cfg(feature = "sql")]
#[derive(Debug)]
pub(crate) struct NodePage<T> {
    pub(crate) nodes: Vec<T>,
    /// The cycle of each, or nothing.
    cycles: Vec<u64>,
    /// The cycle of all of them, if they have none of their own.
    cycle: u64,
}

#[cfg(feature = "sql")]
impl<T> NodePage<T> {
    /// An empty page.
    pub(crate) fn new() -> NodePage<T> {
        NodePage { nodes: Vec::new(), cycles: Vec::new(), cycle: 0 }
    }

    /// The cycle of a node, by its number.
    pub(crate) fn cycle_of(&self, number: usize) -> u64 {
        self.cycles.get(number).copied().unwrap_or(self.cycle)
    }

    /// The same page with other nodes in place of its own.
    pub(crate) fn map<U>(self, change: impl Fn(T) -> U) -> NodePage<U> {
        let NodePage { nodes, cycles, cycle } = self;
        NodePage { nodes: nodes.into_iter().map(change).collect(), cycles, cycle }
    }
}

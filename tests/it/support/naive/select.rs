//! A whole selector on a store: the time, the groups and the controls (R5, R6.11).

use super::compare::{pattern, text_of};
use super::order::arrange;
use super::time::Which;
use super::tree::Tree;
use super::{Reader, Store, Wrong};
use pactdb::language::ast::{
    AttrFilter, Control, ControlKind, Mode, Op, Order, Selector, TestKind, TimeKind,
};
use pactdb::language::ast::{Visit, visit_selector};
use pactdb::{Dialect, SelectOptions};
use serde_json::Value;

/// What a selector yields.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Ids(Vec<String>),
    /// In the shape of R8.1 without `warnings`, and whether the range was clipped.
    Range(Value, bool),
}

/// What controls and options come to.
pub(crate) struct Window {
    pub(crate) skip: usize,
    pub(crate) limit: usize,
    pub(crate) order: Option<Order>,
    pub(crate) mode: Mode,
}

impl Window {
    fn of(selector: &Selector, options: &SelectOptions) -> Window {
        let (mut limit, mut skip, mut order, mut mode) = (u64::MAX, 0, None, Mode::Pairwise);
        for control in &selector.controls {
            match &control.kind {
                ControlKind::Limit(n) => limit = limit.min(*n),
                ControlKind::First => limit = limit.min(1),
                ControlKind::Skip(n) => skip = *n,
                ControlKind::Order(given) => order = Some(*given),
                ControlKind::Mode(given) => mode = *given,
                ControlKind::Unique | ControlKind::Unknown(..) => {}
            }
        }
        Window {
            skip: options.skip.unwrap_or(skip) as usize,
            limit: options.limit.map_or(limit, |option| option.min(limit)) as usize,
            order: options.order.or(order),
            mode: options.mode.unwrap_or(mode),
        }
    }

    pub(crate) fn apply<T>(&self, list: Vec<T>) -> Vec<T> {
        list.into_iter().skip(self.skip).take(self.limit).collect()
    }
}

impl Store {
    pub(crate) fn tree(&self, which: Which) -> &Tree {
        match which {
            None => &self.working,
            Some(index) if index < self.snapshots.len() => &self.snapshots[index].1,
            Some(index) => &self.events[index - self.snapshots.len()].2,
        }
    }

    /// Answers a selector; `text` is what it was read from.
    pub(crate) fn select(
        &self,
        text: &str,
        selector: &Selector,
        dialect: Dialect,
        options: &SelectOptions,
    ) -> Result<Answer, Wrong> {
        let mut wrong = faults(selector, selector.time.is_none());
        let time = selector.time.as_ref().map(|time| time.kind);
        let missing = match time {
            None | Some(TimeKind::All) => None,
            Some(time) if time.is_range() => self.stops(time, dialect).err(),
            Some(time) => self.state_at(time, dialect).err(),
        };
        wrong.extend(missing.into_iter().flatten());
        if options.max_snapshots == Some(0) && time.is_some_and(TimeKind::is_range) {
            wrong.push("E_REQUEST_INVALID");
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let window = Window::of(selector, options);
        let names = |which, list: Vec<usize>| -> Vec<String> {
            list.into_iter().map(|node| self.tree(which).nodes[node].id().to_owned()).collect()
        };
        match time {
            Some(TimeKind::All) => {
                let mut ids: Vec<String> = Vec::new();
                for index in (0..self.snapshots.len()).rev() {
                    let list = self.matched(Some(index), selector, dialect, &window);
                    for id in names(Some(index), list) {
                        if !ids.contains(&id) {
                            ids.push(id);
                        }
                    }
                }
                Ok(Answer::Ids(window.apply(ids)))
            }
            Some(time) if time.is_range() => {
                let (stops, clipped) = self.stops(time, dialect)?;
                let query = (text, selector, dialect);
                Ok(Answer::Range(self.range(query, time, stops, &window, options), clipped))
            }
            _ => {
                let which = time.map_or(Ok(None), |time| self.state_at(time, dialect))?;
                let list = self.matched(which, selector, dialect, &window);
                Ok(Answer::Ids(names(which, window.apply(list))))
            }
        }
    }

    /// `diff(A, B, selector)` (R8.7); no time is the working state.
    pub(crate) fn diff(
        &self,
        times: [Option<TimeKind>; 2],
        selector: &Selector,
        dialect: Dialect,
    ) -> Result<Value, Wrong> {
        let mut wrong = faults(selector, true);
        if selector.time.is_some() {
            wrong.push("E_SELECTOR_INVALID");
        }
        let states = times.map(|time| time.map_or(Ok(None), |time| self.state_at(time, dialect)));
        wrong.extend(states.iter().flat_map(|state| state.clone().err()).flatten());
        let [Ok(a), Ok(b)] = states else { return Err(wrong) };
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let (newer, older) = if self.age(a) >= self.age(b) { (a, b) } else { (b, a) };
        let window = Window::of(selector, &SelectOptions::default());
        let list = |which| window.apply(self.matched(which, selector, dialect, &window));
        Ok(super::diff::plain((self.tree(newer), &list(newer)), (self.tree(older), &list(older))))
    }

    /// The nodes that a selector matches in one state, in the order asked for, uncut.
    pub(crate) fn matched(
        &self,
        which: Which,
        selector: &Selector,
        dialect: Dialect,
        window: &Window,
    ) -> Vec<usize> {
        let tree = self.tree(which);
        let reader = Reader { tree, dialect };
        let last = selector.groups.len() - 1;
        let mut found: Vec<usize> = Vec::new();
        let mut order = Order::Path;
        for (i, group) in selector.groups.iter().enumerate() {
            let late = if i == last { &selector.late_filters[..] } else { &[] };
            let (nodes, asked) = reader.group(group, late);
            found.extend(nodes);
            order = if last == 0 { asked } else { Order::Path };
        }
        found.sort_unstable();
        found.dedup();
        arrange(tree, &mut found, window.order.unwrap_or(order));
        found
    }
}

/// What makes a selector invalid although it was read: a derived facet without a time (R5.5), a
/// mode without one (R14.7), and a pattern that is no regular expression.
fn faults(selector: &Selector, timeless: bool) -> Wrong {
    struct Search(bool, Wrong);
    impl Visit for Search {
        fn control(&mut self, control: &Control) {
            if self.0 && matches!(control.kind, ControlKind::Mode(_)) {
                self.1.push("E_SELECTOR_INVALID");
            }
        }

        fn attrs(&mut self, filter: &AttrFilter) {
            for test in &filter.tests {
                let derived = ["age", "born_turn", "depth", "sdepth"];
                let bad = match &test.kind {
                    TestKind::Compare(Op::Match | Op::NotMatch, value) => {
                        pattern(text_of(&value.kind)).is_none()
                    }
                    _ => false,
                };
                if bad || (self.0 && derived.contains(&test.name.text.as_str())) {
                    self.1.push("E_SELECTOR_INVALID");
                }
            }
        }
    }
    let mut search = Search(timeless, Vec::new());
    visit_selector(selector, &mut search);
    search.1
}

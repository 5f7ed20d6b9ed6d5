//! The bounds on what one selector may ask for, beyond its length and nesting.
//!
//! Counts parts of a finished tree; the first bound that is passed is the error, at the part that
//! passes it.

use crate::language::ast::{
    At, AttrFilter, DepthExpr, DepthItem, Hop, Id, Position, Selector, Step, Tag, TestKind,
    TypeName,
};
use crate::language::ast::{Visit, visit_position, visit_selector};
use crate::language::syntax_error::SyntaxError;
use crate::limits::{MAX_DEPTH_NUMBERS, MAX_LIST_VALUES, MAX_STEPS, MAX_TESTS};

/// Refuses a selector that asks for more than the bounds allow.
pub(crate) fn check(selector: &Selector) -> Result<(), SyntaxError> {
    let mut counts = Counts::default();
    visit_selector(selector, &mut counts);
    counts.error.map_or(Ok(()), Err)
}

/// The same for a position that is a place.
pub(crate) fn check_position(position: &Position) -> Result<(), SyntaxError> {
    let mut counts = Counts::default();
    visit_position(position, &mut counts);
    counts.error.map_or(Ok(()), Err)
}

#[derive(Default)]
struct Counts {
    steps: usize,
    tests: usize,
    depths: usize,
    values: usize,
    error: Option<SyntaxError>,
}

impl Counts {
    fn add(&mut self, at: At, more: usize, what: What) {
        let (count, limit, name) = match what {
            What::Steps => (&mut self.steps, MAX_STEPS, "steps"),
            What::Tests => (&mut self.tests, MAX_TESTS, "tests"),
            What::Depths => (&mut self.depths, MAX_DEPTH_NUMBERS, "depths"),
            What::Values => (&mut self.values, MAX_LIST_VALUES, "values in lists"),
        };
        *count += more;
        if *count > limit && self.error.is_none() {
            let message = format!("a selector has at most {limit} {name}");
            self.error = Some(SyntaxError::invalid(at.0, message));
        }
    }
}

enum What {
    Steps,
    Tests,
    Depths,
    Values,
}

impl Visit for Counts {
    fn step(&mut self, step: &Step) {
        self.add(step.at(), 1, What::Steps);
    }

    fn hop(&mut self, hop: &Hop) {
        self.add(hop.at, 1, What::Steps);
    }

    fn id(&mut self, id: &Id) {
        self.add(id.at, 1, What::Tests);
    }

    fn type_name(&mut self, name: &TypeName) {
        self.add(name.at, 1, What::Tests);
    }

    fn tag(&mut self, tag: &Tag) {
        self.add(tag.at, 1, What::Tests);
    }

    fn pseudo(&mut self, at: At, _: &crate::language::ast::Pseudo) {
        self.add(at, 1, What::Tests);
    }

    fn attrs(&mut self, filter: &AttrFilter) {
        for test in &filter.tests {
            self.add(test.at, 1, What::Tests);
            if let TestKind::In(values) | TestKind::NotIn(values) = &test.kind {
                self.add(test.at, values.len(), What::Values);
            }
        }
    }

    fn depth(&mut self, depth: &DepthExpr) {
        for item in &depth.items {
            let count = match item {
                DepthItem::Set(items) => items.len(),
                _ => 1,
            };
            self.add(depth.at, count, What::Depths);
        }
    }
}

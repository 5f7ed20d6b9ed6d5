//! The attributes that exist only in snapshots (R5.5), found in a selector.
//!
//! Whether they are allowed depends on where the selector is used: a lens may supply the time that
//! the text leaves out. So the tree is only searched here, and the caller decides.

use super::ast::{AttrFilter, Position, Selector};
use super::ast::{Visit, visit_position, visit_selector};
use super::syntax_error::SyntaxError;
use super::words::DERIVED_FACETS;

/// The error for the first derived facet that the selector names; none if it names none.
pub fn derived_facet(selector: &Selector) -> Option<SyntaxError> {
    let mut search = Search(None);
    visit_selector(selector, &mut search);
    search.0
}

/// The same for a position that is a place.
pub(crate) fn derived_facet_of_position(position: &Position) -> Option<SyntaxError> {
    let mut search = Search(None);
    visit_position(position, &mut search);
    search.0
}

struct Search(Option<SyntaxError>);

impl Visit for Search {
    fn attrs(&mut self, filter: &AttrFilter) {
        let derived =
            filter.tests.iter().find(|test| DERIVED_FACETS.contains(&test.name.text.as_str()));
        if let (Some(test), None) = (derived, &self.0) {
            let message = format!("`{}` exists only in snapshots", test.name.text);
            self.0 = Some(
                SyntaxError::invalid(test.name.at.0, message)
                    .with_hint("put a time in front, such as `@t0` or `@c42`"),
            );
        }
    }
}

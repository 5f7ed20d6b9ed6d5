//! Controls and options merged (R13): the smaller limit, otherwise the option.

use crate::language::ast::{Control, ControlKind, Mode, Order};
use crate::query::options::SelectOptions;
use crate::query::plan::Window;

pub(super) fn window(controls: &[Control], options: &SelectOptions) -> Window {
    let mut window = Window { skip: 0, limit: options.limit };
    for control in controls {
        match control.kind {
            ControlKind::Limit(n) => window.limit = smaller(window.limit, n),
            ControlKind::First => window.limit = smaller(window.limit, 1),
            ControlKind::Skip(n) => window.skip = n,
            _ => {}
        }
    }
    window.skip = options.skip.unwrap_or(window.skip);
    window
}

fn smaller(limit: Option<u64>, n: u64) -> Option<u64> {
    Some(limit.map_or(n, |limit| limit.min(n)))
}

pub(super) fn order(controls: &[Control]) -> Option<Order> {
    controls.iter().find_map(|control| match control.kind {
        ControlKind::Order(order) => Some(order),
        _ => None,
    })
}

pub(super) fn mode(controls: &[Control], options: &SelectOptions) -> Option<Mode> {
    options.mode.or_else(|| {
        controls.iter().find_map(|control| match control.kind {
            ControlKind::Mode(mode) => Some(mode),
            _ => None,
        })
    })
}

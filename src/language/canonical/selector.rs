//! Selectors, the targets and places of edits, and times back to text, in their canonical spelling.
//!
//! Invariant: reading the text in the same dialect gives the same tree.

use super::chain::{write_chain, write_filter, write_insertion};
use super::pieces;
use super::text::{Canonical, separated};
use crate::language::ast::{
    Control, ControlKind, Mode, Order, Place, PlaceKind, RangeEnd, Selector, Target, Time, TimeKind,
};
use crate::language::clock;
use crate::language::dialect::Dialect;

impl Canonical for Selector {
    fn write(&self, out: &mut String, dialect: Dialect) {
        if let Some(time) = &self.time {
            time.write(out, dialect);
            out.push(' ');
        }
        separated(out, ", ", &self.groups, |out, group| {
            separated(out, " ?? ", &group.chains, |out, chain| write_chain(out, chain, dialect));
        });
        for control in &self.controls {
            out.push(' ');
            write_control(out, control);
        }
        for filter in &self.late_filters {
            out.push(' ');
            write_filter(out, filter);
        }
    }
}

impl Canonical for Target {
    fn write(&self, out: &mut String, dialect: Dialect) {
        self.selector.write(out, dialect);
        if self.optional {
            out.push('?');
        }
    }
}

impl Canonical for Place {
    fn write(&self, out: &mut String, dialect: Dialect) {
        match &self.kind {
            PlaceKind::Under(selector) => selector.write(out, dialect),
            PlaceKind::Insert(_, position, insertion) => {
                write_insertion(out, position, *insertion, dialect);
            }
        }
        if self.optional {
            out.push('?');
        }
    }
}

impl Canonical for Time {
    fn write(&self, out: &mut String, _: Dialect) {
        if let Some(text) = &self.beyond {
            out.push_str(text);
            return;
        }
        let end = |end: &RangeEnd| match end {
            RangeEnd::Relative(n) => relative(*n),
            RangeEnd::Oldest => "@t-*".to_owned(),
        };
        let text = match &self.kind {
            TimeKind::Relative(n) => relative(*n),
            TimeKind::Cycle(n) => format!("@c{n}"),
            TimeKind::Event(n) => format!("@e{n}"),
            TimeKind::Clock(ns) => clock::text(*ns),
            TimeKind::All => "@*".to_owned(),
            TimeKind::RelativeRange(from, to) => format!("{}..{}", end(from), end(to)),
            TimeKind::CycleRange(from, to) => format!("@c{from}..@c{to}"),
            TimeKind::ClockRange(from, to) => {
                format!("{}..{}", clock::text(*from), clock::text(*to))
            }
        };
        out.push_str(&text);
    }
}

fn relative(n: i64) -> String {
    if n > 0 { format!("@t+{n}") } else { format!("@t{n}") }
}

fn write_control(out: &mut String, control: &Control) {
    let text = match &control.kind {
        ControlKind::Limit(n) => format!("@limit={n}"),
        ControlKind::Skip(n) => format!("@skip={n}"),
        ControlKind::First => "@first".to_owned(),
        ControlKind::Unique => "@unique".to_owned(),
        ControlKind::Order(order) => format!("@order={}", word(&Order::WORDS, *order)),
        ControlKind::Mode(mode) => format!("@mode={}", word(&Mode::WORDS, *mode)),
        ControlKind::Unknown(name, None) => format!("@{name}"),
        ControlKind::Unknown(name, Some(value)) => {
            let mut text = format!("@{name}=");
            pieces::write_value(&mut text, value);
            text
        }
    };
    out.push_str(&text);
}

fn word<T: PartialEq>(words: &[(&'static str, T)], meant: T) -> &'static str {
    words.iter().find(|(_, choice)| *choice == meant).map_or("", |(word, _)| word)
}

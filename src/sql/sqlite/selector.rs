//! Selectors in arguments of tables: from a text to a plan, and conditions of SQL put into it.

use super::node_columns::number_of;
use super::table::{Ask, Op, Value};
use crate::db::View;
use crate::error::{Error, Result};
use crate::language::ast;
use crate::model::NumberField;
use crate::query::plan::{
    Attr, Check, Number, NumberAttr, Plan, Test, Value as Compared, ValueText, When,
};
use crate::query::{SelectOptions, resolve};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The plan of a selector, in the store's own dialect. An error points into the selector.
pub(super) fn plan_of(view: &View, text: &str) -> Result<Plan> {
    let dialect = view.db().dialect();
    // The columns have ages and depths in the working state, and so have tests.
    let options = SelectOptions { typed: true, ..SelectOptions::default() };
    let plan =
        view.db().selector(text, dialect).and_then(|selector| resolve(&selector, view, &options));
    plan.map_err(|error| Error::from(error).in_text(text))
}

/// The plan without nodes that conditions exclude, as far as it can tell.
pub(super) fn narrowed(mut plan: Plan, ask: &Ask) -> Plan {
    // Where the first of several chains counts that finds anything, or where results are counted,
    // a node that is left out would make room for another.
    let alone = plan.ask.groups.iter().all(|group| group.chains.len() == 1);
    if !alone || !plan.ask.window.is_open() {
        return plan;
    }
    let mut tests = Vec::new();
    if let Some(id) = ask.text(number_of("id")) {
        tests.push(Test::Ids(BTreeSet::from([id.into()])));
    }
    let cycle = number_of("cycle");
    for condition in ask.conditions.iter().filter(|condition| condition.column == cycle) {
        // An import may give a node another cycle: of every snapshot the newest version counts.
        if let (Value::Int(number), When::One(_)) = (&condition.value, &plan.when) {
            let number = *number;
            tests.push(compared(NumberAttr::Header(NumberField::Cycle), condition.op, number));
        }
    }
    let groups = Arc::make_mut(&mut plan.ask.groups);
    for chain in groups.iter_mut().flat_map(|group| &mut group.chains) {
        Arc::make_mut(chain).filter.tests.extend(tests.iter().cloned());
    }
    // SQLite looks at conditions again, so with some of them more rows may be wanted.
    if ask.conditions.is_empty() {
        plan.ask.window.limit = ask.enough;
    }
    plan
}

fn compared(attr: NumberAttr, op: Op, number: i64) -> Test {
    let op = match op {
        Op::Equal => ast::Op::Eq,
        Op::Less => ast::Op::Lt,
        Op::LessEqual => ast::Op::Le,
        Op::Greater => ast::Op::Gt,
        Op::GreaterEqual => ast::Op::Ge,
    };
    let text = number.to_string();
    let value = ValueText { number: Number::parse(&text), text: text.into(), bare_number: true };
    Test::Attr(Attr::Number(attr), Check::Compare(op, Compared::Given(value)))
}

//! Faults that no store has: tables that panic or fail in any of their callbacks, and rows without end.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::node_columns::{FROM_INDEX, Found, NODE_COLUMNS, NodeReader, number_of};
use super::plan::Plan;
use super::run::{over, prepare, with_connection};
use super::source::Source;
use super::table::{Ask, Column, Kind, Rows, Shape, Table, Value};
use crate::code::Code;
use crate::db::{Add, Commit, Db};
use crate::error::{Error, Result};
use crate::model::Generation;
use crate::query::NodePage;
use crate::query::plan::State;
use std::sync::{Arc, LazyLock};

static FAULTY: LazyLock<Shape> = LazyLock::new(|| Shape {
    name: "faulty",
    args: &["when"],
    columns: vec![Column::new("x", Kind::Any, ""), Column::new("y", Kind::Any, "")],
    about: "",
});

/// A text of which a few hundred are more than a statement may have.
static LONG: LazyLock<String> = LazyLock::new(|| "x".repeat(1 << 24));

/// Goes wrong where its argument says.
struct Faulty;

struct FaultyRows(String, u32);

impl Table for Faulty {
    fn shape(&self) -> &'static Shape {
        &FAULTY
    }

    fn rows(&self, ask: Ask) -> Result<Box<dyn Rows>> {
        go_wrong(&ask.args[0], "rows")?;
        Ok(Box::new(FaultyRows(ask.args[0].clone(), 0)))
    }
}

impl Rows for FaultyRows {
    fn next(&mut self) -> Result<bool> {
        self.1 += 1;
        if self.1 > 2 {
            go_wrong(&self.0, "next")?;
        }
        Ok(self.0 == "endless" || self.1 < 5)
    }

    fn column(&mut self, column: usize) -> Result<Value<'_>> {
        if column == 1 {
            go_wrong(&self.0, "column")?;
        }
        match self.0 == "endless" {
            true => Ok(Value::text(&LONG)),
            false => Ok(Value::int(self.1)),
        }
    }
}

impl Drop for FaultyRows {
    fn drop(&mut self) {
        let _ = go_wrong(&self.0, "drop");
    }
}

fn go_wrong(when: &str, at: &str) -> Result<()> {
    assert_ne!(when, format!("panic in {at}"), "on purpose");
    match when == format!("error in {at}") {
        true => Err(Error::new(Code::Conflict, "on purpose")),
        false => Ok(()),
    }
}

fn ask(sql: &str) -> Result<Vec<String>> {
    over(vec![Arc::new(Faulty)], sql, |connection, meter| {
        let mut statement = prepare(connection, meter, sql)?;
        let mut rows = statement.raw_query();
        let mut found = Vec::new();
        while let Some(row) =
            rows.next().map_err(|error| super::faults::fault(error, sql, meter))?
        {
            found.push(format!("{:?}", row.get_ref(0).unwrap()));
        }
        Ok(found)
    })
}

#[test]
fn what_goes_wrong_in_a_table_is_an_error_of_the_statement() {
    assert_eq!(ask("select x from faulty('')").unwrap().len(), 4);
    for at in ["rows", "next", "column"] {
        for sort in ["panic", "error"] {
            let sql = format!("select x, y from faulty('{sort} in {at}') order by y");
            let error = ask(&sql).unwrap_err();
            let code = if sort == "panic" { Code::StoreIo } else { Code::Conflict };
            assert_eq!(error.code, code, "{sql}: {error}");
        }
    }
    // Whoever lets go of rows is told nothing: the statement has its answer already.
    let _ = ask("select x from faulty('panic in drop') limit 1");
    // A column that is not named is not made.
    assert_eq!(ask("select x from faulty('panic in column')").unwrap().len(), 4);
}

#[test]
fn what_a_statement_is_handed_is_bounded() {
    let error = ask("select sum(length(x)) from faulty('endless')").unwrap_err();
    assert_eq!(error.code, Code::Limit, "{error}");
}

#[test]
fn a_content_that_is_not_named_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1).unwrap();
    db.add(Add::user("a content").id("x")).unwrap();
    db.commit(Commit::new()).unwrap();
    let held = db.view();
    let view = held.shared();
    let plan = super::selector::plan_of(&view, "@t0 .cb").unwrap();
    let mut page = NodePage::new();
    Source::new(view.clone(), &plan, true).fill(9, &mut page).unwrap();
    let found = Found { hit: &page.nodes[0], cycle: 1, now: 1, state: State::Cycle(1) };
    let mut reader = NodeReader::new(view);
    reader.begin();
    let needs = ["content", "chars", "lines", "tokens", "json"];
    for (column, shows) in NODE_COLUMNS.iter().filter(|(column, _)| !needs.contains(&column.name)) {
        reader.column(found, *shows).unwrap();
        assert!(!reader.has_read(), "{} reads the content", column.name);
    }
    for name in needs {
        reader.begin();
        reader.column(found, NODE_COLUMNS[number_of(name)].1).unwrap();
        assert!(reader.has_read(), "{name} does not read the content");
    }
}

#[test]
fn what_the_turn_index_has_is_asked_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1).unwrap();
    let used = |columns: &str| {
        let sql = format!("EXPLAIN QUERY PLAN SELECT {columns} FROM pact('@t0 .cb')");
        with_connection(&db, &sql, |connection, _| {
            let step: String = connection.query_row(&sql, [], |row| row.get(3)).unwrap();
            Ok(Plan::read(step.split_once(':').unwrap().1).used)
        })
        .unwrap()
    };
    assert_eq!(used("count(*)"), 0);
    for columns in ["role, sum(bytes)", "id, turn, parent, path, depth", "content, json, at"] {
        assert_eq!(used(columns) & !*FROM_INDEX, 0, "{columns}");
    }
    for columns in ["role, age", "tokens", "time", "attrs", "ttl", "*"] {
        assert_ne!(used(columns) & !*FROM_INDEX, 0, "{columns}");
    }
}

//! How SQLite will go about a statement, and which of its conditions reach the engine.

use super::faults::fault;
use super::plan::Plan;
use super::run::{in_sql, prepare, with_connection};
use super::tables::shapes;
use crate::db::Db;
use crate::error::Result;
use crate::json::Json;
use crate::sql::answer::{SqlColumn, SqlReply};
use std::collections::HashMap;

/// The steps of a statement, in order, each a row; what is done inside another is indented. Before them
/// stands the statement, if stages were asked for.
pub fn explain(db: &Db, q: &str) -> Result<SqlReply> {
    in_sql(db, q, |sql| {
        let mut reply = steps(db, sql)?;
        if sql != q {
            reply.rows.insert(0, vec![Json::from(sql)]);
        }
        Ok(reply)
    })
}

fn steps(db: &Db, sql: &str) -> Result<SqlReply> {
    with_connection(db, sql, |connection, meter| {
        prepare(connection, meter, sql)?;
        let text = format!("EXPLAIN QUERY PLAN {sql}");
        let failed = |error| fault(error, sql, meter);
        let mut statement = connection.prepare(&text).map_err(failed)?;
        let mut rows = statement.raw_query();
        let (mut lines, mut depths) = (Vec::new(), HashMap::new());
        while let Some(row) = rows.next().map_err(failed)? {
            let (id, parent): (i64, i64) =
                (row.get(0).map_err(failed)?, row.get(1).map_err(failed)?);
            let step: String = row.get(3).map_err(failed)?;
            let depth = depths.get(&parent).map_or(0, |depth: &usize| depth + 1);
            depths.insert(id, depth);
            let line = format!("{}{}", "  ".repeat(depth), in_words(&step));
            lines.push(vec![Json::from(line.as_str())]);
        }
        let columns = vec![SqlColumn { name: "step".to_owned(), kind: None }];
        Ok(SqlReply { columns, rows: lines, truncated: false })
    })
}

/// A step of SQLite's plan; of a table of ours with what reaches the engine.
fn in_words(step: &str) -> String {
    let Some((before, plan)) = step.split_once(" VIRTUAL TABLE INDEX ") else {
        return step.to_owned();
    };
    let plan = Plan::read(plan.split_once(':').map_or("", |(_, plan)| plan));
    let Some(shape) = shapes().into_iter().find(|shape| shape.name == plan.table) else {
        return before.to_owned();
    };
    let used = match plan.words(shape) {
        words if words.is_empty() => "nothing but the arguments".to_owned(),
        words => words.join(", "),
    };
    format!("{before}: {} gets {used}", shape.call())
}

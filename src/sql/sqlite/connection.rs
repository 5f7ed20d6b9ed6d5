//! A connection of SQLite for one statement: in memory, over our tables, and for reading alone.

use super::meter::Meter;
use super::regexp;
use super::table::Table;
use super::vtab;
use crate::budget;
use crate::limits::{MAX_PATTERN_BYTES, MAX_SQL_DEPTH, MAX_SQL_TEXT_BYTES, MAX_SQL_VALUE_BYTES};
use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags, Result};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// Steps of SQLite between two looks at the deadline.
const STEPS: i32 = 4096;

/// The tables of SQLite's own that may be read.
const OWN_TABLES: [&str; 2] = ["json_each", "json_tree"];

/// A connection over some tables.
pub(super) fn open(tables: Vec<Arc<dyn Table>>, meter: &Arc<Meter>) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_MEMORY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_in_memory_with_flags(flags)?;
    connection.execute_batch("PRAGMA temp_store = memory")?;
    // A word in double quotes is a name, and not a text if there is no such name.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    bound(&connection)?;
    let functions = plain_functions(&connection)?;
    regexp::register(&connection)?;
    let names: BTreeSet<String> = tables.iter().map(|table| table.shape().name.into()).collect();
    for table in tables {
        vtab::register(&connection, table, meter)?;
    }
    let told = meter.clone();
    connection.progress_handler(STEPS, Some(|| budget::check().is_err()))?;
    connection.authorizer(Some(move |asked: AuthContext<'_>| {
        match refusal(&asked.action, &names, functions) {
            None => Authorization::Allow,
            Some(what) => {
                told.deny(what);
                Authorization::Deny
            }
        }
    }))?;
    Ok(connection)
}

fn bound(connection: &Connection) -> Result<()> {
    let limit = |limit: Limit, most: usize| {
        connection.set_limit(limit, i32::try_from(most).unwrap_or(i32::MAX)).map(drop)
    };
    limit(Limit::SQLITE_LIMIT_LENGTH, MAX_SQL_VALUE_BYTES)?;
    limit(Limit::SQLITE_LIMIT_SQL_LENGTH, MAX_SQL_TEXT_BYTES)?;
    limit(Limit::SQLITE_LIMIT_EXPR_DEPTH, MAX_SQL_DEPTH)?;
    limit(Limit::SQLITE_LIMIT_COMPOUND_SELECT, MAX_SQL_DEPTH)?;
    limit(Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, MAX_PATTERN_BYTES / 64)?;
    limit(Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 1000)?;
    limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    limit(Limit::SQLITE_LIMIT_WORKER_THREADS, 0)
}

/// The functions that only compute: those that are built into SQLite itself, and that it counts as
/// innocuous. What loads code, writes a log or comes with an extension is not among them.
fn plain_functions(connection: &Connection) -> Result<&'static BTreeSet<String>> {
    static KNOWN: OnceLock<BTreeSet<String>> = OnceLock::new();
    if let Some(known) = KNOWN.get() {
        return Ok(known);
    }
    let (harmless, direct) =
        (FunctionFlags::SQLITE_INNOCUOUS.bits(), FunctionFlags::SQLITE_DIRECTONLY.bits());
    let mut statement = connection.prepare(
        "SELECT lower(name) FROM pragma_function_list WHERE builtin AND flags & ?1 = ?2",
    )?;
    let names = statement.query_map([harmless | direct, harmless], |row| row.get(0))?;
    let names: BTreeSet<String> = names.collect::<Result<_>>()?;
    Ok(KNOWN.get_or_init(|| names))
}

/// What is refused about an action, in words; none if it only reads our tables.
fn refusal(
    action: &AuthAction<'_>,
    tables: &BTreeSet<String>,
    functions: &BTreeSet<String>,
) -> Option<String> {
    match action {
        AuthAction::Select | AuthAction::Recursive => None,
        AuthAction::Read { table_name, .. } => {
            let known = tables.contains(*table_name) || OWN_TABLES.contains(table_name);
            (!known).then(|| format!("the table {table_name} cannot be read"))
        }
        AuthAction::Function { function_name } => {
            let name = function_name.to_ascii_lowercase();
            let known = functions.contains(&name) || name == regexp::NAME;
            (!known).then(|| format!("the function {name} cannot be called"))
        }
        AuthAction::Pragma { pragma_name, .. } => Some(format!("PRAGMA {pragma_name} is refused")),
        AuthAction::Attach { .. } | AuthAction::Detach { .. } => {
            Some("no other database can be attached".to_owned())
        }
        AuthAction::Transaction { .. } | AuthAction::Savepoint { .. } => {
            Some("there are no transactions: each question reads one moment".to_owned())
        }
        _ => Some("nothing can be made, changed or removed".to_owned()),
    }
}

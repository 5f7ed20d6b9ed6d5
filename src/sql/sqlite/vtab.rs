//! Our tables behind SQLite's interface of virtual tables.
//!
//! The only file that may be `unsafe`, and this is why: SQLite gives back pointers to the structures
//! that it was handed, and rusqlite casts them to the type that owns them. That is right only if the
//! base structure comes first in memory, which no compiler checks: the two implementations promise
//! it, `#[repr(C)]` and the first field keep it. One type serves all tables, so there is no third.
//!
//! Every callback catches panics: one that crossed into SQLite would end the program. It becomes an
//! error, and the rows that it came from are not used again.
#![allow(unsafe_code, reason = "see above")]

use super::meter::Meter;
use super::plan::{Plan, Taken};
use super::table::{Ask, Condition, Op, Rows, Table, Value};
use crate::budget;
use crate::code::Code;
use crate::error::{Error, Result};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::vtab::{
    Context, Filters, IndexConstraintOp, IndexInfo, Module, VTab, VTabConnection, VTabCursor,
    sqlite3_vtab, sqlite3_vtab_cursor,
};
use rusqlite::{Connection, Error as SqliteError, Result as SqliteResult};
use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Rows between two looks at the deadline.
const CHECK_EVERY: i64 = 64;

/// Makes a table known to a connection.
pub(super) fn register(
    connection: &Connection,
    table: Arc<dyn Table>,
    meter: &Arc<Meter>,
) -> SqliteResult<()> {
    const MODULE: Module<'static, Virtual> = Module::eponymous_only_module();
    let name = table.shape().name;
    connection.create_module(name, &MODULE, Some(Registered { table, meter: meter.clone() }))
}

/// A table and the statement that reads it.
#[derive(Clone)]
pub(super) struct Registered {
    table: Arc<dyn Table>,
    meter: Arc<Meter>,
}

impl Registered {
    /// Runs a callback. What goes wrong, a panic too, is kept for the end of the statement.
    #[inline]
    fn guarded<T>(&self, work: impl FnOnce() -> Result<T>) -> SqliteResult<T> {
        let error = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(error)) => error,
            Err(_) => {
                let message = format!("the table {} panicked", self.table.shape().name);
                Error::new(Code::StoreIo, message)
            }
        };
        let message = error.message.clone();
        self.meter.fail(error);
        Err(SqliteError::ModuleError(message))
    }
}

#[repr(C)]
struct Virtual {
    /// Must be first.
    base: sqlite3_vtab,
    registered: Registered,
}

// SAFETY: `Virtual` is `repr(C)`, and its first field is a `sqlite3_vtab`.
unsafe impl<'vtab> VTab<'vtab> for Virtual {
    type Aux = Registered;
    type Cursor = Cursor;

    fn connect(
        _: &mut VTabConnection,
        aux: Option<&Registered>,
        _: &[u8],
        _: &[u8],
        _: &[u8],
        _: &[&[u8]],
    ) -> SqliteResult<(Cow<'static, CStr>, Virtual)> {
        let nothing = || SqliteError::ModuleError("the table is not registered".to_owned());
        let registered = aux.ok_or_else(nothing)?.clone();
        let declaration = CString::new(registered.table.shape().declaration())?;
        Ok((Cow::Owned(declaration), Virtual { base: sqlite3_vtab::default(), registered }))
    }

    fn best_index(&self, info: &mut IndexInfo) -> SqliteResult<bool> {
        self.registered.guarded(|| Ok(best(&*self.registered.table, info)))
    }

    fn open(&mut self) -> SqliteResult<Cursor> {
        Ok(Cursor {
            base: sqlite3_vtab_cursor::default(),
            shown: self.registered.table.shape().columns.len(),
            registered: self.registered.clone(),
            rows: RefCell::new(None),
            args: Vec::new(),
            row: 0,
            over: true,
        })
    }
}

/// Chooses what the table takes; false if it has to be reached in another way.
fn best(table: &dyn Table, info: &mut IndexInfo) -> bool {
    let shape = table.shape();
    let mut taken = Vec::new();
    // What is sorted afterwards is wanted whole.
    let in_order = info.num_of_order_by() == 0;
    for (i, constraint) in info.constraints().enumerate() {
        let column = usize::try_from(constraint.column()).ok();
        let arg = column.and_then(|column| column.checked_sub(shape.columns.len()));
        let op = match constraint.operator() {
            IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ => Op::Equal,
            IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_LT => Op::Less,
            IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_LE => Op::LessEqual,
            IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_GT => Op::Greater,
            IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_GE => Op::GreaterEqual,
            IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_LIMIT
            | IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_OFFSET
                if constraint.is_usable() && in_order =>
            {
                let is_limit =
                    constraint.operator() == IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_LIMIT;
                taken.push((i, if is_limit { Taken::Limit } else { Taken::Offset }));
                continue;
            }
            _ => continue,
        };
        match (arg, column) {
            (Some(_), _) if op == Op::Equal && !constraint.is_usable() => return false,
            (Some(arg), _) if op == Op::Equal => taken.push((i, Taken::Arg(arg))),
            (None, Some(column)) if constraint.is_usable() => {
                // A condition under another order of texts is not the engine's.
                let plain = info.collation(i).is_ok_and(|name| name == "BINARY");
                if plain && shape.columns[column].takes.accepts(op) {
                    taken.push((i, Taken::Condition(column, op)));
                }
            }
            _ => {}
        }
    }
    let used = shape.shown(info.col_used());
    let table = shape.name.to_owned();
    let plan = Plan { table, used, taken: taken.iter().map(|(_, taken)| *taken).collect() };
    for (n, (i, taken)) in (1..).zip(&taken) {
        let mut usage = info.constraint_usage(*i);
        usage.set_argv_index(n);
        usage.set_omit(matches!(taken, Taken::Arg(_)));
    }
    let rows = plan.estimate();
    info.set_estimated_rows(rows as i64);
    info.set_estimated_cost(rows * 10.0);
    info.set_idx_str(&plan.to_string());
    true
}

#[repr(C)]
struct Cursor {
    /// Must be first.
    base: sqlite3_vtab_cursor,
    registered: Registered,
    /// How many columns there are before the arguments.
    shown: usize,
    rows: RefCell<Option<Box<dyn Rows>>>,
    args: Vec<String>,
    row: i64,
    over: bool,
}

impl Cursor {
    fn advance(&mut self) -> SqliteResult<()> {
        let Cursor { registered, rows, row, .. } = self;
        *row += 1;
        let went = registered.guarded(|| {
            if *row % CHECK_EVERY == 0 {
                budget::check()?;
            }
            rows.get_mut().as_mut().map_or(Ok(false), |rows| rows.next())
        });
        self.over = !matches!(went, Ok(true));
        if self.over {
            self.put_away();
        }
        went.map(drop)
    }

    /// Lets go of the rows; a panic in that is caught too.
    fn put_away(&mut self) {
        let rows = self.rows.get_mut().take();
        let _ = self.registered.guarded(move || {
            drop(rows);
            Ok(())
        });
    }
}

impl Drop for Cursor {
    fn drop(&mut self) {
        self.put_away();
    }
}

// SAFETY: `Cursor` is `repr(C)`, and its first field is a `sqlite3_vtab_cursor`.
unsafe impl VTabCursor for Cursor {
    fn filter(&mut self, _: c_int, plan: Option<&str>, values: &Filters<'_>) -> SqliteResult<()> {
        self.put_away();
        (self.row, self.over) = (0, true);
        let registered = self.registered.clone();
        let (ask, rows) = registered.guarded(|| {
            budget::check()?;
            let ask = asked(&*registered.table, plan.unwrap_or_default(), values)?;
            let rows = registered.table.rows(ask.clone())?;
            Ok((ask, rows))
        })?;
        self.args = ask.args;
        *self.rows.get_mut() = Some(rows);
        self.advance()
    }

    fn next(&mut self) -> SqliteResult<()> {
        self.advance()
    }

    fn eof(&self) -> bool {
        self.over
    }

    fn column(&self, context: &mut Context, column: c_int) -> SqliteResult<()> {
        let column = usize::try_from(column).unwrap_or(usize::MAX);
        if let Some(arg) = column.checked_sub(self.shown) {
            return context.set_result(self.args.get(arg).map(String::as_str));
        }
        let mut set = Ok(());
        self.registered.guarded(|| {
            let mut rows = self.rows.borrow_mut();
            let Some(rows) = rows.as_mut() else { return Ok(()) };
            let value = rows.column(column)?;
            let bytes = if let Value::Text(text) = &value { text.len() } else { 0 };
            self.registered.meter.count(bytes)?;
            set = context.set_result(to_sqlite(&value));
            Ok(())
        })?;
        set
    }

    fn rowid(&self) -> SqliteResult<i64> {
        Ok(self.row)
    }
}

fn to_sqlite<'v>(value: &'v Value<'_>) -> ToSqlOutput<'v> {
    ToSqlOutput::Borrowed(match value {
        Value::Null => ValueRef::Null,
        Value::Int(number) => ValueRef::Integer(*number),
        Value::Real(number) => ValueRef::Real(*number),
        Value::Text(text) => ValueRef::Text(text.as_bytes()),
    })
}

/// What is asked, from the plan and its values.
fn asked(table: &dyn Table, plan: &str, values: &Filters<'_>) -> Result<Ask> {
    let shape = table.shape();
    let mut args = vec![None; shape.args.len()];
    let (mut conditions, mut limit, mut offset) = (Vec::new(), None, 0);
    let Plan { used, taken, .. } = Plan::read(plan);
    for (taken, value) in taken.into_iter().zip(values.iter()) {
        let value = from_sqlite(value);
        match (taken, value) {
            (Taken::Arg(arg), Value::Text(text)) => args[arg] = Some(text.into_owned()),
            (Taken::Arg(_), _) => {}
            (Taken::Condition(column, op), value) => {
                conditions.push(Condition { column, op, value });
            }
            (Taken::Limit, Value::Int(number)) => limit = u64::try_from(number).ok(),
            (Taken::Offset, Value::Int(number)) => offset = u64::try_from(number).unwrap_or(0),
            (Taken::Limit | Taken::Offset, _) => {}
        }
    }
    let given: Option<Vec<String>> = args.into_iter().collect();
    let Some(args) = given else {
        let message = format!("{} needs texts as its arguments", shape.call());
        return Err(Error::new(Code::SqlInvalid, message));
    };
    let enough = limit.map(|limit| limit.saturating_add(offset));
    Ok(Ask { args, used, conditions, enough })
}

fn from_sqlite(value: ValueRef<'_>) -> Value<'static> {
    match value {
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => Value::owned(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Null | ValueRef::Blob(_) => Value::Null,
    }
}

//! What could be typed at a point of a line: the words of the language, of requests and of the store.

use super::replies::Completed;
use super::requests::Complete;
use super::states::state_at;
use super::vocabulary::{statement_fields, words_of};
use crate::db::{Address, Db};
use crate::error::{Error, Result};
use crate::language::complete::{CompletionContext, Vocabulary, Words, complete as completed};
use crate::language::words::Keyword;
use crate::sql::{self, Wanted};
use std::cell::OnceCell;
use std::rc::Rc;

/// The candidates at the cursor.
pub(super) fn complete(db: &Db, request: &Complete) -> Result<Completed> {
    let end = request.text.len();
    let cursor = request.cursor.map_or(Some(end), |cursor| usize::try_from(cursor).ok());
    let Some(cursor) = cursor.filter(|cursor| request.text.is_char_boundary(*cursor)) else {
        let cursor = request.cursor.unwrap_or_default();
        let message = format!("'cursor' is a byte of the text between characters, {cursor} is not");
        return Err(Error::request(message));
    };
    let state =
        request.at.as_deref().map(|at| state_at(db, Some(at), request.dialect)).transpose()?;
    let words =
        StoreWords { db, at: state.and_then(|state| state.address()), seen: OnceCell::new() };
    let dialect = request.dialect.unwrap_or(db.dialect());
    let context = CompletionContext { vocabulary: &words, dialect, store_dialect: db.dialect() };
    let mut from = 0;
    let typed = &request.text[..cursor];
    let asked = match sql::is_sql(&request.text) {
        true => Some(sql::wanted(typed, &request.text)),
        false => sql::first_stage(typed).map(|_| sql::wanted_in_stage(typed)),
    };
    if let Some(wanted) = asked {
        match wanted {
            Wanted::Selector(at) => from = at,
            Wanted::Words(start, candidates) => {
                return Ok(Completed { span: (start as u64, cursor as u64), candidates });
            }
        }
    }
    let found = completed(&request.text[from..], cursor - from, &context);
    let (start, end) = ((from + found.span.start) as u64, (from + found.span.end) as u64);
    Ok(Completed { span: (start, end), candidates: found.candidates })
}

/// The words of a store, which are looked up when the first is wanted.
struct StoreWords<'a> {
    db: &'a Db,
    at: Option<Address>,
    seen: OnceCell<Rc<Words>>,
}

impl Vocabulary for StoreWords<'_> {
    fn words(&self) -> Rc<Words> {
        self.seen.get_or_init(|| Rc::new(words_of(self.db, self.at))).clone()
    }

    fn fields(&self, statement: Keyword) -> Option<Vec<&'static str>> {
        statement_fields(statement)
    }
}

//! What could be typed at a point of a line.

use super::replies::Completed;
use super::requests::Complete;
use crate::db::Db;
use crate::error::{Error, Result};

/// The candidates at the cursor.
///
/// The words that a line can go on with are not known to the library yet: there are no candidates.
pub(super) fn complete(_: &Db, request: &Complete) -> Result<Completed> {
    let end = request.text.len() as u64;
    let cursor = request.cursor.unwrap_or(end);
    let whole = usize::try_from(cursor).is_ok_and(|cursor| request.text.is_char_boundary(cursor));
    if !whole {
        let message = format!("'cursor' is a byte of the text between characters, {cursor} is not");
        return Err(Error::request(message));
    }
    Ok(Completed { span: (cursor, cursor), candidates: Vec::new() })
}

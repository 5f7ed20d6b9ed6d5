//! Requests that came and are not answered yet, and the line that ends one: `{"cancel": rid}`, which
//! has no reply of its own.

use crate::budget::Cancel;
use crate::json::{self, Json};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The longest line that is looked at: whoever ends a request says nothing else.
const LONGEST: usize = 1024;

/// What was asked and is not answered yet, the oldest first.
#[derive(Default)]
pub struct Cancels(Mutex<VecDeque<(Option<Json>, Cancel)>>);

impl Cancels {
    /// A line was read. If it is a request, this is what ends it; if it ends one that came before, there
    /// is nothing to answer.
    pub fn heard(&self, line: &[u8]) -> Option<Cancel> {
        if let Some(rid) = meant(line) {
            let waiting = self.waiting();
            let same = waiting.iter().filter(|(waits, _)| waits.as_ref() == Some(&rid));
            same.for_each(|(_, cancel)| cancel.cancel());
            return None;
        }
        let cancel = Cancel::new();
        self.waiting().push_back((json::field(line, "rid"), cancel.clone()));
        Some(cancel)
    }

    /// The oldest request is answered.
    pub fn answered(&self) {
        self.waiting().pop_front();
    }

    /// Ends all of them: nobody wants their answers any more.
    pub fn end_all(&self) {
        self.waiting().iter().for_each(|(_, cancel)| cancel.cancel());
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<(Option<Json>, Cancel)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The request that a line wants to end, if it is such a line.
fn meant(line: &[u8]) -> Option<Json> {
    let text = std::str::from_utf8(line).ok().filter(|text| text.len() <= LONGEST)?;
    if !text.contains("\"cancel\"") {
        return None;
    }
    match json::parse(text).ok()? {
        Json::Map(mut map) if map.len() == 1 => map.remove("cancel"),
        _ => None,
    }
}

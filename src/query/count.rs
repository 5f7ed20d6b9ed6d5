//! How many nodes a question finds, without waiting for it to end: up to a number and for a short
//! time.

use super::cursor::Cursor;
use super::eval::FoundId;
use super::plan::{Ask, Plan, Window};
use super::timeline::Timeline;
use crate::budget::{self, Budget};
use crate::code::Code;
use crate::model::{Id, ReadError};
use std::time::Duration;

/// How far is counted.
const MOST: usize = 10_000;

/// For how long.
const PATIENCE: Duration = Duration::from_millis(50);

/// How many are asked for at a time.
const PAGE: usize = 256;

/// What a question finds, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counted {
    /// How many.
    pub count: u64,
    /// Whether there may be more.
    pub more: bool,
    /// The first of them.
    pub first: Vec<Id>,
}

/// How many nodes a plan finds; none if it is about a range. Of the first ones the ids are kept.
pub fn count(
    timeline: &dyn Timeline,
    plan: &Plan,
    first: usize,
) -> Result<Option<Counted>, ReadError> {
    let Some(mut cursor) = Cursor::<FoundId>::new(plan) else { return Ok(None) };
    let mut counted = Counted::default();
    let ended = Budget::new().timeout(PATIENCE).run(|| {
        loop {
            let page = cursor.next(timeline, PAGE)?;
            let room = first.saturating_sub(counted.first.len());
            counted.first.extend(page.iter().take(room).map(|(_, found)| found.id.clone()));
            counted.count += page.len() as u64;
            counted.more = page.len() == PAGE && counted.count >= MOST as u64;
            if page.len() < PAGE || counted.more {
                return Ok(());
            }
            budget::check()?;
        }
    });
    match ended {
        Err(ReadError::Stopped(stopped)) if stopped.code() == Code::Timeout => {
            // The time of the whole request may be over as well.
            budget::check()?;
            Ok(Some(Counted { more: true, ..counted }))
        }
        Err(error) => Err(error),
        Ok(()) => Ok(Some(counted)),
    }
}

/// The same without the question's limit and what it leaves out at the start.
pub fn count_all(timeline: &dyn Timeline, plan: &Plan) -> Result<Option<Counted>, ReadError> {
    let ask = Ask { window: Window::default(), ..plan.ask.clone() };
    count(timeline, &Plan { ask, ..plan.clone() }, 0)
}

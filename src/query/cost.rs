//! What a question will cost where that is more than what it reads once: a sentence for the asker.
//!
//! Most questions about many snapshots go from one to the next by what changed. Those that cannot ask
//! each snapshot in full, which on a long history is a great deal more than the history itself.

use super::eval::{can_be_followed, is_local, parts_looked_at};
use super::plan::{Depends, Plan, State, When, critical_depths, pinned_ids};
use super::timeline::{Moment, Read, Timeline};
use crate::language::ast::Mode;

/// From so many parts on it is worth a sentence: some ten seconds.
const MANY: u64 = 10_000_000;

/// What the asker should know of the cost of a question; none if it is cheap, or bounded by a limit.
pub(super) fn cost_warning(timeline: &dyn Timeline, plan: &Plan) -> Read<Option<String>> {
    let snapshots = match &plan.when {
        When::Every => timeline.history().len(),
        When::Range { stops, .. } if plan.mode == Mode::Pairwise => stops.len() as u64,
        _ => return Ok(None),
    };
    let (true, Some(newest)) = (plan.ask.window.is_open(), timeline.history().back(0)) else {
        return Ok(None);
    };
    // Too few snapshots to be worth a look, or ids whose places are known.
    if snapshots.saturating_mul(snapshots) < MANY || pinned_ids(&plan.ask).is_some() {
        return Ok(None);
    }
    let moment = Moment::of(timeline, State::Cycle(newest))?;
    let depends = Depends::of(&plan.ask);
    let by_parts = match plan.when {
        When::Every => critical_depths(&plan.ask).is_some(),
        _ => !depends.depth && !depends.age,
    };
    let followed = matches!(plan.when, When::Every) && !depends.age;
    let is_cheap = match followed {
        true => can_be_followed(&plan.ask, &moment)?,
        false => is_local(&plan.ask, &moment)?,
    };
    if by_parts && is_cheap {
        return Ok(None);
    }
    // On average a snapshot has half of the turns that the newest one has.
    let parts = parts_looked_at(&plan.ask, &moment)?.saturating_mul(snapshots) / 2;
    Ok((parts >= MANY).then(|| {
        format!(
            "each of {snapshots} snapshots is asked in full: about {} million parts are looked at",
            parts / 1_000_000
        )
    }))
}

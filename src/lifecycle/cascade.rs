//! Cascade (R4.3): removable containers that had children when the commit started and have none
//! now go too, bottom-up, unless a survivor refers to them.

use super::Sweep;
use crate::model::{Id, ReadError};

/// Removes them; returns them in the order in which they went.
pub fn cascade(sweep: &mut Sweep<'_>) -> Result<Vec<Id>, ReadError> {
    let mut gone = Vec::new();
    loop {
        let Some(id) = next_empty(sweep)? else { return Ok(gone) };
        sweep.remove(&id)?;
        gone.push(id);
    }
}

fn next_empty(sweep: &Sweep<'_>) -> Result<Option<Id>, ReadError> {
    for place in sweep.touched() {
        let now = sweep.tree().subtree(place)?;
        let start = sweep.at_start(place)?;
        // From the back: deeper and later first.
        for index in (1..now.len()).rev() {
            let node = now.node(index);
            if !Sweep::goes_when_empty(node) || now.children(index).next().is_some() {
                continue;
            }
            let had_children =
                start.find(&node.id).is_some_and(|at| start.children(at).next().is_some());
            if had_children && sweep.referrers(&node.id)?.is_empty() {
                return Ok(Some(node.id.clone()));
            }
        }
    }
    Ok(None)
}

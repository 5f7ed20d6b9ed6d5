//! Insertion positions (R3.5, R13): which offset puts a new node into a gap between children, and
//! which siblings have to make room.

use crate::change::{ChangeError, Insert};
use crate::code::Code;

/// A child that the new node is placed among.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sibling {
    /// Its offset.
    pub offset: i64,
    /// Who it is, for the caller.
    pub tag: usize,
}

/// The offset of the new node, and siblings with their new offsets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// The new node's offset.
    pub offset: i64,
    /// Tags of siblings and the offsets that they take.
    pub shifts: Vec<(usize, i64)>,
}

/// Finds room. `zero_is_core` holds directly below a turn or the head, where offset 0 is taken.
pub fn make_room(
    siblings: &[Sibling],
    insert: Insert,
    zero_is_core: bool,
) -> Result<Room, ChangeError> {
    let gap = gap_of(siblings.len(), insert)?;
    let outward = |offset: i64, side: i64| if zero_is_core && offset == 0 { side } else { offset };
    let plain = |offset| Ok(Room { offset, shifts: Vec::new() });
    let (Some(first), Some(last)) = (siblings.first(), siblings.last()) else {
        return plain(outward(0, if insert == Insert::Start { -1 } else { 1 }));
    };
    if gap == 0 {
        return plain(outward(first.offset - 1, -1));
    }
    if gap == siblings.len() {
        return plain(outward(last.offset, 1));
    }
    let (before, after) = (siblings[gap - 1].offset, siblings[gap].offset);
    if before == after && before < 0 {
        let shifts = shift_down(&siblings[..gap], before);
        return Ok(Room { offset: before - 1, shifts });
    }
    let offset = outward(before, 1);
    // Where the new node must stand before siblings of the same offset, they go up by one.
    let shifts = if after <= offset { shift_up(&siblings[gap..]) } else { Vec::new() };
    Ok(Room { offset, shifts })
}

fn gap_of(count: usize, insert: Insert) -> Result<usize, ChangeError> {
    let child = |n: u64| {
        usize::try_from(n).ok().filter(|n| (1..=count).contains(n)).ok_or_else(|| {
            let message = format!("there is no child {n}: the parent has {count}, counted from 1");
            ChangeError::new(Code::NodeNotFound, message)
        })
    };
    Ok(match insert {
        Insert::Start => 0,
        Insert::End => count,
        Insert::After(n) => child(n)?,
        Insert::Before(n) => child(n)? - 1,
    })
}

/// Moves the followers of the gap up by one, as far as their offsets leave no gap.
fn shift_up(followers: &[Sibling]) -> Vec<(usize, i64)> {
    let mut shifts = Vec::new();
    let mut level = followers.first().map_or(0, |sibling| sibling.offset);
    for sibling in followers {
        if sibling.offset > level + 1 {
            break;
        }
        level = sibling.offset;
        shifts.push((sibling.tag, sibling.offset + 1));
    }
    shifts
}

/// Moves the predecessors of the gap down by one, as far as their offsets leave no gap.
fn shift_down(predecessors: &[Sibling], offset: i64) -> Vec<(usize, i64)> {
    let mut shifts = Vec::new();
    let mut level = offset;
    for sibling in predecessors.iter().rev() {
        if sibling.offset < level - 1 {
            break;
        }
        level = sibling.offset;
        shifts.push((sibling.tag, sibling.offset - 1));
    }
    shifts
}

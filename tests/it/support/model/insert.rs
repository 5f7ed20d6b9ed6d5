//! Insertion positions (R3.5, R13): which offset puts a node where it was asked for, and who must give way.

use super::fail::{Fail, Res, UNSUPPORTED};
use super::selector::Insertion;

/// The new node's offset, and the children (by index) that take another one.
#[derive(Debug, PartialEq)]
pub(crate) struct Spot {
    pub(crate) offset: i64,
    pub(crate) shifts: Vec<(usize, i64)>,
}

/// `offsets` are the children's, in canonical order. `core_at_zero`: the parent is a turn or the head, where offset
/// 0 is not for anybody else.
pub(crate) fn spot(offsets: &[i64], insertion: Insertion, core_at_zero: bool) -> Res<Spot> {
    let count = offsets.len();
    let at = match insertion {
        Insertion::Start => 0,
        Insertion::End => count,
        Insertion::After(n) if (1..=count).contains(&n) => n,
        Insertion::Before(n) if (1..=count).contains(&n) => n - 1,
        _ => return Err(Fail::one("E_NODE_NOT_FOUND")),
    };
    let at_start = at == 0 && (count > 0 || insertion == Insertion::Start);
    if at_start || at == count {
        let offset = match (offsets.first(), offsets.last()) {
            (Some(first), _) if at_start => first - 1,
            (_, Some(last)) => *last,
            _ => 0,
        };
        let around_core = if at_start { -1 } else { 1 };
        let offset = if core_at_zero && offset == 0 { around_core } else { offset };
        return Ok(Spot { offset, shifts: Vec::new() });
    }
    let (before, after) = (offsets[at - 1], offsets[at]);
    if core_at_zero && before == 0 {
        // Two children at 0 need an import that put them there; the rules give no offset between them.
        return match after {
            0 => Err(Fail::one(UNSUPPORTED)),
            1 => Ok(Spot { offset: 1, shifts: run_up(offsets, at, 1) }),
            _ => Ok(Spot { offset: 1, shifts: Vec::new() }),
        };
    }
    if before < after {
        return Ok(Spot { offset: before, shifts: Vec::new() });
    }
    if before >= 0 {
        return Ok(Spot { offset: before, shifts: run_up(offsets, at, before) });
    }
    Ok(Spot { offset: before - 1, shifts: run_down(offsets, at, before) })
}

/// Followers from index `at` move up by one, level by level, until a level is empty.
fn run_up(offsets: &[i64], at: usize, from: i64) -> Vec<(usize, i64)> {
    let mut shifts = Vec::new();
    let mut level = from;
    for (i, offset) in offsets.iter().enumerate().skip(at) {
        if *offset > level {
            level += 1;
        }
        if *offset != level {
            break;
        }
        shifts.push((i, offset + 1));
    }
    shifts
}

/// The mirror image: those before index `at` move down.
fn run_down(offsets: &[i64], at: usize, from: i64) -> Vec<(usize, i64)> {
    let mut shifts = Vec::new();
    let mut level = from;
    for (i, offset) in offsets.iter().enumerate().take(at).rev() {
        if *offset < level {
            level -= 1;
        }
        if *offset != level {
            break;
        }
        shifts.push((i, offset - 1));
    }
    shifts
}

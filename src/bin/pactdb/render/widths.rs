//! How wide columns are that do not all fit: text gives way before names and times do.

/// What a column needs.
#[derive(Debug, Clone, Copy)]
pub struct Need {
    /// Below this a word would be broken.
    pub least: usize,
    /// What it would take.
    pub most: usize,
}

/// Nothing is made narrower than this.
const NARROWEST: usize = 6;

/// No word keeps more than this.
pub const WORD: usize = 32;

/// The width of each column so that they take at most so much together, as far as that is possible: the
/// widest give way first, and break their words only when all have come to that.
pub fn share(needs: &[Need], room: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = needs.iter().map(|need| need.most).collect();
    narrow(&mut widths, room, |i| needs[i].least.min(needs[i].most));
    narrow(&mut widths, room, |i| needs[i].most.min(NARROWEST));
    widths
}

/// Makes the widest columns narrower, none below its floor, until all fit or none can give way.
fn narrow(widths: &mut [usize], room: usize, floor: impl Fn(usize) -> usize) {
    loop {
        let sum = widths.iter().fold(0usize, |sum, width| sum.saturating_add(*width));
        let Some(excess) = sum.checked_sub(room).filter(|excess| *excess > 0) else { return };
        let can = |i: &usize| widths[*i] > floor(*i);
        let Some(widest) = (0..widths.len()).filter(can).max_by_key(|i| widths[*i]) else { return };
        let next = (0..widths.len())
            .filter(|i| can(i) && widths[*i] < widths[widest])
            .map(|i| widths[i])
            .max();
        let as_wide = (0..widths.len()).filter(|i| can(i) && widths[*i] == widths[widest]).count();
        let wanted = widths[widest].saturating_sub(excess.div_ceil(as_wide)).max(next.unwrap_or(0));
        widths[widest] = wanted.max(floor(widest)).min(widths[widest] - 1);
    }
}
